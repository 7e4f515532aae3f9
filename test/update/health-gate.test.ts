import { describe, expect, test } from 'vitest';
import { judge, OPEN_GATE, type Vital } from '#operations/update/health-gate.ts';

// A version that is tried, second by second.

const well: Omit<Vital, 'controlTicks'> = {
  isReady: true,
  brokerOk: true,
  controllers: { awaited: 0, reached: 0 },
  closedPorts: [],
  isSyncKnown: null,
};

/** What is still missing after so many seconds; null: it has proven itself. */
function missingAfter(seconds: number, vitalAt: (second: number) => Partial<Vital>): string | null {
  let gate: Parameters<typeof judge>[0] = OPEN_GATE;
  let missing: string | null = null;
  for (let second = 1; second <= seconds; second += 1) {
    const judged = judge(gate, { ...well, controlTicks: second, ...vitalAt(second) }, second * 1_000);
    ({ gate, missing } = judged);
  }
  return missing;
}

test('a version that is well proves itself within ten seconds, not at once', () => {
  expect(missingAfter(8, () => ({}))).toBe('it has not been well for long enough');
  expect(missingAfter(10, () => ({}))).toBeNull();
});

describe('a version does not prove itself', () => {
  test.each<[string, Partial<Vital>, string]>([
    ['without its database', { isReady: false }, 'it is not ready to serve'],
    ['when nobody looks at the schedules', { controlTicks: 0 }, 'it does not look at the schedules'],
    ['when its broker is deaf', { brokerOk: false }, 'messages do not get through its broker'],
    [
      'while most controllers that were here before stay away',
      { controllers: { awaited: 8, reached: 3 } },
      '3 of 8 controllers came back to it',
    ],
    [
      'when the only controller does not come',
      { controllers: { awaited: 1, reached: 0 } },
      '0 of 1 controllers came back to it',
    ],
    ['when a secured port that was open is not', { closedPorts: ['mqtts'] }, 'its port mqtts is not open'],
    ['while nothing is known of its sync', { isSyncKnown: false }, 'it does not say how its sync stands'],
  ])('%s', (_what, vital, missing) => {
    expect(missingAfter(40, () => vital)).toBe(missing);
  });

  test('by moments of health between failures', () => {
    expect(missingAfter(40, (second) => ({ brokerOk: second % 7 !== 0 }))).toBe(
      'it has not been well for long enough',
    );
  });
});

describe('a version proves itself', () => {
  test('the second half of the controllers come, however late, for those who poll have their own rhythm', () => {
    const vitalAt = (second: number) => ({ controllers: { awaited: 4, reached: second < 30 ? 1 : 2 } });
    expect(missingAfter(29, vitalAt)).toBe('1 of 4 controllers came back to it');
    expect(missingAfter(30, vitalAt)).toBeNull();
  });

  test('on a farm whose controllers were all away before', () => {
    expect(missingAfter(10, () => ({ controllers: { awaited: 0, reached: 0 } }))).toBeNull();
  });

  test('without the internet, as soon as it says so', () => {
    expect(missingAfter(20, (second) => ({ isSyncKnown: second > 15 }))).toBeNull();
  });
});
