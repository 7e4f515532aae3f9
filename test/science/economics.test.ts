import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { batchCosts, costPerKg, priceAtSize, profitability } from '#science/economics.ts';

const { economics } = SCIENCE_DEFAULTS;

describe('what a batch has cost', () => {
  const expenses = [
    { category: 'FEED', amount: 9_000 },
    { category: 'ENERGY', amount: 2_000 },
    { category: 'LABOR', amount: 1_500 },
    { category: 'OTHER', amount: 500 },
  ];

  test('feed is what was fed, not what was bought', () => {
    expect(batchCosts({ fedCost: 6_000, expenses })).toEqual({
      feedCost: 6_000,
      energyCost: 2_000,
      operationalCost: 2_000,
      totalCost: 10_000,
      feedPercent: 60,
      energyPercent: 20,
      operationalPercent: 20,
    });
  });

  test('without a feeding record what was bought counts', () => {
    expect(batchCosts({ fedCost: null, expenses })).toMatchObject({ feedCost: 9_000, totalCost: 13_000 });
  });

  test('feed that was given for nothing is still a record', () => {
    expect(batchCosts({ fedCost: 0, expenses })).toMatchObject({ feedCost: 0, totalCost: 4_000 });
  });

  test('where nothing was spent there are no shares', () => {
    expect(batchCosts({ fedCost: null, expenses: [] })).toEqual({
      feedCost: 0,
      energyCost: 0,
      operationalCost: 0,
      totalCost: 0,
      feedPercent: null,
      energyPercent: null,
      operationalPercent: null,
    });
  });

  test('the three shares make a hundred', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
    const expense = fc.record({
      category: fc.constantFrom('FEED', 'LABOR', 'ENERGY', 'MAINTENANCE', 'TRANSPORT', 'OTHER'),
      amount,
    });
    fc.assert(
      fc.property(fc.option(amount), fc.array(expense), (fedCost, drawn) => {
        const { feedPercent, energyPercent, operationalPercent } = batchCosts({ fedCost, expenses: drawn });
        if (feedPercent === null || energyPercent === null || operationalPercent === null) return;
        expect(feedPercent + energyPercent + operationalPercent).toBeCloseTo(100, 6);
      }),
    );
  });
});

describe('what selling today would leave', () => {
  test('2,000 kg at 22 for a cost of 30,000', () => {
    expect(costPerKg(30_000, 2_000)).toBe(15);
    expect(profitability({ biomassKg: 2_000, sellingPricePerKg: 22, totalCost: 30_000 })).toEqual({
      projectedRevenue: 44_000,
      projectedProfit: 14_000,
      marginPercent: expect.closeTo(31.818, 3),
      roiPercent: expect.closeTo(46.667, 3),
    });
  });

  test('at the cost per kg it breaks even, below it loses', () => {
    const batch = { biomassKg: 2_000, totalCost: 30_000 };
    expect(profitability({ ...batch, sellingPricePerKg: 15 }).projectedProfit).toBe(0);
    expect(profitability({ ...batch, sellingPricePerKg: 14 }).marginPercent).toBeLessThan(0);
  });

  test('nothing to divide by gives no figure', () => {
    expect(costPerKg(30_000, 0)).toBeNull();
    expect(costPerKg(0, 2_000)).toBe(0);
    expect(profitability({ biomassKg: 0, sellingPricePerKg: 22, totalCost: 0 })).toEqual({
      projectedRevenue: 0,
      projectedProfit: 0,
      marginPercent: null,
      roiPercent: null,
    });
  });
});

// Farm gate, Brazil, December 2017 (portaloros.com.br): 10 g at R$ 22–25, 20 g at R$ 32.
test('shrimp of 20 g fetch about R$ 32 where those of 10 g fetch R$ 23.50', () => {
  expect(Math.abs((priceAtSize(economics, { pricePerKg: 23.5, weightG: 10 }, 20) ?? 0) - 32)).toBeLessThan(
    0.5,
  );
  expect(priceAtSize(economics, { pricePerKg: 23.5, weightG: 10 }, 10)).toBe(23.5);
  expect(priceAtSize(economics, { pricePerKg: 23.5, weightG: 10 }, 0)).toBeNull();
});
