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

/** The same as words: instants or figures down the side, and what belongs to them. */
export type Figures = {
  x: readonly number[];
  series: readonly Series[];
  xLabel?: (x: number) => string;
};
