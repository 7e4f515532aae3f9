import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneClock } from '#core/zone-clock.ts';
import { compileDeviceSchedule } from '#features/control/schedules/device-schedule.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import { decisionAt, layOut } from '#features/control/schedules/schedule-windows.ts';
import { type Base, nextCountingEvent, rulesState } from '#features/control/schedules/wanted-state.ts';
import { localEventAt } from '#sim/controller/level-end.ts';
import { aSchedule, at, RECIFE, recife } from './builders.ts';

// A controller that lost its gateway runs the list, and after its end the weekly table, by the rules of the protocol
// alone. It must do what the gateway would have done.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const compile = (zone: string, schedules: readonly ScheduleRule[], from: number, base: Base) =>
  compileDeviceSchedule({ hash: () => 'h' }, { schedules, zone, from, base, rev: 1 });

const someRules = (from: number, days: number, patterns: readonly ScheduleRule['repeat_pattern'][]) =>
  fc.array(
    fc
      .record({
        start: fc.integer({ min: 0, max: days * 48 }),
        halfHours: fc.option(fc.integer({ min: 1, max: 47 }), { nil: null, freq: 4 }),
        action: fc.constantFrom('ON', 'OFF'),
        repeat_pattern: fc.constantFrom(...patterns),
        days_of_week: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
        id: fc.uuid(),
      })
      .map(({ start, halfHours, ...rule }) => {
        const start_time = from + start * 30 * MINUTE_MS;
        const end_time = halfHours === null ? null : start_time + halfHours * 30 * MINUTE_MS;
        return aSchedule({ ...rule, start_time, end_time });
      }),
    { maxLength: 5 },
  );

describe.each([
  ['America/Sao_Paulo', '2019-02-10T00:00Z'],
  ['Europe/Lisbon', '2030-03-20T00:00Z'],
  ['America/Santiago', '2029-08-25T00:00Z'],
  ['Australia/Lord_Howe', '2029-09-28T00:00Z'],
  [RECIFE, '2030-01-01T00:00Z'],
] as const)('alone in %s', (zone, begin) => {
  const from = at(begin);
  const clock = zoneClock(zone);

  test('it does what the gateway would, at every event of its list and between', () => {
    const rules = someRules(from - 30 * DAY_MS, 40, ['ONCE', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']);
    const change = fc.record({
      target: fc.constantFrom('ON', 'OFF'),
      at: fc.integer({ min: -20 * 24, max: 24 }).map((hours) => from + hours * 3_600_000),
    });
    const inBetween = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
    fc.assert(
      fc.property(rules, change, inBetween, (schedules, base, parts) => {
        const body = compile(zone, schedules, from, base);
        const begins = Math.max(body.from, Math.ceil(base.at / 1000));
        const seconds = parts.map((part) => Math.floor(begins + part * (body.to - begins)));
        let event = nextCountingEvent({ schedules, zone, base }, begins * 1000);
        while (event !== null && event <= body.to * 1000) {
          seconds.push(event / 1000 - 1, event / 1000);
          event = nextCountingEvent({ schedules, zone, base }, event);
        }
        for (const second of seconds) {
          const gateway = rulesState({ schedules, zone, base, now: second * 1000 });
          const alone = localEventAt(body, clock.offsetAt(second * 1000) / 1000, second);
          // null: the last level holds, which is the base
          expect(alone?.to ?? null).toBe(gateway.event?.action ?? null);
          // since when it holds decides whether a level, or a hand, is later
          expect(alone?.atS ?? null).toBe(gateway.event === null ? null : gateway.event.at / 1000);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('after the end of its list', () => {
  test('the weekly table, where it has room, does what the gateway would in any week', () => {
    const began = recife('2029-12-03');
    const week = recife('2030-01-07');
    const asked = fc.integer({ min: 0, max: 7 * 1440 - 1 }).map((minute) => week + minute * MINUTE_MS);
    fc.assert(
      fc.property(
        someRules(began, 7, ['DAILY', 'WEEKLY']),
        fc.array(asked, { minLength: 5, maxLength: 40 }),
        (schedules, instants) => {
          const base = { target: 'OFF', at: began } as const;
          const body = { ...compile(RECIFE, schedules, week, base), tr: [] };
          const laid = layOut(schedules, RECIFE);
          if (body.weekly.length === 0 && schedules.length > 0) return;
          for (const instant of instants) {
            const gateway = decisionAt(laid, instant);
            const alone = localEventAt(body, -3 * 3_600, instant / 1000);
            expect(alone?.to ?? null).toBe(gateway?.action ?? null);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
