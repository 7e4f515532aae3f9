import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderEnd, type WantedFacts, wantedState } from '#features/control/schedules/wanted-state.ts';
import { anOrder, aSchedule, facts, recife } from './builders.ts';

const thursday = (time: string) => recife(`2030-01-10T${time}`);
const night = aSchedule();

/** `18:10 ON`, by the wall of Recife; null: it does not end by itself. */
function ends(given: Partial<WantedFacts>, now: string): string | null {
  const end = orderEnd(facts({ schedules: [night], ...given, now: thursday(now) }));
  if (end === null) return null;
  return `${new Date(end.at - 3 * 3_600_000).toISOString().slice(11, 16)} ${end.then}`;
}

describe('what holds when a temporary order ends', () => {
  const pause = anOrder({ target: 'OFF', at: thursday('20:00'), until: thursday('20:30') });

  test.each<[string, Partial<WantedFacts>, string, string | null]>([
    ['a pause in the night: aeration again', { orders: [pause] }, '20:10', '20:30 ON'],
    [
      'a start by day: OFF again',
      { orders: [anOrder({ at: thursday('12:00'), until: thursday('12:30') })] },
      '12:10',
      '12:30 OFF',
    ],
    [
      'a start that reaches into the night goes on: nothing ends',
      { orders: [anOrder({ at: thursday('17:50'), until: thursday('18:10') })] },
      '17:55',
      null,
    ],
    [
      'a pause that reaches beyond the night: OFF stays',
      { orders: [anOrder({ target: 'OFF', at: thursday('05:50'), until: thursday('06:10') })] },
      '05:55',
      null,
    ],
    [
      'a pause over an order without end: that holds again',
      { orders: [anOrder({ sequence: 0, at: thursday('19:00'), target: 'ON' }), pause] },
      '20:10',
      '20:30 ON',
    ],
    [
      'a pause within a longer one: the longer one ends it',
      {
        orders: [
          anOrder({ sequence: 0, target: 'OFF', at: thursday('19:00'), until: thursday('21:00') }),
          pause,
        ],
      },
      '20:10',
      '21:00 ON',
    ],
    [
      'water that asks for air goes on asking',
      {
        orders: [anOrder({ target: 'OFF', at: thursday('12:00'), until: thursday('12:30') })],
        safety: [{ kind: 'SET_POINT', target: 'ON', since: 0, reason: 'oxygen 4 mg/L' }],
      },
      '12:10',
      '12:30 ON',
    ],
    [
      'an emergency over a pause has no end that is known',
      {
        orders: [pause],
        safety: [{ kind: 'EMERGENCY_OXYGEN', target: 'ON', since: 0, reason: 'oxygen 2 mg/L' }],
      },
      '20:10',
      null,
    ],
    ['a lock-out neither', { orders: [pause], lockedOut: true }, '20:10', null],
    [
      'an order without end neither',
      { orders: [anOrder({ target: 'OFF', at: thursday('20:00') })] },
      '20:10',
      null,
    ],
    ['nor the schedule', {}, '20:10', null],
  ])('%s', (_what, given, now, expected) => {
    expect(ends(given, now)).toBe(expected);
  });

  test('it is what the same facts say then, and until then the target stays', () => {
    const minute = (most: number) =>
      fc.integer({ min: 0, max: most }).map((n) => recife('2030-01-10') + n * 60_000);
    const order = fc.record({
      at: minute(24 * 60),
      length: fc.option(fc.integer({ min: 1, max: 600 }), { nil: null }),
      target: fc.constantFrom('ON' as const, 'OFF' as const),
      origin: fc.constantFrom('LOCAL' as const, 'REMOTE' as const),
    });
    fc.assert(
      fc.property(
        fc.array(order, { minLength: 1, maxLength: 6 }),
        minute(26 * 60),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (given, now, part) => {
          const orders = given.map(({ length, ...each }, place) =>
            anOrder({
              ...each,
              sequence: place,
              id: `o${place}`,
              until: length === null ? null : each.at + length * 60_000,
            }),
          );
          const known = facts({ schedules: [night], orders, now });
          const at = (instant: number) => wantedState({ ...known, now: instant }).target;
          const end = orderEnd(known);
          if (end === null) return;
          expect(end.at).toBeGreaterThan(now);
          expect(end.then).not.toBe(at(now));
          expect(at(end.at)).toBe(end.then);
          expect(at(now + Math.floor((end.at - 1 - now) * part))).toBe(at(now));
        },
      ),
    );
  });
});
