import type { WaterField } from '#contract/resources/water-quality.ts';
import type { Kind } from '../state/freshness.ts';

/** How each parameter is shown and typed. What is good for the shrimp is the farm's to set (farm-science.ts). */
export const WATER: Readonly<
  Record<
    WaterField,
    {
      unit: string;
      decimals: number;
      kind: Kind;
      range: readonly [number, number];
    }
  >
> = {
  dissolved_oxygen: {
    unit: 'mg/L',
    decimals: 1,
    kind: 'oxygenByDay',
    range: [0, 50],
  },
  temperature: { unit: '°C', decimals: 1, kind: 'water', range: [-5, 60] },
  ph: { unit: '', decimals: 2, kind: 'water', range: [0, 14] },
  salinity: { unit: 'ppt', decimals: 1, kind: 'water', range: [0, 100] },
  alkalinity: {
    unit: 'mg/L',
    decimals: 0,
    kind: 'chemistry',
    range: [0, 1_000],
  },
  ammonia: { unit: 'mg/L', decimals: 2, kind: 'chemistry', range: [0, 100] },
  nitrite: { unit: 'mg/L', decimals: 2, kind: 'chemistry', range: [0, 100] },
  nitrate: { unit: 'mg/L', decimals: 1, kind: 'chemistry', range: [0, 1_000] },
  transparency: { unit: 'cm', decimals: 0, kind: 'water', range: [0, 500] },
};

/** Aborted with the first of these. `AbortSignal.any` is younger than the browsers of the farm. */
export function linked(...signals: readonly AbortSignal[]): AbortSignal {
  const both = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) both.abort(signal.reason);
    else
      signal.addEventListener('abort', () => both.abort(signal.reason), { once: true, signal: both.signal });
  }
  return both.signal;
}
