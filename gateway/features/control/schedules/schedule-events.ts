import { type REPEAT_PATTERNS, type SwitchState, unreachable } from '#contract/words.ts';
import {
  clockOf,
  DAY_MS,
  instantOfWall,
  timeOfDayOfWall,
  wallOf,
  type Zone,
  type ZoneClock,
} from '#core/zone-clock.ts';
import { dateOfWall, wallOfDate, weekdayOfWall } from './local-time.ts';

/** What the engine needs of a schedule. Instants are ms since 1970. */
export type ScheduleRule = {
  id: string;
  action: SwitchState;
  start_time: number;
  end_time: number | null;
  repeat_pattern: RepeatPattern;
  /** 1 Monday to 7 Sunday, of the farm's zone; only with WEEKLY. */
  days_of_week: readonly number[] | null;
  is_active: boolean;
  /**
   * The schedule's last change: starts and ends before it are no events of this schedule (they are not logged).
   * -Infinity, or 0 in a row, marks a change that was to be applied at once.
   */
  effective_from: number;
};

/** A start or an end of one schedule; which of several schedules decides is told in schedule-windows.ts. */
export type ScheduleEvent = { at: number; action: SwitchState; schedule_id: string; edge: 'start' | 'end' };

/** Most events `eventsBetween` returns, the earliest first. */
export const MAX_EVENTS = 10_000;

// How a schedule becomes events:
// - The action at its start; with an end, the opposite action there.
// - A repeat follows the farm's wall clock, and so does its length: "18:00 to 06:00" ends when the wall shows 06:00, also
//   in the night in which the clock is changed.
// - The occurrence on the day of `start_time` keeps the exact instants that were entered, later ones are resolved from
//   the wall clock: in a gap the first instant after it, in a repeated hour the first.
// - An end never comes before its start. Where start and end fall into the same gap, the entered length is kept from the
//   end of the gap on: an aerator that owes 30 minutes runs 30 minutes.
// - An occurrence that would still last when the next begins simply goes on (checkSchedule refuses such schedules).
// Every answer is reached by arithmetic on slot numbers; nothing walks over days.

/** The year 9999 is far enough; a time beyond it, or not a number, yields no event. */
const EARLIEST = -62_135_596_800_000;
export const LATEST = 253_402_300_799_999;

/** Clocks have gone back by 3 hours at most since 1970 (Antarctica), so a later slot can precede an instant only so far. */
const LONGEST_FOLD_MS = DAY_MS / 4;

/** The latest event of the schedule that counts, at or before an instant. */
export function lastEventAtOrBefore(rule: ScheduleRule, zone: Zone, atMs: number): ScheduleEvent | null {
  const timeline = timelineOf(rule, clockOf(zone));
  const at = Math.min(atMs, LATEST);
  if (timeline === null || !(at >= rule.start_time)) return null;
  const slot = timeline.slotStartedBy(at);
  if (slot === null) return null;
  const end = timeline.endOf(slot);
  const event = end !== null && end <= at ? endEvent(rule, end) : startEvent(rule, timeline.startOf(slot));
  return event.at >= rule.effective_from ? event : null;
}

/** The first event of the schedule that counts, strictly after an instant. */
export function nextEventAfter(rule: ScheduleRule, zone: Zone, atMs: number): ScheduleEvent | null {
  const timeline = timelineOf(rule, clockOf(zone));
  // Whole milliseconds: strictly after the one before is at or after.
  const after = Math.max(atMs, Math.ceil(rule.effective_from) - 1);
  if (timeline === null || !(after <= LATEST)) return null;
  const slot = after >= rule.start_time ? timeline.slotStartedBy(after) : null;
  const following = slot === null ? timeline.firstSlot : slot + 1;
  const nextStart = following > timeline.lastSlot ? null : timeline.startOf(following);
  const end = slot === null ? null : timeline.endOf(slot);
  if (end !== null && end > after && (nextStart === null || end < nextStart)) return endEvent(rule, end);
  return nextStart === null ? null : startEvent(rule, nextStart);
}

/** The first start or end of any of the schedules strictly after an instant; at the same instant ON wins. */
export function nextScheduleEvent(
  schedules: readonly ScheduleRule[],
  zone: Zone,
  afterMs: number,
): ScheduleEvent | null {
  const clock = clockOf(zone);
  let next: ScheduleEvent | null = null;
  for (const rule of schedules) {
    const event = nextEventAfter(rule, clock, afterMs);
    if (event === null) continue;
    const isSooner = next === null || event.at < next.at;
    if (isSooner || (event.at === next?.at && compareEvents(event, next) > 0)) next = event;
  }
  return next;
}

/** Events after `fromMs` up to and including `toMs`, in order; at most MAX_EVENTS, the earliest. */
export function eventsBetween(rule: ScheduleRule, zone: Zone, fromMs: number, toMs: number): ScheduleEvent[] {
  const clock = clockOf(zone);
  const events: ScheduleEvent[] = [];
  let event = nextEventAfter(rule, clock, fromMs);
  while (event !== null && event.at <= toMs && events.length < MAX_EVENTS) {
    events.push(event);
    event = nextEventAfter(rule, clock, event.at);
  }
  return events;
}

/** Order of events; of two at the same instant ON comes last, and for a stable answer the larger id. */
export function compareEvents(a: ScheduleEvent, b: ScheduleEvent): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.action !== b.action) return a.action === 'ON' ? 1 : -1;
  return a.schedule_id < b.schedule_id ? -1 : a.schedule_id > b.schedule_id ? 1 : 0;
}

/** Length on the wall of a schedule, ms; null without an end. Repeats keep it. */
export function wallDuration(rule: Pick<ScheduleRule, 'start_time' | 'end_time'>, zone: Zone): number | null {
  if (rule.end_time === null) return null;
  const clock = clockOf(zone);
  const onTheWall = wallOf(clock, rule.end_time) - wallOf(clock, rule.start_time);
  // From the first 01:50 to the second 01:10 of a repeated hour is 20 minutes, though the wall counts backwards.
  return onTheWall > 0 ? onTheWall : rule.end_time - rule.start_time;
}

/** A schedule laid out in time. Starts never decrease with the slot number. */
export type Timeline = {
  firstSlot: number;
  lastSlot: number;
  startOf: (slot: number) => number;
  /** null: without an end. It may lie after the next start, which then simply goes on. */
  endOf: (slot: number) => number | null;
  /** The last slot begun at or before an instant that is not before `start_time`; null before the first. */
  slotStartedBy: (atMs: number) => number | null;
};

/** null: it is paused, or never takes place. */
export function timelineOf(rule: ScheduleRule, clock: ZoneClock): Timeline | null {
  if (!rule.is_active || !isUsableInstant(rule.start_time)) return null;
  const hasEnd = rule.end_time !== null && isUsableInstant(rule.end_time) && rule.end_time > rule.start_time;
  const end = hasEnd ? rule.end_time : null;
  if (rule.repeat_pattern !== 'ONCE') {
    return repeatTimeline({ ...rule, end_time: end, repeat_pattern: rule.repeat_pattern }, clock);
  }
  return {
    firstSlot: 0,
    lastSlot: 0,
    startOf: () => rule.start_time,
    endOf: () => end,
    slotStartedBy: () => 0,
  };
}

type RepeatRule = ScheduleRule & { repeat_pattern: Exclude<RepeatPattern, 'ONCE'> };

function repeatTimeline(rule: RepeatRule, clock: ZoneClock): Timeline | null {
  const startWall = wallOf(clock, rule.start_time);
  const timeOfDay = timeOfDayOfWall(startWall);
  const repeat = { pattern: rule.repeat_pattern, daysOfWeek: rule.days_of_week };
  const slots = repeatSlots(repeat, startWall - timeOfDay);
  if (slots === null) return null;
  const duration = wallDuration(rule, clock);
  const wallStartOf = (slot: number) => slots.dayOf(slot) + timeOfDay;
  const startOf = (slot: number) => {
    const wall = wallStartOf(slot);
    return wall === startWall ? rule.start_time : instantOfWall(clock, wall);
  };
  return {
    firstSlot: slots.first,
    lastSlot: Number.POSITIVE_INFINITY,
    startOf,
    endOf: (slot) => {
      const wall = wallStartOf(slot);
      if (duration === null || wall === startWall) return rule.end_time;
      const start = startOf(slot);
      const end = instantOfWall(clock, wall + duration);
      return end > start ? end : start + duration;
    },
    slotStartedBy: (at) => {
      const wall = wallOf(clock, at);
      let slot = slots.slotNear(wall - timeOfDayOfWall(wall));
      if (wallStartOf(slot) > wall) slot -= 1;
      // In a repeated hour the wall may show less than a slot that has already begun, the first time round.
      if (wallStartOf(slot + 1) - wall <= LONGEST_FOLD_MS && startOf(slot + 1) <= at) slot += 1;
      return slot >= slots.first ? slot : null;
    },
  };
}

export function isUsableInstant(instantMs: number): boolean {
  return instantMs >= EARLIEST && instantMs <= LATEST;
}

function startEvent(rule: ScheduleRule, at: number): ScheduleEvent {
  return { at, action: rule.action, schedule_id: rule.id, edge: 'start' };
}

function endEvent(rule: ScheduleRule, at: number): ScheduleEvent {
  return { at, action: rule.action === 'ON' ? 'OFF' : 'ON', schedule_id: rule.id, edge: 'end' };
}

export type RepeatPattern = (typeof REPEAT_PATTERNS)[number];

/**
 * The days on which a repeat takes place, numbered: slot `k` falls on the wall day `dayOf(k)` (midnight, wall time).
 * Numbers grow with the days, so any slot is reached by arithmetic, however many years ago the schedule began.
 */
type RepeatSlots = {
  /** Number of the first slot, on the day of `start_time` or after it. */
  first: number;
  dayOf: (slot: number) => number;
  /** The last slot on or before a wall day, or the one after that; below `first` before the schedule begins. */
  slotNear: (dayWallMs: number) => number;
};

type Repeat = { pattern: Exclude<RepeatPattern, 'ONCE'>; daysOfWeek: readonly number[] | null };

/** Null for a weekly repeat without a single valid day: it never takes place. */
function repeatSlots(repeat: Repeat, startDay: number): RepeatSlots | null {
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
