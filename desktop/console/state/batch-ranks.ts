// Which of several rows is the best and which the worst by a figure, among those that may be held against each other.

export type Mark = 'best' | 'worst';

export type Ranked<Row> = {
  better: 'more' | 'less';
  /** null: not known, or not surely: it is neither. */
  valueOf: (row: Row) => number | null;
  /** Rows of one group are held against each other; null: against none. */
  groupOf: (row: Row) => string | null;
};

/** Where all of a group are alike none is marked; several that are equally good or bad are marked all. */
export function ranksOf<Row>(rows: readonly Row[], ranked: Ranked<Row>): ReadonlyMap<Row, Mark> {
  const marks = new Map<Row, Mark>();
  for (const [group, members] of Map.groupBy(rows, ranked.groupOf)) {
    const known = members.flatMap((row) => {
      const value = ranked.valueOf(row);
      return value === null ? [] : [{ row, value }];
    });
    const values = known.map(({ value }) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    if (group === null || least === most) continue;
    for (const { row, value } of known) {
      if (value === most) marks.set(row, ranked.better === 'more' ? 'best' : 'worst');
      if (value === least) marks.set(row, ranked.better === 'more' ? 'worst' : 'best');
    }
  }
  return marks;
}
