import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elapsedSince, type Stretch } from '#core/clock-trust.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 2, 12);

describe('how long ago an instant was', () => {
  it('is what the monotonic clock says, whatever the clock was set to meanwhile', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            by: fc.integer({ min: -400 * 24 * HOUR, max: 400 * 24 * HOUR }),
            for: fc.integer({ min: 1, max: HOUR }),
          }),
          { maxLength: 20 },
        ),
        fc.integer({ min: 0, max: HOUR }),
        (steps, waited) => {
          const stretches: Stretch[] = [{ shown: NOW, monotonic: 0 }];
          let at = { now: NOW, monotonic: 0 };
          for (const step of steps) {
            at = { now: at.now + step.for + step.by, monotonic: at.monotonic + step.for };
            stretches.push({ shown: at.now, monotonic: at.monotonic });
          }
          // noted after the last of them, or before one more step
          const noted = at.now;
          const later = { now: at.now + waited, monotonic: at.monotonic + waited };
          expect(elapsedSince(stretches, noted, later)).toBe(waited);
          const set = { now: NOW + 5_000 * 24 * HOUR, monotonic: later.monotonic };
          const after = [...stretches, { shown: set.now, monotonic: set.monotonic }];
          expect(elapsedSince(after, noted, { now: set.now + 7, monotonic: set.monotonic + 7 })).toBe(
            waited + 7,
          );
        },
      ),
    );
  });

  it('of an instant before this run is the difference of the times shown', () => {
    const stretches = [{ shown: NOW, monotonic: 0 }];
    expect(elapsedSince(stretches, NOW - HOUR, { now: NOW + 1_000, monotonic: 1_000 })).toBe(HOUR + 1_000);
  });

  it('of an instant ahead is negative', () => {
    const stretches = [{ shown: NOW, monotonic: 0 }];
    expect(elapsedSince(stretches, NOW + HOUR, { now: NOW, monotonic: 0 })).toBe(-HOUR);
  });
});
