import { describe, expect, it } from 'vitest';
import {
  blocksOfWeek,
  daysMore,
  mondayOf,
  type PlannedRule,
} from '../../desktop/console/state/week-outlook.ts';

const rule = (part: Partial<PlannedRule>): PlannedRule => ({
  id: 'a',
  action: 'ON',
  pattern: 'DAILY',
  startDay: '2026-01-01',
  startMinute: 18 * 60,
  lengthMinutes: 60,
  daysOfWeek: null,
  ...part,
});
/** Days on which it begins in the week of a day. */
const daysOf = (part: Partial<PlannedRule>, day: string) =>
  blocksOfWeek([rule(part)], mondayOf(day)).map(({ dayIndex }) =>
    new Date(Date.parse(mondayOf(day)) + dayIndex * 86_400_000).toISOString().slice(0, 10),
  );

describe('the week of a schedule', () => {
  it('of the 31st of each month is drawn on the last day of shorter ones', () => {
    const monthly = { pattern: 'MONTHLY', startDay: '2026-01-31' } as const;
    expect(daysOf(monthly, '2026-02-28')).toEqual(['2026-02-28']);
    expect(daysOf(monthly, '2026-04-30')).toEqual(['2026-04-30']);
    expect(daysOf(monthly, '2026-05-31')).toEqual(['2026-05-31']);
    expect(daysOf({ ...monthly, startDay: '2026-01-30' }, '2026-05-31')).toEqual(['2026-05-30']);
  });

  it('of 29 February is drawn on the 28th where there is none', () => {
    const yearly = { pattern: 'YEARLY', startDay: '2024-02-29' } as const;
    expect(daysOf(yearly, '2026-02-28')).toEqual(['2026-02-28']);
    expect(daysOf(yearly, '2028-02-29')).toEqual(['2028-02-29']);
    expect(daysOf({ ...yearly, startDay: '2024-03-01' }, '2026-02-28')).toEqual(['2026-03-01']);
    expect(daysOf(yearly, '2026-03-31')).toEqual([]);
  });

  it('that holds for days goes on through the week that it reaches into', () => {
    // Saturday 18 h, for three days and a half
    const long = rule({ pattern: 'ONCE', startDay: '2026-02-28', lengthMinutes: 84 * 60 });
    expect(blocksOfWeek([long], '2026-03-02')).toEqual([
      { ruleId: 'a', action: 'ON', dayIndex: 0, fromMinute: 0, toMinute: 1_440 },
      { ruleId: 'a', action: 'ON', dayIndex: 1, fromMinute: 0, toMinute: 1_440 },
      { ruleId: 'a', action: 'ON', dayIndex: 2, fromMinute: 0, toMinute: 360 },
    ]);
  });

  it.each([
    [null, 0],
    [12 * 60, 0],
    [24 * 60, 0],
    [25 * 60, 1],
    [36 * 60, 1],
    [48 * 60, 1],
    [84 * 60, 3],
  ])('of %s minutes holds %i days beyond the first time its end comes round', (lengthMinutes, days) => {
    expect(daysMore(rule({ lengthMinutes }))).toBe(days);
  });
});
