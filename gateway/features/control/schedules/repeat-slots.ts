import { type REPEAT_PATTERNS, unreachable } from '#contract/words.ts';
import { DAY_MS } from '#core/zone-clock.ts';
import { dateOfWall, wallOfDate, weekdayOfWall } from './local-time.ts';

export type RepeatPattern = (typeof REPEAT_PATTERNS)[number];

/**
 * The days on which a repeat takes place, numbered: slot `k` falls on the wall day `dayOf(k)` (midnight, wall time).
 * Numbers grow with the days, so any slot is reached by arithmetic, however many years ago the schedule began.
 */
export type RepeatSlots = {
  /** Number of the first slot, on the day of `start_time` or after it. */
  first: number;
  dayOf: (slot: number) => number;
  /** The last slot on or before a wall day, or the one after that; below `first` before the schedule begins. */
  slotNear: (dayWallMs: number) => number;
};

export type Repeat = { pattern: Exclude<RepeatPattern, 'ONCE'>; daysOfWeek: readonly number[] | null };

/** Null for a weekly repeat without a single valid day: it never takes place. */
export function repeatSlots(repeat: Repeat, startDay: number): RepeatSlots | null {
  switch (repeat.pattern) {
    case 'DAILY':
      return {
        first: 0,
        dayOf: (slot) => startDay + slot * DAY_MS,
        slotNear: (day) => Math.floor((day - startDay) / DAY_MS),
      };
    case 'WEEKLY':
      return weeklySlots(startDay, chosenDays(repeat.daysOfWeek));
    case 'MONTHLY':
      return calendarSlots(startDay, 1);
    case 'YEARLY':
      return calendarSlots(startDay, 12);
    default:
      return unreachable(repeat.pattern);
  }
}

/** Valid days of the week, each once, Monday first. */
export function chosenDays(daysOfWeek: readonly number[] | null): number[] {
  const days = new Set((daysOfWeek ?? []).filter((day) => Number.isInteger(day) && day >= 1 && day <= 7));
  return [...days].sort((a, b) => a - b);
}

function weeklySlots(startDay: number, days: readonly number[]): RepeatSlots | null {
  if (days.length === 0) return null;
  const startWeekday = weekdayOfWall(startDay);
  const monday = startDay - (startWeekday - 1) * DAY_MS;
  return {
    first: days.filter((day) => day < startWeekday).length,
    dayOf: (slot) => {
      const week = Math.floor(slot / days.length);
      const weekday = days[slot - week * days.length] ?? 1;
      return monday + (week * 7 + weekday - 1) * DAY_MS;
    },
    slotNear: (day) => {
      const week = Math.floor((day - monday) / (7 * DAY_MS));
      const weekday = weekdayOfWall(day);
      return week * days.length + days.filter((chosen) => chosen <= weekday).length - 1;
    },
  };
}

/** Always counted from the first date, so that the 31st stays the 31st after a shorter month, and 29 February returns. */
function calendarSlots(startDay: number, monthsApart: number): RepeatSlots {
  const start = dateOfWall(startDay);
  const dayOf = (slot: number) => wallOfDate(start.add({ months: slot * monthsApart }));
  return {
    first: 0,
    dayOf,
    slotNear: (day) => {
      const date = dateOfWall(day);
      const months = (date.year - start.year) * 12 + (date.month - start.month);
      return Math.floor(months / monthsApart);
    },
  };
}
