import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchStates } from '../batch-state.ts';
import { BIOMETRY_WARNINGS } from './biometry-words.ts';
import type { BatchToWeigh, Biometry, BiometryQueries } from './ports.ts';

export type BiometryWarning = { code: string; message: string };

export type WarningDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: Pick<BiometryQueries, 'weighedBefore'>;
  batches: Pick<BatchStates, 'byIds'>;
};

/** A weighing this much below the one before is more likely a slip of the pen than hunger. */
const HALF = 0.5;

export async function requireBatch(
  deps: { queries: Pick<BiometryQueries, 'batchToWeigh'> },
  ref: string,
): Promise<BatchToWeigh> {
  const batch = await deps.queries.batchToWeigh(ref);
  if (batch === null) throw notFound('Batch');
  return batch;
}

export const averageG = (row: Pick<Biometry, 'total_weight_g' | 'sample_size'>): number =>
  row.total_weight_g / row.sample_size;

type WeighedRow = Pick<Biometry, 'id' | 'pond_id' | 'measurement_date' | 'sample_size' | 'total_weight_g'>;

/** What is unlikely about a weighing, but kept as it was entered. */
export async function warningsOf(
  deps: WarningDeps,
  { growth, uniformity }: ScienceConstants,
  batch: BatchToWeigh,
  { row, language }: { row: WeighedRow; language: Language },
): Promise<BiometryWarning[]> {
  const words = BIOMETRY_WARNINGS[language];
  const warnings: BiometryWarning[] = [];
  const warn = (code: string, message: string) => void warnings.push({ code, message });
  const day = localDay(row.measurement_date, batch.timezone);
  const today = localDay(isoOf(deps.now()), batch.timezone);
  const weightG = averageG(row);
  if (row.sample_size < uniformity.leastSample)
    warn('SMALL_SAMPLE', words.smallSample(row.sample_size, uniformity.leastSample));
  if (day < batch.start_date) warn('BEFORE_BATCH_START', words.beforeStart(batch.start_date));
  if (day > today && deps.clockQuality() === 'trusted') warn('FUTURE_DATE', words.inTheFuture);
  const harvestedOn =
    batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, batch.timezone);
  if (harvestedOn !== null && day > harvestedOn) warn('AFTER_HARVEST', words.afterHarvest(harvestedOn));
  const state = (await deps.batches.byIds([batch.id])).get(batch.id);
  if (row.pond_id !== null && state !== undefined && !wasIn(state, row.pond_id, day))
    warn('NOT_IN_POND', words.notInPond(day));
  const before = await deps.queries.weighedBefore(batch.id, {
    at: row.measurement_date,
    id: row.id,
    pondId: row.pond_id,
  });
  const beforeG = before === null ? batch.initial_avg_weight : averageG(before);
  if (weightG <= beforeG * HALF) {
    const beforeOn = before === null ? null : localDay(before.measurement_date, batch.timezone);
    warn('WEIGHT_FELL_BY_HALF', words.fellByHalf(weightG, { weightG: beforeG, day: beforeOn }));
  }
  if (weightG > 2 * growth.largestProjectedWeightG) warn('IMPLAUSIBLE_WEIGHT', words.implausible(weightG));
  return warnings;
}
