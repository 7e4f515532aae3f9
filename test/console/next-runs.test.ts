import { describe, expect, it } from 'vitest';
import { nextRuns } from '../../desktop/console/state/next-runs.ts';
import type { PlannedRule } from '../../desktop/console/state/schedule-week.ts';

const rule = (part: Partial<PlannedRule>): PlannedRule => ({
  id: 'night',
  action: 'ON',
  pattern: 'DAILY',
  startDay: '2026-01-01',
  startMinute: 18 * 60,
  lengthMinutes: 12 * 60,
  daysOfWeek: null,
  ...part,
});
/** `2026-03-03 18:00 ON`, with `!` where it is contradicted. */
const told = (rules: readonly PlannedRule[], at: { day: string; minute: number }, count = 3) =>
  nextRuns(rules, at, count).map(
    ({ day, minute, action, isContradicted }) =>
      `${day} ${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')} ${action}${isContradicted ? ' !' : ''}`,
  );

describe('what a schedule does next', () => {
  it('of a motor that runs through the night is its stop in the morning, then its start in the evening', () => {
    expect(told([rule({})], { day: '2026-03-03', minute: 2 * 60 })).toEqual([
      '2026-03-03 06:00 OFF',
      '2026-03-03 18:00 ON',
      '2026-03-04 06:00 OFF',
    ]);
  });

  it('of this very minute is being done already', () => {
    expect(told([rule({})], { day: '2026-03-03', minute: 18 * 60 }, 1)).toEqual(['2026-03-04 06:00 OFF']);
  });

  it('of several rules comes in the order of the clock, and says which of them want opposite things', () => {
    const rest = rule({
      id: 'rest',
      action: 'OFF',
      pattern: 'WEEKLY',
      daysOfWeek: [3],
      startMinute: 5 * 60,
      lengthMinutes: 120,
    });
    const noon = rule({ id: 'noon', startMinute: 12 * 60, lengthMinutes: 30 });
    // Tuesday, 17 h
    expect(told([noon, rest, rule({})], { day: '2026-03-03', minute: 17 * 60 }, 6)).toEqual([
      '2026-03-03 18:00 ON !',
      '2026-03-04 05:00 OFF !',
      '2026-03-04 06:00 OFF !',
      '2026-03-04 07:00 ON !',
      '2026-03-04 12:00 ON',
      '2026-03-04 12:30 OFF',
    ]);
  });

  it('is nothing where a rule is over, and once where it is done once; without an end it is a moment', () => {
    const once = rule({ pattern: 'ONCE', startDay: '2026-03-03', lengthMinutes: null });
    expect(told([once], { day: '2026-03-03', minute: 0 })).toEqual(['2026-03-03 18:00 ON']);
    expect(told([once], { day: '2026-03-04', minute: 0 })).toEqual([]);
  });

  it('of a rule of the year is found as well', () => {
    const yearly = rule({ pattern: 'YEARLY', startDay: '2025-03-02', lengthMinutes: null });
    expect(told([yearly], { day: '2026-03-03', minute: 0 }, 1)).toEqual(['2027-03-02 18:00 ON']);
  });
});
