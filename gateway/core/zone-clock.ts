import { Temporal } from 'temporal-polyfill';
import { isDateOnly } from '#contract/fields.ts';
import { NewestMap } from './newest-map.ts';

// What the clock on a farm's wall shows. An instant is ms since 1970 UTC, with a fraction where it was reckoned from the
// monotonic clock. A *wall time* is the reading of the farm's clock written as if it were UTC, also in ms: one number, so
// that days and durations "on the wall" are plain arithmetic, and only the two conversions below know about zones.

export const DAY_MS = 86_400_000;

/** Where a farm is: the IANA name, or a clock made from it, for callers that ask often. */
export type Zone = string | ZoneClock;
export type ZoneClock = { name: string; offsetAt: (instantMs: number) => number };

/** More stretches than a few years of schedules touch; the oldest is forgotten first. */
const MAX_STRETCHES = 32;

/**
 * Remembers the offset of each stretch of time between two clock changes that it was asked about: a table of a few
 * numbers instead of a calendar look-up for every question. One per farm may live as long as the program; the zone
 * database does not change while it runs.
 */
export function zoneClock(name: string): ZoneClock {
  const stretches: { from: number; to: number; offset: number }[] = [];
  const lookUp = (instantMs: number): number => {
    const moment = zonedAt(name, instantMs);
    const offset = moment.offsetNanoseconds / 1_000_000;
    const to = moment.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    const known = stretches.find((stretch) => stretch.to === to);
    if (known === undefined) stretches.push({ from: Math.floor(instantMs), to, offset });
    // The same stretch, asked about further back.
    else known.from = Math.floor(instantMs);
    if (stretches.length > MAX_STRETCHES) stretches.shift();
    return offset;
  };
  return {
    name,
    offsetAt: (instantMs) => {
      for (const { from, to, offset } of stretches) if (instantMs >= from && instantMs < to) return offset;
      return lookUp(instantMs);
    },
  };
}

/** Zones, offsets and their spellings: a name counts in upper and lower letters, so who may write one has millions. */
const MAX_ZONES = 1_000;

/** Makes the clock of each zone once: a clock is slow to make. */
export function zoneClocks(): (name: string) => ZoneClock {
  const clockByZone = new NewestMap<string, ZoneClock>(MAX_ZONES);
  return (name) => {
    const known = clockByZone.get(name);
    if (known !== undefined) return known;
    const made = zoneClock(name);
    clockByZone.set(name, made);
    return made;
  };
}

export function clockOf(zone: Zone): ZoneClock {
  return typeof zone === 'string' ? zoneClock(zone) : zone;
}

/** The reading of the farm's clock at an instant. */
export function wallOf(zone: Zone, instantMs: number): number {
  return instantMs + clockOf(zone).offsetAt(instantMs);
}

/**
 * The instant of a wall time. One that does not exist (clock put forward) is the first instant after the gap; one that
 * exists twice (clock put back) is the first of the two. Never decreases when the wall time grows.
 */
export function instantOfWall(zone: Zone, wallMs: number): number {
  const { name, offsetAt } = clockOf(zone);
  // No offset reaches a day, so these two readings lie on either side of any clock change that can concern the wall time.
  const before = offsetAt(wallMs - DAY_MS);
  const after = offsetAt(wallMs + DAY_MS);
  if (before === after) return wallMs - before;
  if (offsetAt(wallMs - before) === before) return wallMs - before;
  if (offsetAt(wallMs - after) === after) return wallMs - after;
  const change = zonedAt(name, wallMs - after).getTimeZoneTransition('next');
  return change === null ? wallMs - before : change.epochMilliseconds;
}

/** Milliseconds since the midnight that the wall clock counts from, for any wall time. */
export function timeOfDayOfWall(wallMs: number): number {
  return wallMs - Math.floor(wallMs / DAY_MS) * DAY_MS;
}

export function zonedAt(zone: string, instantMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(instantMs)).toZonedDateTimeISO(zone);
}

// Days of a farm's calendar, as text YYYY-MM-DD, whose order is time order. Hand in a `zoneClock` instead of a name
// where many days are asked for at once.

/** The day on the farm at an instant (ISO 8601 UTC). */
export function localDay(instantIso: string, zone: Zone): string {
  return new Date(wallOf(zone, Date.parse(instantIso))).toISOString().slice(0, 10);
}

/** The instant (ISO 8601 UTC, milliseconds) at which a day begins on the farm; where midnight is skipped, the first after it. */
export function startOfDay(day: string, zone: Zone): string {
  return new Date(instantOfWall(zone, Date.parse(`${day}T00:00:00Z`))).toISOString();
}

/** Whole calendar days from one to the other; negative when `to` is the earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** The day so many days later (or, with a negative number, earlier). */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * What a caller meant by an instant: a bare date is the start of that day on the farm. `instantIso` is the value after
 * validation, `sent` the one before.
 */
export function instantOnFarm(instantIso: string, sent: unknown, zone: Zone): string {
  return typeof sent === 'string' && isDateOnly(sent) ? startOfDay(sent.trim(), zone) : instantIso;
}
