import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  adjustSurvival,
  expectedSurvivalPercent,
  type SurvivalFact,
  survivalPercent,
  survivalStatus,
} from '#science/survival.ts';

const { survival } = SCIENCE_DEFAULTS;

describe('expected survival', () => {
  test.each([
    [-3, '100.0'],
    [0, '100.0'],
    [30, '95.7'],
    [60, '91.5'],
    [90, '87.5'],
    [110, '85.0'],
    [150, '85.0'],
  ])('of vannamei on day %s is %s percent', (day, percent) => {
    const expected = expectedSurvivalPercent(survival, 'vannamei', { day, cycleDays: null });
    expect(expected.toFixed(1)).toBe(percent);
  });

  // Boyd et al. as gathered by Rethink Priorities: monodon in Vietnam 58.4 ± 6.1 %, India 41.4 ± 5.9 %.
  test('of monodon at harvest lies where Vietnam and India found it', () => {
    const expected = expectedSurvivalPercent(survival, 'monodon', { day: 130, cycleDays: null });
    expect(expected).toBeGreaterThan(41.4);
    expect(expected).toBeLessThan(58.4 + 6.1);
  });

  // Garcia Abad, nursery phase: 87–90 % survive, with 90 % the default.
  test('of a nursery after its planned 25 days is 90 %', () => {
    expect(expectedSurvivalPercent(survival, 'nursery', { day: 25, cycleDays: 25 })).toBe(90);
  });

  test('half-way through any cycle as many die each day as before, in proportion', () => {
    const at = (day: number) => expectedSurvivalPercent(survival, 'monodon', { day, cycleDays: 100 });
    expect(at(50) / at(0)).toBeCloseTo(at(100) / at(50), 10);
  });

  test('of a cycle without length is that of harvest', () => {
    expect(expectedSurvivalPercent(survival, 'vannamei', { day: 3, cycleDays: 0 })).toBe(85);
  });
});

describe('an event that kills', () => {
  test.each([
    [85, 0.2, 68, -17],
    [85, 0, 85, 0],
    [85, 1, 0, -85],
    [100, 0.05, 95, -5],
    [33.33, 0.1, 30, -3.33],
    [0, 0.5, 0, 0],
  ])('at %s %% with severity %s leaves %s %%', (percent, severity, newPercent, adjustment) => {
    expect(adjustSurvival(percent, severity)).toEqual({ newPercent, adjustment });
  });

  test('never raises survival and never leaves less than none', () => {
    const percents = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(percents, fc.double({ min: 0, max: 1, noNaN: true }), (percent, severity) => {
        const { newPercent, adjustment } = adjustSurvival(percent, severity);
        expect(newPercent).toBeGreaterThanOrEqual(0);
        expect(newPercent).toBeLessThanOrEqual(percent);
        expect(adjustment).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('survival from what was recorded', () => {
  const loss = (at: string, severity: number, id = at): SurvivalFact => ({
    at,
    id,
    kind: 'LOSS',
    severity,
  });
  const set = (at: string, percent: number): SurvivalFact => ({ at, id: at, kind: 'SET', percent });

  test('is the estimate of stocking while nothing was recorded', () => {
    expect(survivalPercent(85, [])).toBe(85);
  });

  test('two losses of a fifth leave 64 %', () => {
    expect(survivalPercent(100, [loss('2025-03-01', 0.2), loss('2025-03-09', 0.2)])).toBeCloseTo(64, 10);
  });

  test('a count replaces what was lost before it, and later losses come off the count', () => {
    const facts = [loss('2025-03-20', 0.1), set('2025-03-10', 70), loss('2025-03-01', 0.5)];
    expect(survivalPercent(85, facts)).toBeCloseTo(63, 10);
  });

  test('can be asked for an earlier moment', () => {
    const facts = [loss('2025-03-01', 0.5), set('2025-03-10', 70)];
    expect(survivalPercent(80, facts, '2025-03-09')).toBeCloseTo(40, 10);
    expect(survivalPercent(80, facts, '2025-03-10')).toBe(70);
  });

  test('two counts of one moment: the same one stands on every instance', () => {
    const first: SurvivalFact = { at: '2025-03-01', id: 'a', kind: 'SET', percent: 60 };
    const second: SurvivalFact = { at: '2025-03-01', id: 'b', kind: 'SET', percent: 70 };
    expect(survivalPercent(85, [first, second])).toBe(70);
    expect(survivalPercent(85, [second, first])).toBe(70);
  });

  test('does not depend on the order in which losses were recorded or happened', () => {
    const severities = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(severities, fc.double({ min: 0, max: 100, noNaN: true }), (losses, initial) => {
        const happened = losses.map((severity, day) => loss(`2025-03-0${day + 1}`, severity));
        const reversed = losses.toReversed().map((severity, day) => loss(`2025-03-0${day + 1}`, severity));
        const percent = survivalPercent(initial, happened);
        expect(survivalPercent(initial, happened.toReversed())).toBe(percent);
        expect(survivalPercent(initial, reversed)).toBeCloseTo(percent, 9);
        expect(percent).toBeGreaterThanOrEqual(0);
        expect(percent).toBeLessThanOrEqual(initial);
      }),
    );
  });
});

test.each([
  [100, 'GOOD'],
  [80, 'GOOD'],
  [79.99, 'ACCEPTABLE'],
  [79.5, 'ACCEPTABLE'],
  [60, 'ACCEPTABLE'],
  [59.99, 'POOR'],
  [0, 'POOR'],
])('survival of %s %% is %s', (percent, status) => {
  expect(survivalStatus(percent)).toBe(status);
});
