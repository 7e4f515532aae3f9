import { type BatchUpdate, batch, type SurvivalAdjust } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, remove, update } from '#core/changes.ts';
import { changesOf } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { adjustSurvival } from '#science/survival.ts';
import { populationIn, weightIn } from '../batch-in-pond.ts';
import type { Batch, BatchState, BatchStates } from '../batch-state.ts';
import { requireActive } from './batch-rules.ts';
import { expectedHarvest } from './create-batch.ts';
import type { BatchQueries } from './ports.ts';
import { type SurvivalDeps, survivalRows, touched } from './survival-facts.ts';

export type ChangeBatchDeps = Pick<Kernel, 'guard'> &
  SurvivalDeps & { queries: BatchQueries; batches: Pick<BatchStates, 'byIds'> };

/** How the batch stands; 404 when it was deleted. */
export async function requireState(
  deps: { batches: Pick<BatchStates, 'byIds'> },
  id: string,
): Promise<BatchState> {
  const state = (await deps.batches.byIds([id])).get(id);
  if (state === undefined) throw notFound('Batch');
  return state;
}

/**
 * Decides new values of a batch in production; fields left out stay, null clears. The survival rate is a fact of its
 * own with an audit entry. An empty body changes nothing, also of a batch that has ended.
 */
export async function changeBatch(
  deps: ChangeBatchDeps,
  caller: Caller,
  state: BatchState,
  { input, sentHarvestDate }: { input: BatchUpdate; sentHarvestDate: unknown },
): Promise<Decision<{ batch: Batch; survivalRate: number }>> {
  const { batch: current, timezone, survivalRate } = state;
  const changed = changesOf(current, {
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    ...(input.expected_harvest_date === undefined
      ? {}
      : {
          expected_harvest_date: expectedHarvest(
            { ...input, start_date: current.start_date },
            sentHarvestDate,
            timezone,
          ),
        }),
  });
  const newRate = input.survival_rate ?? survivalRate;
  if (changed === null && newRate === survivalRate) return { answer: { batch: current, survivalRate } };
  requireActive(current, 'changed');
  const changes: Change[] = [];
  if (newRate !== survivalRate) {
    const step = { kind: 'ABSOLUTE' as const, value: newRate, description: null };
    changes.push(...(await survivalRows(deps, caller, state, { step, newRate })).changes);
  }
  if (changed !== null) changes.push(entryOf(deps, caller, current, { action: 'update', ...changed }));
  const set = { ...changed?.after, updated_at: isoOf(deps.now()) };
  return {
    answer: { batch: { ...current, ...set, rev: current.rev + 1 }, survivalRate: newRate },
    // a finish, or another survival change, at the same moment moves the version of the batch: then this is run anew
    changes: [...changes, update(batch, current, set)],
  };
}

export type AdjustedSurvival = {
  oldRate: number;
  newRate: number;
  adjustment: number;
  pondId: string | null;
  died: number;
  /** Alive after it, in that pond or the batch. */
  left: number;
};

/**
 * Decides a loss among the animals alive, in one pond or in all alike. Throws 409 for an id that is taken or a batch not in
 * production, 422 for a pond without animals of it, or more dead than live there.
 */
export async function adjustBatchSurvival(
  deps: ChangeBatchDeps,
  caller: Caller,
  batchId: string,
  input: SurvivalAdjust,
): Promise<Decision<AdjustedSurvival>> {
  const guard = asParent(await deps.guard('batch', batchId));
  const state = await requireState(deps, batchId);
  // before all else: what was told already is told as that, whatever became of the batch since
  if (input.id !== undefined && (await deps.queries.survivalIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  requireActive(state.batch, 'adjusted');
  const { share, ...loss } = await lossOf(deps, state, input);
  const { newPercent, adjustment } = adjustSurvival(state.survivalRate, share);
  const answer = { oldRate: state.survivalRate, newRate: newPercent, adjustment, ...loss };
  const step = {
    kind: 'FACTOR' as const,
    value: share,
    description: input.event_description,
    pond_id: loss.pondId,
    animals: input.severity === undefined ? loss.died : null,
    weight_kg: input.dead_weight_kg ?? null,
  };
  const rows = await survivalRows(deps, caller, state, { id: input.id, step, newRate: newPercent });
  return {
    answer,
    // two losses told at the same moment both count, one after the other: the second is reckoned anew
    changes: [...rows.changes, touched(state, rows.updatedAt)],
    guards: [guard],
  };
}

/** What died: as a share of the whole batch, and in animals. */
async function lossOf(
  deps: { queries: Pick<BatchQueries, 'pond'> },
  state: BatchState,
  { pond_id, severity, dead_count, dead_weight_kg }: SurvivalAdjust,
): Promise<Pick<AdjustedSurvival, 'pondId' | 'died' | 'left'> & { share: number }> {
  if ([severity, dead_count, dead_weight_kg].filter((each) => each !== undefined).length !== 1)
    throw invalidField(422, 'severity', 'say one of severity, dead_count and dead_weight_kg');
  const pondId = pond_id == null ? null : ((await deps.queries.pond(pond_id))?.id ?? '');
  const living = pondId === null ? state.population : populationIn(state, pondId);
  if (pondId !== null && living === 0)
    throw invalidField(
      422,
      'pond_id',
      `batch ${state.batch.batch_code} has no animals in such a pond`,
      'NOT_IN_POND',
    );
  const all = [...state.aliveByPond.values()].reduce((sum, alive) => sum + alive, 0);
  const alive = pondId === null ? all : (state.aliveByPond.get(pondId) ?? 0);
  const inBatch = (share: number) => (pondId === null || all === 0 ? share : (share * alive) / all);
  if (severity !== undefined) {
    const left = Math.floor(living * (1 - severity) + 1e-6);
    return { pondId, share: inBatch(severity), died: living - left, left };
  }
  const weightG = pondId === null ? state.currentWeightG : weightIn(state, pondId);
  const died = dead_count ?? Math.max(1, Math.round(((dead_weight_kg ?? 0) * 1000) / weightG));
  if (died > living)
    throw invalidField(
      422,
      dead_count === undefined ? 'dead_weight_kg' : 'dead_count',
      `${died} animals are more than the ${living} that live there by the books: set the survival right first`,
      'MORE_THAN_ALIVE',
    );
  return { pondId, share: inBatch(died === living ? 1 : died / alive), died, left: living - died };
}

/** Decides the end of a batch and all its records; throws 409 for one in production unless it is meant. */
export async function deleteBatch(
  deps: ChangeBatchDeps,
  caller: Caller,
  batchId: string,
  { evenActive }: { evenActive: boolean },
): Promise<Decision<void>> {
  const guard = await deps.guard('batch', batchId);
  const found = await deps.queries.batch(batchId);
  if (found === null) throw notFound('Batch');
  const { batch: current } = found;
  if (current.status === 'ACTIVE' && !evenActive) {
    throw conflict(
      `Batch ${current.batch_code} is ACTIVE: finish or abort it, or delete it with ?force=true`,
      'BATCH_ACTIVE',
    );
  }
  const { rev: _rev, ...before } = current;
  return {
    answer: undefined,
    changes: [remove(batch, current), entryOf(deps, caller, current, { action: 'delete', before })],
    guards: [guard],
  };
}

/** The audit entry of something done with a batch. */
export function entryOf(
  deps: SurvivalDeps,
  caller: Caller,
  { id, farm_id, batch_code }: Batch,
  { action, ...details }: { action: string } & Record<string, unknown>,
): Change {
  return audit(deps, {
    farm_id,
    entity_type: 'SYSTEM',
    entity_id: id,
    entity_name: batch_code,
    action,
    user_id: caller.userId,
    details: { record: 'batch', ...details },
  });
}
