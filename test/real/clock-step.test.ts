import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Point, type RealFarm, startFarm } from './a-farm.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// The clock of the operating system moves under the running program; its monotonic clock goes on.

const HOUR = 3_600;
const DAY = 86_400;
const YEAR = 31_557_600;

/** Seconds that the clock steps by, one after the other on the same running program. */
const STEPS = [1, -1, 60, -60, HOUR, -HOUR, DAY, -DAY, 91 * DAY, -91 * DAY, 56 * YEAR, -56 * YEAR];

/** A step is over when it was noticed, shown and judged. */
const NOTICED_WITHIN_MS = 2_000;
/** What is due is done with the next beat; the rest is the answer's way and a busy machine. */
const LATE_MS = 2_000 + 1_500;

describe.skipIf(!canMoveClocks)('a clock that steps under the running program', () => {
  let farm: RealFarm;
  let point: Point;
  beforeAll(async () => {
    farm = await startFarm();
    point = await farm.point();
  });
  afterAll(() => farm?.close());

  /** Seconds of the clock that an order needs more than it was given for. */
  async function orderEnds(forS: number): Promise<number> {
    await farm.post(`/control-points/${point.id}/turn-on`, { for_s: forS });
    const since = performance.now();
    await until(
      () => farm.target(point),
      (target) => target === 'OFF',
      forS * 1000 + 15_000,
    );
    return performance.now() - since - forS * 1000;
  }

  for (const step of STEPS) {
    it(`by ${step} s: answers at once, ends an order in time, and writes no flood of lines`, async () => {
      const linesBefore = farm.lines.length;
      const cpuBefore = farm.cpuMs();
      const idle = { since: performance.now() };
      farm.stepClock(step);
      const asked = performance.now();
      const answer = await farm.ask('GET', '/system/clock', undefined, 1_000);
      expect(answer.status).toBe(200);
      expect(performance.now() - asked).toBeLessThan(1_000);
      await pause(NOTICED_WITHIN_MS);
      const clock = await farm.get('/system/clock');
      const shown = Date.parse(String(clock['server_time']));
      const isFollowed = Math.abs(shown - farm.wallMs()) < 5_000;
      // one that is not followed is not trusted: nobody takes the wrong time for the right one
      if (!isFollowed) expect(clock['quality']).not.toBe('trusted');
      const cpuMs = farm.cpuMs() - cpuBefore;
      expect(cpuMs).toBeLessThan(400 + (performance.now() - idle.since) * 0.1);
      expect(await orderEnds(2)).toBeLessThan(LATE_MS);
      expect(farm.lines.length - linesBefore).toBeLessThanOrEqual(20);
    });
  }
});
