import type { WaterField } from '#contract/resources/water-quality.ts';
import type { Kind } from '../state/freshness.ts';

/** How each parameter is shown and typed. Bands are those of the specification: what is good for the shrimp. */
export const WATER: Readonly<
  Record<
    WaterField,
    {
      unit: string;
      decimals: number;
      kind: Kind;
      band: { low: number | null; high: number | null };
      range: readonly [number, number];
    }
  >
> = {
  dissolved_oxygen: {
    unit: 'mg/L',
    decimals: 1,
    kind: 'oxygenByDay',
    band: { low: 5, high: null },
    range: [0, 50],
  },
  temperature: { unit: '°C', decimals: 1, kind: 'water', band: { low: 26, high: 32 }, range: [-5, 60] },
  ph: { unit: '', decimals: 2, kind: 'water', band: { low: 7.5, high: 8.5 }, range: [0, 14] },
  salinity: { unit: 'ppt', decimals: 1, kind: 'water', band: { low: 10, high: 35 }, range: [0, 100] },
  alkalinity: {
    unit: 'mg/L',
    decimals: 0,
    kind: 'chemistry',
    band: { low: 80, high: 200 },
    range: [0, 1_000],
  },
  ammonia: { unit: 'mg/L', decimals: 2, kind: 'chemistry', band: { low: null, high: 0.1 }, range: [0, 100] },
  nitrite: { unit: 'mg/L', decimals: 2, kind: 'chemistry', band: { low: null, high: 0.1 }, range: [0, 100] },
  nitrate: { unit: 'mg/L', decimals: 1, kind: 'chemistry', band: { low: null, high: 50 }, range: [0, 1_000] },
  transparency: { unit: 'cm', decimals: 0, kind: 'water', band: { low: 25, high: 45 }, range: [0, 500] },
};
