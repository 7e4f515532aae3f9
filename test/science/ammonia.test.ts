import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asAmmoniaMgL, unionizedAmmoniaMgL } from '#science/ammonia.ts';

/** Un-ionised share of total ammonia, per cent. */
function percentOf(water: { temperatureC: number; ph: number; salinityPpt: number | null }): number {
  return unionizedAmmoniaMgL({ tanMgL: 100, ...water }) ?? Number.NaN;
}

const offBy = (found: number, published: number) => Math.abs(found / published - 1);

describe('the un-ionised share agrees with published tables', () => {
  // Conversion table printed in LaMotte's manuals (e.g. WaterLink Spin Touch FF, p. 13), per cent:
  // fresh water after Trussell (1972), sea water of 34 ppt after Bower & Bidwell (1978).
  test.each([
    [10, 7.5, 0.59, 0.459],
    [15, 7.5, 0.85, 0.665],
    [20, 7.5, 1.24, 0.963],
    [25, 7.5, 1.73, 1.39],
    [10, 8.0, 1.83, 1.44],
    [15, 8.0, 2.65, 2.07],
    [20, 8.0, 3.83, 2.98],
    [25, 8.0, 5.28, 4.28],
    [10, 8.5, 5.55, 4.41],
    [15, 8.5, 7.98, 6.28],
    [20, 8.5, 11.18, 8.87],
    [25, 8.5, 14.97, 12.4],
  ])('at %d °C and pH %d: %d %% in fresh water, %d %% in the sea', (temperatureC, ph, fresh, sea) => {
    expect(offBy(percentOf({ temperatureC, ph, salinityPpt: 0 }), fresh)).toBeLessThan(0.04);
    expect(offBy(percentOf({ temperatureC, ph, salinityPpt: 34 }), sea)).toBeLessThan(0.005);
  });

  // Emerson et al. (1975), fresh water, as tabled by the University of Florida (EDIS FA16); an independent equation.
  test.each([
    [24, 8.0, 5.02],
    [26, 8.0, 5.74],
    [28, 7.4, 1.73],
    [28, 8.0, 6.54],
    [30, 8.0, 7.43],
    [30, 8.4, 16.78],
    [32, 8.0, 8.77],
  ])('in warm fresh water of %d °C and pH %d it is %d %%', (temperatureC, ph, published) => {
    expect(offBy(percentOf({ temperatureC, ph, salinityPpt: 0 }), published)).toBeLessThan(0.04);
  });

  // Lin & Chen (2001, J. Exp. Mar. Biol. Ecol. 259:109), 96 h LC50 of vannamei at 23 °C and pH 8.05: the same
  // solutions given as total ammonia and as NH3-N, mg/L.
  test.each([
    [15, 24.39, 1.2],
    [25, 35.4, 1.57],
    [35, 39.54, 1.6],
  ])('at %d ppt a lethal %d mg/L of total ammonia is %d mg/L of NH3-N', (salinityPpt, tanMgL, nh3) => {
    const found = unionizedAmmoniaMgL({ tanMgL, temperatureC: 23, ph: 8.05, salinityPpt }) ?? Number.NaN;
    expect(offBy(found, nh3)).toBeLessThan(0.04);
  });
});

// Computed apart from this program; NH3-N of 1 mg/L of total ammonia at 20 ppt.
test.each([
  [7.5, 26, 0.017],
  [7.5, 32, 0.026],
  [8.0, 28, 0.059],
  [8.0, 30, 0.067],
  [8.5, 26, 0.145],
  [8.5, 32, 0.209],
  [9.0, 28, 0.383],
  [9.0, 32, 0.456],
])('1 mg/L of total ammonia at pH %d and %d °C holds %d mg/L of NH3-N', (ph, temperatureC, nh3) => {
  const found = unionizedAmmoniaMgL({ tanMgL: 1, temperatureC, ph, salinityPpt: 20 });
  expect(found).toBeCloseTo(nh3, 3);
});

describe('beyond what was measured nothing is said', () => {
  const known = { tanMgL: 1, temperatureC: 28, ph: 8, salinityPpt: 20 };
  test.each([
    ['no ammonia', { tanMgL: null }],
    ['no temperature', { temperatureC: null }],
    ['no pH', { ph: null }],
    ['negative ammonia', { tanMgL: -0.1 }],
    ['colder than 5 °C', { temperatureC: 4.9 }],
    ['hotter than 35 °C', { temperatureC: 35.1 }],
    ['pH below 6', { ph: 5.9 }],
    ['pH above 10', { ph: 10.1 }],
    ['saltier than 36 ppt', { salinityPpt: 36.1 }],
    ['not a number', { ph: Number.NaN }],
  ])('%s', (_what, wrong) => {
    expect(unionizedAmmoniaMgL({ ...known, ...wrong })).toBeNull();
  });

  test.each([
    ['5 °C, pH 6, fresh', { temperatureC: 5, ph: 6, salinityPpt: 0 }],
    ['35 °C, pH 10, 36 ppt', { temperatureC: 35, ph: 10, salinityPpt: 36 }],
  ])('the corner %s is still known', (_what, corner) => {
    expect(unionizedAmmoniaMgL({ ...known, ...corner })).toBeGreaterThan(0);
  });
});

test('unknown salinity counts as fresh water, which gives the higher figure', () => {
  const water = { temperatureC: 28, ph: 8 };
  expect(percentOf({ ...water, salinityPpt: null })).toBe(percentOf({ ...water, salinityPpt: 0 }));
  expect(percentOf({ ...water, salinityPpt: null })).toBeGreaterThan(
    percentOf({ ...water, salinityPpt: 20 }),
  );
});

test('the un-ionised part is a part of the total, larger in warmer and more alkaline water', () => {
  const water = fc.record({
    tanMgL: fc.double({ min: 0.01, max: 100, noNaN: true }),
    temperatureC: fc.double({ min: 5, max: 34, noNaN: true }),
    ph: fc.double({ min: 6, max: 9.9, noNaN: true }),
    salinityPpt: fc.double({ min: 0, max: 36, noNaN: true }),
  });
  fc.assert(
    fc.property(water, (sample) => {
      const here = unionizedAmmoniaMgL(sample) ?? Number.NaN;
      const warmer = unionizedAmmoniaMgL({ ...sample, temperatureC: sample.temperatureC + 1 });
      const moreAlkaline = unionizedAmmoniaMgL({ ...sample, ph: sample.ph + 0.1 });
      expect(here).toBeGreaterThan(0);
      expect(here).toBeLessThan(sample.tanMgL);
      expect(warmer).toBeGreaterThan(here);
      expect(moreAlkaline).toBeGreaterThan(here);
    }),
  );
});

test('0.1 mg/L as nitrogen is 0.12 mg/L as ammonia', () => {
  expect(asAmmoniaMgL(0.1)).toBeCloseTo(0.1216, 4);
});
