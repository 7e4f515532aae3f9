import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import {
  decisionAt,
  type LaidSchedules,
  layOut,
  nextEventAt,
} from '#features/control/schedules/schedule-windows.ts';
import { drawsOf } from '#test/turn.ts';
import { aSchedule, at, RECIFE, recife } from './builders.ts';
import { type Noted, notedEvents, wallMinutes } from './reference-model.ts';

const thursday = (time: string) => recife(`2030-01-10T${time}`);
const friday = (time: string) => recife(`2030-01-11T${time}`);
const night = aSchedule();

/** `ON night` at each of these instants. */
function through(schedules: readonly ScheduleRule[], ...instants: number[]): string[] {
  const laid = layOut(schedules, RECIFE);
  return instants.map((instant) => {
    const decision = decisionAt(laid, instant);
    return decision === null ? 'nobody' : `${decision.action} ${decision.schedule_id}`;
  });
}

/** Events of the night from Thursday noon to Friday noon: `18:00 ON night`. */
function eventsOf(schedules: readonly ScheduleRule[]): string[] {
  const laid = layOut(schedules, RECIFE);
  const events: string[] = [];
  let next = nextEventAt(laid, thursday('12:00'));
  while (next !== null && next <= friday('12:00')) {
    const time = new Date(next - 3 * 3_600_000).toISOString().slice(11, 16);
    events.push(`${time} ${through(schedules, next)[0]}`);
    next = nextEventAt(laid, next);
  }
  return events;
}

const inTheNight = (changes: Partial<ScheduleRule>) => aSchedule({ id: 'inner', ...changes });

describe('which schedule decides', () => {
  test('two ON windows are a union: the end of the short one does not end the night', () => {
    const short = inTheNight({
      start_time: recife('2030-01-08T02:00'),
      end_time: recife('2030-01-08T04:00'),
    });
    for (const schedules of [
      [night, short],
      [short, night],
    ]) {
      expect(eventsOf(schedules)).toEqual([
        '18:00 ON night',
        '02:00 ON inner',
        '04:00 ON night',
        '06:00 OFF night',
      ]);
    }
  });

  test('an OFF window inside an ON window is a pause', () => {
    const pause = inTheNight({
      action: 'OFF',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:30'),
    });
    expect(eventsOf([night, pause])).toEqual([
      '18:00 ON night',
      '20:00 OFF inner',
      '21:30 ON night',
      '06:00 OFF night',
    ]);
  });

  test('a window that outlasts the one it began in decides to its own end', () => {
    const morning = inTheNight({
      start_time: recife('2030-01-08T05:00'),
      end_time: recife('2030-01-08T09:00'),
    });
    expect(eventsOf([night, morning])).toEqual(['18:00 ON night', '05:00 ON inner', '09:00 OFF inner']);
  });

  test('a pause over the end of the night leaves what its own end says: ON', () => {
    const pause = inTheNight({
      action: 'OFF',
      start_time: recife('2030-01-08T05:00'),
      end_time: recife('2030-01-08T07:00'),
    });
    expect(eventsOf([night, pause])).toEqual(['18:00 ON night', '05:00 OFF inner', '07:00 ON inner']);
  });

  test('a start without an end inside a window says nothing; outside it holds until something else', () => {
    const stop = inTheNight({ action: 'OFF', start_time: recife('2030-01-07T22:00'), end_time: null });
    expect(eventsOf([night, stop])).toEqual(['18:00 ON night', '06:00 OFF night']);
    const noon = inTheNight({ start_time: recife('2030-01-08T11:00'), end_time: null });
    expect(eventsOf([night, noon])).toEqual(['18:00 ON night', '06:00 OFF night', '11:00 ON inner']);
  });

  test('of windows that begin together the ON one decides, then the other for the rest of its time', () => {
    const rest = inTheNight({ id: 'rest', action: 'OFF', end_time: recife('2030-01-08T09:00') });
    expect(eventsOf([rest, night])).toEqual(['18:00 ON night', '06:00 OFF rest', '09:00 ON rest']);
    const twin = inTheNight({ id: 'twin', end_time: recife('2030-01-08T09:00') });
    expect(eventsOf([twin, night])).toEqual(['18:00 ON twin', '09:00 OFF twin']);
  });

  test('of an end and a start without end at one instant ON wins', () => {
    const on = inTheNight({ start_time: recife('2030-01-08T06:00'), end_time: null });
    expect(eventsOf([night, on]).at(-1)).toBe('06:00 ON inner');
  });

  test('a window that joins another takes over without a gap', () => {
    const day = inTheNight({ start_time: recife('2030-01-08T06:00'), end_time: recife('2030-01-08T18:00') });
    expect(eventsOf([night, day])).toEqual(['18:00 ON night', '06:00 ON inner']);
  });

  test('nobody before the first schedule has begun, and nobody where all are paused', () => {
    expect(through([night], recife('2030-01-07T17:59:59.999'), night.start_time)).toEqual([
      'nobody',
      'ON night',
    ]);
    const paused = aSchedule({ is_active: false });
    expect(through([paused], friday('00:00'))).toEqual(['nobody']);
    expect(nextEventAt(layOut([paused], RECIFE), 0)).toBeNull();
  });

  test('the last change of a schedule plays no part: a window entered in its middle covers', () => {
    expect(
      through([aSchedule({ effective_from: thursday('23:00') })], thursday('22:00'), thursday('23:30')),
    ).toEqual(['ON night', 'ON night']);
  });

  test('odd times answer, too', () => {
    const laid = layOut([night], RECIFE);
    for (const odd of [Number.NEGATIVE_INFINITY, Number.NaN]) expect(decisionAt(laid, odd)).toBeNull();
    expect(decisionAt(laid, Number.POSITIVE_INFINITY)?.schedule_id).toBe('night');
  });
});

// Half a year with its clock changes, at full minutes, so that ties, gaps and folds are hit often.
const PERIODS = [
  // summer time began and ended for the last time
  ['America/Sao_Paulo', '2018-10-20T00:00Z'],
  ['Europe/Lisbon', '2029-10-10T00:00Z'],
  ['America/Santiago', '2029-03-20T00:00Z'],
  // half an hour
  ['Australia/Lord_Howe', '2029-03-25T00:00Z'],
  ['America/Recife', '2030-01-01T00:00Z'],
] as const;
const DAYS = 200;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const quarter = (days: number) => fc.integer({ min: 0, max: days * 96 }).map((n) => n * 15 * MINUTE_MS);
const someRules = fc.array(
  fc.record({
    start: quarter(40),
    minutesLong: fc.option(fc.integer({ min: 1, max: 20 * 60 }), { nil: null, freq: 4 }),
    repeat_pattern: fc.constantFrom('ONCE', 'DAILY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    days_of_week: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    action: fc.constantFrom('ON', 'OFF'),
    is_active: fc.constantFrom(true, true, true, false),
  }),
  { maxLength: 6 },
);

describe.each(PERIODS)('for any schedules in %s', (zone, begin) => {
  const from = at(begin);
  const until = from + DAYS * DAY_MS;
  const minutes = wallMinutes(zone, from, until);
  const rulesFrom = fc.tuple(someRules, fc.constantFrom(0, 5, 15, 60)).map(([rules, snap]) =>
    rules.map(({ start, minutesLong, ...rule }, n) => {
      // lengths that often end where others begin
      const long =
        minutesLong === null ? null : snap === 0 ? minutesLong : Math.ceil(minutesLong / snap) * snap;
      const start_time = from + start;
      const end_time = long === null ? null : start_time + long * MINUTE_MS;
      return aSchedule({ ...rule, id: `s${n}`, start_time, end_time });
    }),
  );

  const instants = fc.array(
    fc.integer({ min: 0, max: DAYS * 1440 - 1 }).map((n) => from + n * MINUTE_MS),
    { minLength: 1, maxLength: 30 },
  );

  test('who decides, and when that changes, is what somebody notes who sits before the clock', () => {
    fc.assert(
      fc.property(rulesFrom, instants, (schedules, asked) => {
        const noted = notedEvents(schedules, minutes);
        const laid = layOut(schedules, zone);
        const found = [];
        let next = nextEventAt(laid, from - 1);
        while (next !== null && next < until) {
          found.push(asNoted(laid, next));
          next = nextEventAt(laid, next);
        }
        expect(found).toEqual(noted);
        // one question answers like many asked in order
        for (const instant of asked) {
          const alone = layOut(schedules, zone);
          expect(asNoted(alone, instant)).toEqual(noted.findLast((event) => event.at <= instant) ?? null);
          expect(asNoted(laid, instant)).toEqual(asNoted(alone, instant));
          const following = noted.find((event) => event.at > instant)?.at;
          if (following !== undefined) expect(nextEventAt(alone, instant)).toBe(following);
        }
      }),
      { numRuns: drawsOf(60) },
    );
  });
});

function asNoted(laid: LaidSchedules, instant: number): Noted | null {
  const decision = decisionAt(laid, instant);
  if (decision === null) return null;
  const { at: since, action, schedule_id, edge } = decision;
  return { at: since, action, schedule_id, edge };
}
