import type { ScienceConstants } from './constants.ts';
import type { Species } from './survival.ts';

type Growth = ScienceConstants['growth'];

/**
 * von Bertalanffy growth in weight, started at any weight:
 * W(t) = A · [1 − (1 − (W₀/A)^(1/s)) · e^(−k·t)]^s, t in days at 28 °C.
 *
 * Written in this equivalent-age form FAO's monodon curve, which is undefined before day 28.2
 * and knows no stocking weight, keeps its three constants and starts where the batch starts.
 */
export interface GrowthCurve {
  asymptoticWeightG: number;
  shape: number;
  ratePerDay: number;
}

/** A mean weight found on a day of the batch (days since stocking). */
export interface WeightAtAge {
  day: number;
  weightG: number;
}

/** Sensible for 0.002–35 g (vannamei) and 0.005–45 g (monodon). */
export function growthCurve(growth: Growth, species: Species): GrowthCurve {
  return growth.curves[species];
}

/**
 * Expected mean weight, grams, after some days of growth.
 *
 * @param fromWeightG grams, 0 or more; at or above the asymptote it stays what it is
 * @param warmDays days at 28 °C (`warmDaysByDay`), or plain days where temperature is unknown;
 *   0 or less answers `fromWeightG`
 */
export function expectedWeightG(curve: GrowthCurve, fromWeightG: number, warmDays: number): number {
  if (warmDays <= 0 || fromWeightG >= curve.asymptoticWeightG) return fromWeightG;
  const gap = 1 - relativeLength(curve, fromWeightG);
  return curve.asymptoticWeightG * (1 - gap * Math.exp(-curve.ratePerDay * warmDays)) ** curve.shape;
}

/**
 * Expected average daily gain since stocking, g/day: the same definition as the measured ADG.
 * On day 0 the gain of the first day's curve.
 *
 * @param age `day`: calendar days since stocking; `warmDays`: the same age in days at 28 °C
 */
export function expectedDailyGainG(
  curve: GrowthCurve,
  initialWeightG: number,
  age: { day: number; warmDays: number },
): number {
  if (age.day <= 0) return instantaneousGrowthGPerDay(curve, initialWeightG);
  return (expectedWeightG(curve, initialWeightG, age.warmDays) - initialWeightG) / age.day;
}

/**
 * Growth of an animal of this weight right now, g/day; 0 at weight 0 and from the asymptote on.
 *
 * @param temperatureFactor growth relative to 28 °C, 0–1.05
 */
export function instantaneousGrowthGPerDay(
  curve: GrowthCurve,
  weightG: number,
  temperatureFactor = 1,
): number {
  if (weightG <= 0 || weightG >= curve.asymptoticWeightG) return 0;
  const { asymptoticWeightG, shape, ratePerDay } = curve;
  const appetite = (asymptoticWeightG / weightG) ** (1 / shape) - 1;
  return shape * ratePerDay * temperatureFactor * weightG * appetite;
}

/** Days at 28 °C from one weight to another; 0 when it is already there, null when the curve never gets there. */
export function daysToReach(curve: GrowthCurve, fromWeightG: number, targetWeightG: number): number | null {
  if (fromWeightG >= targetWeightG) return 0;
  if (targetWeightG >= curve.asymptoticWeightG) return null;
  const gapNow = 1 - relativeLength(curve, fromWeightG);
  const gapThen = 1 - relativeLength(curve, targetWeightG);
  return Math.log(gapNow / gapThen) / curve.ratePerDay;
}

/**
 * The curve of this pond: the species' curve with the rate that the last weighing shows, kept
 * within half and twice the species' rate. Before day 14, and without a weighing, the species'
 * own: a few days say more about the scale than about the pond. The rate is per calendar day,
 * so the pond's temperature is in it.
 */
export function pondCurve(
  growth: Growth,
  species: Species,
  batch: { initialWeightG: number; lastWeighing: WeightAtAge | null },
): GrowthCurve {
  const curve = growthCurve(growth, species);
  const { initialWeightG, lastWeighing } = batch;
  if (lastWeighing === null || lastWeighing.day < growth.observedRateFromDay) return curve;
  const { least, most } = growth.observedRateBounds;
  const days = daysToReach(curve, initialWeightG, lastWeighing.weightG) ?? Number.POSITIVE_INFINITY;
  const pace = Math.min(most, Math.max(least, days / lastWeighing.day));
  return { ...curve, ratePerDay: curve.ratePerDay * pace };
}

/** Length relative to the longest, the scale on which the curve is a plain exponential. */
function relativeLength(curve: GrowthCurve, weightG: number): number {
  return (Math.max(0, weightG) / curve.asymptoticWeightG) ** (1 / curve.shape);
}

/** Average daily gain since stocking (ADG), g/day; null before the first full day. */
export function averageDailyGainG(initialWeightG: number, latest: WeightAtAge): number | null {
  return latest.day < 1 ? null : (latest.weightG - initialWeightG) / latest.day;
}

/** Average weekly gain since stocking, g/week; null before the first full day. */
export function averageWeeklyGainG(initialWeightG: number, latest: WeightAtAge): number | null {
  const dailyG = averageDailyGainG(initialWeightG, latest);
  return dailyG === null ? null : dailyG * 7;
}

/**
 * Gain over the last interval between weighings, as grams per week. With one weighing the
 * interval begins at stocking; with none, or two on the same day, 0.
 *
 * @param weighings in order of age
 */
export function weeklyGrowthG(initialWeightG: number, weighings: readonly WeightAtAge[]): number {
  const last = weighings.at(-1);
  if (last === undefined) return 0;
  const previous = weighings.at(-2) ?? { day: 0, weightG: initialWeightG };
  const days = last.day - previous.day;
  return days <= 0 ? 0 : ((last.weightG - previous.weightG) / days) * 7;
}

/**
 * Growth now, g/day: the slope through the last three weighings (least squares), never below 0.
 * Null with fewer than two weighings on different days.
 *
 * @param weighings in order of age
 */
export function recentDailyGrowthG(weighings: readonly WeightAtAge[]): number | null {
  const recent = weighings.slice(-3);
  const count = recent.length;
  if (count < 2) return null;
  const meanDay = recent.reduce((sum, each) => sum + each.day, 0) / count;
  const meanWeightG = recent.reduce((sum, each) => sum + each.weightG, 0) / count;
  const spread = recent.reduce((sum, each) => sum + (each.day - meanDay) ** 2, 0);
  if (spread === 0) return null;
  const covered = recent.reduce((sum, each) => sum + (each.day - meanDay) * (each.weightG - meanWeightG), 0);
  return Math.max(0, covered / spread);
}

/** Specific growth rate, % per day; null without days or with a weight that is not positive. */
export function specificGrowthRatePercent(
  fromWeightG: number,
  toWeightG: number,
  days: number,
): number | null {
  if (days <= 0 || fromWeightG <= 0 || toWeightG <= 0) return null;
  return (Math.log(toWeightG / fromWeightG) / days) * 100;
}
