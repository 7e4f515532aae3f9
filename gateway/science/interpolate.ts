export interface Point {
  at: number;
  value: number;
}

/**
 * Reads a table between its points on a straight line; outside the table the nearest end holds.
 *
 * @param points at least one, in rising order of `at`; an empty table answers NaN
 */
export function interpolate(points: readonly Point[], at: number): number {
  let before: Point | undefined;
  for (const point of points) {
    if (at <= point.at) {
      if (before === undefined) return point.value;
      const share = (at - before.at) / (point.at - before.at);
      return before.value + share * (point.value - before.value);
    }
    before = point;
  }
  return before?.value ?? Number.NaN;
}
