import type { ProbeParameter } from '#contract/resources/probes.ts';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import { roundTo } from '#core/rounding.ts';

/** Values of a pond's water as a measurement has them; null: not measured. */
export type WaterValues = Record<WaterField, number | null>;

export const NOTHING_MEASURED: Readonly<WaterValues> = {
  temperature: null,
  dissolved_oxygen: null,
  ph: null,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
};

/** What a measurement takes at all; a probe of whatever profile must not make a row that is refused. */
const MOST: Readonly<WaterValues> = {
  temperature: 60,
  dissolved_oxygen: 50,
  ph: 14,
  salinity: 100,
  alkalinity: 1000,
  ammonia: 100,
  nitrite: 100,
  nitrate: 1000,
  transparency: 500,
};

export function fitsMeasurement(field: WaterField, value: number): boolean {
  return value >= (field === 'temperature' ? -5 : 0) && value <= (MOST[field] ?? 0);
}

export function isWaterField(parameter: ProbeParameter): parameter is WaterField {
  return WATER_FIELDS.some((field) => field === parameter);
}

/** To 3 decimals, as fine as the finest kit. Of an even number of values the lower of the two in the middle: never one that was not measured. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return roundTo(sorted[Math.floor((sorted.length - 1) / 2)] ?? null, 3);
}
