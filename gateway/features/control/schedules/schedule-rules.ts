import { type SwitchState, unreachable } from '#contract/words.ts';
import { DAY_MS, timeOfDayOfWall, wallOf, type Zone } from '#core/zone-clock.ts';
import { localPartsOf } from './local-time.ts';
import { chosenDays, type RepeatPattern } from './repeat-slots.ts';
import { isUsableInstant, wallDuration } from './schedule-events.ts';

export type ScheduleInput = {
  action: SwitchState;
  start_time: number;
  end_time: number | null;
  repeat_pattern: RepeatPattern;
  days_of_week: readonly number[] | null;
};

export type ScheduleViolation = {
  path: 'start_time' | 'end_time' | 'days_of_week';
  code: string;
  message: string;
};

/** Everything wrong with a schedule, for one answer; empty when it may be stored. */
export function checkSchedule(input: ScheduleInput, zone: Zone): ScheduleViolation[] {
  const violations = [...checkTimes(input), ...checkDays(input)];
  // A length can be judged only against times and days that are right themselves.
  return violations.length > 0 ? violations : checkDuration(input, zone);
}

/**
 * Two schedules of one control point with the same key are the same schedule: creating the second updates the first.
 * The end, and whether it is active, are what such an update changes.
 */
export function sameScheduleKey(rule: ScheduleInput, zone: Zone): string {
  const kind = `${rule.action} ${rule.repeat_pattern}`;
  if (rule.repeat_pattern === 'ONCE') return `${kind} ${rule.start_time}`;
  const timeOfDay = timeOfDayOfWall(wallOf(zone, rule.start_time));
  return `${kind} ${timeOfDay} ${daysKey(rule, zone)}`.trimEnd();
}

function daysKey(rule: ScheduleInput, zone: Zone): string {
  if (rule.repeat_pattern === 'WEEKLY') return chosenDays(rule.days_of_week).join(',');
  const { month, day } = localPartsOf(zone, rule.start_time);
  if (rule.repeat_pattern === 'MONTHLY') return `${day}`;
  return rule.repeat_pattern === 'YEARLY' ? `${month}-${day}` : '';
}

function checkTimes({ start_time, end_time }: ScheduleInput): ScheduleViolation[] {
  const violations: ScheduleViolation[] = [];
  if (!isUsableInstant(start_time)) violations.push(outOfRange('start_time'));
  if (end_time === null) return violations;
  if (!isUsableInstant(end_time)) violations.push(outOfRange('end_time'));
  else if (end_time <= start_time) {
    violations.push({ path: 'end_time', code: 'end_not_after_start', message: 'must be after start_time' });
  }
  return violations;
}

function checkDays({ repeat_pattern, days_of_week }: ScheduleInput): ScheduleViolation[] {
  const days = days_of_week ?? [];
  const violation = (code: string, message: string): ScheduleViolation[] => [
    { path: 'days_of_week', code, message },
  ];
  // An empty list says nothing, so it is no contradiction to another pattern.
  if (repeat_pattern !== 'WEEKLY') {
    if (days.length === 0) return [];
    return violation('days_only_with_weekly', 'is only for WEEKLY schedules');
  }
  if (days.length === 0) return violation('days_required', 'a WEEKLY schedule needs at least one day');
  if (days.some((day) => !Number.isInteger(day) || day < 1 || day > 7)) {
    return violation('day_out_of_range', 'each day is a whole number from 1 (Monday) to 7 (Sunday)');
  }
  if (new Set(days).size < days.length) return violation('duplicate_day', 'each day may be given once');
  return [];
}

function checkDuration(input: ScheduleInput, zone: Zone): ScheduleViolation[] {
  const duration = wallDuration(input, zone);
  const limit = longestDuration(input);
  if (duration === null || limit === null || duration < limit.ms) return [];
  return [
    { path: 'end_time', code: 'overlaps_next_occurrence', message: `must be less than ${limit.words}` },
  ];
}

/** The shortest time from one occurrence to the next: a repeat must be over before it begins again. */
function longestDuration(input: ScheduleInput): { ms: number; words: string } | null {
  switch (input.repeat_pattern) {
    case 'ONCE':
      return null;
    case 'DAILY':
      return { ms: DAY_MS, words: '24 hours after start_time for a DAILY schedule' };
    case 'WEEKLY': {
      const days = smallestGap(chosenDays(input.days_of_week));
      return {
        ms: days * DAY_MS,
        words: `${days * 24} hours after start_time, when the next of the chosen days begins`,
      };
    }
    case 'MONTHLY':
      return { ms: 28 * DAY_MS, words: '28 days after start_time for a MONTHLY schedule' };
    case 'YEARLY':
      return { ms: 365 * DAY_MS, words: '365 days after start_time for a YEARLY schedule' };
    default:
      return unreachable(input.repeat_pattern);
  }
}

/** Days between the closest two chosen days, round the week. */
function smallestGap(days: readonly number[]): number {
  const gaps = days.map((day, i) => (days[i + 1] ?? (days[0] ?? day) + 7) - day);
  return Math.min(7, ...gaps);
}

function outOfRange(path: 'start_time' | 'end_time'): ScheduleViolation {
  return { path, code: 'out_of_range', message: 'must be a date between the years 1 and 9999' };
}
