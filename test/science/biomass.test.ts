import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  biomassGainedKg,
  biomassKg,
  biomassPerM2,
  biomassPerM3,
  efficiencyRating,
  feedConversion,
} from '#science/biomass.ts';

describe('worked examples', () => {
  // 300,000 stocked at 0.01 g, 82 % alive at 8.4 g: 246,000 animals, 2,066.4 kg.
  test('300,000 stocked, 82 % alive at 8.4 g weigh 2,066.4 kg', () => {
    expect(biomassKg(300_000 * 0.82, 8.4)).toBeCloseTo(2066.4, 6);
    expect(biomassKg(300_000, 0.01)).toBeCloseTo(3, 9);
    expect(biomassGainedKg({ currentKg: 2066.4, partialHarvestsKg: 0, initialKg: 3 })).toBeCloseTo(2063.4, 6);
  });

  test('what was harvested on the way counts as grown', () => {
    const gained = biomassGainedKg({ currentKg: 1500, partialHarvestsKg: 600, initialKg: 100 });
    expect(gained).toBe(2000);
    expect(feedConversion(2800, gained)).toBeCloseTo(1.4, 12);
  });

  test('on the day of stocking, at an assumed survival of 85 %, nothing was gained and there is no FCA', () => {
    const initialKg = biomassKg(100_000, 1);
    const gained = biomassGainedKg({ currentKg: biomassKg(85_000, 1), partialHarvestsKg: 0, initialKg });
    expect(gained).toBeCloseTo(-15, 9);
    expect(feedConversion(12, gained)).toBeNull();
    expect(efficiencyRating(feedConversion(12, gained))).toBeNull();
  });

  test('densities', () => {
    expect(biomassPerM2(2066.4, 5000)).toBeCloseTo(0.41328, 9);
    expect(biomassPerM3(2066.4, { areaM2: 5000, depthM: 1.5 })).toBeCloseTo(0.27552, 9);
  });
});

describe('no figure rather than a wrong one', () => {
  test.each([
    ['no feed', 0, 100],
    ['no gain', 100, 0],
    ['a loss', 100, -5],
    ['neither', 0, 0],
    ['feed unknown', Number.NaN, 100],
    ['gain unknown', 100, Number.NaN],
    ['a gain too small to divide by', 1e300, 1e-300],
  ])('%s gives no FCA', (_what, feedKg, gainedKg) => {
    expect(feedConversion(feedKg, gainedKg)).toBeNull();
  });

  test('a pond without size has no density', () => {
    expect([
      biomassPerM2(10, 0),
      biomassPerM2(10, null),
      biomassPerM3(10, { areaM2: 10, depthM: null }),
    ]).toEqual([null, null, null]);
  });
});

test.each([
  [0.2, 'EXCELLENT'],
  [1.4999, 'EXCELLENT'],
  [1.5, 'GOOD'],
  [2, 'GOOD'],
  [2.0001, 'ACCEPTABLE'],
  [2.5, 'ACCEPTABLE'],
  [2.5001, 'POOR'],
])('FCA %d is %s', (fca, rating) => {
  expect(efficiencyRating(fca)).toBe(rating);
});

test('biomass is never below nothing', () => {
  const any = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(any, any, (animals, weightG) => {
      expect(biomassKg(animals, weightG)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('an FCA is a positive finite figure or none', () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (feedKg, gainedKg) => {
      const fca = feedConversion(feedKg, gainedKg);
      if (fca === null) return;
      expect(fca).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(fca)).toBe(true);
    }),
  );
});
