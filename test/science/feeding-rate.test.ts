import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { feedingRatePercent } from '#science/feeding-ration.ts';
import { expectedWeightG, growthCurve } from '#science/growth.ts';
import { expectedSurvivalPercent } from '#science/survival.ts';

const { feeding, growth, survival } = SCIENCE_DEFAULTS;
const fullRation = { ...feeding, vannamei: { ...feeding.vannamei, rationFactor: 1 } };
// Without the cap of 25 %, to see the largest meal itself.
const largestMeal = { ...fullRation, largestRatePercent: 100 };

describe('vannamei, % of biomass a day', () => {
  // First the largest meal of Nunes & Parsons (2000), then the ration offered.
  test.each([
    [0.05, '29.1', '24.7'],
    [0.1, '22.3', '19.0'],
    [0.5, '12.1', '10.3'],
    [1, '9.31', '7.91'],
    [2, '7.15', '6.08'],
    [3, '6.13', '5.21'],
    [4, '5.50', '4.67'],
    [5, '5.05', '4.29'],
    [6, '4.71', '4.00'],
    [8, '4.22', '3.59'],
    [10, '3.88', '3.30'],
    [12, '3.62', '3.08'],
    [15, '3.33', '2.83'],
    [18, '3.10', '2.64'],
    [20, '2.98', '2.53'],
    [25, '2.74', '2.33'],
    [30, '2.56', '2.17'],
  ])('of %s g eat at most %s and are given %s', (weightG, most, given) => {
    const decimals = given.split('.')[1]?.length;
    expect(feedingRatePercent(largestMeal, 'vannamei', weightG).toFixed(decimals)).toBe(most);
    expect(feedingRatePercent(feeding, 'vannamei', weightG).toFixed(decimals)).toBe(given);
  });

  // penaeusdomesticus.com, feed requirements of vannamei: 25 % at 0.1 g, 11 % at 1 g, 7 % at 3 g,
  // 3 % at 12 g. A table for unlimited feeding in tanks: the ration lies below, by 30 % at most.
  test.each([
    [0.1, 25],
    [1, 11],
    [3, 7],
    [12, 3],
  ])('of %s g get about the %s %% of a tank feeding table', (weightG, published) => {
    const ratio = feedingRatePercent(feeding, 'vannamei', weightG) / published;
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.05);
  });

  // bioaqua.vn, feed management of vannamei in India: 15 % of body weight on day 15; tolerance 10 %.
  test('get about 15 % on day 15, as on Indian farms', () => {
    const weightG = expectedWeightG(growthCurve(growth, 'vannamei'), 0.003, 15);
    const ratio = feedingRatePercent(feeding, 'vannamei', weightG) / 15;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  });

  // India (bioaqua.vn): feed conversion 1.4–1.5; Auburn ponds (Davis et al.): 1.2–1.4.
  test('fed by the table from postlarva to 12 g convert between 1.2 and 1.5', () => {
    const curve = growthCurve(growth, 'vannamei');
    let feedG = 0;
    let livingShare = 1;
    let weightG = 0.003;
    for (let day = 0; weightG < 12; day += 1) {
      livingShare = expectedSurvivalPercent(survival, 'vannamei', { day, cycleDays: 101 }) / 100;
      feedG += (livingShare * weightG * feedingRatePercent(feeding, 'vannamei', weightG)) / 100;
      weightG = expectedWeightG(curve, 0.003, day + 1);
    }
    const conversion = feedG / (livingShare * weightG - 0.003);
    expect(conversion).toBeGreaterThan(1.2);
    expect(conversion).toBeLessThan(1.5);
  });
});

describe('monodon, % of biomass a day', () => {
  // The printed points of the table (after Chanratchakool et al. 1994).
  test.each([
    [0.02, 25],
    [1, 9],
    [5, 5.6],
    [20, 3.6],
    [35, 2.6],
  ])('of %s g get %s', (weightG, ratePercent) => {
    expect(feedingRatePercent(feeding, 'monodon', weightG)).toBeCloseTo(ratePercent, 10);
  });

  test('between two points get what lies between on log paper', () => {
    // Half-way on log axes: the geometric mean of 1 and 2 g gets that of 9 and 6.3 %.
    expect(feedingRatePercent(feeding, 'monodon', 1.4142)).toBeCloseTo(7.53, 2);
  });

  test('outside the table get what its ends say', () => {
    expect(feedingRatePercent(feeding, 'monodon', 0.005)).toBeCloseTo(25, 10);
    expect(feedingRatePercent(feeding, 'monodon', 60)).toBeCloseTo(2.6, 10);
  });
});

test('no shrimp gets nothing, more than 25 %, or more per gram than a smaller one', () => {
  const weights = fc.double({ min: 0, max: 100, noNaN: true });
  const species = fc.constantFrom('vannamei' as const, 'monodon' as const);
  fc.assert(
    fc.property(species, weights, weights, (each, one, other) => {
      const small = feedingRatePercent(feeding, each, Math.min(one, other));
      const large = feedingRatePercent(feeding, each, Math.max(one, other));
      expect(large).toBeGreaterThan(0);
      expect(small).toBeLessThanOrEqual(25);
      expect(large).toBeLessThanOrEqual(small * (1 + 1e-9));
    }),
  );
});
