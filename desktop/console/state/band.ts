// Where a figure stands against what is good for the shrimp. Pure.

export type Band = { low: number | null; high: number | null };

/** Shares of 0…1 along a bar: where the good range begins and ends, and where the figure is. */
export function onBar(value: number, { low, high }: Band, range: readonly [number, number]) {
  const [first, last] = range;
  const share = (at: number) => Math.min(1, Math.max(0, (at - first) / (last - first)));
  return { from: low === null ? 0 : share(low), to: high === null ? 1 : share(high), at: share(value) };
}

export const isWithin = (value: number, { low, high }: Band): boolean =>
  (low === null || value >= low) && (high === null || value <= high);
