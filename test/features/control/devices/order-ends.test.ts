import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderTimes } from '#features/control/control-view.ts';
import { createOrderEnds } from '#features/control/devices/order-ends.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (ms: number) => new Date(ms).toISOString();

type Quality = 'trusted' | 'estimated';

function aWorld({
  shownTime = null,
  quality = 'trusted',
}: {
  shownTime?: number | null;
  quality?: Quality;
} = {}) {
  const world = { monotonic: 0, now: NOON, quality };
  const ends = createOrderEnds({
    now: () => world.now,
    monotonic: () => world.monotonic,
    clockQuality: () => world.quality,
    shownTime,
  });
  return {
    world,
    ends,
    pass(ms: number) {
      world.monotonic += ms;
      world.now += ms;
    },
    left: (order: OrderTimes) => (ends.endOf(order) ?? Number.NaN) - world.now,
    order: (forMs: number | null): OrderTimes => ({
      id: `order ${world.monotonic}`,
      issued_at: iso(world.now),
      hold_until: forMs === null ? null : iso(world.now + forMs),
      clock_quality: world.quality,
    }),
  };
}

describe('what is left of a temporary order', () => {
  test('passes with the time that passes, however often the clock steps, and is over for good', () => {
    const step = fc.integer({ min: -100 * 24 * HOUR, max: 100 * 24 * HOUR });
    const happening = fc.oneof(
      fc.record({ passes: fc.integer({ min: 0, max: 20 * MINUTE }) }),
      fc.record({ steps: step }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 2 * HOUR }),
        fc.array(happening, { maxLength: 30 }),
        (forMs, happenings) => {
          const { world, ends, pass, left, order } = aWorld();
          const given = order(forMs);
          ends.see([given]);
          for (const each of happenings) {
            if ('steps' in each) world.now += each.steps;
            else pass(each.passes);
            expect(left(given)).toBe(forMs - world.monotonic);
          }
        },
      ),
    );
  });

  test.each<[string, Parameters<typeof aWorld>[0], OrderTimes, number]>([
    [
      'by a clock that is right it is what the clock says',
      { shownTime: NOON - 10_000 },
      stored(NOON - 20 * MINUTE, NOON + 10 * MINUTE),
      10 * MINUTE,
    ],
    [
      'by one that is behind no more than when the time was last written',
      { shownTime: NOON + 8 * MINUTE },
      stored(NOON - 20 * MINUTE, NOON + 10 * MINUTE),
      2 * MINUTE,
    ],
    [
      'by one that nobody trusts no more than that either',
      { shownTime: NOON, quality: 'estimated' },
      stored(NOON - 20 * MINUTE, NOON + 10 * MINUTE),
      10 * MINUTE,
    ],
    [
      'never more than it was given for',
      { shownTime: null },
      stored(NOON + 50 * MINUTE, NOON + 55 * MINUTE),
      5 * MINUTE,
    ],
    [
      'nothing where it was over before',
      { shownTime: NOON + HOUR },
      stored(NOON - 20 * MINUTE, NOON + 10 * MINUTE),
      -50 * MINUTE,
    ],
  ])('after a restart: %s', (_what, how, order, expected) => {
    const { ends, left } = aWorld(how);
    ends.seeStored([order]);
    ends.see([order]);
    expect(left(order)).toBe(expected);
  });

  test('is less once the right time tells that the power was away for long, for what a right clock had stamped', () => {
    const { world, ends, pass, left } = aWorld({ shownTime: NOON, quality: 'estimated' });
    const before = stored(NOON - 20 * MINUTE, NOON + 10 * MINUTE);
    ends.seeStored([before]);
    pass(MINUTE);
    const since: OrderTimes = {
      id: 'since',
      issued_at: iso(world.now),
      hold_until: iso(world.now + 30 * MINUTE),
      clock_quality: 'estimated',
    };
    ends.see([since]);
    world.now += 5 * HOUR;
    world.quality = 'trusted';
    expect(left(before)).toBeLessThan(0);
    expect(left(since)).toBe(30 * MINUTE);
  });

  test('is nothing once it was ended, by a person, by its controller or by the next order', () => {
    const { world, ends, pass, left, order } = aWorld();
    const given = order(HOUR);
    ends.see([given]);
    pass(MINUTE);
    ends.see([{ ...given, hold_until: iso(world.now) }]);
    expect(left(given)).toBe(0);
    const other = { ...order(HOUR), id: 'other' };
    ends.see([other]);
    ends.end('other');
    pass(MINUTE);
    world.now -= HOUR;
    expect(left(other)).toBe(-MINUTE);
  });

  test('an order without end has none', () => {
    const { ends, order } = aWorld();
    const given = order(null);
    ends.see([given]);
    expect(ends.endOf(given)).toBeNull();
  });
});

function stored(issuedAt: number, until: number): OrderTimes {
  return { id: 'stored', issued_at: iso(issuedAt), hold_until: iso(until), clock_quality: 'trusted' };
}
