import { type BatchFinish, batch } from '#contract/resources/batches.ts';
import type { Batch, BatchState } from '#core/batch-state.ts';
import { update } from '#core/changes.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import { instantOnFarm, localDay } from '#core/local-day.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { feedConversion } from '#science/biomass.ts';
import { type BatchWarning, harvestWarnings, requireActive, requireSinceStart } from './batch-rules.ts';
import { daysInProduction } from './batch-state.ts';
import { BATCH_WARNINGS } from './batch-words.ts';
import { type ChangeBatchDeps, entryOf, requireState } from './change-batch.ts';

export type Finished = {
  batch: Batch;
  totalDays: number;
  finalFca: number | null;
  finalWeightKg: number;
  harvestedKg: number;
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
  const finalKg = input.final_weight_kg ?? null;
  const set = {
    status: 'FINISHED' as const,
    actual_harvest_date: at,
    final_weight_kg: finalKg,
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    updated_at: now,
  };
  const ended: Batch = { ...current, ...set, rev: current.rev + 1 };
  const finalWeightKg = finalKg ?? state.biomassKg;
  return {
    answer: {
      batch: ended,
      totalDays: daysInProduction(ended, timezone, now),
      finalFca: feedConversion(state.totalFeedKg, finalWeightKg + state.harvestedKg - state.initialBiomassKg),
      finalWeightKg,
      harvestedKg: state.harvestedKg,
      warnings: finishWarnings(state, { finalKg, day }, language),
    },
    changes: [
      update(batch, current, set),
      entryOf(deps, caller, current, { action: 'finish', actual_harvest_date: at, final_weight_kg: finalKg }),
    ],
    guards: [guard],
  };
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
  { finalKg, day }: { finalKg: number | null; day: string },
  language: Language,
): BatchWarning[] {
  const { latestBiometry, currentWeightG, harvestedCount, timezone } = state;
  const warnings: BatchWarning[] = [];
  if (finalKg !== null && currentWeightG > 0) {
    const count = (finalKg * 1000) / currentWeightG;
    warnings.push(...harvestWarnings(state, { count, before: harvestedCount }, language));
  }
  const weighedOn = latestBiometry === null ? null : localDay(latestBiometry.measurement_date, timezone);
  if (weighedOn !== null && weighedOn > day)
    warnings.push({
      code: 'BEFORE_LAST_BIOMETRY',
      message: BATCH_WARNINGS[language].weighedAfterwards(weighedOn),
    });
  return warnings;
}
