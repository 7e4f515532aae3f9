import type { ScienceConstants } from './constants.ts';

type Growth = ScienceConstants['growth'];

export const GROWTH_STATUSES = ['ABOVE_EXPECTED', 'ON_TRACK', 'BELOW_EXPECTED'] as const;
export type GrowthStatus = (typeof GROWTH_STATUSES)[number];

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
