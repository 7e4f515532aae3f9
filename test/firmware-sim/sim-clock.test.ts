import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createManualClock } from '#sim/sim-clock.ts';

test('timers run in order of time, those of one instant in order of their setting, cancelled ones never', () => {
  const timers = fc.array(fc.record({ atMs: fc.nat(50), isCancelled: fc.boolean() }), { maxLength: 200 });
  fc.assert(
    fc.property(timers, (wanted) => {
      const clock = createManualClock();
      const ran: number[] = [];
      for (const [index, { atMs, isCancelled }] of wanted.entries()) {
        const timer = clock.at(atMs, () => ran.push(index));
        if (isCancelled) timer.cancel();
      }
      clock.advance(50);
      const expected = wanted
        .map(({ atMs, isCancelled }, index) => ({ atMs, isCancelled, index }))
        .filter(({ isCancelled }) => !isCancelled)
        .sort((a, b) => a.atMs - b.atMs || a.index - b.index)
        .map(({ index }) => index);
      expect(ran).toEqual(expected);
    }),
  );
});

test('a timer set by a timer within the same advance runs in its turn', () => {
  const clock = createManualClock();
  const ran: number[] = [];
  clock.at(10, () => {
    clock.at(20, () => ran.push(clock.nowMs()));
  });
  clock.at(30, () => ran.push(clock.nowMs()));
  clock.advance(40);
  expect(ran).toEqual([20, 30]);
});
