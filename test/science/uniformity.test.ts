import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  averageCvPercent,
  cvOfSample,
  cvOfSubsamples,
  cvOfWeights,
  planningCvPercent,
  precisionPercent,
  sampleSizeFor,
  uniformityRating,
  weightsMatchTotal,
} from '#science/uniformity.ts';

const { uniformity } = SCIENCE_DEFAULTS;
// Worked by hand: mean 9.90 g, standard deviation 1.2247 g.
const TEN_SHRIMP = [7.9, 8.6, 9.1, 9.4, 9.8, 10, 10.3, 10.7, 11.2, 12];
// Worked by hand: mean 9.97 g, estimated standard deviation 2.356 g.
const THREE_GROUPS = [
  { count: 22, weightG: 215 },
  { count: 25, weightG: 262 },
  { count: 19, weightG: 181 },
];

describe('spread of weights', () => {
  test('of ten shrimp weighed one by one is 12.37 %', () => {
    expect(cvOfWeights(TEN_SHRIMP)).toBeCloseTo(12.37, 2);
  });

  test('of three counted groups is 23.6 %', () => {
    expect(cvOfSubsamples(uniformity, THREE_GROUPS)).toBeCloseTo(23.6, 1);
  });

  test('cannot be told from one shrimp, two groups or nothing', () => {
    expect(cvOfWeights([9])).toBeNull();
    expect(cvOfWeights([])).toBeNull();
    expect(cvOfSubsamples(uniformity, THREE_GROUPS.slice(0, 2))).toBeNull();
    expect(cvOfSubsamples(uniformity, [])).toBeNull();
  });

  test.each([
    ['single weights before anything else', { individualWeightsG: TEN_SHRIMP, standardDeviationG: 3 }, 12.37],
    ['a standard deviation without them', { individualWeightsG: null, standardDeviationG: 2 }, 20],
  ])('goes by %s', (_, spread, percent) => {
    expect(cvOfSample(spread, 10)).toBeCloseTo(percent, 1);
  });

  test('is unknown, and never guessed, from a total alone', () => {
    expect(cvOfSample({ individualWeightsG: null, standardDeviationG: null }, 10)).toBeNull();
  });

  test('does not depend on the unit of the scales', () => {
    const weights = fc.array(fc.double({ min: 0.1, max: 40, noNaN: true }), { minLength: 2 });
    fc.assert(
      fc.property(weights, (weightsG) => {
        const inOunces = weightsG.map((weight) => weight / 28.35);
        expect(cvOfWeights(inOunces)).toBeCloseTo(cvOfWeights(weightsG) ?? Number.NaN, 6);
        expect(cvOfWeights(weightsG)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('averages only over biometries that measured it', () => {
    expect(averageCvPercent([20, null, 30])).toBe(25);
    expect(averageCvPercent([null])).toBeNull();
  });
});

test('single weights may differ from the total by one per cent', () => {
  expect(weightsMatchTotal(uniformity, [50, 49], 100)).toBe(true);
  expect(weightsMatchTotal(uniformity, [50, 48.9], 100)).toBe(false);
  expect(weightsMatchTotal(uniformity, [51, 50.1], 100)).toBe(false);
});

describe('uniformity', () => {
  test.each([
    [0, 10, 'EXCELLENT'],
    [20, 10, 'EXCELLENT'],
    [20.01, 10, 'GOOD'],
    [30, 10, 'GOOD'],
    [30.01, 10, 'POOR'],
    // Below 2 g both limits are five points wider.
    [25, 1.99, 'EXCELLENT'],
    [25, 2, 'GOOD'],
    [35, 1.99, 'GOOD'],
    [35.01, 1.99, 'POOR'],
  ])('with a spread of %s %% at %s g is %s', (cvPercent, weightG, rating) => {
    expect(uniformityRating(uniformity, cvPercent, weightG)).toBe(rating);
  });

  test('is not rated without a measured spread', () => {
    expect(uniformityRating(uniformity, null, 10)).toBeNull();
  });

  // Seven cultured vannamei stocks (schinafish.cn): selected lines 10–27 %, degraded ones 32–39 %.
  test.each([
    [10, 33.4, 'EXCELLENT'],
    [21, 7, 'GOOD'],
    [27, 4.6, 'GOOD'],
    [32, 15, 'POOR'],
    [39, 1.5, 'POOR'],
  ])('rates a published stock of CV %s %% at %s g %s', (cvPercent, weightG, rating) => {
    expect(uniformityRating(uniformity, cvPercent, weightG)).toBe(rating);
  });
});

describe('how many shrimp to weigh', () => {
  // The trade's rule of thumb is to weigh a hundred (e.g. Evans, standard growth curve of F. indicus).
  test('a spread of 25 % and a precision of 5 % take 96', () => {
    expect(sampleSizeFor(25, 5)).toBe(96);
  });

  test('twice the precision takes four times the shrimp', () => {
    expect(sampleSizeFor(25, 2.5) / sampleSizeFor(25, 5)).toBeCloseTo(4, 1);
  });

  test('at least two, however even they are', () => {
    expect(sampleSizeFor(0, 5)).toBe(2);
  });

  test('a hundred shrimp of spread 25 % give the mean to 4.9 %', () => {
    expect(precisionPercent(25, 100)).toBeCloseTo(4.9, 10);
  });

  test('is planned with the measured spread, else the usual one of the size', () => {
    expect(planningCvPercent(uniformity, 18, 10)).toBe(18);
    expect(planningCvPercent(uniformity, null, 10)).toBe(25);
    expect(planningCvPercent(uniformity, null, 1)).toBe(30);
  });
});
