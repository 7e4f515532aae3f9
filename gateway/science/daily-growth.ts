import type { WeightAtAge } from './growth.ts';

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
