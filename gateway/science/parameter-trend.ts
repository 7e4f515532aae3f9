import type { ScienceConstants } from './constants.ts';
import { upperTail } from './oxygen-forecast.ts';
import type { WaterParameter } from './water-limits.ts';

type Trends = ScienceConstants['trends'];

export type TrendDirection = 'INCREASING' | 'DECREASING' | 'STABLE' | 'VOLATILE';

/** One day of one parameter; `day` counts days from any fixed date. */
export type DailyValue = { day: number; average: number };

export type ParameterTrend = {
  direction: TrendDirection;
  /** Unit of the parameter per day; null with fewer than two days. */
  slopePerDay: number | null;
  /** Slope × length of the window, in the parameter's unit; null likewise. */
  change: number | null;
  /** Scatter of the days about the trend; null with fewer than three days. */
  residualSd: number | null;
  /** Chance that noise alone gives such an order of values, two-sided; null with fewer than five days. */
  pValue: number | null;
};

const NO_TREND: ParameterTrend = {
  direction: 'STABLE',
  slopePerDay: null,
  change: null,
  residualSd: null,
  pValue: null,
};

/**
 * Where a parameter is going, from its daily averages in order of day (one per day, days may be missing).
 *
 * Slope: median of all pairwise slopes (Theil–Sen), which one bad probe day does not move. It counts when its rise over
 * the window matters to the animals and is no chance: Mann–Kendall with correction for ties, p below `significance`;
 * with 3 or 4 days, too few for that test, when it is at least twice the scatter. Without such a trend scatter above the
 * parameter's mark is VOLATILE. Fewer than three days are STABLE. O(n²): meant for up to a year.
 */
export function trendOf(
  trends: Trends,
  parameter: WaterParameter,
  days: readonly DailyValue[],
): ParameterTrend {
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined || days.length < 2) return NO_TREND;
  const { slope, concordance } = pairwise(days);
  const change = slope * (last.day - first.day);
  if (days.length < 3) return { ...NO_TREND, slopePerDay: slope, change };

  const residualSd = scatterAbout(days, slope);
  const pValue = days.length < 5 ? null : mannKendallP(days, concordance);
  const isNoChance = pValue === null ? Math.abs(change) >= 2 * residualSd : pValue < trends.significance;
  const found = { slopePerDay: slope, change, residualSd, pValue };
  if (isNoChance && Math.abs(change) >= trends.leastChange[parameter]) {
    return { ...found, direction: change > 0 ? 'INCREASING' : 'DECREASING' };
  }
  return { ...found, direction: residualSd > trends.volatileAbove[parameter] ? 'VOLATILE' : 'STABLE' };
}

/** Median of all slopes between two days, and Kendall's count of rises minus falls. */
function pairwise(days: readonly DailyValue[]): { slope: number; concordance: number } {
  const slopes = new Float64Array((days.length * (days.length - 1)) / 2);
  let pairs = 0;
  let concordance = 0;
  days.forEach((later, j) => {
    for (const earlier of days.slice(0, j)) {
      const rise = later.average - earlier.average;
      slopes[pairs++] = rise / (later.day - earlier.day);
      concordance += Math.sign(rise);
    }
  });
  return { slope: medianOf(slopes), concordance };
}

function scatterAbout(days: readonly DailyValue[], slope: number): number {
  const intercept = medianOf(Float64Array.from(days, ({ day, average }) => average - slope * day));
  const squares = days.reduce((sum, { day, average }) => sum + (average - intercept - slope * day) ** 2, 0);
  return Math.sqrt(squares / (days.length - 2));
}

/** Sorts in place: a typed array is sorted by number and fast. */
function medianOf(values: Float64Array): number {
  values.sort();
  const middle = values.length >> 1;
  const upper = values[middle] ?? Number.NaN;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? Number.NaN) + upper) / 2;
}

function mannKendallP(days: readonly DailyValue[], concordance: number): number {
  const n = days.length;
  const ties = new Map<number, number>();
  for (const { average } of days) ties.set(average, (ties.get(average) ?? 0) + 1);
  let variance = n * (n - 1) * (2 * n + 5);
  for (const t of ties.values()) variance -= t * (t - 1) * (2 * t + 5);
  // All days alike: nothing moves.
  if (variance <= 0 || concordance === 0) return 1;
  const z = (Math.abs(concordance) - 1) / Math.sqrt(variance / 18);
  return 2 * upperTail(z);
}
