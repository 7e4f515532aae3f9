import { type Signal, signal } from '@preact/signals';
import type { Range } from '../state/chart-range.ts';

/** Charts that are looked at together: the same part of the time, and the same instant under the pointer. */
export type ChartGroup = {
  /** By this they share the pointer; null: a chart that stands alone. */
  name: string | null;
  /** null: the whole range. */
  view: Signal<Range | null>;
  /** The range of before is forgotten when another time is chosen. */
  wholeMs: number;
  /** What is under the pointer: a drawing that is made anew, because something was measured, still tells it. */
  pointed: number | null;
};

export const chartGroup = (name: string | null = null): ChartGroup => ({
  name,
  view: signal<Range | null>(null),
  wholeMs: 0,
  pointed: null,
});
