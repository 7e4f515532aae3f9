import type { ScienceConstants } from './constants.ts';
import { type GrowthCurve, instantaneousGrowthGPerDay } from './growth.ts';

type Settings = ScienceConstants['growthTrend'];

export const GROWTH_TRENDS = ['ACCELERATING', 'STEADY', 'DECLINING'] as const;
export type GrowthTrendWord = (typeof GROWTH_TRENDS)[number];

/** A sample's mean weight on a day of the batch. */
export interface Weighing {
  day: number;
  weightG: number;
  sampleSize: number | null;
  cvPercent: number | null;
}

export interface GrowthTrend {
  trend: GrowthTrendWord;
  /** Growth of the last interval against the ones before, corrected for size (−0.4: 40 % less); null when it cannot be compared. */
  change: number | null;
  /** The same difference in standard errors of the weighings; null with `change`. */
  z: number | null;
}

/**
 * Whether a batch grows faster or slower than it did.
 *
 * Grams per day rise in every young batch, so each interval is divided by what an animal of
 * that size normally gains: exponential up to 5 g, linear above. A change counts when it is
 * 15 % or more and also larger than the sampling error of the weighings allows for (10 % false
 * alarms on each side); with 100 shrimp a week's gain alone has a standard error of 19 %.
 *
 * @param curve the species' growth curve
 * @param weighings any order; weighings of one day are pooled, intervals under 3 days merged
 * @param stocking joins as the first point when there are only two weighings
 * @returns STEADY while there are fewer than three points
 */
export function growthTrend(
  settings: Settings,
  curve: GrowthCurve,
  weighings: readonly Weighing[],
  stocking: Weighing | null = null,
): GrowthTrend {
  const points = spacedPoints(settings, weighings);
  if (points.length === 2 && stocking !== null) points.unshift(stocking);
  const last = points.at(-1);
  const middle = points.at(-2);
  const window = points.slice(-2 - settings.previousIntervals, -1);
  const first = window[0];
  if (last === undefined || middle === undefined || first === undefined || first === middle) {
    return { trend: 'STEADY', change: null, z: null };
  }
  const normalLastG = normalGainG(settings, curve, [middle, last]);
  const normalBeforeG = normalGainG(settings, curve, window);
  if (normalLastG <= 0 || normalBeforeG <= 0) return { trend: 'STEADY', change: null, z: null };
  const paceLast = (last.weightG - middle.weightG) / normalLastG;
  const paceBefore = (middle.weightG - first.weightG) / normalBeforeG;
  const variance =
    varianceOfMean(settings, last) / normalLastG ** 2 +
    varianceOfMean(settings, middle) * (1 / normalLastG + 1 / normalBeforeG) ** 2 +
    varianceOfMean(settings, first) / normalBeforeG ** 2;
  const z = (paceLast - paceBefore) / Math.sqrt(variance);
  const change = changeOf(paceLast, paceBefore);
  return { trend: trendOf(settings, change, z), change, z };
}

function trendOf(settings: Settings, change: number, z: number): GrowthTrendWord {
  if (change >= settings.leastChange && z >= settings.leastZ) return 'ACCELERATING';
  if (change <= -settings.leastChange && z <= -settings.leastZ) return 'DECLINING';
  return 'STEADY';
}

/** A batch that stood still or lost weight before has no pace to divide by: any change is all of it. */
function changeOf(paceLast: number, paceBefore: number): number {
  if (paceBefore > 0) return paceLast / paceBefore - 1;
  return Math.sign(paceLast - paceBefore);
}

/** What animals of these sizes normally gain from the first to the last point, grams. */
function normalGainG(settings: Settings, curve: GrowthCurve, points: readonly Weighing[]): number {
  let gainG = 0;
  let before: Weighing | undefined;
  for (const point of points) {
    if (before !== undefined) {
      const midG = Math.min((before.weightG + point.weightG) / 2, settings.linearFromG);
      gainG += instantaneousGrowthGPerDay(curve, midG) * (point.day - before.day);
    }
    before = point;
  }
  return gainG;
}

function varianceOfMean(settings: Settings, point: Weighing): number {
  const cv = (point.cvPercent ?? settings.assumedCvPercent) / 100;
  return (cv * point.weightG) ** 2 / (point.sampleSize ?? settings.assumedSampleSize);
}

/** In order of age, one point a day, and from the last one back none closer than three days. */
function spacedPoints(settings: Settings, weighings: readonly Weighing[]): Weighing[] {
  const newestFirst = pooledByDay(settings, weighings).toSorted((a, b) => b.day - a.day);
  const kept: Weighing[] = [];
  for (const point of newestFirst) {
    const next = kept[0];
    if (next === undefined || next.day - point.day >= settings.leastIntervalDays) kept.unshift(point);
  }
  return kept;
}

function pooledByDay(settings: Settings, weighings: readonly Weighing[]): Weighing[] {
  return [...Map.groupBy(weighings, (each) => each.day).entries()].map(([day, same]) => {
    const [only] = same;
    if (same.length === 1 && only !== undefined) return only;
    const sizeOf = (each: Weighing) => each.sampleSize ?? settings.assumedSampleSize;
    const sampleSize = same.reduce((sum, each) => sum + sizeOf(each), 0);
    const totalG = same.reduce((sum, each) => sum + sizeOf(each) * each.weightG, 0);
    const cvs = same.map((each) => each.cvPercent).filter((cv) => cv !== null);
    const cvPercent = cvs.length === 0 ? null : cvs.reduce((sum, cv) => sum + cv, 0) / cvs.length;
    return { day, weightG: totalG / sampleSize, sampleSize, cvPercent };
  });
}

type Growth = ScienceConstants['growth'];

const GROWTH_STATUSES = ['ABOVE_EXPECTED', 'ON_TRACK', 'BELOW_EXPECTED'] as const;
type GrowthStatus = (typeof GROWTH_STATUSES)[number];

/** A weight exactly on the limit must not fall outside through binary rounding. */
const ROUNDING = 1e-9;

/**
 * Where a measured mean weight stands against the expected one: within 5 % is on track, the
 * limits included. Null when nothing is expected (0 g or less).
 */
export function growthStatus(growth: Growth, measuredG: number, expectedG: number): GrowthStatus | null {
  const variance = variancePercent(measuredG, expectedG);
  if (variance === null) return null;
  if (variance > growth.onTrackWithinPercent + ROUNDING) return 'ABOVE_EXPECTED';
  if (variance < -growth.onTrackWithinPercent - ROUNDING) return 'BELOW_EXPECTED';
  return 'ON_TRACK';
}

/** Distance of the measured from the expected mean weight, %; null when nothing is expected. */
export function variancePercent(measuredG: number, expectedG: number): number | null {
  return expectedG <= 0 ? null : (measuredG / expectedG - 1) * 100;
}

/**
 * Measured average daily gain as a share of the expected one, %. Null before the first full day
 * (no measured gain) and where the curve expects none.
 */
export function performancePercent(
  averageDailyGainG: number | null,
  expectedDailyGainG: number,
): number | null {
  if (averageDailyGainG === null || expectedDailyGainG <= 0) return null;
  return (averageDailyGainG / expectedDailyGainG) * 100;
}
