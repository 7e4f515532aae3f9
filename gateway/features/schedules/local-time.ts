import { Temporal } from 'temporal-polyfill';

// Times of a farm's wall clock. An instant is ms since 1970 UTC. A *wall time* is the reading of the farm's clock written
// as if it were UTC, also in ms: one number, so that days and durations "on the wall" are plain arithmetic, and only the
// two conversions below know about zones.

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

export type LocalDate = { year: number; month: number; day: number };
export type LocalTime = { hour: number; minute: number; second: number; millisecond: number };
/** `weekday` is 1 for Monday to 7 for Sunday, as in `days_of_week`. */
export type LocalParts = LocalDate & LocalTime & { weekday: number };

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
    if (known === undefined) stretches.push({ from: instantMs, to, offset });
    // The same stretch, asked about further back.
    else known.from = instantMs;
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

export function clockOf(zone: Zone): ZoneClock {
  return typeof zone === 'string' ? zoneClock(zone) : zone;
}

/** Whether this machine's zone database knows the IANA name. Bare offsets (`+03:00`) name no place and are not zones. */
export function isKnownZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    zonedAt(zone, 0);
    return true;
  } catch {
    // Asking is the only way Temporal offers to look a name up; a RangeError is its "no".
    return false;
  }
}

/**
 * The instant at which the farm's clock shows this date and time. A time that does not exist (clock put forward) is the
 * first instant after the gap; one that exists twice (clock put back) is the first of the two. A day beyond the end of
 * the month counts on into the next.
 */
export function instantOfLocal(zone: Zone, date: LocalDate, time: LocalTime): number {
  const dayOfMonthMs = (date.day - 1) * DAY_MS;
  const firstOfMonth = new Temporal.PlainDate(date.year, date.month, 1);
  return instantOfWall(zone, wallOfDate(firstOfMonth) + dayOfMonthMs + timeOfDayMs(time));
}

export function localPartsOf(zone: Zone, instantMs: number): LocalParts {
  const { year, month, day, dayOfWeek, hour, minute, second, millisecond } = zonedAt(
    clockOf(zone).name,
    instantMs,
  );
  return { year, month, day, weekday: dayOfWeek, hour, minute, second, millisecond };
}

/** The reading of the farm's clock at an instant. */
export function wallOf(zone: Zone, instantMs: number): number {
  return instantMs + clockOf(zone).offsetAt(instantMs);
}

/** The instant of a wall time, by the rules of `instantOfLocal`. Never decreases when the wall time grows. */
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

/** Calendar date of a wall time, and back (midnight). */
export function dateOfWall(wallMs: number): Temporal.PlainDate {
  return zonedAt('UTC', wallMs).toPlainDate();
}

export function wallOfDate(date: Temporal.PlainDate): number {
  return date.toZonedDateTime('UTC').epochMilliseconds;
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOfWall(wallMs: number): number {
  // 1 January 1970 was a Thursday; the inner remainder is negative before it.
  return ((((Math.floor(wallMs / DAY_MS) + 3) % 7) + 7) % 7) + 1;
}

/** Milliseconds since the midnight that the wall clock counts from, for any wall time. */
export function timeOfDayOfWall(wallMs: number): number {
  return wallMs - Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function timeOfDayMs(time: LocalTime): number {
  return ((time.hour * 60 + time.minute) * 60 + time.second) * 1000 + time.millisecond;
}

function zonedAt(zone: string, instantMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
}
