import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceSchedule } from '#contract/mqtt/messages.ts';
import {
  compileDeviceSchedule,
  type DeviceScheduleRequest,
  MAX_SCHEDULE_BYTES,
} from '#features/control/schedules/device-schedule.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import { wantedState } from '#features/control/schedules/wanted-state.ts';
import { aSchedule, at, facts, NEW_YORK, RECIFE, recife } from './builders.ts';

const hash = (text: string) => `sha256:${String(text.length).padStart(64, '0')}`;
const seconds = (text: string) => recife(text) / 1000;
const compile = (schedules: readonly ScheduleRule[], more: Partial<DeviceScheduleRequest> = {}) =>
  compileDeviceSchedule(
    { hash },
    { schedules, zone: RECIFE, from: recife('2030-01-10T12:00'), rev: 3, ...more },
  );

const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body)).length;
const hours = (tr: readonly (readonly [number, number, string])[]) =>
  tr.map(
    ([instant, level, id]) =>
      `${new Date(instant * 1000 - 3 * 3_600_000).toISOString().slice(5, 16)} ${level} ${id}`,
  );

describe('what a controller gets to run alone', () => {
  test('the level that holds, the transitions ahead, and the weekly table', () => {
    const body = compile([aSchedule()], { days: 2 });
    expect({ ...body, tr: hours(body.tr) }).toEqual({
      rev: 3,
      hash: expect.stringContaining('sha256:'),
      from: seconds('2030-01-10T12:00'),
      to: seconds('2030-01-12T12:00'),
      tr: [
        '01-10T06:00 0 ight',
        '01-10T18:00 1 ight',
        '01-11T06:00 0 ight',
        '01-11T18:00 1 ight',
        '01-12T06:00 0 ight',
      ],
      weekly: [1, 2, 3, 4, 5, 6, 7].flatMap((day) => [
        [day, '06:00', 0],
        [day, '18:00', 1],
      ]),
    });
  });

  test('rebooted at midnight it finds the 18:00 that still holds', () => {
    expect(hours(compile([aSchedule()], { from: recife('2030-01-11T00:00') }).tr)[0]).toBe(
      '01-10T18:00 1 ight',
    );
  });

  test('after a change of schedules what does not count yet is left out: the last level holds, as on the gateway', () => {
    const from = recife('2030-01-10T00:00');
    const shortened = aSchedule({ end_time: recife('2030-01-07T19:00') });
    const base = { target: 'ON', at: recife('2030-01-10T20:00') } as const;
    expect(hours(compile([shortened], { from, base, days: 2 }).tr)).toEqual([
      '01-11T18:00 1 ight',
      '01-11T19:00 0 ight',
    ]);
    // entered in its own night it counts at once
    expect(hours(compile([aSchedule()], { from, base, days: 1.5 }).tr)).toEqual([
      '01-10T18:00 1 ight',
      '01-11T06:00 0 ight',
    ]);
  });

  test('of two schedules at one instant ON; of two events in one second the later', () => {
    const rest = aSchedule({ id: 'rest', action: 'OFF', end_time: null });
    expect(hours(compile([rest, aSchedule()], { days: 1 }).tr)).toEqual([
      '01-10T06:00 0 ight',
      '01-10T18:00 1 ight',
      '01-11T06:00 0 ight',
    ]);
    const blink = aSchedule({
      start_time: recife('2030-01-11T09:00'),
      end_time: recife('2030-01-11T09:00:00.900'),
      repeat_pattern: 'ONCE',
    });
    expect(hours(compile([blink], { days: 1 }).tr)).toEqual(['01-11T09:00 0 ight']);
  });

  test('an ON while it is ON stays: it ends an order given by hand, as on the gateway', () => {
    const again = aSchedule({
      id: 'again',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:00'),
    });
    expect(hours(compile([aSchedule(), again], { days: 1 }).tr)).toEqual([
      '01-10T06:00 0 ight',
      '01-10T18:00 1 ight',
      '01-10T20:00 1 gain',
      '01-10T21:00 1 ight',
      '01-11T06:00 0 ight',
    ]);
  });

  test('a monthly schedule and a clock change are solved in the list, so that the controller needs no calendar', () => {
    const monthly = aSchedule({
      start_time: at('2030-01-10T02:30-05:00'),
      end_time: null,
      repeat_pattern: 'MONTHLY',
    });
    const body = compile([monthly], { zone: NEW_YORK, from: at('2030-03-01T00:00Z') });
    expect(body.tr.at(-1)?.[0]).toBe(at('2030-03-10T03:00-04:00') / 1000);
    expect(body.weekly).toEqual([]);
  });

  test('paused schedules, and none at all, say nothing', () => {
    const empty = { tr: [], weekly: [], to: seconds('2030-01-24T12:00') };
    expect(compile([aSchedule({ is_active: false })])).toMatchObject(empty);
    expect(compile([])).toMatchObject(empty);
  });

  test('ids are told apart by as few of their last signs as it takes', () => {
    const ids = ['0197-aaaa-1111', '0197-aaab-1111'];
    const body = compile(
      ids.map((id, i) => aSchedule({ id, start_time: recife(`2030-01-07T1${i}:00`) })),
      { days: 1 },
    );
    expect(new Set(body.tr.map(([, , id]) => id))).toEqual(new Set(['a1111', 'b1111']));
  });

  test('the hash does not depend on rev, and tells a changed list', () => {
    const texts: string[] = [];
    const deps = { hash: (text: string) => `${texts.push(text)}` };
    const request = { schedules: [aSchedule()], zone: RECIFE, from: recife('2030-01-10'), rev: 1 };
    for (const rev of [1, 2]) compileDeviceSchedule(deps, { ...request, rev });
    expect(texts[1]).toBe(texts[3]);
    expect(texts[1]).toContain('"tr":[[');
  });
});

describe('the weekly table', () => {
  test('an end after midnight is on the next day, after Sunday on Monday', () => {
    const weekend = aSchedule({ repeat_pattern: 'WEEKLY', days_of_week: [6, 7] });
    expect(compile([weekend]).weekly).toEqual([
      [1, '06:00', 0],
      [6, '18:00', 1],
      [7, '06:00', 0],
      [7, '18:00', 1],
    ]);
  });

  test('at the same minute ON wins', () => {
    const rest = aSchedule({ id: 'rest', action: 'OFF', end_time: null });
    const both = [aSchedule({ end_time: null }), rest];
    expect(compile(both).weekly.every(([, , level]) => level === 1)).toBe(true);
    expect(compile(both.toReversed()).weekly).toEqual(compile(both).weekly);
  });

  test('leaves out what begins after the list ends, and pulses shorter than its minutes', () => {
    expect(compile([aSchedule({ start_time: recife('2030-02-10T18:00'), end_time: null })]).weekly).toEqual(
      [],
    );
    expect(compile([aSchedule({ end_time: recife('2030-01-07T18:00:30') })]).weekly).toEqual([]);
  });

  test('knows windows over midnight and over the end of the week, one inside another', () => {
    const weekend = aSchedule({
      start_time: recife('2030-01-12T18:00'),
      end_time: recife('2030-01-14T08:00'),
      repeat_pattern: 'WEEKLY',
      days_of_week: [6],
    });
    const pause = aSchedule({
      id: 'pause',
      action: 'OFF',
      start_time: recife('2030-01-12T23:30'),
      end_time: recife('2030-01-13T00:30'),
      repeat_pattern: 'WEEKLY',
      days_of_week: [6, 7],
    });
    expect(compile([weekend, pause]).weekly).toEqual([
      [1, '00:30', 1],
      [1, '08:00', 0],
      [6, '18:00', 1],
      [6, '23:30', 0],
      [7, '00:30', 1],
      [7, '23:30', 0],
    ]);
  });

  test('leaves out what changes no level where it is too long otherwise', () => {
    const inner = [0, 1, 2, 3].map((n) =>
      aSchedule({
        id: `s${n}`,
        start_time: recife(`2030-01-07T2${n}:00`),
        end_time: recife(`2030-01-07T2${n}:30`),
      }),
    );
    expect(compile([aSchedule(), ...inner.slice(0, 2)]).weekly).toHaveLength(42);
    expect(compile([aSchedule(), ...inner]).weekly).toEqual(compile([aSchedule()]).weekly);
    const always = [1, 2, 3, 4, 5, 6, 7].map((n) =>
      aSchedule({ id: `s${n}`, start_time: recife(`2030-01-07T0${n}:00`), end_time: null }),
    );
    expect(compile(always).weekly).toEqual([[1, '01:00', 1]]);
  });

  test('is whole or empty: a table too long would lie', () => {
    const many = [1, 2, 3, 4, 5, 6].map((n) =>
      aSchedule({
        id: `s${n}`,
        start_time: recife(`2030-01-07T0${n}:00`),
        end_time: recife(`2030-01-07T0${n}:30`),
      }),
    );
    expect(compile(many.slice(0, 3)).weekly).toHaveLength(42);
    expect(compile(many).weekly).toEqual([]);
  });
});

describe('for any schedules', () => {
  const hour = (max: number) => fc.integer({ min: 0, max }).map((n) => recife('2030-01-01') + n * 3_600_000);
  const anySchedules = fc.array(
    fc.record({
      start_time: hour(400),
      length: fc.option(fc.integer({ min: 1, max: 23 }), { nil: null }),
      action: fc.constantFrom('ON', 'OFF'),
      repeat_pattern: fc.constantFrom('ONCE', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      days_of_week: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
      id: fc.uuid(),
    }),
    { maxLength: 8 },
  );
  const compiled = fc.record({ anySchedules, from: hour(600) }).map(({ anySchedules: rules, from }) => {
    const schedules = rules.map(({ length, ...rule }) =>
      aSchedule({ ...rule, end_time: length === null ? null : rule.start_time + length * 3_600_000 }),
    );
    return { schedules, from, body: compile(schedules, { from }) };
  });

  test('the body fits, keeps the contract, and up to `to` its list says what the gateway would do', () => {
    fc.assert(
      fc.property(compiled, fc.double({ min: 0, max: 1, noNaN: true }), ({ schedules, from, body }, part) => {
        expect(bytes(body)).toBeLessThanOrEqual(MAX_SCHEDULE_BYTES);
        expect(deviceSchedule.parse(body)).toEqual(body);
        const now = Math.floor(body.from + part * (body.to - body.from));
        for (const second of [body.from, now, body.to]) {
          const level = body.tr.findLast(([instant]) => instant <= second)?.[1] ?? null;
          const { cause, target } = wantedState(
            facts({ schedules, now: second * 1000, base: { target: 'OFF', at: 0 } }),
          );
          expect(level).toBe(cause.kind === 'base' ? null : target === 'ON' ? 1 : 0);
        }
        expect(body.from).toBe(from / 1000);
      }),
      { numRuns: 500 },
    );
  });

  test('a list that is cut ends at its last transition', () => {
    const hourly = Array.from({ length: 24 }, (_, n) =>
      aSchedule({ id: `s${n}`, start_time: recife('2030-01-07') + n * 3_600_000, end_time: null }),
    );
    const short = compile(hourly, { maxTransitions: 10 });
    expect([short.tr.length, short.to]).toEqual([10, seconds('2030-01-10T21:00')]);
    const full = compile(hourly);
    expect(full.to).toBe(full.tr.at(-1)?.[0]);
    expect(bytes(full)).toBeGreaterThan(MAX_SCHEDULE_BYTES - 40);
  });
});
