import { ratio } from './biomass.ts';
import type { ScienceConstants } from './constants.ts';
import { daysToReach, expectedWeightG, pondCurve, recentDailyGrowthG, type WeightAtAge } from './growth.ts';
import { upperTail } from './oxygen-forecast.ts';
import type { Species } from './survival.ts';

type Economics = ScienceConstants['economics'];

const HARVEST_WORDS = ['CONTINUE', 'HARVEST_NOW', 'MONITOR'] as const;
type HarvestWord = (typeof HARVEST_WORDS)[number];

/** One weighing; sample and spread null: not told. */
export type HarvestWeighing = {
  day: number;
  weightG: number;
  sampleSize: number | null;
  cvPercent: number | null;
};

export type HarvestFacts = {
  /** Animals alive. */
  animals: number;
  currentWeightG: number;
  /** In order of age, stocking not among them. */
  weighings: readonly HarvestWeighing[];
  /** Days since the last weighing; null: there is none. */
  lastWeighingDaysAgo: number | null;
  /** Growth of the species' curve at this weight, g/day: used while two weighings are wanting. */
  expectedGrowthGPerDay: number;
  marketPricePerKg: number;
  dailyOperationalCost: number;
};

export type HarvestDecision = {
  recommendation: HarvestWord;
  reason: 'GROWTH_PAYS' | 'GROWTH_DOES_NOT_PAY' | 'NEVER_WEIGHED' | 'WEIGHED_TOO_LONG_AGO';
  growthGPerDay: number;
  growthIs: 'MEASURED' | 'EXPECTED';
  currentBiomassKg: number;
  dailyBiomassGainKg: number;
  dailyGrowthRevenue: number;
  netDailyProfit: number;
  /** Price per kg at which another day just pays; null while nothing grows. */
  breakEvenPricePerKg: number | null;
  /** Growth at which another day just pays, g/day; null without animals or price. */
  breakEvenGrowthGPerDay: number | null;
  /**
   * Chance that the true growth lies on the side of the recommendation, per cent, 50–100: what the samples' error leaves
   * of it. Null for MONITOR, and for growth that was not measured.
   */
  confidencePercent: number | null;
};

/**
 * Whether a batch earns by staying another day. CONTINUE when the day's growth is worth more than the day costs,
 * HARVEST_NOW otherwise (equal included). MONITOR only where the rule cannot be trusted: a batch never weighed since
 * stocking, or not for more than 14 days; its figures are given all the same.
 */
export function harvestDecision(economics: Economics, facts: HarvestFacts): HarvestDecision {
  const measured = recentDailyGrowthG(facts.weighings);
  const growthGPerDay = measured ?? facts.expectedGrowthGPerDay;
  const gainKg = (facts.animals * growthGPerDay) / 1000;
  const revenue = gainKg * facts.marketPricePerKg;
  const breakEvenGrowthGPerDay = ratio(
    facts.dailyOperationalCost * 1000,
    facts.animals * facts.marketPricePerKg,
  );
  const isPaying = revenue > facts.dailyOperationalCost;
  const isTrusted =
    facts.lastWeighingDaysAgo !== null && facts.lastWeighingDaysAgo <= economics.biometryStaleDays;
  return {
    ...recommend(facts, isTrusted, isPaying),
    growthGPerDay,
    growthIs: measured === null ? 'EXPECTED' : 'MEASURED',
    currentBiomassKg: (facts.animals * facts.currentWeightG) / 1000,
    dailyBiomassGainKg: gainKg,
    dailyGrowthRevenue: revenue,
    netDailyProfit: revenue - facts.dailyOperationalCost,
    breakEvenPricePerKg: ratio(facts.dailyOperationalCost, gainKg),
    breakEvenGrowthGPerDay,
    confidencePercent: isTrusted ? confidence(economics, facts, breakEvenGrowthGPerDay) : null,
  };
}

/**
 * Standard error of the growth read from the last three weighings, g/day: each mean weight is as sure as its sample.
 * With 100 shrimp at a spread of 25 % a week's growth of 10 g shrimp is known to about 19 %. Null with fewer than two
 * weighings on different days.
 */
export function growthStandardErrorG(
  economics: Economics,
  weighings: readonly HarvestWeighing[],
): number | null {
  const recent = weighings.slice(-3);
  const meanDay = recent.reduce((sum, { day }) => sum + day, 0) / recent.length;
  const spread = recent.reduce((sum, { day }) => sum + (day - meanDay) ** 2, 0);
  if (recent.length < 2 || spread === 0) return null;
  const variance = recent.reduce((sum, { day, weightG, sampleSize, cvPercent }) => {
    const sdG = (weightG * (cvPercent ?? economics.assumedCvPercent)) / 100;
    return sum + ((day - meanDay) / spread) ** 2 * (sdG ** 2 / (sampleSize ?? economics.assumedSampleSize));
  }, 0);
  return Math.sqrt(variance);
}

function recommend(
  { lastWeighingDaysAgo }: HarvestFacts,
  isTrusted: boolean,
  isPaying: boolean,
): Pick<HarvestDecision, 'recommendation' | 'reason'> {
  if (lastWeighingDaysAgo === null) return { recommendation: 'MONITOR', reason: 'NEVER_WEIGHED' };
  if (!isTrusted) return { recommendation: 'MONITOR', reason: 'WEIGHED_TOO_LONG_AGO' };
  return isPaying
    ? { recommendation: 'CONTINUE', reason: 'GROWTH_PAYS' }
    : { recommendation: 'HARVEST_NOW', reason: 'GROWTH_DOES_NOT_PAY' };
}

function confidence(economics: Economics, facts: HarvestFacts, breakEvenG: number | null): number | null {
  const measuredG = recentDailyGrowthG(facts.weighings);
  const errorG = growthStandardErrorG(economics, facts.weighings);
  if (measuredG === null || errorG === null || errorG === 0 || breakEvenG === null) return null;
  return 100 * (1 - upperTail(Math.abs(measuredG - breakEvenG) / errorG));
}

type Growth = ScienceConstants['growth'];

export interface HarvestProjection {
  /** Age of the batch at harvest, days since stocking; null when the target is out of reach. */
  harvestDay: number | null;
  /** Mean weight then, grams, at the pond's own pace; null with `harvestDay`. */
  harvestWeightG: number | null;
  isPlanned: boolean;
  targetWeightG: number;
  /** Age at which the target weight is reached; today's age when it already was. */
  targetDay: number | null;
}

/**
 * When a batch is harvested and how heavy it is then: on its planned day, else on the day it
 * reaches the usual harvest weight of its species at the pond's own pace. A day already gone
 * (a target passed, a plan overrun) becomes today.
 *
 * @param batch ages in days since stocking; `plannedHarvestDay` null when no date was set
 */
export function projectHarvest(
  growth: Growth,
  species: Species,
  batch: {
    initialWeightG: number;
    lastWeighing: WeightAtAge | null;
    today: number;
    plannedHarvestDay: number | null;
  },
): HarvestProjection {
  const curve = pondCurve(growth, species, batch);
  const from = batch.lastWeighing ?? { day: 0, weightG: batch.initialWeightG };
  const targetWeightG = growth.harvestWeightG[species];
  const daysToTarget = daysToReach(curve, from.weightG, targetWeightG);
  const targetDay = daysToTarget === null ? null : Math.max(batch.today, Math.ceil(from.day + daysToTarget));
  const harvestDay =
    batch.plannedHarvestDay === null ? targetDay : Math.max(batch.today, batch.plannedHarvestDay);
  const grownG = harvestDay === null ? null : expectedWeightG(curve, from.weightG, harvestDay - from.day);
  return {
    harvestDay,
    // What was weighed is never capped away; only the promise is.
    harvestWeightG:
      grownG === null ? null : Math.max(from.weightG, Math.min(growth.largestProjectedWeightG, grownG)),
    isPlanned: batch.plannedHarvestDay !== null,
    targetWeightG,
    targetDay,
  };
}
