import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayAfter, daysBetween, localDay, wallOf } from '#core/zone-clock.ts';
import {
  isDueOn,
  lastDueDay,
  nextDueDay,
  type Rule,
  reminderAt,
} from '#features/production/tasks/due-days.ts';

// On which days a task is due, and at which instant people are reminded.

const once = (first_day: string): Rule => ({
  repeat: 'ONCE',
  every_days: null,
  days_of_week: null,
  first_day,
  ended_on: null,
});
const every = (every_days: number, first_day: string): Rule => ({
  ...once(first_day),
  repeat: 'DAYS',
  every_days,
});
const on = (days_of_week: number[], first_day: string): Rule => ({
  ...once(first_day),
  repeat: 'WEEKDAYS',
  days_of_week,
});

test('a task of one day is due on it, and overdue on every day after', () => {
  const rule = once('2026-03-10');
  expect(lastDueDay(rule, '2026-03-09')).toBe(null);
  expect(nextDueDay(rule, '2026-03-09')).toBe('2026-03-10');
  expect(lastDueDay(rule, '2026-04-01')).toBe('2026-03-10');
  expect(nextDueDay(rule, '2026-03-10')).toBe(null);
});

test('every third day counts from the first day on, over the end of February', () => {
  const rule = every(3, '2026-02-26');
  expect(lastDueDay(rule, '2026-03-02')).toBe('2026-03-01');
  expect(nextDueDay(rule, '2026-03-01')).toBe('2026-03-04');
  expect(nextDueDay(rule, '2026-01-01')).toBe('2026-02-26');
});

test('on Mondays and Thursdays it is due on those alone, from the first day on', () => {
  // 11 March 2026 is a Wednesday
  const rule = on([1, 4], '2026-03-11');
  expect(lastDueDay(rule, '2026-03-11')).toBe(null);
  expect(nextDueDay(rule, '2026-03-01')).toBe('2026-03-12');
  expect(lastDueDay(rule, '2026-03-15')).toBe('2026-03-12');
  expect(nextDueDay(rule, '2026-03-12')).toBe('2026-03-16');
});

test('a task that was ended is due on its last day, and on none after', () => {
  const rule = { ...every(1, '2026-03-01'), ended_on: '2026-03-05' };
  expect(lastDueDay(rule, '2026-03-20')).toBe('2026-03-05');
  expect(nextDueDay(rule, '2026-03-04')).toBe('2026-03-05');
  expect(nextDueDay(rule, '2026-03-05')).toBe(null);
  expect(lastDueDay({ ...rule, ended_on: '2026-02-01' }, '2026-03-20')).toBe(null);
});

test('a rule of a newer program, which says nothing here, makes nothing due', () => {
  expect(lastDueDay({ ...every(1, '2026-03-01'), every_days: null }, '2026-03-20')).toBe(null);
  expect(nextDueDay(on([], '2026-03-01'), '2026-03-20')).toBe(null);
});

const day = fc.integer({ min: 0, max: 20_000 }).map((n) => dayAfter('2000-01-01', n));
const anyRule = fc.oneof(
  day.map(once),
  fc.tuple(fc.integer({ min: 1, max: 366 }), day).map(([n, first]) => every(n, first)),
  fc
    .tuple(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), day)
    .map(([days, first]) => on(days, first)),
);
const withEnd = fc
  .tuple(anyRule, fc.option(day, { nil: null }))
  .map(([rule, ended_on]): Rule => ({ ...rule, ended_on }));

test('between the last due day and the next one lies none, whatever the rule', () => {
  fc.assert(
    fc.property(withEnd, day, (rule, today) => {
      const last = lastDueDay(rule, today);
      const next = nextDueDay(rule, today);
      if (last !== null) {
        expect(last <= today).toBe(true);
        expect(isDueOn(rule, last)).toBe(true);
        expect(lastDueDay(rule, today)).toBe(last);
        // nothing is due between it and today
        const ahead = nextDueDay(rule, last);
        expect(ahead === null || ahead > today).toBe(true);
      }
      if (next !== null) {
        expect(next > today).toBe(true);
        expect(isDueOn(rule, next)).toBe(true);
        expect(lastDueDay(rule, dayAfter(next, -1))).toBe(last);
      }
    }),
    { numRuns: 300 },
  );
});

test('due days go by the rule: so many days apart, or on those weekdays', () => {
  fc.assert(
    fc.property(anyRule, day, (rule, today) => {
      const due = lastDueDay(rule, today);
      if (due === null) return;
      expect(due >= rule.first_day).toBe(true);
      if (rule.repeat === 'DAYS') expect(daysBetween(rule.first_day, due) % (rule.every_days ?? 0)).toBe(0);
      if (rule.repeat === 'WEEKDAYS') expect(rule.days_of_week).toContain(new Date(due).getUTCDay() || 7);
    }),
    { numRuns: 300 },
  );
});

const ZONES = ['America/Fortaleza', 'America/Sao_Paulo', 'America/Santiago', 'Asia/Kolkata'];

test('the reminder comes on the due day of the farm, at its hour or right after a gap, in every zone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES, 'America/Havana', 'Australia/Lord_Howe', 'Africa/Casablanca'),
      fc.integer({ min: 0, max: 9_000 }).map((n) => dayAfter('2015-01-01', n)),
      fc.integer({ min: 0, max: 1_439 }),
      (zone, dueOn, minute) => {
        const hhmm = new Date(minute * 60_000).toISOString().slice(11, 16);
        const at = reminderAt(dueOn, hhmm, zone);
        const shown = new Date(wallOf(zone, at)).toISOString().slice(0, 16);
        // within what the clock skipped it is the first instant after the gap, at most an hour later
        expect(shown >= `${dueOn}T${hhmm}`).toBe(true);
        expect(Date.parse(`${shown}Z`) - Date.parse(`${dueOn}T${hhmm}Z`)).toBeLessThanOrEqual(3_600_000);
        expect(reminderAt(dayAfter(dueOn, 1), hhmm, zone)).toBeGreaterThan(at);
      },
    ),
    { numRuns: 500 },
  );
});

test('a reminder at a time that the spring night skips comes right after the gap; of one shown twice it is the first', () => {
  // Lisbon goes from 01:00 to 02:00 on 29 March 2026, and from 02:00 to 01:00 on 25 October
  const spring = reminderAt('2026-03-29', '01:30', 'Europe/Lisbon');
  expect(new Date(spring).toISOString()).toBe('2026-03-29T01:00:00.000Z');
  expect(localDay(new Date(spring).toISOString(), 'Europe/Lisbon')).toBe('2026-03-29');
  const autumn = reminderAt('2026-10-25', '01:30', 'Europe/Lisbon');
  expect(new Date(autumn).toISOString()).toBe('2026-10-25T00:30:00.000Z');
});
