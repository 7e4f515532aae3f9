import type { DeviceSchedule } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { clockOf, DAY_MS, timeOfDayOfWall, wallOf, type Zone } from '#core/zone-clock.ts';
import { MINUTE_MS } from './local-time.ts';
import {
  chosenDays,
  nextEventAfter,
  type ScheduleEvent,
  type ScheduleRule,
  wallDuration,
} from './schedule-events.ts';
import { type Decision, decisionAmong, layOut, type Place } from './schedule-windows.ts';
import { type Base, nextCountingEvent, rulesState } from './wanted-state.ts';

type Transition = DeviceSchedule['tr'][number];
type WeeklyEntry = DeviceSchedule['weekly'][number];

export type DeviceScheduleRequest = {
  schedules: readonly ScheduleRule[];
  zone: Zone;
  /** ms since 1970. */
  from: number;
  rev: number;
  days?: number;
  maxTransitions?: number;
  /** As in `wantedState`: when the schedules were last changed, and the level that this left behind. Absent: never. */
  base?: Base;
};

/** Small firmware has buffers of about 1,000 bytes. */
export const MAX_SCHEDULE_BYTES = 1000;
/** A longer table is left out, for the days ahead need room too; part of one would lie (an ON without its OFF). */
const MAX_WEEKLY_BYTES = 600;
const DAY_MIN = DAY_MS / MINUTE_MS;
const WEEK_MIN = 7 * DAY_MIN;

/**
 * The body of `schedule/desired` and GET /devices/schedule: what a controller runs alone once it has lost the gateway.
 *
 * - `tr`: the events of schedule-windows.ts: the level is that of the latest transition so far. The first may lie before
 *   `from`: the level that holds there, for a controller that boots in the middle of a night's aeration.
 * - An event that does not count (rules-state.ts: it was before the last change of schedules) is left out. Until the
 *   first that counts the controller holds the last level that it was told, as the gateway does.
 * - Only what falls into one second is merged: the latest stays. An event that leaves the level as it is stays in the
 *   list: on a farm a manual order ends at the next event, and one given at the controller should end there too.
 * - `to`: how far the list can be trusted: all the days asked for, or the last transition that found room.
 * - `weekly`: for after `to`, by the farm's wall clock, from DAILY and WEEKLY schedules; whole or empty.
 * - `hash`: of everything but `rev`, so that the caller raises `rev` only when something changed.
 */
export function compileDeviceSchedule(
  deps: { hash: (text: string) => string },
  given: DeviceScheduleRequest,
): DeviceSchedule {
  const request = { ...given, zone: clockOf(given.zone) };
  const { rev, days = 14, maxTransitions = 64 } = request;
  const from = Math.floor(request.from / 1000);
  const horizon = from + days * 86_400;
  const all = transitions(request, { untilMs: horizon * 1000, most: maxTransitions + 1 });
  const weekly = weeklyTable(request, horizon * 1000);
  const bodyWith = (count: number, hash: string): DeviceSchedule => {
    const tr = all.slice(0, count);
    const to = count === all.length ? horizon : Math.max(from, tr.at(-1)?.[0] ?? from);
    return { rev, hash, from, to, tr, weekly };
  };
  const sampleHash = deps.hash('');
  let count = Math.min(all.length, maxTransitions);
  while (count > 0 && bytesOf(bodyWith(count, sampleHash)) > MAX_SCHEDULE_BYTES) count -= 1;
  const { rev: _rev, hash: _hash, ...content } = bodyWith(count, '');
  return bodyWith(count, deps.hash(JSON.stringify(content)));
}

function transitions(
  request: DeviceScheduleRequest,
  { untilMs, most }: { untilMs: number; most: number },
): Transition[] {
  const { zone, from, base = { target: 'OFF', at: Number.NEGATIVE_INFINITY } } = request;
  const shortIds = shortIdsOf(request.schedules);
  const schedules = layOut(request.schedules, zone);
  // the list may begin hours ago; what was before the change is in the level that the controller was told
  const begin = Math.max(from, base.at);
  const list: Transition[] = [];
  let at: number | null = begin;
  while (at !== null && at <= untilMs && list.length < most) {
    const { event } = rulesState({ zone, schedules, base, now: at });
    if (event !== null) {
      const transition = asTransition(event, shortIds);
      if (list.at(-1)?.[0] === transition[0]) list.pop();
      list.push(transition);
    }
    at = nextCountingEvent({ zone, schedules, base }, at);
  }
  return list;
}

/**
 * The events of an ordinary week on the local wall clock, at full minutes: [day, "HH:MM", level]. Where that is too long,
 * those that leave the level as it is are left out; they would only end an order given at the controller.
 */
function weeklyTable(request: DeviceScheduleRequest, horizonMs: number): WeeklyEntry[] {
  const spans = request.schedules.flatMap((rule) => weeklySpans(rule, request.zone, horizonMs));
  const minutes = new Set(spans.flatMap(({ start, length }) => [start, (start + (length ?? 0)) % WEEK_MIN]));
  const events = [...minutes]
    .sort((a, b) => a - b)
    .flatMap((minute) => {
      const decision = decisionInWeek(spans, minute);
      return decision?.at === minute ? [{ minute, action: decision.action }] : [];
    });
  const turns = events.filter(({ action }, n) => action !== events.at(n - 1)?.action);
  const tables = [events, turns.length === 0 ? events.slice(0, 1) : turns];
  return (
    tables
      .map((some) => some.map(({ minute, action }) => weeklyEntry(minute, action)))
      .find((table) => bytesOf(table) <= MAX_WEEKLY_BYTES) ?? []
  );
}

/** Minutes since Monday 00:00; `length` in minutes, null without an end. */
type WeeklySpan = { rule: ScheduleRule; start: number; length: number | null };

function weeklySpans(rule: ScheduleRule, zone: Zone, horizonMs: number): WeeklySpan[] {
  const isWeekly = rule.repeat_pattern === 'WEEKLY';
  if (!isWeekly && rule.repeat_pattern !== 'DAILY') return [];
  // The table has no dates: a schedule that begins only after the list ends cannot be in it yet.
  const first = nextEventAfter(rule, zone, rule.start_time - 1);
  if (first === null || first.at > horizonMs) return [];
  const duration = wallDuration(rule, zone);
  const timeOfDay = timeOfDayOfWall(wallOf(zone, rule.start_time));
  const start = Math.floor(timeOfDay / MINUTE_MS);
  const length = duration === null ? null : Math.floor((timeOfDay + duration) / MINUTE_MS) - start;
  if (duration !== null && (duration < MINUTE_MS || length === 0)) return [];
  const days = isWeekly ? chosenDays(rule.days_of_week) : [1, 2, 3, 4, 5, 6, 7];
  return days.map((day) => ({ rule, start: (day - 1) * DAY_MIN + start, length }));
}

/** As if every week had always been like this one. */
function decisionInWeek(spans: readonly WeeklySpan[], minute: number): Decision | null {
  const places = spans.map(({ rule, start, length }): Place => {
    const began = minute - ((minute - start + WEEK_MIN) % WEEK_MIN);
    const end = length === null ? null : began + length;
    return { rule, hasEnd: end !== null, start: began, end, nextStart: began + WEEK_MIN };
  });
  return decisionAmong(places, minute);
}

function weeklyEntry(minute: number, level: SwitchState): WeeklyEntry {
  const inDay = minute % DAY_MIN;
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  const time = `${twoDigits(Math.floor(inDay / 60))}:${twoDigits(inDay % 60)}`;
  return [Math.floor(minute / DAY_MIN) + 1, time, bitOf(level)];
}

/** The shortest endings of the ids, 4 to 16 signs, that tell these schedules apart: for logs, and short on the wire. */
function shortIdsOf(schedules: readonly ScheduleRule[]): Map<string, string> {
  const plain = schedules.map(({ id }) => ({ id, signs: id.replaceAll('-', '') }));
  let length = 4;
  const areDistinct = () => new Set(plain.map(({ signs }) => signs.slice(-length))).size === plain.length;
  while (length < 16 && !areDistinct()) length += 1;
  return new Map(plain.map(({ id, signs }) => [id, signs.slice(-length)]));
}

function asTransition(event: ScheduleEvent, shortIds: ReadonlyMap<string, string>): Transition {
  return [Math.floor(event.at / 1000), bitOf(event.action), shortIds.get(event.schedule_id) ?? ''];
}

function bitOf(level: SwitchState): 0 | 1 {
  return level === 'ON' ? 1 : 0;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
