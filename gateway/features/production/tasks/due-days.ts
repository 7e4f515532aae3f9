import type { RowOf } from '#contract/resource.ts';
import type { task } from '#contract/resources/tasks.ts';
import { dayAfter, daysBetween, instantOfWall, type Zone } from '#core/zone-clock.ts';

// On which days of a farm's calendar a task is due. Days are counted by the calendar, never in hours: a night that is longer
// or shorter than others moves none of them.

/** What says when a task is due. */
export type Rule = Pick<
  RowOf<typeof task>,
  'repeat' | 'every_days' | 'days_of_week' | 'first_day' | 'ended_on'
>;

/** 1 Monday to 7 Sunday. */
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** The last due day up to that day; null: there was none yet. */
export function lastDueDay(rule: Rule, day: string): string | null {
  const { first_day: first, ended_on: end } = rule;
  const until = end !== null && end < day ? end : day;
  if (until < first) return null;
  switch (rule.repeat) {
    case 'ONCE':
      return first;
    case 'DAYS': {
      const every = rule.every_days ?? 0;
      // a rule that says nothing is of a program that knows more
      if (every < 1) return null;
      return dayAfter(first, Math.floor(daysBetween(first, until) / every) * every);
    }
    case 'WEEKDAYS': {
      for (let back = 0; back < 7; back += 1) {
        const candidate = dayAfter(until, -back);
        if (candidate < first) return null;
        if (rule.days_of_week?.includes(weekdayOf(candidate))) return candidate;
      }
      return null;
    }
  }
}

export const isDueOn = (rule: Rule, day: string): boolean => lastDueDay(rule, day) === day;

/** The first due day after that day; null: there is none any more. */
export function nextDueDay(rule: Rule, day: string): string | null {
  const { first_day: first, ended_on: end } = rule;
  const from = dayAfter(day, 1) < first ? first : dayAfter(day, 1);
  const next = dueFrom(rule, from);
  return next === null || (end !== null && end < next) ? null : next;
}

function dueFrom(rule: Rule, from: string): string | null {
  const { first_day: first } = rule;
  switch (rule.repeat) {
    case 'ONCE':
      return first === from ? first : null;
    case 'DAYS': {
      const every = rule.every_days ?? 0;
      if (every < 1) return null;
      return dayAfter(first, Math.ceil(daysBetween(first, from) / every) * every);
    }
    case 'WEEKDAYS': {
      for (let ahead = 0; ahead < 7; ahead += 1) {
        const candidate = dayAfter(from, ahead);
        if (rule.days_of_week?.includes(weekdayOf(candidate))) return candidate;
      }
      return null;
    }
  }
}

/**
 * The instant, ms, at which people are reminded on a day. A time that the clock skips is the first after the gap, one that
 * it shows twice the first of the two.
 */
export function reminderAt(day: string, remindAt: string, zone: Zone): number {
  return instantOfWall(zone, Date.parse(`${day}T${remindAt}:00Z`));
}
