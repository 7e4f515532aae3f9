import type { BlindChart, ScienceConstants } from './constants.ts';
import { BLIND_CHARTS } from './constants.ts';
import type { Species } from './survival.ts';

type Constants = Pick<ScienceConstants, 'growth' | 'feeding'>;

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

export type BlindBatch = {
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
