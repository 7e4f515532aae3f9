import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeviceSchedule } from '#contract/mqtt/messages.ts';
import { localEventAt, nextScheduleChangeS } from '#sim/controller/level-end.ts';

const localScheduleAt = (...asked: Parameters<typeof localEventAt>) => localEventAt(...asked)?.to ?? null;

const MONDAY_S = Date.UTC(2026, 0, 5) / 1000;
const OFFSET_S = -3 * 3600; // the farm: three hours behind UTC

function aSchedule(change: Partial<DeviceSchedule>): DeviceSchedule {
  return { rev: 1, hash: 'h', from: 0, to: 0, tr: [], weekly: [], ...change };
}

describe('the schedule of a controller that is alone', () => {
  test('the weekly table follows the farm’s local time and wraps over the end of the week', () => {
    const schedule = aSchedule({
      weekly: [
        [7, '20:00', 1],
        [1, '06:00', 0],
      ],
    });
    const at = (day: number, hour: number) => MONDAY_S + day * 86_400 + hour * 3600 - OFFSET_S;
    expect(localScheduleAt(schedule, OFFSET_S, at(0, 5))).toBe('ON');
    expect(localScheduleAt(schedule, OFFSET_S, at(0, 6))).toBe('OFF');
    expect(localScheduleAt(schedule, OFFSET_S, at(6, 19))).toBe('OFF');
    expect(localScheduleAt(schedule, OFFSET_S, at(6, 20))).toBe('ON');
  });

  test('inside its span the list rules alone, before its first entry with nothing to say; after its end the weekly table does', () => {
    const schedule = aSchedule({ from: 1_000, to: 2_000, tr: [[1_200, 1, 'a']], weekly: [[1, '00:00', 0]] });
    expect([1_100, 1_200, 2_000, 2_001].map((atS) => localScheduleAt(schedule, 0, atS))).toEqual([
      null,
      'ON',
      'ON',
      'OFF',
    ]);
  });

  test('two entries at one instant: ON wins', () => {
    expect(
      localScheduleAt(
        aSchedule({
          to: 9,
          tr: [
            [5, 1, 'a'],
            [5, 0, 'b'],
          ],
        }),
        0,
        6,
      ),
    ).toBe('ON');
    expect(
      localScheduleAt(
        aSchedule({
          weekly: [
            [1, '00:00', 1],
            [1, '00:00', 0],
          ],
        }),
        0,
        MONDAY_S,
      ),
    ).toBe('ON');
  });

  test('an empty schedule says nothing', () => {
    expect(localScheduleAt(aSchedule({}), 0, MONDAY_S)).toBeNull();
    expect(nextScheduleChangeS(aSchedule({}), 0, MONDAY_S)).toBeNull();
  });

  test('between now and the next change nothing changes', () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`);
    const entry = fc.tuple(fc.integer({ min: 1, max: 7 }), time, fc.constantFrom<0 | 1>(0, 1));
    const listed = fc.tuple(
      fc.integer({ min: 0, max: 600_000 }),
      fc.constantFrom<0 | 1>(0, 1),
      fc.constant('s'),
    );
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 6 }),
        fc.array(listed, { maxLength: 6 }),
        fc.nat(700_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (weekly, tr, nowS, share) => {
          const schedule = aSchedule({ from: 1_000, to: 500_000, weekly, tr });
          const nextS = nextScheduleChangeS(schedule, OFFSET_S, nowS);
          if (nextS === null) return;
          expect(nextS).toBeGreaterThan(nowS);
          const betweenS = Math.floor(nowS + (nextS - 1 - nowS) * share);
          expect(localScheduleAt(schedule, OFFSET_S, betweenS)).toBe(
            localScheduleAt(schedule, OFFSET_S, nowS),
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
