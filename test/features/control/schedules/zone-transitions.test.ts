import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import {
  lastEventAtOrBefore,
  nextEventAfter,
  type ScheduleEvent,
  type ScheduleRule,
} from '#features/control/schedules/schedule-events.ts';
import { aPartOf, isWhole } from '#test/turn.ts';
import { aSchedule } from './builders.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const FROM = Date.UTC(2020, 0, 1);
const TO = Date.UTC(2038, 0, 1);
const ZONES = Intl.supportedValuesOf('timeZone');

/** One change of a zone's clock: UTC offsets in ms on either side of an instant. */
type ClockChange = { at: number; before: number; after: number };

// The expected instants come from the changes themselves, not from the functions under test: up to the change the wall
// is `before` ahead, from it on `after`; in between lies the gap, whose times run at the change.
function expectedInstant(change: ClockChange, wall: number): number {
  if (wall < change.at + change.before) return wall - change.before;
  return Math.max(change.at, wall - change.after);
}

function changesOf(zone: string): ClockChange[] {
  const changes: ClockChange[] = [];
  let instant = Temporal.Instant.fromEpochMilliseconds(FROM).toZonedDateTimeISO(zone);
  for (;;) {
    const next = instant.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= TO) return changes;
    const before = next.subtract({ milliseconds: 1 }).offsetNanoseconds / 1e6;
    changes.push({ at: next.epochMilliseconds, before, after: next.offsetNanoseconds / 1e6 });
    instant = next;
  }
}

const CHANGES_BY_ZONE = new Map(ZONES.map((zone) => [zone, changesOf(zone)]));
/** Of zones whose clocks change at the same instants by the same hours, one speaks for all. */
const CHANGING = [
  ...new Map([...CHANGES_BY_ZONE].map((entry) => [JSON.stringify(entry[1]), entry])).values(),
];

/** Wall times of interest: round the edges of what is skipped or repeated, in its middle, and an ordinary one. */
function wallTimesAround(change: ClockChange): number[] {
  const low = change.at + Math.min(change.before, change.after);
  const high = change.at + Math.max(change.before, change.after);
  return [low - MINUTE, low, (low + high) / 2, high - MINUTE, high, high + 5 * HOUR];
}

/** The starts in a span, by asking for the next event again and again; every question is counted. */
function walk(rule: ScheduleRule, zone: string, from: number, to: number): ScheduleEvent[] {
  const events: ScheduleEvent[] = [];
  let event = nextEventAfter(rule, zone, from);
  while (event !== null && event.at < to) {
    // A schedule that fires again and again in the repeated hour is the accident this test is about.
    if (events.length > 20) throw new Error(`busy loop at ${new Date(event.at).toISOString()}`);
    events.push(event);
    event = nextEventAfter(rule, zone, event.at);
  }
  return events;
}

const asStart = (at: number): ScheduleEvent => ({ at, action: 'ON', schedule_id: 'night', edge: 'start' });

test('every daily and weekly slot happens once, in order, around every clock change of every zone, 2020 to 2037', () => {
  let changesSeen = 0;
  let slotsSeen = 0;
  for (const [zone, changes] of aPartOf(CHANGING, 4)) {
    for (const change of changes) {
      changesSeen += 1;
      for (const wall of wallTimesAround(change)) {
        // Entered ten days before, at this time of day; that day has the offset of before the change.
        const start_time = wall - 10 * DAY - change.before;
        const daily = aSchedule({ start_time, end_time: null });
        const expectedDaily = [-1, 0, 1].map((day) => expectedInstant(change, wall + day * DAY));
        const [first = 0, , last = 0] = expectedDaily;
        const seenDaily = walk(daily, zone, first - 1, last + 1);
        const seenLast = expectedDaily
          .flatMap((at) => [at - 1, at])
          .map((at) => lastEventAtOrBefore(daily, zone, at)?.at);
        const dayBefore = lastEventAtOrBefore(daily, zone, first - 1)?.at ?? 0;

        const weekday = new Date(wall).getUTCDay() || 7;
        const weekly = { ...daily, repeat_pattern: 'WEEKLY', days_of_week: [weekday] } as const;
        const expectedWeekly = expectedInstant(change, wall);
        const seenWeekly = walk(weekly, zone, expectedWeekly - 5 * DAY, expectedWeekly + 5 * DAY);

        const where = `${zone} ${new Date(change.at).toISOString()} wall ${new Date(wall).toISOString()}`;
        const expected = expectedDaily.map(asStart);
        const [yesterday = 0, today = 0, tomorrow = 0] = expectedDaily;
        expect({ where, daily: seenDaily, last: seenLast, weekly: seenWeekly }).toEqual({
          where,
          daily: expected,
          last: [dayBefore, yesterday, yesterday, today, today, tomorrow],
          weekly: [asStart(expectedWeekly)],
        });
        slotsSeen += seenDaily.length + seenWeekly.length;
      }
    }
  }
  // The scan itself must have found the world's clock changes: about 4,700 of them at the time of writing.
  expect([...CHANGES_BY_ZONE.values()].flat().length).toBeGreaterThan(4000);
  expect(changesSeen).toBeGreaterThan(isWhole ? 1000 : 200);
  expect(slotsSeen).toBe(changesSeen * 6 * 4);
}, 300_000);

test('an occurrence ends after it began and before it begins again, around every clock change', () => {
  for (const [zone, changes] of aPartOf(CHANGING, 4)) {
    for (const change of changes) {
      const [low = 0, , middle = 0] = wallTimesAround(change);
      for (const [wall, length] of [
        [low, 12 * HOUR],
        [middle, 5 * MINUTE],
      ] as const) {
        const start_time = wall - 10 * DAY - change.before;
        const nightly = aSchedule({ start_time, end_time: start_time + length });
        const today = expectedInstant(change, wall);
        const events = walk(nightly, zone, today - 1, expectedInstant(change, wall + DAY) + 1);
        const where = `${zone} ${new Date(change.at).toISOString()} ${length / MINUTE} min`;
        const end = Math.max(expectedInstant(change, wall + length), today);
        expect([where, ...events.map(({ edge }) => edge)]).toEqual([where, 'start', 'end', 'start']);
        expect([where, events[1]?.at]).toEqual([where, end > today ? end : today + length]);
      }
    }
  }
}, 300_000);

test('on ordinary days of any zone and year a schedule keeps its time of day', () => {
  const anyDay = fc.integer({ min: FROM / DAY, max: TO / DAY });
  const anyMinute = fc.integer({ min: 0, max: 1439 });
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      anyDay,
      anyMinute,
      fc.nat(5000),
      (zone, day, minute, daysLater) => {
        const time = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60);
        const onDay = (number: number) =>
          new Temporal.PlainDate(1970, 1, 1)
            .add({ days: number })
            .toZonedDateTime({ timeZone: zone, plainTime: time });
        const [start, slot] = [onDay(day), onDay(day + daysLater)];
        // Near a clock change the tests above speak.
        fc.pre(
          [start, slot].every(
            (moment) => moment.subtract({ hours: 30 }).offset === moment.add({ hours: 30 }).offset,
          ),
        );
        const rule = aSchedule({ start_time: start.epochMilliseconds, end_time: null });
        expect(lastEventAtOrBefore(rule, zone, slot.epochMilliseconds)).toEqual(
          asStart(slot.epochMilliseconds),
        );
        expect(nextEventAfter(rule, zone, slot.epochMilliseconds - 1)).toEqual(
          asStart(slot.epochMilliseconds),
        );
      },
    ),
    { numRuns: 2000 },
  );
}, 300_000);
