import type { SwitchState } from '#contract/words.ts';
import { clockOf, type Zone } from '#core/zone-clock.ts';
import { LATEST, type ScheduleRule, type Timeline, timelineOf } from './schedule-events.ts';

// Which of a control point's schedules decides at an instant
// 1. An occurrence with an end is a window: it covers the instants from its start up to, not including, its end. An
//    occurrence without an end is a point: it says its action from its start on.
// 2. Among the windows that cover an instant the one that began last decides. When it ends, the next that still covers
//    the instant does. Two ON windows are thus a union, and an OFF window inside an ON window is a pause.
// 3. Where no window covers the instant, the latest end of a window (which says the opposite of its action) or start of
//    a point decides.
// 4. At equal instants ON goes before OFF, then the larger id before the smaller.
// 5. An event is an instant at which the deciding occurrence changes, also where the level stays the same. A point
//    inside a window, and the end of a window while one that began later covers it, are no events.
// 6. Nothing depends on how often or when it is asked, or on what was answered before. Every answer is reached by
//    arithmetic on slot numbers (schedule-events.ts); nothing walks over days.

/** What the schedules say at an instant. */
export type Decision = {
  action: SwitchState;
  /** Whose window, start or end it is. */
  schedule_id: string;
  /** `start`: the window lasts, or the schedule has no end; `end`: its window is over. */
  edge: 'start' | 'end';
  isWindow: boolean;
  /** The latest event: since then this occurrence decides. A window that a pause interrupted decides since its end. */
  at: number;
};

/** The occurrence of one schedule around an instant; null: none begun yet, no end, none to come. */
export type Place = {
  rule: ScheduleRule;
  /** Whether its occurrences have an end: windows, not points. */
  hasEnd: boolean;
  start: number | null;
  end: number | null;
  nextStart: number | null;
};

/** Schedules of one control point laid out in time. What it remembers makes instants asked in order cheap. */
export type LaidSchedules = { placesAt: (atMs: number) => readonly Place[] };

/** Schedules as they are, or laid out, for callers that ask often. */
export type Schedules = readonly ScheduleRule[] | LaidSchedules;

export function layOut(schedules: Schedules, zone: Zone): LaidSchedules {
  if ('placesAt' in schedules) return schedules;
  const clock = clockOf(zone);
  const timelines = schedules.flatMap((rule) => {
    const timeline = timelineOf(rule, clock);
    return timeline === null ? [] : [{ rule, timeline }];
  });
  let known: Place[] = [];
  return {
    placesAt(atMs) {
      const at = Math.min(atMs, LATEST);
      known = timelines.map(({ rule, timeline }, index) => {
        const place = known[index];
        return place !== undefined && holdsAt(place, at) ? place : placeAt(rule, timeline, at);
      });
      return known;
    },
  };
}

/** null: no schedule has begun by then. */
export function decisionAt(schedules: LaidSchedules, at: number): Decision | null {
  return decisionAmong(schedules.placesAt(at), at);
}

/** The same for occurrences laid out by somebody else. */
export function decisionAmong(places: readonly Place[], at: number): Decision | null {
  const window = decidingWindow(places, at);
  if (window === null) return latestPoint(places);
  // rule 5: the last of those that covered it and are over; they began later, or they would not have
  const ends = places.map(({ rule, start, end }) =>
    start !== null && end !== null && end <= at && beats({ rule, start }, window) ? end : window.start,
  );
  return {
    action: window.rule.action,
    schedule_id: window.rule.id,
    edge: 'start',
    isWindow: true,
    at: Math.max(window.start, ...ends),
  };
}

/** The first event strictly after an instant; null: none is to come. */
export function nextEventAt(schedules: LaidSchedules, after: number): number | null {
  const places = schedules.placesAt(after);
  const window = decidingWindow(places, after);
  let next = window?.end ?? null;
  for (const { hasEnd, nextStart } of places) {
    // rule 5: a point inside a window
    const counts = window === null || hasEnd;
    if (counts && nextStart !== null && (next === null || nextStart < next)) next = nextStart;
  }
  return next;
}

type Window = { rule: ScheduleRule; start: number; end: number };

function decidingWindow(places: readonly Place[], at: number): Window | null {
  let deciding: Window | null = null;
  for (const { rule, start, end } of places) {
    if (start === null || end === null || end <= at) continue;
    if (deciding === null || beats({ rule, start }, deciding)) deciding = { rule, start, end };
  }
  return deciding;
}

/** Rules 2 and 4. */
function beats(a: Pick<Window, 'rule' | 'start'>, b: Pick<Window, 'rule' | 'start'>): boolean {
  if (a.start !== b.start) return a.start > b.start;
  if (a.rule.action !== b.rule.action) return a.rule.action === 'ON';
  return a.rule.id > b.rule.id;
}

/** Rules 3 and 4, where no window covers the instant of the places. */
function latestPoint(places: readonly Place[]): Decision | null {
  let latest: Decision | null = null;
  for (const { rule, start, end } of places) {
    if (start === null) continue;
    const point: Decision = {
      action: end === null ? rule.action : rule.action === 'ON' ? 'OFF' : 'ON',
      schedule_id: rule.id,
      edge: end === null ? 'start' : 'end',
      isWindow: false,
      at: end ?? start,
    };
    if (latest === null || isLater(point, latest)) latest = point;
  }
  return latest;
}

function isLater(a: Decision, b: Decision): boolean {
  if (a.at !== b.at) return a.at > b.at;
  if (a.action !== b.action) return a.action === 'ON';
  return a.schedule_id > b.schedule_id;
}

function placeAt(rule: ScheduleRule, timeline: Timeline, at: number): Place {
  const slot = at >= rule.start_time ? timeline.slotStartedBy(at) : null;
  const following = slot === null ? timeline.firstSlot : slot + 1;
  const nextStart = following > timeline.lastSlot ? null : timeline.startOf(following);
  const hasEnd = timeline.endOf(timeline.firstSlot) !== null;
  if (slot === null) return { rule, hasEnd, start: null, end: null, nextStart };
  const end = timeline.endOf(slot);
  // it simply goes on
  const isOverrun = end !== null && nextStart !== null && end > nextStart;
  return { rule, hasEnd, start: timeline.startOf(slot), end: isOverrun ? nextStart : end, nextStart };
}

function holdsAt({ start, nextStart }: Place, at: number): boolean {
  return at >= (start ?? Number.NEGATIVE_INFINITY) && at < (nextStart ?? Number.POSITIVE_INFINITY);
}
