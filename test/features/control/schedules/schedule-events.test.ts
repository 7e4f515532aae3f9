import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  eventsBetween,
  lastEventAtOrBefore,
  MAX_EVENTS,
  nextEventAfter,
  type ScheduleRule,
} from '#features/control/schedules/schedule-events.ts';
import { ALWAYS, aSchedule, at, NEW_YORK, noted, RECIFE, recife } from './builders.ts';

const inRecife = (rule: ScheduleRule, from: string, to: string) =>
  noted(eventsBetween(rule, RECIFE, recife(from), recife(to)), RECIFE);
const inNewYork = (rule: ScheduleRule, from: string, to: string) =>
  noted(eventsBetween(rule, NEW_YORK, at(`${from}Z`), at(`${to}Z`)), NEW_YORK);

describe('what a schedule does', () => {
  test('a single schedule switches at its start and the other way at its end', () => {
    const once = aSchedule({ repeat_pattern: 'ONCE' });
    expect(inRecife(once, '2000-01-01', '2100-01-01')).toEqual([
      '2030-01-07 18:00:00 -03 ON start',
      '2030-01-08 06:00:00 -03 OFF end',
    ]);
  });

  test('a schedule that switches off switches on at its end', () => {
    const rest = aSchedule({ action: 'OFF', repeat_pattern: 'ONCE' });
    expect(inRecife(rest, '2000-01-01', '2100-01-01')).toEqual([
      '2030-01-07 18:00:00 -03 OFF start',
      '2030-01-08 06:00:00 -03 ON end',
    ]);
  });

  test('without an end it only switches at the start', () => {
    expect(inRecife(aSchedule({ end_time: null }), '2030-01-08', '2030-01-10')).toEqual([
      '2030-01-08 18:00:00 -03 ON start',
      '2030-01-09 18:00:00 -03 ON start',
    ]);
  });

  test('a daily schedule begins on its first day, not before', () => {
    expect(inRecife(aSchedule(), '2030-01-01', '2030-01-09')).toEqual([
      '2030-01-07 18:00:00 -03 ON start',
      '2030-01-08 06:00:00 -03 OFF end',
      '2030-01-08 18:00:00 -03 ON start',
    ]);
    expect(lastEventAtOrBefore(aSchedule(), RECIFE, recife('2030-01-07T17:59:59.999'))).toBeNull();
  });

  test('a weekly schedule runs on days of the farm, not of Greenwich', () => {
    // 22:00 on Monday in Recife is 01:00 on Tuesday in Greenwich.
    const weekly = aSchedule({
      start_time: recife('2030-01-07T22:00'),
      end_time: null,
      repeat_pattern: 'WEEKLY',
      days_of_week: [1, 4],
    });
    expect(inRecife(weekly, '2030-01-01', '2030-01-18')).toEqual([
      '2030-01-07 22:00:00 -03 ON start',
      '2030-01-10 22:00:00 -03 ON start',
      '2030-01-14 22:00:00 -03 ON start',
      '2030-01-17 22:00:00 -03 ON start',
    ]);
  });

  test('a weekly schedule entered on another day begins on the first chosen day after it', () => {
    const weekly = aSchedule({ repeat_pattern: 'WEEKLY', days_of_week: [7, 3] });
    expect(inRecife(weekly, '2030-01-01', '2030-01-15')).toEqual([
      '2030-01-09 18:00:00 -03 ON start',
      '2030-01-10 06:00:00 -03 OFF end',
      '2030-01-13 18:00:00 -03 ON start',
      '2030-01-14 06:00:00 -03 OFF end',
    ]);
  });

  test('a monthly schedule on the 31st runs on the last day of shorter months and returns to the 31st', () => {
    const monthly = aSchedule({
      start_time: recife('2032-01-31T08:00'),
      end_time: null,
      repeat_pattern: 'MONTHLY',
    });
    expect(inRecife(monthly, '2032-01-01', '2032-06-01')).toEqual([
      '2032-01-31 08:00:00 -03 ON start',
      '2032-02-29 08:00:00 -03 ON start',
      '2032-03-31 08:00:00 -03 ON start',
      '2032-04-30 08:00:00 -03 ON start',
      '2032-05-31 08:00:00 -03 ON start',
    ]);
  });

  test('a yearly schedule on 29 February runs on the 28th, and on the 29th in leap years', () => {
    const yearly = aSchedule({
      start_time: recife('2028-02-29T08:00'),
      end_time: recife('2028-03-02T08:00'),
      repeat_pattern: 'YEARLY',
    });
    expect(inRecife(yearly, '2028-01-01', '2033-01-01').filter((line) => line.endsWith('start'))).toEqual([
      '2028-02-29 08:00:00 -03 ON start',
      '2029-02-28 08:00:00 -03 ON start',
      '2030-02-28 08:00:00 -03 ON start',
      '2031-02-28 08:00:00 -03 ON start',
      '2032-02-29 08:00:00 -03 ON start',
    ]);
  });

  test('events before the last change of the schedule do not count; at that instant they do', () => {
    const changedAt = (time: string) => aSchedule({ effective_from: recife(time) });
    const evening = recife('2030-01-10T19:00');
    expect(lastEventAtOrBefore(changedAt('2030-01-10T19:00'), RECIFE, evening)).toBeNull();
    expect(nextEventAfter(changedAt('2030-01-10T19:00'), RECIFE, 0)?.at).toBe(recife('2030-01-11T06:00'));
    expect(lastEventAtOrBefore(changedAt('2030-01-10T18:00'), RECIFE, evening)?.at).toBe(
      recife('2030-01-10T18:00'),
    );
    expect(nextEventAfter(changedAt('2030-01-10T18:00'), RECIFE, 0)?.at).toBe(recife('2030-01-10T18:00'));
  });

  test('a paused schedule does nothing', () => {
    const paused = aSchedule({ is_active: false });
    expect(lastEventAtOrBefore(paused, RECIFE, recife('2031-01-01T00:00'))).toBeNull();
    expect(nextEventAfter(paused, RECIFE, 0)).toBeNull();
  });

  test('an occurrence that would outlast its period goes on instead of switching off in the middle of the next', () => {
    const endless = aSchedule({ end_time: recife('2030-01-09T00:00') });
    expect(inRecife(endless, '2030-01-07', '2030-01-09T23:00')).toEqual([
      '2030-01-07 18:00:00 -03 ON start',
      '2030-01-08 18:00:00 -03 ON start',
      '2030-01-09 18:00:00 -03 ON start',
    ]);
  });
});

describe('over a clock change', () => {
  const newYorkNight = (start: string, end: string) =>
    aSchedule({ start_time: at(`2030-03-01T${start}-05:00`), end_time: at(`${end}-05:00`) });

  test('18:00 to 06:00 stays 18:00 to 06:00 on the wall in the short night and in the long one', () => {
    const night = newYorkNight('18:00', '2030-03-02T06:00');
    expect(inNewYork(night, '2030-03-09T20:00', '2030-03-11T00:00')).toEqual([
      '2030-03-09 18:00:00 -05 ON start',
      '2030-03-10 06:00:00 -04 OFF end',
      '2030-03-10 18:00:00 -04 ON start',
    ]);
    expect(inNewYork(night, '2030-11-02T20:00', '2030-11-03T12:00')).toEqual([
      '2030-11-02 18:00:00 -04 ON start',
      '2030-11-03 06:00:00 -05 OFF end',
    ]);
  });

  test('02:30 runs at 03:00 in the night without it, once', () => {
    expect(
      inNewYork(newYorkNight('02:30', '2030-03-01T04:00'), '2030-03-10T00:00', '2030-03-11T00:00'),
    ).toEqual(['2030-03-10 03:00:00 -04 ON start', '2030-03-10 04:00:00 -04 OFF end']);
  });

  test('01:30 runs once in the night that has it twice, at the first', () => {
    expect(
      inNewYork(newYorkNight('01:30', '2030-03-01T01:45'), '2030-11-03T00:00', '2030-11-04T00:00'),
    ).toEqual(['2030-11-03 01:30:00 -04 ON start', '2030-11-03 01:45:00 -04 OFF end']);
  });

  test('half an hour that falls into the gap as a whole is made up after it', () => {
    expect(
      inNewYork(newYorkNight('02:15', '2030-03-01T02:45'), '2030-03-10T00:00', '2030-03-11T00:00'),
    ).toEqual(['2030-03-10 03:00:00 -04 ON start', '2030-03-10 03:30:00 -04 OFF end']);
  });

  test('an end inside the gap comes at the end of the gap', () => {
    expect(
      inNewYork(newYorkNight('01:30', '2030-03-01T02:30'), '2030-03-10T00:00', '2030-03-11T00:00'),
    ).toEqual(['2030-03-10 01:30:00 -05 ON start', '2030-03-10 03:00:00 -04 OFF end']);
  });

  test('a break of 23 h 45 whose end and next start share the gap goes on with the next start', () => {
    const rest = aSchedule({
      action: 'OFF',
      start_time: at('2030-03-01T02:30-05:00'),
      end_time: at('2030-03-02T02:15-05:00'),
    });
    expect(inNewYork(rest, '2030-03-09T08:00', '2030-03-11T07:00')).toEqual([
      '2030-03-10 03:00:00 -04 OFF start',
      '2030-03-11 02:15:00 -04 ON end',
      '2030-03-11 02:30:00 -04 OFF start',
    ]);
  });

  test('what was entered for the second 01:30 begins there, and on later days at 01:30', () => {
    const second = aSchedule({ start_time: at('2030-11-03T01:30-05:00'), end_time: null });
    expect(inNewYork(second, '2030-11-01T00:00', '2030-11-05T00:00')).toEqual([
      '2030-11-03 01:30:00 -05 ON start',
      '2030-11-04 01:30:00 -05 ON start',
    ]);
  });

  test('from the first 01:50 to the second 01:10 are twenty minutes, on later days too', () => {
    const second = aSchedule({
      start_time: at('2030-11-03T01:50-04:00'),
      end_time: at('2030-11-03T01:10-05:00'),
    });
    expect(inNewYork(second, '2030-11-03T00:00', '2030-11-05T00:00')).toEqual([
      '2030-11-03 01:50:00 -04 ON start',
      '2030-11-03 01:10:00 -05 OFF end',
      '2030-11-04 01:50:00 -05 ON start',
      '2030-11-04 02:10:00 -05 OFF end',
    ]);
    // The wall shows 01:05, less than 01:50, but 01:50 has been.
    expect(lastEventAtOrBefore(second, NEW_YORK, at('2030-11-03T01:05-05:00'))?.action).toBe('ON');
  });
});

describe('odd input', () => {
  test.each([
    ['a start that is not a number', { start_time: Number.NaN }],
    ['an endless start', { start_time: Number.POSITIVE_INFINITY }],
    ['a start beyond the calendar', { start_time: 8.64e15 }],
    ['a weekly schedule without days', { repeat_pattern: 'WEEKLY', days_of_week: null }],
    [
      'a weekly schedule with impossible days',
      { repeat_pattern: 'WEEKLY', days_of_week: [0, 8, 1.5, Number.NaN] },
    ],
    ['a last change that is not a number', { effective_from: Number.NaN }],
    ['a last change at the end of time', { effective_from: Number.POSITIVE_INFINITY }],
  ] satisfies [string, Partial<ScheduleRule>][])('%s does nothing', (_case, changes) => {
    expect(lastEventAtOrBefore(aSchedule(changes), RECIFE, recife('2031-01-01T00:00'))).toBeNull();
    expect(nextEventAfter(aSchedule(changes), RECIFE, recife('2031-01-01T00:00'))).toBeNull();
  });

  test('an end before the start is no end', () => {
    const backwards = aSchedule({ end_time: recife('2030-01-07T17:00') });
    expect(lastEventAtOrBefore(backwards, RECIFE, recife('2030-01-07T23:00'))?.action).toBe('ON');
    expect(inRecife(backwards, '2030-01-08T12:00', '2030-01-08T23:00')).toEqual([
      '2030-01-08 18:00:00 -03 ON start',
    ]);
  });

  test('asking about no time at all, or all of it, ends', () => {
    expect(lastEventAtOrBefore(aSchedule(), RECIFE, Number.NaN)).toBeNull();
    expect(nextEventAfter(aSchedule(), RECIFE, Number.NaN)).toBeNull();
    expect(lastEventAtOrBefore(aSchedule(), RECIFE, ALWAYS)).toBeNull();
    expect(nextEventAfter(aSchedule(), RECIFE, Number.POSITIVE_INFINITY)).toBeNull();
    expect(lastEventAtOrBefore(aSchedule(), RECIFE, Number.POSITIVE_INFINITY)?.at).toBe(
      recife('9999-12-31T18:00'),
    );
    expect(eventsBetween(aSchedule(), RECIFE, ALWAYS, Number.POSITIVE_INFINITY)).toHaveLength(MAX_EVENTS);
    expect(eventsBetween(aSchedule(), RECIFE, 100, 50)).toEqual([]);
  });
});

// Start and query within a few years, at full minutes, so that ties and edges are hit often.
const minutes = (from: string, to: string) =>
  fc.integer({ min: at(from) / 60_000, max: at(to) / 60_000 }).map((minute) => minute * 60_000);
const zones = fc.constantFrom(
  NEW_YORK,
  RECIFE,
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'America/Havana',
  'Pacific/Apia',
);
const anyRule = fc
  .record({
    start_time: minutes('2009-01-01T00:00Z', '2012-06-01T00:00Z'),
    minutesLong: fc.option(fc.integer({ min: 1, max: 40 * 1440 }), { nil: null }),
    repeat_pattern: fc.constantFrom('ONCE', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    days_of_week: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    action: fc.constantFrom('ON', 'OFF'),
    effective_from: fc.option(minutes('2009-01-01T00:00Z', '2013-01-01T00:00Z'), { nil: ALWAYS }),
  })
  .map(({ minutesLong, ...rest }) =>
    aSchedule({ ...rest, end_time: minutesLong === null ? null : rest.start_time + minutesLong * 60_000 }),
  );

describe('last, next and between tell one story', () => {
  test('for any schedule, zone and span', () => {
    const span = minutes('2009-01-01T00:00Z', '2013-06-01T00:00Z');
    fc.assert(
      fc.property(
        anyRule,
        zones,
        span,
        fc.integer({ min: 0, max: 60 * 1440 }),
        (rule, zone, from, length) => {
          const to = from + length * 60_000;
          const events = eventsBetween(rule, zone, from, to);
          const all = [lastEventAtOrBefore(rule, zone, from), ...events, nextEventAfter(rule, zone, to)];
          for (let i = 1; i < all.length; i += 1) {
            const [before, after] = [all[i - 1] ?? null, all[i] ?? null];
            if (after === null) continue;
            // Strictly in order, none early, none before it counts; and nothing lies between two neighbours.
            expect(after.at).toBeGreaterThan(Math.max(before?.at ?? from, from));
            expect(after.at).toBeGreaterThanOrEqual(Math.max(rule.start_time, rule.effective_from));
            expect(lastEventAtOrBefore(rule, zone, after.at)).toEqual(after);
            expect(lastEventAtOrBefore(rule, zone, after.at - 1)).toEqual(before);
            expect(nextEventAfter(rule, zone, after.at - 1)).toEqual(after);
          }
          expect(lastEventAtOrBefore(rule, zone, to)).toEqual(events.at(-1) ?? all[0]);
        },
      ),
      { numRuns: 400 },
    );
  });
});
