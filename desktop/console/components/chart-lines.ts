import type { Lines } from '../state/finer-readings.ts';

// What a chart shows: its lines, what happened along them, and the same as figures.

export type Series = {
  label: string;
  unit: string;
  decimals: number;
  /** One value per label; null: none. */
  values: readonly (number | null)[];
  /** What is expected, not measured. */
  dashed?: boolean;
  /** Thin and pale: how far single readings lie from the line that counts. */
  isEdge?: boolean;
  /** Of lines that are compared, which one this is. */
  tone?: number;
};

/** What happened along the line, at instants or for a while. */
export type Marks =
  | { label: string; shape: 'alarm' | 'meal' | 'treatment'; at: readonly number[] }
  | { label: string; shape: 'running'; spans: readonly { from: number; to: number }[] };

/** A value that somebody set, drawn across the chart with its name. */
export type Limit = {
  label: string;
  value: number;
  /** Worse than the others: a heavier line. */
  isGrave?: boolean;
  /** The axis reaches to it, however far the readings are; the others are drawn where the readings come near. */
  isAlwaysSeen?: boolean;
};

/** Readings of a part of the time, finer than those of the whole; one row of values for each line. */
export type FinerPart = { from: number; to: number; x: readonly number[]; values: Lines['values'] };

/** The same as words: instants or figures down the side, and what belongs to them. */
export type Figures = {
  x: readonly number[];
  series: readonly Series[];
  xLabel?: (x: number) => string;
};
