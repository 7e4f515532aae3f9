import { type BatchUpdate, batch } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { type Change, type GuardSeen, remove, update } from '#core/changes.ts';
import { changesOf } from '#core/correct-record.ts';
import { conflict, notFound } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import { percent } from '#core/rounding.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import type { Batch, BatchState, BatchStates } from '../batch-state.ts';
import { type ChangeBatchDeps, type SurvivalDeps, survivalRows } from './batch-state.ts';
import { correctStocking, STOCKING_FIELDS, type Stocking } from './correct-stocking.ts';
import {
  type BatchWarning,
  expectedHarvest,
  harvestedWarnings,
  requireActive,
  stockingWarnings,
  weighedBeforeWarnings,
} from './create-batch.ts';
import { requireHistory } from './losses.ts';

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
 * Decides new values of a batch; fields left out stay, null clears. The survival rate is a fact of its own with an audit entry.
 * What was told wrongly at the stocking is corrected also of a batch that has ended, all else of one in production. An empty body,
 * or what was read and is sent back, changes nothing.
 */
export async function changeBatch(
  deps: ChangeBatchDeps,
  caller: Caller,
  { state, guard }: { state: BatchState; guard: GuardSeen },
  { input, sentHarvestDate, language }: { input: BatchUpdate; sentHarvestDate: unknown; language: Language },
): Promise<Decision<ChangedBatch>> {
  const { batch: current, timezone } = state;
  const stocking = changesOf(current, stockingIn(input))?.after ?? null;
  if (stocking?.start_date !== undefined) requireNotAhead(deps, 'start_date', stocking.start_date, timezone);
  const { start_date } = { ...current, ...stocking };
  const { expected_harvest_date: harvestOn = current.expected_harvest_date } = input;
  const isHarvestSent = input.expected_harvest_date !== undefined;
  const harvestDate =
    isHarvestSent || (stocking?.start_date !== undefined && current.status === 'ACTIVE')
      ? expectedHarvest(
          { start_date, expected_harvest_date: harvestOn },
          isHarvestSent ? sentHarvestDate : harvestOn,
          timezone,
        )
      : undefined;
  const plans = changesOf(current, { notes: input.notes, expected_harvest_date: harvestDate })?.after ?? null;
  // two decimals are shown of it
  const rate = input.survival_rate === percent(state.survivalRate) ? undefined : input.survival_rate;
  const answerOf = (row: Batch, by: BatchState, warnings: BatchWarning[]): ChangedBatch => ({
    batch: row,
    survivalRate: rate ?? by.survivalRate,
    daysActive: by.daysActive,
    warnings,
  });
  if (stocking === null && plans === null && rate === undefined)
    return { answer: answerOf(current, state, []) };
  if (plans !== null || rate !== undefined) requireActive(current, 'changed');
  const history = await requireHistory(deps, current.id);
  const corrected =
    stocking === null
      ? { after: history, changes: [] }
      : await correctStocking(deps, caller, history, stocking);
  const { after } = corrected;
  const changes: Change[] = [...corrected.changes];
  if (rate !== undefined) {
    const step = { kind: 'ABSOLUTE' as const, value: rate, description: null };
    changes.push(...(await survivalRows(deps, caller, after.state, { step, newRate: rate })).changes);
  }
  const changed = changesOf(current, { ...stocking, ...plans });
  if (changed !== null) changes.push(entryOf(deps, caller, current, { action: 'update', ...changed }));
  const set = { ...changed?.after, updated_at: isoOf(deps.now()) };
  const row = { ...current, ...set, rev: current.rev + 1 };
  const pond = stocking === null ? null : await deps.queries.pond(current.pond_id);
  return {
    answer: answerOf(row, after.state, [
      ...(pond === null ? [] : stockingWarnings(row, pond, language)),
      ...(stocking?.initial_count === undefined ? [] : harvestedWarnings(after, language)),
      ...(stocking?.start_date === undefined ? [] : weighedBeforeWarnings(after, language)),
    ]),
    // a finish, or another survival change, at the same moment moves the version of the batch: then this is run anew
    changes: [...changes, update(batch, current, set)],
    // a record of a day that is then before the stocking, or of animals that are then none, waits and is judged by what stands then
    guards: stocking === null ? [] : [guard],
  };
}

export type ChangedBatch = {
  batch: Batch;
  survivalRate: number;
  daysActive: number;
  warnings: BatchWarning[];
};

const stockingIn = (input: BatchUpdate) =>
  Object.fromEntries(STOCKING_FIELDS.map((field) => [field, input[field]])) as Partial<Stocking>;

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
