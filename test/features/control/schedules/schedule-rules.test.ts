import { describe, expect, test } from 'vitest';
import {
  checkSchedule,
  type ScheduleInput,
  sameScheduleKey,
} from '#features/control/schedules/schedule-rules.ts';
import { aSchedule, at, NEW_YORK, RECIFE, recife } from './builders.ts';

const broken = (changes: Partial<ScheduleInput>, zone = RECIFE) =>
  checkSchedule(aSchedule(changes), zone).map(({ path, code }) => `${path} ${code}`);

/** A Monday 18:00 schedule this many hours long. */
const lasting = (hours: number, changes: Partial<ScheduleInput>) =>
  broken({ end_time: recife('2030-01-07T18:00') + hours * 3_600_000, ...changes });

describe('a schedule that may be stored', () => {
  test.each([
    ['a night', {}],
    ['one without an end', { end_time: null }],
    ['a single one of three months', { repeat_pattern: 'ONCE', end_time: recife('2030-04-07T18:00') }],
    ['weekly nights', { repeat_pattern: 'WEEKLY', days_of_week: [1, 2, 7] }],
    ['a daily one with an empty list of days', { days_of_week: [] }],
  ] satisfies [string, Partial<ScheduleInput>][])('%s', (_case, changes) => {
    expect(broken(changes)).toEqual([]);
  });
});

describe('a schedule that is refused', () => {
  test.each([
    ['an end at the start', { end_time: recife('2030-01-07T18:00') }, ['end_time end_not_after_start']],
    ['an end before the start', { end_time: recife('2030-01-07T06:00') }, ['end_time end_not_after_start']],
    ['days without WEEKLY', { days_of_week: [1] }, ['days_of_week days_only_with_weekly']],
    ['WEEKLY without days', { repeat_pattern: 'WEEKLY' }, ['days_of_week days_required']],
    ['WEEKLY with no day', { repeat_pattern: 'WEEKLY', days_of_week: [] }, ['days_of_week days_required']],
    ['a day 0', { repeat_pattern: 'WEEKLY', days_of_week: [0, 1] }, ['days_of_week day_out_of_range']],
    ['a day 8', { repeat_pattern: 'WEEKLY', days_of_week: [8] }, ['days_of_week day_out_of_range']],
    ['half a day', { repeat_pattern: 'WEEKLY', days_of_week: [1.5] }, ['days_of_week day_out_of_range']],
    ['a day twice', { repeat_pattern: 'WEEKLY', days_of_week: [1, 2, 1] }, ['days_of_week duplicate_day']],
    [
      'times that are none',
      { start_time: Number.NaN, end_time: 1e300 },
      ['start_time out_of_range', 'end_time out_of_range'],
    ],
    [
      'everything at once',
      { end_time: recife('2030-01-01'), days_of_week: [9] },
      ['end_time end_not_after_start', 'days_of_week days_only_with_weekly'],
    ],
  ] satisfies [string, Partial<ScheduleInput>, string[]][])('%s', (_case, changes, expected) => {
    expect(broken(changes)).toEqual(expected);
  });

  test('says in words what to do', () => {
    const [violation] = checkSchedule(aSchedule({ end_time: recife('2030-01-08T18:00') }), RECIFE);
    expect(violation).toEqual({
      path: 'end_time',
      code: 'overlaps_next_occurrence',
      message: 'must be less than 24 hours after start_time for a DAILY schedule',
    });
  });
});

describe('a repeat is over before it begins again', () => {
  const overlaps = ['end_time overlaps_next_occurrence'];
  test.each([
    ['daily', { repeat_pattern: 'DAILY' }, 24],
    ['weekly on one day', { repeat_pattern: 'WEEKLY', days_of_week: [3] }, 168],
    ['weekly on Monday and Thursday', { repeat_pattern: 'WEEKLY', days_of_week: [4, 1] }, 72],
    [
      'weekly on Sunday and Monday, over the turn of the week',
      { repeat_pattern: 'WEEKLY', days_of_week: [1, 7] },
      24,
    ],
    ['monthly', { repeat_pattern: 'MONTHLY' }, 28 * 24],
    ['yearly', { repeat_pattern: 'YEARLY' }, 365 * 24],
  ] satisfies [string, Partial<ScheduleInput>, number][])('%s', (_case, changes, hours) => {
    expect(lasting(hours - 1 / 60, changes)).toEqual([]);
    expect(lasting(hours, changes)).toEqual(overlaps);
  });

  test('measured on the wall, as it will be kept: 18:00 to 18:00 is a day also in the short night', () => {
    const short = { start_time: at('2030-03-09T18:00-05:00'), end_time: at('2030-03-10T18:00-04:00') };
    expect(broken(short, NEW_YORK)).toEqual(overlaps);
  });
});

describe('the same schedule', () => {
  const key = (changes: Partial<ScheduleInput>, zone = RECIFE) => sameScheduleKey(aSchedule(changes), zone);
  const mondays = { repeat_pattern: 'WEEKLY', days_of_week: [1, 3] } as const;

  test('is one with the same action, pattern and start, whatever its end', () => {
    expect(key({ end_time: null })).toBe(key({}));
    expect(key({ start_time: recife('2030-05-01T18:00') })).toBe(key({}));
    expect(key({ ...mondays, days_of_week: [3, 1] })).toBe(key(mondays));
    expect(key({ repeat_pattern: 'MONTHLY', start_time: recife('2030-05-07T18:00') })).toBe(
      key({ repeat_pattern: 'MONTHLY' }),
    );
    expect(key({ repeat_pattern: 'YEARLY', start_time: recife('2031-01-07T18:00') })).toBe(
      key({ repeat_pattern: 'YEARLY' }),
    );
  });

  test('18:00 in summer and 18:00 in winter is the same time of day', () => {
    const [winter, summer] = [at('2030-01-07T18:00-05:00'), at('2030-07-07T18:00-04:00')];
    expect(key({ start_time: summer }, NEW_YORK)).toBe(key({ start_time: winter }, NEW_YORK));
  });

  test('differs by action, pattern, time of day, days, day of month, month, and for a single one by the instant', () => {
    const keys = [
      key({}),
      key({ action: 'OFF' }),
      key({ start_time: recife('2030-01-07T18:01') }),
      key(mondays),
      key({ ...mondays, days_of_week: [1] }),
      key({ repeat_pattern: 'MONTHLY' }),
      key({ repeat_pattern: 'MONTHLY', start_time: recife('2030-01-08T18:00') }),
      key({ repeat_pattern: 'YEARLY' }),
      key({ repeat_pattern: 'YEARLY', start_time: recife('2030-02-07T18:00') }),
      key({ repeat_pattern: 'ONCE' }),
      key({ repeat_pattern: 'ONCE', start_time: recife('2030-01-08T18:00') }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
