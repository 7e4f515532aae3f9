import { type BatchUpdate, batch } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { type Change, remove, update } from '#core/changes.ts';
import { changesOf } from '#core/correct-record.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Batch, BatchState, BatchStates } from '../batch-state.ts';
import type { Withdrawals } from '../withdrawal.ts';
import { type SurvivalDeps, survivalRows } from './batch-state.ts';
import { expectedHarvest, requireActive } from './create-batch.ts';
import type { BatchQueries } from './ports.ts';

export type ChangeBatchDeps = Pick<Kernel, 'guard'> &
  SurvivalDeps & {
    queries: BatchQueries;
    batches: Pick<BatchStates, 'byIds' | 'historyOf'>;
    withdrawals: Withdrawals;
  };

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
