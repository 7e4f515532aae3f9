import { blindFeedKg } from './blind-feeding.ts';
import type { BlindChart, ScienceConstants } from './constants.ts';
import {
  type FeedingAdjustment,
  type FeedingConditions,
  feedingAdjustment,
  isFresh,
} from './feeding-adjustments.ts';
import { feedingRatePercent } from './feeding-rate.ts';
import { feedingSchedule, type Meal, mealPlan, weighedFeedKg } from './feeding-schedule.ts';
import {
  expectedWeightG,
  growthCurve,
  instantaneousGrowthGPerDay,
  pondCurve,
  type WeightAtAge,
} from './growth.ts';
import type { Species } from './survival.ts';

type Constants = Pick<ScienceConstants, 'growth' | 'feeding'>;

export interface BatchToFeed {
  species: Species;
  initialWeightG: number;
  /** Age today, whole days since stocking. */
  day: number;
  /** The same age in days at 28 °C; equal to `day` where temperature is unknown. */
  warmDays: number;
  lastWeighing: WeightAtAge | null;
  /** Live animals, 0 or more. */
  population: number;
  /** Stocked ones that they are of: what a chart for postlarvae counts. */
  stocked: number;
}

export interface DailyRation {
  /** kg for the day, as it is weighed out; 0 when feeding is suspended or nothing lives. */
  recommendedKg: number;
  /** % of biomass per day after adjustment, two decimals. */
  ratePercent: number;
  /** Mean weight the ration is computed for, grams. */
  feedWeightG: number;
  /** Biomass at that weight, kg. */
  biomassKg: number;
  adjustment: FeedingAdjustment;
  /** What it goes by: the weight, or the farm's chart for postlarvae that were never weighed. */
  chart: BlindChart;
  meals: Meal[];
  /**
   * kg of feed for each kg the pond gains today if it grows at its own pace; null when nothing
   * is fed or nothing grows.
   */
  feedPerGain: number | null;
}

/** The ration of a day: base rate for the weight today × biomass × adjustments, and its meals. */
export function dailyRation(
  constants: Constants,
  batch: BatchToFeed,
  conditions: FeedingConditions,
): DailyRation {
  const { feeding, growth } = constants;
  const feedWeightG = weightToFeedG(constants, batch);
  const plan = mealPlan(feeding, feedWeightG, freshTemperature(feeding, conditions));
  const adjustment = feedingAdjustment(feeding, conditions, plan.length);
  const biomassKg = (batch.population * feedWeightG) / 1000;
  const blindKg = blindFeedKg(constants, feeding.blindChart, {
    ...batch,
    isWeighed: batch.lastWeighing !== null,
  });
  const fullPercent =
    blindKg === null || biomassKg <= 0
      ? feedingRatePercent(feeding, batch.species, feedWeightG)
      : (blindKg * batch.stocked) / 1000 / biomassKg;
  const ratePercent = fullPercent * adjustment.factor;
  const recommendedKg = weighedFeedKg((biomassKg * ratePercent) / 100);
  const pace = instantaneousGrowthGPerDay(pondCurve(growth, batch.species, batch), feedWeightG);
  const gainKg = (batch.population * pace) / 1000;
  return {
    recommendedKg,
    ratePercent: twoDecimals(ratePercent),
    feedWeightG,
    biomassKg,
    adjustment,
    chart: blindKg === null ? 'BY_WEIGHT' : feeding.blindChart,
    meals: feedingSchedule(plan, recommendedKg),
    feedPerGain: recommendedKg > 0 && gainKg > 0 ? recommendedKg / gainKg : null,
  };
}

/**
 * The weight to feed today, grams: the last weighing grown forward at the pond's own pace, for
 * ten days at most (older weighings are not evidence of growth); without one the expected weight.
 */
export function weightToFeedG(
  { growth, feeding }: Constants,
  batch: Omit<BatchToFeed, 'population' | 'stocked'>,
): number {
  const { species, initialWeightG, lastWeighing } = batch;
  if (lastWeighing === null) {
    return expectedWeightG(growthCurve(growth, species), initialWeightG, batch.warmDays);
  }
  const days = Math.min(feeding.rollForwardDays, Math.max(0, batch.day - lastWeighing.day));
  return expectedWeightG(pondCurve(growth, species, batch), lastWeighing.weightG, days);
}

function freshTemperature(
  { readingFreshHours }: Constants['feeding'],
  { temperatureC }: FeedingConditions,
): number | null {
  return isFresh(temperatureC, readingFreshHours.temperature) ? temperatureC.value : null;
}

function twoDecimals(n: number): number {
  return Math.round(n * 100) / 100;
}
