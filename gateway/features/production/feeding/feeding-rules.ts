import type { Kernel } from '#core/kernel.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { largestBlindFeedKg } from '#science/blind-feeding.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { feedingRatePercent } from '#science/feeding-rate.ts';
import { weightToFeedG } from '#science/feeding-ration.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchState, BatchStates } from '../batch-state.ts';
import { batchToRation } from './batch-to-ration.ts';
import { FEEDING_WARNINGS } from './feeding-words.ts';
import type { FeedingRecord } from './ports.ts';

export type FeedingWarning = { code: string; message: string };

export type WarningDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  batches: Pick<BatchStates, 'byIds'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
};

/** One meal above this many whole-day rations is more likely a slip of the pen. */
const RATIONS_BELIEVED = 3;
/** A controller's or keeper's clock may be that far ahead. */
const AHEAD_MS = 10 * 60_000;

/** What is unlikely about a feeding, but kept as it was entered. */
export async function warningsOf(
  deps: WarningDeps,
  row: Pick<FeedingRecord, 'batch_id' | 'pond_id' | 'quantity_kg' | 'cost_per_kg' | 'feed_date'>,
  language: Language,
): Promise<FeedingWarning[]> {
  const words = FEEDING_WARNINGS[language];
  const state = (await deps.batches.byIds([row.batch_id])).get(row.batch_id);
  const rationKg = state === undefined ? null : await plainRationKg(deps, state);
  const day = state === undefined ? null : localDay(row.feed_date, state.timezone);
  const isElsewhere =
    state !== undefined && day !== null && row.pond_id !== null && !wasIn(state, row.pond_id, day);
  const isAhead = deps.clockQuality() === 'trusted' && Date.parse(row.feed_date) > deps.now() + AHEAD_MS;
  return [
    ...(rationKg !== null && row.quantity_kg > RATIONS_BELIEVED * rationKg
      ? [
          {
            code: 'LARGE_QUANTITY',
            message: words.largeQuantity(row.quantity_kg, { rationKg, times: RATIONS_BELIEVED }),
          },
        ]
      : []),
    ...(row.cost_per_kg === 0 ? [{ code: 'FEED_WITHOUT_COST', message: words.withoutCost }] : []),
    ...(isElsewhere ? [{ code: 'NOT_IN_POND', message: words.notInPond(day) }] : []),
    ...(isAhead ? [{ code: 'FUTURE_DATE', message: words.inTheFuture }] : []),
  ];
}

/** The day's ration in good conditions, kg; null: nothing lives, so nothing can be compared. */
async function plainRationKg(deps: WarningDeps, state: BatchState): Promise<number | null> {
  if (state.population === 0) return null;
  const science = await deps.scienceOf(state.batch.farm_id);
  const batch = batchToRation(state, null);
  const weightG = weightToFeedG(science, batch);
  const ratePercent = feedingRatePercent(science.feeding, batch.species, weightG);
  const byWeightKg = (((state.population * weightG) / 1000) * ratePercent) / 100;
  const blindKg = largestBlindFeedKg(science, { ...batch, isWeighed: batch.lastWeighing !== null });
  // whichever chart the farm goes by, what another one says is no slip of the pen
  return Math.max(byWeightKg, (blindKg * batch.stocked) / 100_000);
}
