/** The middle one of a few samples: what one moment of a loaded machine does to one of them does not count. */
export function medianOf(samples: readonly number[]): number {
  const middle = samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
  if (middle === undefined) throw new Error('nothing was measured');
  return middle;
}
