import { BLIND_CHARTS, type BlindChart, type ScienceConstants } from './constants.ts';
import {
  type FeedingAdjustment,
  type FeedingConditions,
  feedingAdjustment,
  isFresh,
} from './feeding-adjustments.ts';
import {
  expectedWeightG,
  growthCurve,
  instantaneousGrowthGPerDay,
  pondCurve,
  type WeightAtAge,
} from './growth.ts';
import type { Species } from './survival.ts';
import { interpolate } from './temperature-factor.ts';

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

type Feeding = ScienceConstants['feeding'];

interface PlannedMeal {
  /** Local time of the farm, HH:MM. */
  time: string;
  /** Share of the day's ration, %. */
  percent: number;
}

export interface Meal extends PlannedMeal {
  quantityKg: number;
}

/**
 * The meals of a day for shrimp of this weight. Small shrimp eat little and often; from 3 g
 * four meals do as well as six (trials with P. monodon); in cool water three, in the warm hours.
 *
 * @param temperatureC today's water temperature, °C; null when it is not known
 */
export function mealPlan(
  feeding: Feeding,
  weightG: number,
  temperatureC: number | null,
): readonly PlannedMeal[] {
  if (temperatureC !== null && temperatureC < feeding.coolWater.belowC) {
    return feeding.coolWater.meals;
  }
  return feeding.mealPlans.findLast((plan) => weightG >= plan.fromWeightG)?.meals ?? [];
}

/** Feed as it is weighed out, kg: to 10 g, and below a kilogram, for a nursery, to the gram. */
export function weighedFeedKg(kg: number): number {
  const units = unitsPerKg(kg);
  return Math.round(kg * units) / units;
}

const unitsPerKg = (kg: number): number => (kg < 1 ? 1000 : 100);

/**
 * Quantities of the meals, kg as they are weighed out. They sum exactly to the day's ration
 * (rounded likewise): the last meal takes what rounding left.
 */
export function feedingSchedule(plan: readonly PlannedMeal[], rationKg: number): Meal[] {
  // In whole units, so that the sum is exact.
  const units = unitsPerKg(rationKg);
  const ration = Math.round(rationKg * units);
  let left = ration;
  return plan.map(({ time, percent }, meal) => {
    const isLast = meal === plan.length - 1;
    // A ration of a few grams rounds up more often than there is feed.
    const quantity = isLast ? left : Math.min(left, Math.round((ration * percent) / 100));
    left -= quantity;
    return { time, percent, quantityKg: quantity / units };
  });
}

/**
 * Daily ration in good conditions, % of biomass per day.
 *
 * vannamei: a share (0.85) of the largest meal of Nunes & Parsons (2000). monodon: the table of
 * Chanratchakool et al. (1994), between its points on log axes, its ends held outside 0.02–35 g.
 * With the growth curves this gives 1.4 kg of feed per kg gained over a cycle to 12 g.
 *
 * @param weightG mean weight, grams; 0 or less answers the largest rate
 * @returns above 0, at most 25
 */
export function feedingRatePercent(feeding: Feeding, species: Species, weightG: number): number {
  if (weightG <= 0) return feeding.largestRatePercent;
  const ratePercent = species === 'monodon' ? monodonRate(feeding, weightG) : vannameiRate(feeding, weightG);
  return Math.min(feeding.largestRatePercent, ratePercent);
}

function vannameiRate({ vannamei }: Feeding, weightG: number): number {
  const largestMealG = vannamei.mealScale * weightG ** vannamei.mealExponent;
  return ((vannamei.rationFactor * largestMealG) / weightG) * 100;
}

function monodonRate({ monodonTable }: Feeding, weightG: number): number {
  const points = monodonTable.map((row) => ({
    at: Math.log(row.weightG),
    value: Math.log(row.ratePercent),
  }));
  return Math.exp(interpolate(points, Math.log(weightG)));
}

/**
 * Rocha & Maia tell kg a hectare: that of 30 shrimp per m², which was the density of that practice, is assumed.
 * kg a day for 100,000 stocked, day 1 the day of stocking, straight between the days named; after the last of them the
 * ration goes by weight. Both are of vannamei.
 */
const CHARTS: Readonly<Record<Exclude<BlindChart, 'BY_WEIGHT'>, readonly { day: number; kg: number }[]>> = {
  ROCHA_MAIA_1998: [
    { day: 1, kg: 1 / 3 },
    { day: 20, kg: 7 / 3 },
  ],
  VINH_PHAT_LOC: [
    { day: 1, kg: 2.5 },
    { day: 7, kg: 3.1 },
    { day: 14, kg: 4.5 },
    { day: 30, kg: 9.3 },
  ],
};

/** Where each comes from, as it is named to the farm. */
export const BLIND_SOURCES: Readonly<Record<BlindChart, string>> = {
  BY_WEIGHT: 'Nunes & Parsons 2000',
  ROCHA_MAIA_1998:
    'Rocha & Maia 1998, in Nunes, Panorama da Aqüicultura: 1–7 kg/ha/dia; supõe 30 camarões/m² (assumes 30 shrimp/m²)',
  VINH_PHAT_LOC: 'Vĩnh Phát Lộc, 100.000 PL: 2,5 · 3,1 · 4,5 · 9,3 kg (1 · 7 · 14 · 30)',
};

type BlindBatch = {
  species: Species;
  initialWeightG: number;
  /** Whole days since stocking. */
  day: number;
  isWeighed: boolean;
};

/** kg a day for 100,000 stocked; null: the chart says nothing of such a batch, and it is fed by weight. */
export function blindFeedKg(
  { growth }: Pick<Constants, 'growth'>,
  chart: BlindChart,
  batch: BlindBatch,
): number | null {
  const isBlind =
    !batch.isWeighed && batch.species === 'vannamei' && batch.initialWeightG < growth.postlarvaBelowG;
  if (chart === 'BY_WEIGHT' || !isBlind) return null;
  const day = batch.day + 1;
  const lines = CHARTS[chart];
  const next = lines.findIndex((line) => line.day >= day);
  const [left, right] = [lines[Math.max(0, next - 1)], lines[next]];
  if (left === undefined || right === undefined) return null;
  if (right.day === left.day) return right.kg;
  return left.kg + ((day - left.day) / (right.day - left.day)) * (right.kg - left.kg);
}

/** The most that any of them gives such a batch: what is no slip of the pen, whatever the farm has chosen. */
export function largestBlindFeedKg(constants: Pick<Constants, 'growth'>, batch: BlindBatch): number {
  return Math.max(0, ...BLIND_CHARTS.map((chart) => blindFeedKg(constants, chart, batch) ?? 0));
}
