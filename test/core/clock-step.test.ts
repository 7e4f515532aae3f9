import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClockStep, endAfterStep } from '#core/clock-trust.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (ms: number) => new Date(ms).toISOString();

/** At noon by the clock before the step. */
const aStep = (steppedBy: number, fields: Partial<ClockStep> = {}): ClockStep => ({
  now: NOON + steppedBy,
  steppedBy,
  runningMs: 8 * HOUR,
  wasTrusted: true,
  ...fields,
});

describe('the end of something temporary, after a step of the clock', () => {
  test('lies as far ahead as before, and what is over stays over, whichever way it steps', () => {
    const steps = fc.integer({ min: -400 * 24 * HOUR, max: 400 * 24 * HOUR }).filter((by) => by !== 0);
    const ends = fc.integer({ min: -48 * HOUR, max: 48 * HOUR });
    fc.assert(
      fc.property(steps, ends, (steppedBy, leftMs) => {
        const step = aStep(steppedBy);
        const until = endAfterStep(iso(NOON + leftMs), NOON - HOUR, step);
        const leftAfter = Date.parse(until ?? '') - step.now;
        if (leftMs > 0) expect(leftAfter).toBe(leftMs);
        else expect(leftAfter).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('there is none where there was none', () => {
    expect(endAfterStep(null, NOON, aStep(HOUR))).toBeNull();
  });

  test('is the right one once the clock is right, where an earlier run wrote it by a right clock', () => {
    const becameRight = aStep(5 * HOUR, { wasTrusted: false, runningMs: 10 * MINUTE });
    const until = iso(NOON + HOUR);
    expect(endAfterStep(until, NOON - HOUR, becameRight)).toBe(until);
    // said in this run, by a clock that was behind
    expect(endAfterStep(until, NOON - MINUTE, becameRight)).toBe(iso(NOON + 6 * HOUR));
  });
});
