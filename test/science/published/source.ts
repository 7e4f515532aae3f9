// What was published and what this program makes of it, side by side.

export type Figure = {
  of: string;
  /** As it was printed; two: least and most. */
  published: string | readonly [least: string | number, most: string | number];
  /** Two: what ours makes of the least and the most that the rounded conditions in print allow. */
  ours: number | readonly [least: number, most: number];
  /** Where it must be nearer than 2 %, beyond the rounding in print. */
  to?: number;
  /** Where ours lies farther off than 2 % and the rounding in print: by how much at most, as a share, and why it may. */
  apart?: { by: number; because: string };
};

export type Source = {
  name: string;
  /** How texts and comments of the science name it; empty: nothing there does, and it is an independent check. */
  cited: readonly string[];
  figures: readonly Figure[];
  /** A test that holds figures of it that are no single numbers, by its file and words that stand in it. */
  tested?: readonly { file: string; says: string }[];
};

/** Half a unit of the last digit in print: "0.59" is 0.005. */
export function roundingOf(printed: string): number {
  return 0.5 * 10 ** -(printed.split('.')[1]?.length ?? 0);
}

/** How far ours lies beyond what was printed, its rounding left aside, as a share of it; 0: within. */
export function shareApart({ published, ours }: Figure): number {
  if (typeof ours !== 'number') {
    const [least, most] = ours;
    const nearest = Math.min(Math.max(Number(published), least), most);
    return shareApart({ of: '', published, ours: nearest });
  }
  if (typeof published !== 'string') {
    const [least, most] = published.map(Number) as [number, number];
    const beyond = Math.max(0, least - ours, ours - most);
    return beyond === 0 ? 0 : beyond / Math.abs(ours < least ? least : most);
  }
  const printed = Number(published);
  const beyond = Math.max(0, Math.abs(ours - printed) - roundingOf(published) - 1e-9);
  return beyond === 0 ? 0 : beyond / Math.abs(printed);
}

/** Columns of a table in print: figures of several rows, with one reason for all where they are apart. */
export function table<Row extends readonly unknown[]>(
  rows: readonly Row[],
  figuresOf: (...row: Row) => Figure | readonly Figure[],
): Figure[] {
  return rows.flatMap((row) => figuresOf(...row));
}
