import { type BatchFinish, batch } from '#contract/resources/batches.ts';
import { update } from '#core/changes.ts';
import { invalidField } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { feedConversion } from '#science/biomass.ts';
import type { Batch, BatchState } from '../batch-state.ts';
import { withdrawalWarnings } from '../withdrawal.ts';
import type { ChangeBatchDeps } from './batch-state.ts';
import { COUNTED_AT_HARVEST, daysInProduction, survivalRows } from './batch-state.ts';
import { entryOf, requireState } from './change-batch.ts';
import {
  BATCH_WARNINGS,
  type BatchWarning,
  harvestWarnings,
  requireActive,
  requireSinceStart,
} from './create-batch.ts';

/** Growth since the last weighing and its error leave this much; fewer are missing. */
const LEAST_OF_ESTIMATE = 0.8;

export type Finished = {
  batch: Batch;
  totalDays: number;
  finalFca: number | null;
  finalWeightKg: number;
  harvestedKg: number;
  finalCount: number;
  /** Percent of the stocked animals that were harvested, at the end and before. */
  survivalRate: number;
  warnings: BatchWarning[];
};

/**
 * Decides the harvest of all that is left: of two at the same moment one finishes the batch, the other gets 409. Without
 * a weight the estimate counts, and follows later corrections of the records.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function finishBatch(
  deps: ChangeBatchDeps,
  caller: Caller,
  batchId: string,
  { input, sentDate, language }: { input: BatchFinish; sentDate: unknown; language: Language },
): Promise<Decision<Finished>> {
  const guard = await deps.guard('batch', batchId);
  const state = await requireState(deps, batchId);
  const { batch: current, timezone } = state;
  requireActive(current, 'finished');
  const now = isoOf(deps.now());
  const at = input.actual_harvest_date ? instantOnFarm(input.actual_harvest_date, sentDate, timezone) : now;
  const day = localDay(at, timezone);
  requireSinceStart(current, 'actual_harvest_date', day);
  requireNotAhead(deps, 'actual_harvest_date', day, timezone);
  const { kg: finalKg, count } = harvestOf(input);
  const set = {
    status: 'FINISHED' as const,
    actual_harvest_date: at,
    final_weight_kg: finalKg,
    final_price_per_kg: input.price_per_kg ?? null,
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    updated_at: now,
  };
  const ended: Batch = { ...current, ...set, rev: current.rev + 1 };
  // more than were stocked is told, and counts as all of them
  const counted = count === null ? null : survivalAt(state, count);
  const finalWeightKg = finalKg ?? (count === null ? state.biomassKg : (count * state.currentWeightG) / 1000);
  return {
    answer: {
      batch: ended,
      totalDays: daysInProduction(ended, timezone, now),
      finalFca: feedConversion(state.totalFeedKg, finalWeightKg + state.harvestedKg - state.initialBiomassKg),
      finalWeightKg,
      harvestedKg: state.harvestedKg,
      finalCount: count ?? state.population,
      survivalRate: counted ?? state.survivalRate,
      warnings: [
        ...withdrawalWarnings(await deps.withdrawals.on(state, day), language),
        ...finishWarnings(state, { finalKg, count, day }, language),
      ],
    },
    changes: [
      ...(counted === null ? [] : (await countedRows(deps, caller, state, { counted, count })).changes),
      update(batch, current, set),
      entryOf(deps, caller, current, { action: 'finish', actual_harvest_date: at, final_weight_kg: finalKg }),
    ],
    guards: [guard],
  };
}

/** Weight (kg) and animals of a final harvest, as far as they follow from what was told; null: the estimate counts. */
function harvestOf(input: BatchFinish): { kg: number | null; count: number | null } {
  const { final_weight_kg, final_count, final_average_weight_g } = input;
  const [kg, count, meanG] = [final_weight_kg ?? null, final_count ?? null, final_average_weight_g ?? null];
  if (meanG === null) return { kg, count };
  if (kg !== null) return { kg, count: count ?? Math.round((kg * 1000) / meanG) };
  if (count !== null) return { kg: (count * meanG) / 1000, count };
  throw invalidField(422, 'final_average_weight_g', 'needs final_weight_kg or final_count beside it');
}

function survivalAt({ batch: { initial_count }, harvestedCount }: BatchState, count: number): number {
  return Math.min(100, (100 * (count + harvestedCount)) / initial_count);
}

function countedRows(
  deps: ChangeBatchDeps,
  caller: Caller,
  state: BatchState,
  { counted, count }: { counted: number; count: number | null },
) {
  const step = {
    kind: 'ABSOLUTE' as const,
    value: counted,
    animals: count,
    description: COUNTED_AT_HARVEST,
  };
  return survivalRows(deps, caller, state, { step, newRate: counted });
}

/** Decides the end of a batch that will never be harvested; its records stay. */
export async function abortBatch(
  deps: ChangeBatchDeps,
  caller: Caller,
  batchId: string,
  reason: string,
): Promise<Decision<{ batch: Batch; state: BatchState }>> {
  const guard = await deps.guard('batch', batchId);
  const state = await requireState(deps, batchId);
  requireActive(state.batch, 'aborted');
  const now = isoOf(deps.now());
  const set = {
    status: 'ABORTED' as const,
    actual_harvest_date: now,
    end_reason: reason,
    updated_at: now,
  };
  const ended: Batch = { ...state.batch, ...set, rev: state.batch.rev + 1 };
  return {
    answer: { batch: ended, state },
    changes: [
      update(batch, state.batch, set),
      entryOf(deps, caller, state.batch, { action: 'abort', reason }),
    ],
    guards: [guard],
  };
}

function finishWarnings(
  state: BatchState,
  { finalKg, count: told, day }: { finalKg: number | null; count: number | null; day: string },
  language: Language,
): BatchWarning[] {
  const { latestBiometry, currentWeightG, harvestedCount, timezone } = state;
  const warnings: BatchWarning[] = [];
  const implied = finalKg !== null && currentWeightG > 0 ? (finalKg * 1000) / currentWeightG : null;
  const count = told ?? implied;
  if (count !== null) warnings.push(...harvestWarnings(state, { count, before: harvestedCount }, language));
  const isDoubted = told === null && latestBiometry !== null && implied !== null;
  if (isDoubted && implied < state.population * LEAST_OF_ESTIMATE)
    warnings.push({
      code: 'FEWER_THAN_ESTIMATED',
      message: BATCH_WARNINGS[language].fewerThanEstimated(Math.round(implied), state.population),
    });
  const weighedOn = latestBiometry === null ? null : localDay(latestBiometry.measurement_date, timezone);
  if (weighedOn !== null && weighedOn > day)
    warnings.push({
      code: 'BEFORE_LAST_BIOMETRY',
      message: BATCH_WARNINGS[language].weighedAfterwards(weighedOn),
    });
  return warnings;
}
