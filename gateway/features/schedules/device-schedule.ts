import type { DeviceSchedule } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { clockOf, DAY_MS, timeOfDayOfWall, wallOf, type Zone } from '#core/zone-clock.ts';
import { MINUTE_MS } from './local-time.ts';
import { chosenDays } from './repeat-slots.ts';
import { type Base, latestEvent, rulesState } from './rules-state.ts';
import {
  compareEvents,
  eventsBetween,
  nextEventAfter,
  type ScheduleEvent,
  type ScheduleRule,
  wallDuration,
} from './schedule-events.ts';

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
  /** As in `wantedState`: the level that a change of schedules left behind, which their past events no longer tell. */
  base?: Base | null;
};

/** Small firmware has buffers of about 1,000 bytes. */
export const MAX_SCHEDULE_BYTES = 1000;
/** A longer table is left out, for the days ahead need room too; part of one would lie (an ON without its OFF). */
const MAX_WEEKLY_BYTES = 600;

/**
 * The body of `schedule/desired` and GET /devices/schedule: what a controller runs alone once it has lost the gateway.
 *
 * - `tr`: the level is that of the latest transition so far. The first may lie before `from`: the level that holds
 *   there, for a controller that boots in the middle of a night's aeration.
 * - Only what falls into one second is merged (the latest stays; of two at one instant ON). An ON while it is ON already
 *   stays in the list though the level does not need it: on a farm a manual order ends at the next schedule event, and
 *   one given at the controller should end there too.
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
  const all = transitions(request, horizon * 1000);
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

function transitions(request: DeviceScheduleRequest, horizonMs: number): Transition[] {
  const { schedules, zone, from, base = null } = request;
  const shortIds = shortIdsOf(schedules);
  const events = schedules.flatMap((rule) => eventsBetween(rule, zone, from, horizonMs)).sort(compareEvents);
  const list = levelAt({ schedules, zone, now: from }, base, shortIds);
  for (const event of events) {
    const transition = asTransition(event, shortIds);
    if (list.at(-1)?.[0] === transition[0]) list.pop();
    list.push(transition);
  }
  return list;
}

/** The level that holds at `from`, as a transition of its own time; none when nothing ever said one. */
function levelAt(
  facts: { schedules: readonly ScheduleRule[]; zone: Zone; now: number },
  base: Base | null,
  shortIds: ReadonlyMap<string, string>,
): Transition[] {
  const latest = latestEvent(facts);
  if (base === null) return latest === null ? [] : [asTransition(latest, shortIds)];
  const { target, event } = rulesState(base, latest);
  if (event !== null) return [asTransition(event, shortIds)];
  return [[Math.floor(Math.min(base.at, facts.now) / 1000), bitOf(target), 'base']];
}

/** Local wall clock, at full minutes: [day, "HH:MM", level]. Two at the same minute: ON wins. */
function weeklyTable({ schedules, zone }: DeviceScheduleRequest, horizonMs: number): WeeklyEntry[] {
  const levels = new Map<string, WeeklyEntry>();
  for (const entry of schedules.flatMap((rule) => weeklyEntries(rule, zone, horizonMs))) {
    const key = `${entry[0]} ${entry[1]}`;
    if (entry[2] === 1 || !levels.has(key)) levels.set(key, entry);
  }
  const table = [...levels.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return bytesOf(table) > MAX_WEEKLY_BYTES ? [] : table;
}

function weeklyEntries(rule: ScheduleRule, zone: Zone, horizonMs: number): WeeklyEntry[] {
  const isWeekly = rule.repeat_pattern === 'WEEKLY';
  if (!isWeekly && rule.repeat_pattern !== 'DAILY') return [];
  // The table has no dates: a schedule that begins only after the list ends cannot be in it yet.
  const first = nextEventAfter(rule, zone, rule.start_time - 1);
  if (first === null || first.at > horizonMs) return [];
  const duration = wallDuration(rule, zone);
  if (duration !== null && duration < MINUTE_MS) return [];
  const start = timeOfDayOfWall(wallOf(zone, rule.start_time));
  const days = isWeekly ? chosenDays(rule.days_of_week) : [1, 2, 3, 4, 5, 6, 7];
  return days.flatMap((day) => {
    const begins = weeklyEntry(day, start, rule.action);
    if (duration === null) return [begins];
    return [begins, weeklyEntry(day, start + duration, rule.action === 'ON' ? 'OFF' : 'ON')];
  });
}

/** `sinceMidnightMs` may reach into the following days. */
function weeklyEntry(day: number, sinceMidnightMs: number, level: SwitchState): WeeklyEntry {
  const minutes = Math.floor(timeOfDayOfWall(sinceMidnightMs) / MINUTE_MS);
  const weekday = ((day - 1 + Math.floor(sinceMidnightMs / DAY_MS)) % 7) + 1;
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  return [weekday, `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`, bitOf(level)];
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
