import { Temporal } from 'temporal-polyfill';
import { clockOf, DAY_MS, instantOfWall, type Zone, zonedAt } from '#core/zone-clock.ts';

// Dates and times of day on a farm's wall clock: parts, weekdays, calendar dates. See zone-clock.ts for wall times.

export const MINUTE_MS = 60_000;

export type LocalDate = { year: number; month: number; day: number };
export type LocalTime = { hour: number; minute: number; second: number; millisecond: number };
/** `weekday` is 1 for Monday to 7 for Sunday, as in `days_of_week`. */
export type LocalParts = LocalDate & LocalTime & { weekday: number };

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

function timeOfDayMs(time: LocalTime): number {
  return ((time.hour * 60 + time.minute) * 60 + time.second) * 1000 + time.millisecond;
}
