import { isDateOnly } from '#contract/fields.ts';
import { DAY_MS, instantOfWall, wallOf, type Zone } from './zone-clock.ts';

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
