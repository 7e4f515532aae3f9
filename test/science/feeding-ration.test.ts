import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLIND_CHARTS, SCIENCE_DEFAULTS } from '#science/constants.ts';
import type { FeedingConditions } from '#science/feeding-adjustments.ts';
import {
  type BatchToFeed,
  dailyRation,
  feedingSchedule,
  mealPlan,
  weightToFeedG,
} from '#science/feeding-ration.ts';

const { feeding } = SCIENCE_DEFAULTS;

const nothingKnown: FeedingConditions = {
  temperatureC: null,
  dissolvedOxygen: null,
  ammoniaNh3N: null,
  event: null,
};
const fresh = (value: number) => ({ value, ageHours: 1 });
const goodWater: FeedingConditions = {
  ...nothingKnown,
  temperatureC: fresh(29),
  dissolvedOxygen: fresh(6),
};

const aBatch = (batch: Partial<BatchToFeed> = {}): BatchToFeed => ({
  species: 'vannamei',
  initialWeightG: 0.01,
  day: 80,
  warmDays: 80,
  lastWeighing: { day: 80, weightG: 8.4 },
  population: 246_000,
  stocked: 300_000,
  ...batch,
});

describe('the ration of a day', () => {
  // Worked by hand: 300,000 stocked, 82 % alive, 8.4 g, 27 °C, 4.6 mg/L oxygen.
  test('2,066.4 kg of 8.4 g shrimp at 27 °C get 69.89 kg in four meals', () => {
    const ration = dailyRation(SCIENCE_DEFAULTS, aBatch(), {
      ...nothingKnown,
      temperatureC: fresh(27),
      dissolvedOxygen: fresh(4.6),
    });
    expect(ration).toMatchObject({
      recommendedKg: 69.89,
      ratePercent: 3.38,
      feedWeightG: 8.4,
      biomassKg: expect.closeTo(2066.4, 6),
    });
    expect(ration.meals.map(({ time, quantityKg }) => [time, quantityKg])).toEqual([
      ['06:00', 20.97],
      ['11:00', 13.98],
      ['17:00', 20.97],
      ['22:00', 13.97],
    ]);
  });

  test('is nothing while oxygen is at 1.8 mg/L', () => {
    const ration = dailyRation(SCIENCE_DEFAULTS, aBatch(), {
      ...nothingKnown,
      dissolvedOxygen: fresh(1.8),
    });
    expect(ration).toMatchObject({ recommendedKg: 0, ratePercent: 0, feedPerGain: null });
    expect(ration.adjustment.isSuspended).toBe(true);
    expect(ration.meals.map((meal) => meal.quantityKg)).toEqual([0, 0, 0, 0]);
  });

  test('is nothing for a pond where nothing lives', () => {
    const ration = dailyRation(SCIENCE_DEFAULTS, aBatch({ population: 0 }), nothingKnown);
    expect(ration).toMatchObject({ recommendedKg: 0, biomassKg: 0, feedPerGain: null });
  });

  test('tells how much feed a kilogram of growth costs', () => {
    // On the standard curve 8.4 g gain 0.203 g a day: 0.0352 × 8.4 / 0.203 = 1.46.
    const onCurve = aBatch({ lastWeighing: { day: 81, weightG: 8.4 }, day: 81 });
    expect(dailyRation(SCIENCE_DEFAULTS, onCurve, goodWater).feedPerGain).toBeCloseTo(1.46, 1);
    const slow = aBatch({ lastWeighing: { day: 140, weightG: 8.4 }, day: 140 });
    expect(dailyRation(SCIENCE_DEFAULTS, slow, goodWater).feedPerGain).toBeGreaterThan(2);
  });
});

describe('the weight to feed', () => {
  test('without a weighing is the expected one', () => {
    const batch = aBatch({ day: 30, warmDays: 30, lastWeighing: null });
    expect(weightToFeedG(SCIENCE_DEFAULTS, batch)).toBeCloseTo(1.032, 3);
  });

  test('without a weighing follows the water, cool days counting less', () => {
    // 30 days at 22 °C are 14.67 at 28 °C: 0.24 g.
    const batch = aBatch({ day: 30, warmDays: 14.67, lastWeighing: null });
    expect(weightToFeedG(SCIENCE_DEFAULTS, batch)).toBeCloseTo(0.245, 3);
  });

  test('is the last weighing grown on at the pace of the pond', () => {
    // 8.094 g on day 80 is the standard curve, which weighs 10.185 g on day 90.
    const batch = aBatch({ day: 90, lastWeighing: { day: 80, weightG: 8.094 } });
    expect(weightToFeedG(SCIENCE_DEFAULTS, batch)).toBeCloseTo(10.185, 2);
  });

  test('grows on for ten days at most', () => {
    const batch = (day: number) => aBatch({ day, lastWeighing: { day: 80, weightG: 8.094 } });
    expect(weightToFeedG(SCIENCE_DEFAULTS, batch(120))).toBe(weightToFeedG(SCIENCE_DEFAULTS, batch(90)));
  });
});

describe('the meals', () => {
  test.each([
    [0.9, null, 6],
    [1, null, 5],
    [2.9, null, 5],
    [3, null, 4],
    [20, 28, 4],
    [20, 24, 4],
    [20, 23.9, 3],
    [0.5, 20, 3],
  ])('of %s g shrimp in water of %s °C are %s', (weightG, temperatureC, meals) => {
    expect(mealPlan(feeding, weightG, temperatureC)).toHaveLength(meals);
  });

  // Uni-President (Laone feed guide), 5–20 g: 30, 20, 30 and 20 % at 6:00, 11:00, 17:00 and 22:00.
  test('of large shrimp are those of the feed maker', () => {
    expect(mealPlan(feeding, 12, 29)).toEqual([
      { time: '06:00', percent: 30 },
      { time: '11:00', percent: 20 },
      { time: '17:00', percent: 30 },
      { time: '22:00', percent: 20 },
    ]);
  });

  test('share out the whole ration, to the last gram', () => {
    const weights = fc.double({ min: 0, max: 50, noNaN: true });
    const temperatures = fc.option(fc.double({ min: 15, max: 35, noNaN: true }), { nil: null });
    const hundredths = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(weights, temperatures, hundredths, (weightG, temperatureC, ration) => {
        const meals = feedingSchedule(mealPlan(feeding, weightG, temperatureC), ration / 100);
        expect(meals.reduce((sum, meal) => sum + meal.percent, 0)).toBe(100);
        expect(meals.reduce((sum, meal) => sum + Math.round(meal.quantityKg * 1000), 0)).toBe(ration * 10);
        for (const meal of meals) expect(meal.quantityKg).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('of a nursery are weighed in grams, not in tens of them', () => {
    const meals = feedingSchedule(mealPlan(feeding, 0.01, null), 0.04);
    expect(meals.map((meal) => meal.quantityKg)).toEqual([0.006, 0.006, 0.006, 0.006, 0.008, 0.008]);
  });

  test('of a few grams go to the first meals, and none is less than nothing', () => {
    const meals = feedingSchedule(mealPlan(feeding, 0.01, null), 0.004);
    expect(meals.map((meal) => meal.quantityKg)).toEqual([0.001, 0.001, 0.001, 0.001, 0, 0]);
  });
});

test('no batch under any conditions is fed less than nothing or more than 26.25 % of its biomass, in its first days more than a chart', () => {
  const batches = fc.record({
    species: fc.constantFrom('vannamei' as const, 'monodon' as const),
    initialWeightG: fc.double({ min: 0.001, max: 5, noNaN: true }),
    day: fc.integer({ min: 0, max: 250 }),
    warmDays: fc.double({ min: 0, max: 250, noNaN: true }),
    lastWeighing: fc.option(
      fc.record({
        day: fc.integer({ min: 0, max: 250 }),
        weightG: fc.double({ min: 0.01, max: 60, noNaN: true }),
      }),
      { nil: null },
    ),
    population: fc.integer({ min: 0, max: 5_000_000 }),
    stocked: fc.integer({ min: 0, max: 5_000_000 }),
  });
  const temperatures = fc.option(fc.double({ min: 5, max: 45, noNaN: true }), { nil: null });
  fc.assert(
    fc.property(batches, temperatures, (batch, value) => {
      const temperatureC = value === null ? null : fresh(value);
      for (const blindChart of BLIND_CHARTS) {
        const chosen = { ...SCIENCE_DEFAULTS, feeding: { ...feeding, blindChart } };
        const ration = dailyRation(chosen, batch, { ...nothingKnown, temperatureC });
        // the largest line of any chart, for 100,000 stocked
        const byChart = (9.3 * batch.stocked) / 100_000;
        const most = ration.chart === 'BY_WEIGHT' ? ration.biomassKg * 0.2625 : byChart * 1.05;
        expect(ration.recommendedKg).toBeGreaterThanOrEqual(0);
        expect(ration.recommendedKg).toBeLessThanOrEqual(most + 0.005);
      }
    }),
  );
});
