import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startSlots, type WantedStart } from '#features/control/schedules/start-slots.ts';

const NOW = 1_900_000_000_000;
const none = new Map<string | null, number>();

function aStart(id: string, changes: Partial<WantedStart> = {}): WantedStart {
  return { id, start_group: null, start_order: null, power_kw: 2, ...changes };
}

/** `id +seconds` from now. */
const seconds = (slots: ReturnType<typeof startSlots>) =>
  slots.map(({ id, start_at }) => `${id} +${(start_at - NOW) / 1000}`);

test('motors start five seconds apart: by order, then the largest, then by id', () => {
  const waiting = [
    aStart('small', { power_kw: 1 }),
    aStart('b'),
    aStart('a'),
    aStart('large', { power_kw: 7.5 }),
    aStart('second', { start_order: 2, power_kw: 9 }),
    aStart('first', { start_order: 1, power_kw: 1 }),
  ];
  expect(seconds(startSlots({ now: NOW, waiting, lastStartAtByGroup: none }))).toEqual([
    'first +0',
    'second +5',
    'large +10',
    'a +15',
    'b +20',
    'small +25',
  ]);
});

test('groups do not wait for each other; motors without one share the farm group', () => {
  const waiting = [
    aStart('a'),
    aStart('b'),
    aStart('c', { start_group: 'north' }),
    aStart('d', { start_group: 'north' }),
  ];
  expect(seconds(startSlots({ now: NOW, waiting, lastStartAtByGroup: none }))).toEqual([
    'a +0',
    'c +0',
    'b +5',
    'd +5',
  ]);
});

test('a group whose last motor has just started waits out the step', () => {
  const last = new Map([
    [null, NOW - 2000],
    ['north', NOW - 60_000],
  ]);
  const waiting = [aStart('a'), aStart('b', { start_group: 'north' })];
  expect(seconds(startSlots({ now: NOW, waiting, lastStartAtByGroup: last, stepMs: 7000 }))).toEqual([
    'b +0',
    'a +5',
  ]);
});

test('a clock set back by an hour delays a start by one step only', () => {
  const last = new Map([[null, NOW + 3_600_000]]);
  expect(seconds(startSlots({ now: NOW, waiting: [aStart('a')], lastStartAtByGroup: last }))).toEqual([
    'a +5',
  ]);
});

const anyStarts = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    start_group: fc.constantFrom(null, 'north', 'south'),
    start_order: fc.option(fc.nat(3), { nil: null }),
    power_kw: fc.constantFrom(0.75, 2, 7.5),
  }),
  { selector: ({ id }) => id, maxLength: 20 },
);

test('whatever waits: one start per group and step, and asking again after some have started moves nobody', () => {
  fc.assert(
    fc.property(anyStarts, fc.nat(60_000), (waiting, elapsed) => {
      const slots = startSlots({ now: NOW, waiting, lastStartAtByGroup: none });
      const groupOf = new Map(waiting.map(({ id, start_group }) => [id, start_group]));
      const perSlot = slots.map(({ id, start_at }) => `${groupOf.get(id)} ${start_at}`);
      expect(new Set(perSlot).size).toBe(waiting.length);
      expect(slots.every(({ start_at }) => (start_at - NOW) % 5000 === 0)).toBe(true);

      const later = NOW + elapsed;
      const started = slots.filter(({ start_at }) => start_at <= later);
      const lastStartAtByGroup = new Map(
        started.map(({ id, start_at }) => [groupOf.get(id) ?? null, start_at]),
      );
      const left = waiting.filter(({ id }) => !started.some((slot) => slot.id === id));
      expect(startSlots({ now: later, waiting: left.toReversed(), lastStartAtByGroup })).toEqual(
        slots.slice(started.length),
      );
    }),
  );
});
