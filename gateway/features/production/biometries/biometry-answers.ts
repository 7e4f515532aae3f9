import type * as z from 'zod';
import type {
  BiometryAnswer,
  biometryInJournal,
  biometryJournal,
  biometrySummary,
} from '#contract/resources/biometries.ts';
import { isoOf } from '#core/kernel.ts';
import { grams, percent, roundTo } from '#core/rounding.ts';
import { daysBetween, localDay } from '#core/zone-clock.ts';
import { biometryAdvice } from '#science/advice/growth-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { averageWeeklyGainG } from '#science/daily-growth.ts';
import { averageCvPercent, cvOfSample, uniformityRating } from '#science/uniformity.ts';
import type { BatchState } from '../batch-state.ts';
import type { BatchToWeigh, Biometry, GrowthOf } from './ports.ts';
import { averageG } from './record-biometry.ts';

type Growth = NonNullable<Awaited<ReturnType<GrowthOf>>>;
type Dates = Pick<BatchToWeigh, 'start_date' | 'actual_harvest_date' | 'timezone'>;

export function biometryToAnswer(row: Omit<Biometry, 'rev'>, batch: Dates, nowMs: number): BiometryAnswer {
  return {
    ...inJournal(row, batch, nowMs),
    batch_id: row.batch_id,
    weight_sd_g: roundTo(row.weight_sd_g, 4),
    individual_weights_g: row.individual_weights_g,
    clock_quality: row.clock_quality,
    updated_at: row.updated_at,
  };
}

/** What stands above a journal of weighings. */
export function headToAnswer(state: BatchState): Omit<z.infer<typeof biometryJournal>, 'biometries'> {
  const { batch, latestBiometry, currentWeightG } = state;
  const initialG = batch.initial_avg_weight;
  const latest =
    latestBiometry === null
      ? null
      : { day: latestBiometry.measurementDay, weightG: latestBiometry.batchWeightG };
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    growth_summary: {
      initial_weight_g: grams(initialG),
      current_weight_g: grams(currentWeightG),
      total_growth_g: grams(currentWeightG - initialG),
      average_weekly_growth_g: latest === null ? null : grams(averageWeeklyGainG(initialG, latest)),
      total_measurements: state.biometryCount,
    },
  };
}

export async function* linesToAnswer(
  rows: AsyncIterable<Biometry>,
  { batch, nowMs }: { batch: Dates; nowMs: number },
): AsyncIterable<z.infer<typeof biometryInJournal>> {
  for await (const row of rows) yield inJournal(row, batch, nowMs);
}

export function summaryToAnswer(growth: Growth, language: Language): z.infer<typeof biometrySummary> {
  const { history, science } = growth;
  const { batch, daysActive, currentWeightG, latestBiometry } = history.state;
  const averageCv = averageCvPercent(history.weighings.map((each) => each.coefficient_variation));
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    total_biometries: history.weighings.length,
    summary: {
      initial_weight_g: grams(batch.initial_avg_weight),
      current_weight_g: grams(currentWeightG),
      weight_gain_g: grams(currentWeightG - batch.initial_avg_weight),
      days_in_production: daysActive,
      adg: grams(growth.adgG),
      expected_adg: grams(growth.expectedAdgG),
      performance_percentage: percent(growth.performancePercent),
      average_cv: percent(averageCv),
      uniformity_rating: uniformityRating(science.uniformity, averageCv, currentWeightG),
    },
    latest_biometry:
      latestBiometry === null
        ? null
        : {
            id: latestBiometry.id,
            measurement_date: latestBiometry.measurement_date,
            measurement_day: latestBiometry.measurementDay,
            sample_size: latestBiometry.sample_size,
            average_weight_g: grams(latestBiometry.average_weight_g),
            coefficient_variation: percent(latestBiometry.coefficient_variation),
          },
    growth_trend: growth.trend.trend,
    recommendations: growth.facts === null ? [] : biometryAdvice(science, growth.facts, language),
  };
}

function inJournal(
  row: Omit<Biometry, 'rev'>,
  { start_date, actual_harvest_date, timezone }: Dates,
  nowMs: number,
): z.infer<typeof biometryInJournal> {
  const age = (instant: string) => daysBetween(start_date, localDay(instant, timezone));
  return {
    id: row.id,
    pond_id: row.pond_id,
    measurement_date: row.measurement_date,
    days_in_production: Math.max(0, age(actual_harvest_date ?? isoOf(nowMs))),
    measurement_day: age(row.measurement_date),
    sample_size: row.sample_size,
    total_weight_g: roundTo(row.total_weight_g, 4),
    average_weight_g: grams(averageG(row)),
    coefficient_variation: percent(variationOf(row)),
    notes: row.notes,
    created_by: row.created_by,
    created_at: row.created_at,
  };
}

/** Percent; null where only a total was weighed. */
function variationOf(
  row: Pick<Biometry, 'sample_size' | 'total_weight_g' | 'weight_sd_g' | 'individual_weights_g'>,
) {
  return cvOfSample(
    { individualWeightsG: row.individual_weights_g, standardDeviationG: row.weight_sd_g },
    averageG(row),
  );
}
