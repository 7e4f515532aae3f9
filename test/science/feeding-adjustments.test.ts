import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  FEEDING_EVENTS,
  type FeedingConditions,
  feedingAdjustment,
  nextMealFactor,
} from '#science/feeding-adjustments.ts';

const { feeding } = SCIENCE_DEFAULTS;

const nothingKnown: FeedingConditions = {
  temperatureC: null,
  dissolvedOxygen: null,
  ammoniaNh3N: null,
  event: null,
};
const fresh = (value: number) => ({ value, ageHours: 1 });
/** Water that takes nothing from the ration. */
const goodWater: FeedingConditions = {
  temperatureC: fresh(29),
  dissolvedOxygen: fresh(6),
  ammoniaNh3N: fresh(0.02),
  event: null,
};
const factorIn = (conditions: Partial<FeedingConditions>) =>
  feedingAdjustment(feeding, { ...goodWater, ...conditions }, 4).factor;

describe('temperature', () => {
  test.each([
    [15, 0],
    [16, 0],
    [18, 0.25],
    [20, 0.5],
    [22, 0.65],
    [23, 0.725],
    [24, 0.8],
    [26, 0.92],
    [27, 0.96],
    [28, 1],
    [30, 1],
    [31, 1],
    [32, 0.95],
    [33, 0.88],
    [34, 0.8],
    [35, 0.65],
    [36, 0.5],
    [38, 0],
    [40, 0],
  ])('at %s °C shrimp get %s of the ration', (temperatureC, factor) => {
    expect(factorIn({ temperatureC: fresh(temperatureC) })).toBeCloseTo(factor, 10);
  });

  // An Binh Bio, how to adjust feed: 30–50 % less below 20 °C, 10–15 % less above 32 °C.
  test('agrees with what farm advisers cut in cold and hot water', () => {
    const cut = (temperatureC: number) => 1 - factorIn({ temperatureC: fresh(temperatureC) });
    expect(cut(20)).toBeGreaterThanOrEqual(0.3);
    expect(cut(20)).toBeLessThanOrEqual(0.5);
    expect(cut(33)).toBeGreaterThanOrEqual(0.1);
    expect(cut(33)).toBeLessThanOrEqual(0.15);
  });

  test('counts for 48 hours', () => {
    expect(factorIn({ temperatureC: { value: 24, ageHours: 48 } })).toBeCloseTo(0.8, 10);
    // then as if it were 26 °C
    expect(factorIn({ temperatureC: { value: 24, ageHours: 48.1 } })).toBeCloseTo(0.92, 10);
  });
});

describe('dissolved oxygen', () => {
  test.each([
    [1.8, 0],
    [2, 0],
    [2.5, 0.3],
    [3, 0.6],
    [3.4, 0.76],
    [4, 1],
    [7, 1],
  ])('at %s mg/L shrimp get %s of the ration', (dissolvedOxygen, factor) => {
    expect(factorIn({ dissolvedOxygen: fresh(dissolvedOxygen) })).toBeCloseTo(factor, 10);
  });

  test('suspends feeding at 2 mg/L and not above', () => {
    const isSuspended = (value: number) =>
      feedingAdjustment(feeding, { ...goodWater, dissolvedOxygen: fresh(value) }, 4).isSuspended;
    expect(isSuspended(2)).toBe(true);
    expect(isSuspended(2.01)).toBe(false);
  });

  test('is what suspends: a farm that feeds nothing at high ammonia has cut it, no more', () => {
    const strict = {
      ...feeding,
      ammoniaFactor: [
        { at: 0.1, factor: 1 },
        { at: 0.6, factor: 0 },
      ],
    };
    const adjustment = feedingAdjustment(strict, { ...goodWater, ammoniaNh3N: fresh(0.6) }, 4);
    expect(adjustment.factor).toBe(0);
    expect(adjustment.isSuspended).toBe(false);
  });

  test('counts for 24 hours', () => {
    expect(factorIn({ dissolvedOxygen: { value: 3, ageHours: 24 } })).toBeCloseTo(0.6, 10);
    // then as if it were 3.5 mg/L
    expect(factorIn({ dissolvedOxygen: { value: 3, ageHours: 24.1 } })).toBeCloseTo(0.8, 10);
  });
});

test('a low dawn cuts the ration of a pond that has recovered by 30 % at most, never less for a worse dawn', () => {
  const oxygen = fc.double({ min: 0, max: 6, noNaN: true });
  fc.assert(
    fc.property(oxygen, oxygen, fc.double({ min: 4, max: 12, noNaN: true }), (one, other, now) => {
      const after = (dawn: number) =>
        feedingAdjustment(
          feeding,
          { ...goodWater, dissolvedOxygen: fresh(now), dawnOxygen: { value: dawn, ageHours: 15 } },
          4,
        );
      const [worse, better] = [after(Math.min(one, other)), after(Math.max(one, other))];
      expect(worse.factor).toBeLessThanOrEqual(better.factor);
      expect(worse.factor).toBeGreaterThanOrEqual(0.7);
      expect(worse.isSuspended).toBe(false);
    }),
  );
});

describe('un-ionised ammonia', () => {
  test.each([
    [0.05, 1],
    [0.1, 1],
    [0.2, 0.85],
    [0.3, 0.7],
    [0.6, 0.4],
    [1.19, 0.4],
    // what killed half of the animals (Lin & Chen 2001) holds the feed
    [1.2, 0],
    [2, 0],
  ])('at %s mg/L shrimp get %s of the ration', (ammoniaNh3N, factor) => {
    expect(factorIn({ ammoniaNh3N: fresh(ammoniaNh3N) })).toBeCloseTo(factor, 10);
  });
});

describe('what was noted at the pond', () => {
  test.each([
    ['SYNCHRONOUS_MOLT', 0, 0.5],
    ['SYNCHRONOUS_MOLT', 1, 0.5],
    ['SYNCHRONOUS_MOLT', 2, 1],
    ['PARTIAL_MOLT', 0, 0.8],
    // Four meals of the next day at 85, 90, 95 and 100 %.
    ['PARTIAL_MOLT', 1, 0.925],
    ['PARTIAL_MOLT', 2, 1],
    ['HEAVY_RAIN', 0, 0.6],
    ['HEAVY_RAIN', 1, 1],
    ['BLOOM_CRASH', 0, 0.6],
    ['TREATMENT', 0, 0.6],
  ] as const)('%s %s days ago leaves %s of the ration', (kind, daysAgo, factor) => {
    expect(factorIn({ event: { kind, daysAgo } })).toBeCloseTo(factor, 10);
  });

  test('what is noted for tomorrow changes nothing today', () => {
    expect(factorIn({ event: { kind: 'HEAVY_RAIN', daysAgo: -1 } })).toBe(1);
  });
});

describe('together', () => {
  test('good water changes nothing', () => {
    expect(feedingAdjustment(feeding, goodWater, 4)).toEqual({
      factor: 1,
      causes: [],
      covered: null,
      isSuspended: false,
    });
  });

  test('water that nobody measured is fed as water that is known to be fair, and says so', () => {
    const { factor, causes, isSuspended } = feedingAdjustment(feeding, nothingKnown, 4);
    expect(factor).toBeCloseTo(0.8 * 0.92, 10);
    expect(causes).toMatchObject([
      { cause: 'OXYGEN', value: 3.5, isAssumed: true },
      { cause: 'TEMPERATURE', value: 26, isAssumed: true },
    ]);
    expect(isSuspended).toBe(false);
  });

  test('what nobody measured never cuts more than the limit for it, whatever a farm supposes', () => {
    const supposed = fc.record({
      oxygenMgL: fc.double({ min: 0, max: 8, noNaN: true }),
      temperatureC: fc.double({ min: 10, max: 40, noNaN: true }),
    });
    fc.assert(
      fc.property(supposed, fc.double({ min: 0.1, max: 1, noNaN: true }), (own, leastFactor) => {
        const whenUnknown = { ...feeding.whenUnknown, ...own, leastFactor };
        const found = feedingAdjustment({ ...feeding, whenUnknown }, nothingKnown, 4);
        expect(found.factor).toBeGreaterThanOrEqual(leastFactor - 1e-9);
        expect(found.isSuspended).toBe(false);
      }),
    );
    // a measured danger is no supposition
    const suffocating = { ...nothingKnown, dissolvedOxygen: fresh(1) };
    expect(feedingAdjustment(feeding, suffocating, 4)).toMatchObject({ factor: 0, isSuspended: true });
  });

  test('worse water never gets a larger ration, and unknown water none larger than fair water', () => {
    const figure = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    const water = fc.record({
      oxygen: figure(0, 12),
      nh3: figure(0, 3),
      hot: figure(31, 45),
      cold: figure(5, 28),
    });
    fc.assert(
      fc.property(water, water, (one, other) => {
        const ration = (oxygen: number, nh3: number, temperature: number) =>
          factorIn({
            dissolvedOxygen: fresh(oxygen),
            ammoniaNh3N: fresh(nh3),
            temperatureC: fresh(temperature),
          });
        const least = (key: keyof typeof one) => Math.min(one[key], other[key]);
        const most = (key: keyof typeof one) => Math.max(one[key], other[key]);
        const [good, bad] = [
          ration(most('oxygen'), least('nh3'), least('hot')),
          ration(least('oxygen'), most('nh3'), most('hot')),
        ];
        expect(bad).toBeLessThanOrEqual(good + 1e-9);
        expect(ration(6, 0, least('cold'))).toBeLessThanOrEqual(ration(6, 0, most('cold')) + 1e-9);
        const fair = { oxygen: Math.max(3.5, one.oxygen), cold: Math.max(26, one.cold) };
        expect(factorIn({ dissolvedOxygen: null })).toBeLessThanOrEqual(ration(fair.oxygen, 0, 29) + 1e-9);
        expect(factorIn({ temperatureC: null })).toBeLessThanOrEqual(ration(6, 0, fair.cold) + 1e-9);
      }),
    );
  });

  test('temperature and oxygen multiply, the larger cut is told first', () => {
    const adjustment = feedingAdjustment(
      feeding,
      { ...goodWater, temperatureC: fresh(24), dissolvedOxygen: fresh(3.4) },
      4,
    );
    expect(adjustment.factor).toBeCloseTo(0.608, 10);
    expect(adjustment.causes.map((each) => each.cause)).toEqual(['OXYGEN', 'TEMPERATURE']);
  });

  test('of oxygen and ammonia only the worse one counts', () => {
    const adjustment = feedingAdjustment(
      feeding,
      { ...goodWater, dissolvedOxygen: fresh(3.5), ammoniaNh3N: fresh(0.3) },
      4,
    );
    expect(adjustment.factor).toBeCloseTo(0.7, 10);
    expect(adjustment.causes).toEqual([{ cause: 'AMMONIA', value: 0.3, factor: expect.closeTo(0.7, 10) }]);
    expect(adjustment.covered).toEqual({
      cause: 'OXYGEN',
      value: 3.5,
      factor: expect.closeTo(0.8, 10),
    });
  });

  test('no conditions feed less than nothing or more than 105 %', () => {
    const reading = (max: number) =>
      fc.option(
        fc.record({
          value: fc.double({ min: -5, max, noNaN: true }),
          ageHours: fc.integer({ min: 0, max: 300 }),
        }),
        { nil: null },
      );
    const conditions = fc.record({
      temperatureC: reading(45),
      dissolvedOxygen: reading(25),
      ammoniaNh3N: reading(10),
      event: fc.option(
        fc.record({
          kind: fc.constantFrom(...FEEDING_EVENTS),
          daysAgo: fc.integer({ min: 0, max: 10 }),
        }),
        { nil: null },
      ),
    });
    fc.assert(
      fc.property(conditions, fc.integer({ min: 1, max: 6 }), (known, mealsPerDay) => {
        const adjustment = feedingAdjustment(feeding, known, mealsPerDay);
        expect(adjustment.factor).toBeGreaterThanOrEqual(0);
        expect(adjustment.factor).toBeLessThanOrEqual(1.05);
        if (adjustment.isSuspended) expect(adjustment.factor).toBe(0);
        if (adjustment.causes.length === 0) expect(adjustment.factor).toBe(1);
      }),
    );
  });
});

describe('the next meal by the trays', () => {
  test.each([
    [0, 1.05],
    [0.5, 1],
    [10, 1],
    [11, 0.9],
    [25, 0.9],
    [26, 0.7],
    [50, 0.7],
    [51, 0],
    [100, 0],
  ])('with %s %% left is %s of the plan', (leftoversPercent, factor) => {
    expect(nextMealFactor(feeding, leftoversPercent, [1])).toBe(factor);
  });

  test('with nothing left raises no ration that the water cuts, in whichever pond', () => {
    expect(nextMealFactor(feeding, 0, [1, 0.7])).toBe(1);
    expect(nextMealFactor(feeding, 30, [0.7])).toBe(0.7);
  });
});
