import { type Range, widthOf } from './chart-range.ts';
import { broken, GAP, gapsIn, longestPause } from './water-span.ts';

// A line over a month is drawn by the means of its stretches. Whoever looks nearer gets the readings of that part. Pure.

const MINUTE = 60_000;
/** What is asked for on either side, as a share of what is seen: a small step aside asks for nothing. */
const ASIDE = 1 / 6;
/** The readings of so long a part are told minute by minute in one answer. */
const BY_MINUTE_MS = 1_990 * MINUTE;
/** What was fetched serves until so much less of it would do. */
const FINER_BELOW = 0.6;

/** The part to ask for while `view` is looked at and `had` was asked for; null: the whole is seen. */
export function finerPart(had: Range | null, view: Range | null, whole: Range): Range | null {
  if (view === null) return null;
  const needed = widthOf(view) * (1 + 2 * ASIDE);
  if (had !== null && had.from <= view.from && had.to >= view.to) {
    const hadMs = widthOf(had);
    if (hadMs <= BY_MINUTE_MS || (needed > BY_MINUTE_MS && needed > hadMs * FINER_BELOW)) return had;
  }
  const aside = widthOf(view) * ASIDE;
  return {
    from: Math.max(Math.floor((view.from - aside) / MINUTE) * MINUTE, whole.from),
    to: Math.min(Math.ceil((view.to + aside) / MINUTE) * MINUTE, whole.to),
  };
}

type Stretch = { at: number; min: number; max: number };

/** Whether a stretch that is seen holds more than one reading; where each is a reading by hand there is nothing finer. */
export const hidesReadings = (stretches: readonly Stretch[], { from, to }: Range): boolean =>
  stretches.some(({ at, min, max }, index) => {
    const until = stretches[index + 1]?.at ?? at;
    return min !== max && until >= from && at <= to;
  });

export type Lines = { x: readonly number[]; values: readonly (readonly (number | null)[])[] };

/** Each line breaks where nobody measured for long. */
export function brokenLines({ x, values }: Lines, longest = longestPause(x)): Lines {
  const breaks = new Set(gapsIn(x, longest));
  return {
    x: broken({ x, values: [] }, breaks).x,
    values: values.map((line) => broken({ x, values: line }, breaks).values),
  };
}

/**
 * Finer readings in the place of the coarser ones of their part. Each breaks by its own pauses: what is a pause between
 * minutes is none between days.
 */
export function withFiner(coarse: Lines, finer: Lines, { from, to }: Range): Lines {
  const longest = longestPause(coarse.x);
  const wide = brokenLines(coarse, longest);
  const near = brokenLines(finer, longestPause(finer.x) ?? longest);
  const before = cut(wide, (at) => at < from);
  const after = cut(wide, (at) => at > to);
  return [near, after].reduce((line, next) => joinedBy(line, next, longest), before);
}

function cut({ x, values }: Lines, isIn: (at: number) => boolean): Lines {
  return { x: x.filter(isIn), values: values.map((line) => line.filter((_, index) => isIn(x[index] ?? 0))) };
}

/** One after the other, with a gap between where they lie too far apart. */
function joinedBy(one: Lines, other: Lines, longest: number | null): Lines {
  const [end, start] = [one.x.at(-1), other.x[0]];
  const hasGap = longest !== null && end !== undefined && start !== undefined && start - end > longest;
  const between = hasGap ? [(end + start) / 2] : [];
  return {
    x: [...one.x, ...between, ...other.x],
    values: one.values.map((line, index) => [
      ...line,
      ...between.map(() => GAP),
      ...(other.values[index] ?? []),
    ]),
  };
}
