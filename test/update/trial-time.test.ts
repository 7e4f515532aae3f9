import { describe, expect, test } from 'vitest';
import { beginsTrial, heardIn, isOver, type Word } from '#operations/update/health-gate.ts';

// How long a version that is tried has, second by second.

/** The second at which it is given up; null: not within ten minutes. */
function givenUpAfter(saysAt: (second: number) => Word | null): number | null {
  let trial = beginsTrial(0, 40_000);
  for (let second = 1; second <= 600; second += 1) {
    const word = saysAt(second);
    if (word !== null) trial = heardIn(trial, word, second * 1_000);
    if (isOver(trial, second * 1_000)) return second;
  }
  return null;
}

test('a version that says nothing, or is never well, is given up after 40 s', () => {
  expect(givenUpAfter(() => null)).toBe(40);
  expect(givenUpAfter(() => ({ isHealthy: false, isWell: false }))).toBe(40);
});

describe('a version that controls', () => {
  test('waits for controllers, which pause up to a minute between two tries', () => {
    expect(givenUpAfter((second) => ({ isWell: second > 20 }))).toBe(160);
  });

  test('and is given up soon after it stops doing so', () => {
    const second = givenUpAfter((at) => ({ isWell: at > 20 && at <= 60 }));
    expect(second).toBe(71);
  });
});

describe('a version that brings the schema of the database forward', () => {
  test('has all its time when it has', () => {
    const saying = (second: number): Word | null =>
      second === 3 ? { isMigrating: true } : second === 90 ? { isMigrating: false } : null;
    expect(givenUpAfter(saying)).toBe(130);
  });

  test('is given up when that comes to no end, and says so once', () => {
    expect(givenUpAfter((second) => (second === 3 ? { isMigrating: true } : null))).toBe(123);
    expect(givenUpAfter((second) => ({ isMigrating: second % 2 === 0 }))).toBe(43);
  });
});
