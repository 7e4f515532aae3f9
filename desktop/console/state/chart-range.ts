// Which part of a line over time is looked at. Pure.

export type Range = { from: number; to: number };

/** Nearer than this share of the whole nobody can go: single readings stand far apart by then. */
const NEAREST = 1 / 2_000;

export const widthOf = ({ from, to }: Range): number => to - from;

/** Within the whole, as wide as it was; null: it is the whole. */
function kept(range: Range, whole: Range): Range | null {
  const width = Math.max(widthOf(range), widthOf(whole) * NEAREST);
  if (width >= widthOf(whole) * 0.999) return null;
  const from = Math.min(Math.max(range.from, whole.from), whole.to - width);
  return { from, to: from + width };
}

/** Whether figures along an axis are instants. */
export const isOverTime = (x: readonly number[]): boolean => (x[0] ?? 0) > 1e11;

/** `factor` 2 shows half of it. What stands at `around` stays where it is. */
export function zoomed(view: Range | null, whole: Range, factor: number, around: number): Range | null {
  const shown = view ?? whole;
  return kept(
    { from: around - (around - shown.from) / factor, to: around + (shown.to - around) / factor },
    whole,
  );
}

/** By a share of what is shown, later for a positive one. */
export function panned(view: Range | null, whole: Range, share: number): Range | null {
  if (view === null) return null;
  const step = widthOf(view) * share;
  return kept({ from: view.from + step, to: view.to + step }, whole);
}

/** From one place to another, whichever comes first. */
export const chosen = (one: number, other: number, whole: Range): Range | null =>
  kept({ from: Math.min(one, other), to: Math.max(one, other) }, whole);

/** Moved so far that an instant is seen. */
export function showing(view: Range | null, whole: Range, at: number): Range | null {
  if (view === null || (at >= view.from && at <= view.to)) return view;
  const share = at < view.from ? (at - view.from) / widthOf(view) : (at - view.to) / widthOf(view);
  return panned(view, whole, share);
}

/** Of lines whose readings do not fall together: one axis for all of them, and nothing where a line has no reading. */
export function joined(lines: readonly { x: readonly number[]; values: readonly (number | null)[] }[]): {
  x: number[];
  values: (number | null)[][];
} {
  const x = [...new Set(lines.flatMap((line) => line.x))].toSorted((a, b) => a - b);
  const place = new Map(x.map((at, index) => [at, index]));
  const values = lines.map((line) => {
    const all = x.map((): number | null => null);
    line.x.forEach((at, index) => {
      all[place.get(at) ?? 0] = line.values[index] ?? null;
    });
    return all;
  });
  return { x, values };
}

/** The value at a place of the axis, else the nearest one within reach. */
export function valueNear(
  { x, values }: { x: readonly number[]; values: readonly (number | null)[] },
  at: number,
  reach: number,
): number | null {
  const here = x[at] ?? 0;
  const own = values[at];
  if (own !== null && own !== undefined) return own;
  for (let step = 1; step < x.length; step += 1) {
    const [before, after] = [at - step, at + step];
    const isBefore = before >= 0 && here - (x[before] ?? 0) <= reach;
    const isAfter = after < x.length && (x[after] ?? 0) - here <= reach;
    if (!isBefore && !isAfter) return null;
    const found = (isBefore ? values[before] : null) ?? (isAfter ? values[after] : null);
    if (found !== null && found !== undefined) return found;
  }
  return null;
}
