import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  growthStandardErrorG,
  type HarvestFacts,
  type HarvestWeighing,
  harvestDecision,
} from '#science/harvest-decision.ts';
import { createRandom } from '#sim/random.ts';

const { economics } = SCIENCE_DEFAULTS;
const weighed = (day: number, weightG: number, sampleSize: number | null = 100): HarvestWeighing => ({
  day,
  weightG,
  sampleSize,
  cvPercent: null,
});
/** 246,000 shrimp that gain 0.19 g a day, at R$ 22/kg and R$ 700 a day. */
const facts = (given: Partial<HarvestFacts>): HarvestFacts => ({
  animals: 246_000,
  currentWeightG: 12,
  weighings: [weighed(80, 10.67), weighed(87, 12)],
  lastWeighingDaysAgo: 2,
  expectedGrowthGPerDay: 0.22,
  marketPricePerKg: 22,
  dailyOperationalCost: 700,
  ...given,
});
const decide = (given: Partial<HarvestFacts>) => harvestDecision(economics, facts(given));

// 246,000 × 0.19 g = 46.74 kg a day, worth R$ 1,028.28.
test('the worked example goes on: R$ 1,028 a day against R$ 700', () => {
  expect(decide({})).toEqual({
    recommendation: 'CONTINUE',
    reason: 'GROWTH_PAYS',
    growthGPerDay: expect.closeTo(0.19, 9),
    growthIs: 'MEASURED',
    currentBiomassKg: expect.closeTo(2952, 6),
    dailyBiomassGainKg: expect.closeTo(46.74, 6),
    dailyGrowthRevenue: expect.closeTo(1028.28, 6),
    netDailyProfit: expect.closeTo(328.28, 6),
    // 700 ÷ 46.74 kg and 700,000 ÷ (246,000 × 22)
    breakEvenPricePerKg: expect.closeTo(14.976, 3),
    breakEvenGrowthGPerDay: expect.closeTo(0.12934, 5),
    // errors of the two means 0.267 and 0.300 g, so 0.0574 g a day: 1.06 of them lie between 0.190 and 0.129
    confidencePercent: expect.closeTo(85.5, 1),
  });
});

describe('the rule of the interface, strictly', () => {
  // 100,000 shrimp × 0.2 g × R$ 20/kg = R$ 400 a day
  const round = { animals: 100_000, weighings: [weighed(80, 10), weighed(90, 12)], marketPricePerKg: 20 };

  test.each([
    [399.99, 'CONTINUE'],
    [400, 'HARVEST_NOW'],
    [400.01, 'HARVEST_NOW'],
    [0, 'CONTINUE'],
  ])('R$ 400 of growth against a cost of R$ %d: %s', (dailyOperationalCost, recommendation) => {
    expect(decide({ ...round, dailyOperationalCost }).recommendation).toBe(recommendation);
  });

  test('shrimp that grow no more, or none at all, are harvested even at no cost', () => {
    const still = { ...round, weighings: [weighed(80, 12), weighed(87, 12)], dailyOperationalCost: 0 };
    expect(decide(still).recommendation).toBe('HARVEST_NOW');
    expect(decide({ ...round, animals: 0 })).toMatchObject({
      recommendation: 'HARVEST_NOW',
      breakEvenPricePerKg: null,
      breakEvenGrowthGPerDay: null,
    });
  });

  test('shrimp that lost weight do not count as shrinking', () => {
    const lost = decide({ weighings: [weighed(80, 12), weighed(87, 11)] });
    expect(lost).toMatchObject({ growthGPerDay: 0, dailyBiomassGainKg: 0, recommendation: 'HARVEST_NOW' });
  });
});

describe('MONITOR only where the rule cannot be trusted', () => {
  test('never weighed', () => {
    const found = decide({ weighings: [], lastWeighingDaysAgo: null });
    expect(found).toMatchObject({
      recommendation: 'MONITOR',
      reason: 'NEVER_WEIGHED',
      growthIs: 'EXPECTED',
      growthGPerDay: 0.22,
      confidencePercent: null,
    });
  });

  test.each([
    [14, 'CONTINUE'],
    [15, 'MONITOR'],
  ])('weighed %d days ago: %s', (lastWeighingDaysAgo, recommendation) => {
    expect(decide({ lastWeighingDaysAgo }).recommendation).toBe(recommendation);
  });

  test('one weighing is enough for the rule, with the growth of the curve', () => {
    expect(decide({ weighings: [weighed(87, 12)] })).toMatchObject({
      recommendation: 'CONTINUE',
      growthIs: 'EXPECTED',
      confidencePercent: null,
    });
  });
});

describe('how sure it is', () => {
  // Two samples of 100 at a spread of 25 %, a week apart, about 10 g, growing 1.8 g: 0.25 g × √2 ÷ 1.8 g = 19.6 %.
  test('a week’s growth from samples of 100 is known to about 19 %', () => {
    const weighings = [weighed(80, 9.1), weighed(87, 10.9)];
    const error = growthStandardErrorG(economics, weighings) ?? Number.NaN;
    expect(error / (1.8 / 7)).toBeGreaterThan(0.18);
    expect(error / (1.8 / 7)).toBeLessThan(0.21);
  });

  test('four times the sample halves the error, a known spread replaces the assumed', () => {
    const few = growthStandardErrorG(economics, [weighed(80, 9, 50), weighed(87, 11, 50)]) ?? 0;
    const many = growthStandardErrorG(economics, [weighed(80, 9, 200), weighed(87, 11, 200)]) ?? 0;
    expect(few / many).toBeCloseTo(2, 9);
    const even = [weighed(80, 9, 50), weighed(87, 11, 50)].map((each) => ({ ...each, cvPercent: 12.5 }));
    expect(few / (growthStandardErrorG(economics, even) ?? 0)).toBeCloseTo(2, 9);
  });

  test('without two weighings on different days nothing is known of the error', () => {
    expect(growthStandardErrorG(economics, [])).toBeNull();
    expect(growthStandardErrorG(economics, [weighed(80, 9)])).toBeNull();
    expect(growthStandardErrorG(economics, [weighed(80, 9), weighed(80, 10)])).toBeNull();
  });

  test('at the point of breaking even it is a coin toss, far from it certain', () => {
    expect(decide({ dailyOperationalCost: 1028.28 }).confidencePercent).toBeCloseTo(50, 3);
    expect(decide({ dailyOperationalCost: 1 }).confidencePercent).toBeGreaterThan(99);
  });

  test('of simulated pairs of samples the rule is right about as often as it says', () => {
    const random = createRandom(20_260_301);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const mean = (weightG: number) => weightG * (1 + 0.25 * normal() * 0.1);
    let right = 0;
    let claimed = 0;
    const RUNS = 4000;
    for (let run = 0; run < RUNS; run += 1) {
      // true growth anywhere between nothing and 0.4 g a day
      const growth = 0.4 * random();
      const weighings = [weighed(80, mean(10)), weighed(87, mean(10 + 7 * growth))];
      const { recommendation, confidencePercent } = decide({ weighings });
      const shouldContinue = (246_000 * growth * 22) / 1000 > 700;
      if ((recommendation === 'CONTINUE') === shouldContinue) right += 1;
      claimed += (confidencePercent ?? 0) / 100;
    }
    expect(Math.abs(right - claimed) / RUNS).toBeLessThan(0.03);
  });
});
