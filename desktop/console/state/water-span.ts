import { addDays } from './week-outlook.ts';

// Over which time the water of a pond is looked at. Pure.

const SPANS = ['24h', '7d', '30d', 'ciclo', '90d'] as const;
type SpanName = (typeof SPANS)[number];

export type WaterSpan = {
  /** Days of the farm that are asked for, today included. */
  days: number;
  from: number;
  /** A little ahead of now: the axis of all charts stays where it is while new readings come. */
  to: number;
  /** Less than two days: told reading by reading, with the meals. */
  isHours: boolean;
};

const DAY_MS = 86_400_000;
/** The axis moves on by such steps. */
const STEP_MS = 600_000;
/** What the interface gives. */
const MOST_DAYS = 366;
const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

/** What can be chosen: a pond in production its whole cycle, an empty one a season. */
export const spansFor = (startDay: string | null): SpanName[] =>
  SPANS.filter((name) => name !== (startDay === null ? 'ciclo' : '90d'));

/**
 * The time that a name means now. `startOf` tells the instant at which a day of the farm begins, `today` is the farm's
 * day, `startDay` the first day of what swims there.
 */
export function waterSpan(
  name: SpanName,
  {
    now,
    today,
    startDay,
    startOf,
  }: { now: number; today: string; startDay: string | null; startOf: (day: string) => number },
): WaterSpan {
  const to = Math.ceil(now / STEP_MS) * STEP_MS;
  if (name === '24h') return { days: 2, from: to - DAY_MS, to, isHours: true };
  const days = name === 'ciclo' ? daysSince(startDay, today) : DAYS[name];
  return { days, from: startOf(addDays(today, 1 - days)), to, isHours: false };
}

/** Both ends count. */
function daysSince(startDay: string | null, today: string): number {
  if (startDay === null) return DAYS['90d'];
  const days = Math.round((Date.parse(today) - Date.parse(startDay.slice(0, 10))) / DAY_MS) + 1;
  return Math.min(Math.max(days, 1), MOST_DAYS);
}

// Where a line over time must not be drawn because nobody measured. Pure.

/** A pause of so many times the usual one is an outage. */
const TIMES = 5;
/** Of a handful of readings nobody knows how often there should be one. */
const LEAST_READINGS = 8;
const LEAST_MS = 30 * 60_000;

/**
 * A pause longer than this is an outage: a probe that writes every five minutes was silent for an hour. People who measure
 * at dawn, noon and dusk leave none; null: nobody knows how often there should be a reading.
 */
export function longestPause(instants: readonly number[]): number | null {
  if (instants.length < LEAST_READINGS) return null;
  const pauses = instants.slice(1).map((at, index) => at - (instants[index] ?? at));
  const usual = pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 0;
  return Math.max(usual * TIMES, LEAST_MS);
}

/** Places in a row of instants before which the line breaks. */
export const gapsIn = (instants: readonly number[], longest = longestPause(instants)): readonly number[] =>
  longest === null
    ? []
    : instants.flatMap((at, index) =>
        index > 0 && at - (instants[index - 1] ?? at) > longest ? [index] : [],
      );

type Row = { x: readonly number[]; values: readonly (number | null)[] };

/** Not a number anybody measured; null is a figure that is missing in a line that goes on. */
export const GAP = Number.NaN;

/** Each outage gets an instant of its own in its middle, where there is nothing. */
export function broken({ x, values }: Row, breaks: ReadonlySet<number> = new Set(gapsIn(x))): Row {
  const spread = <Value>(all: readonly Value[], between: (index: number) => Value) =>
    all.flatMap((value, index) => (breaks.has(index) ? [between(index), value] : [value]));
  return {
    x: spread(x, (index) => ((x[index - 1] ?? 0) + (x[index] ?? 0)) / 2),
    values: spread(values, () => GAP),
  };
}

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
