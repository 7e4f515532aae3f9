import type { PlanCause, TimelineSegment } from '#contract/resources/control-points.ts';

// What control points will do, and where that is not what the calendar's rules ask for. Pure; days and minutes are those
// of the farm's clock.

/** A part of a day in which the wanted state is known. */
export type Span = {
  dayIndex: number;
  fromMinute: number;
  toMinute: number;
  target: 'ON' | 'OFF';
  cause: PlanCause;
  scheduleId: string | null;
};

/** A part of a block in which the motor will not do what the block asks for, and who decides instead. */
export type Waiting = { fromMinute: number; toMinute: number; cause: PlanCause };

export function waitingParts(block: Block, spans: readonly Span[]): Waiting[] {
  const parts: Waiting[] = [];
  for (const span of spans) {
    const fromMinute = Math.max(block.fromMinute, span.fromMinute);
    const toMinute = Math.min(block.toMinute, span.toMinute);
    if (span.dayIndex !== block.dayIndex || fromMinute >= toMinute || span.target === block.action) continue;
    const last = parts.at(-1);
    if (last?.cause === span.cause && last.toMinute === fromMinute) last.toMinute = toMinute;
    else parts.push({ fromMinute, toMinute, cause: span.cause });
  }
  return parts;
}

/** What decides instead of the calendar: people, water, a lock-out, a clock that is not to be trusted. */
export const isOffCalendar = ({ cause }: Pick<Span, 'cause'>): boolean =>
  cause !== 'SCHEDULE' && cause !== 'BASE';

export type NextTurn = { pointId: string; at: number; target: 'ON' | 'OFF'; scheduleId: string | null };

/** When the wanted state of these control points next changes, soonest first. */
export function nextTurns(
  timeline: ReadonlyMap<string, readonly TimelineSegment[]>,
  pointIds: readonly string[],
  now: number,
): NextTurn[] {
  return pointIds
    .flatMap((pointId) => {
      const segments = timeline.get(pointId) ?? [];
      return segments.flatMap(({ from, target, schedule_id }, n): NextTurn[] => {
        const at = Date.parse(from);
        const isTurn = n > 0 && segments[n - 1]?.target !== target && at > now;
        return isTurn ? [{ pointId, at, target, scheduleId: schedule_id }] : [];
      });
    })
    .toSorted((a, b) => a.at - b.at);
}

// What a week of schedules looks like on a calendar. Pure; days and minutes are those of the farm's clock.

export type PlannedRule = {
  id: string;
  action: 'ON' | 'OFF';
  pattern: 'ONCE' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  /** First occurrence: day YYYY-MM-DD and minute of the day. */
  startDay: string;
  startMinute: number;
  /** Length in minutes; null: no end. */
  lengthMinutes: number | null;
  /** 1 Monday … 7 Sunday; null: the weekday of the first occurrence. */
  daysOfWeek: readonly number[] | null;
};

export type Block = {
  ruleId: string;
  action: 'ON' | 'OFF';
  dayIndex: number;
  fromMinute: number;
  toMinute: number;
};

const DAY_MINUTES = 1_440;
const MOST_DAYS = 366;

/** Blocks of the seven days from `monday`; what runs past midnight goes on in the next day's column. */
export function blocksOfWeek(rules: readonly PlannedRule[], monday: string): Block[] {
  const blocks: Block[] = [];
  for (const rule of rules) {
    // from before: its night, or its days, may reach into the week
    const before = Math.min(Math.ceil((rule.lengthMinutes ?? 0) / DAY_MINUTES), MOST_DAYS);
    for (let dayIndex = -before; dayIndex < 7; dayIndex += 1) {
      if (occursOn(rule, addDays(monday, dayIndex))) blocks.push(...spread(rule, dayIndex));
    }
  }
  return blocks;
}

/** Whether a rule begins on that day. */
function occursOn(rule: PlannedRule, day: string): boolean {
  if (day < rule.startDay) return false;
  switch (rule.pattern) {
    case 'ONCE':
      return day === rule.startDay;
    case 'DAILY':
      return true;
    case 'WEEKLY':
      return (rule.daysOfWeek ?? [weekdayOf(rule.startDay)]).includes(weekdayOf(day));
    case 'MONTHLY':
      return isDayOfMonth(rule, day);
    case 'YEARLY':
      return day.slice(5, 7) === rule.startDay.slice(5, 7) && isDayOfMonth(rule, day);
  }
}

/** In a month that has no such day it is the last one: the 31st of June, 29 February. */
function isDayOfMonth({ startDay }: PlannedRule, day: string): boolean {
  const last = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
  return Number(day.slice(8)) === Math.min(Number(startDay.slice(8)), last);
}

function spread(rule: PlannedRule, dayIndex: number): Block[] {
  // without an end it is a moment: drawn as thin as a quarter of an hour
  const length = rule.lengthMinutes ?? 15;
  const blocks: Block[] = [];
  let from = rule.startMinute;
  let left = length;
  for (let day = dayIndex; left > 0 && day < 7; day += 1) {
    const to = Math.min(DAY_MINUTES, from + left);
    if (day >= 0) {
      blocks.push({ ruleId: rule.id, action: rule.action, dayIndex: day, fromMinute: from, toMinute: to });
    }
    left -= to - from;
    from = 0;
  }
  return blocks;
}

/** Whole days that a schedule holds beyond the first time its end comes round: 18:00 to 06:00 the day after next is one. */
export function daysMore({ startMinute, lengthMinutes }: PlannedRule): number {
  if (lengthMinutes === null) return 0;
  const first = (startMinute + lengthMinutes) % DAY_MINUTES;
  const least = first > startMinute ? first - startMinute : first - startMinute + DAY_MINUTES;
  return Math.max(0, Math.round((lengthMinutes - least) / DAY_MINUTES));
}

/** 1 Monday … 7 Sunday */
export function weekdayOf(day: string): number {
  return ((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7) + 1;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export const mondayOf = (day: string): string => addDays(day, 1 - weekdayOf(day));
