import type { ScienceConstants } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { OxygenRow } from './ports.ts';

/** An oxygen reading as the loop remembers it. Its age is counted on the clock that only grows: no step of the other makes it older or newer. */
export type HeldReading = {
  id: string;
  oxygenMgL: number;
  /** When it was taken, ms on the monotonic clock; for an unknown age when it came, which still tells the order. */
  takenMonotonic: number;
  isAgeKnown: boolean;
  /** False for one with a time that cannot be: it may be newer or older than others. */
  isOrderKnown: boolean;
};

/** Both clocks at one instant, and whether the first is to be trusted. */
export type LoopClock = { now: number; monotonic: number; isTrusted: boolean };

/** The latest readings of one pond, newest first. */
export type PondReadings = readonly HeldReading[];

/** Enough to tell a probe from a person, and to have others when one is taken back. */
export const READINGS_KEPT = 16;

const MINUTE_MS = 60_000;

/** The oxygen of a row that a pond can have; null: not measured, or the word of a probe that is out of order. */
export function usableOxygen(
  { water }: Pick<ScienceConstants, 'water'>,
  { dissolved_oxygen, temperature, salinity, source }: OxygenRow,
): number | null {
  // an import tells of past cycles
  if (dissolved_oxygen === null || source === 'import') return null;
  const found = implausibilitiesOf(water, { ...NOT_MEASURED, dissolved_oxygen, temperature, salinity });
  // what is possible in some water is the word of a probe that measures no salinity, not of one that is out of order
  const isImpossible = found.some(
    ({ parameter, kind }) => parameter === 'dissolved_oxygen' && kind !== 'OXYGEN_DOUBTFUL',
  );
  return isImpossible ? null : dissolved_oxygen;
}

const NOT_MEASURED = {
  ph: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
};

/**
 * A row as it is committed. With a clock that is right its age is plain; with one that is not, it is known of a row that
 * dates itself within minutes of now by that same clock.
 */
export function arriving(
  settings: AgeSettings,
  row: OxygenRow,
  oxygenMgL: number,
  clock: LoopClock,
): HeldReading {
  const aheadMs = settings.believedAheadMinutes * MINUTE_MS;
  const ageMs = clock.now - Date.parse(row.measurement_date);
  const isOwn = Math.abs(clock.now - Date.parse(row.created_at)) <= MINUTE_MS;
  const isAgeKnown = clock.isTrusted
    ? ageMs >= -aheadMs && (isOwn || row.clock_quality === 'trusted')
    : isOwn && Math.abs(ageMs) <= aheadMs;
  return held(row.id, oxygenMgL, {
    clock,
    ageMs: isAgeKnown ? ageMs : 0,
    isAgeKnown,
    isOrderKnown: isAgeKnown,
  });
}

/**
 * A row that an earlier run stored, or this one before its clock changed. While the clock is not to be trusted it may be
 * hours old, however new it looks: the box may have been without power.
 */
export function stored(
  settings: AgeSettings,
  row: OxygenRow,
  oxygenMgL: number,
  clock: LoopClock,
): HeldReading {
  const ageMs = clock.now - Date.parse(row.measurement_date);
  const isOrderKnown = row.clock_quality === 'trusted' && ageMs >= -settings.believedAheadMinutes * MINUTE_MS;
  const isAgeKnown = isOrderKnown && clock.isTrusted;
  return held(row.id, oxygenMgL, { clock, ageMs: isOrderKnown ? ageMs : 0, isAgeKnown, isOrderKnown });
}

type AgeSettings = { believedAheadMinutes: number };

function held(
  id: string,
  oxygenMgL: number,
  { clock, ageMs, ...known }: { clock: LoopClock; ageMs: number; isAgeKnown: boolean; isOrderKnown: boolean },
): HeldReading {
  return { id, oxygenMgL, takenMonotonic: clock.monotonic - Math.max(0, ageMs), ...known };
}

/** ms; null: nobody can tell. */
export function ageOf(reading: HeldReading, { monotonic }: Pick<LoopClock, 'monotonic'>): number | null {
  return reading.isAgeKnown ? Math.max(0, monotonic - reading.takenMonotonic) : null;
}

/** The reading to go by: the newest, or the lowest of those that may be; null: there is none. */
export function newestOf(readings: PondReadings): HeldReading | null {
  const [first = null] = readings;
  if (first === null || first.isAgeKnown) return first;
  const known = readings.findIndex(({ isAgeKnown }) => isAgeKnown);
  const before = known === -1 ? readings : readings.slice(0, known + 1);
  // of those in order among themselves only the first
  const inOrder = before.find(({ isOrderKnown, isAgeKnown }) => isOrderKnown && !isAgeKnown);
  const perhaps = before.filter((one) => one.isAgeKnown || !one.isOrderKnown || one === inOrder);
  return perhaps.reduce((lowest, one) => (one.oxygenMgL < lowest.oxygenMgL ? one : lowest), first);
}

/** One that may be newer stands before one that is no newer than it may be. */
export function newestFirst(a: HeldReading, b: HeldReading): number {
  return (
    b.takenMonotonic - a.takenMonotonic ||
    Number(a.isOrderKnown) - Number(b.isOrderKnown) ||
    (a.id < b.id ? 1 : -1)
  );
}

export function withReading(readings: PondReadings, reading: HeldReading): PondReadings {
  return [...readings.filter(({ id }) => id !== reading.id), reading]
    .sort(newestFirst)
    .slice(0, READINGS_KEPT);
}

export function withoutReading(readings: PondReadings, id: string): PondReadings {
  return readings.filter((reading) => reading.id !== id);
}
