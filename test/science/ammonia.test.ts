import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AmmoniaWater, nh3Of, nh3ToActOn, tanOf } from '#science/ammonia.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { worstPlausible } = SCIENCE_DEFAULTS.water;

/** What is known of the poisonous part; not a number where only its worst is. */
function unionizedAmmoniaMgL({ tanMgL, ...water }: AmmoniaWater & { tanMgL: number }): number {
  const nh3 = nh3Of(worstPlausible, tanMgL, water);
  return nh3.isKnown ? nh3.mgL : Number.NaN;
}
const worstOf = ({ tanMgL, ...water }: AmmoniaWater & { tanMgL: number }) =>
  nh3ToActOn(nh3Of(worstPlausible, tanMgL, water));

/** Un-ionised share of total ammonia, per cent. */
function percentOf(water: { temperatureC: number; ph: number; salinityPpt: number }): number {
  return unionizedAmmoniaMgL({ tanMgL: 100, ...water });
}

// Published tables: published.test.ts.

// Computed apart from this program; NH3-N of 1 mg/L of total ammonia at 20 ppt.
test.each([
  [7.5, 26, 0.017],
  [7.5, 28, 0.019],
  [7.5, 30, 0.022],
  [7.5, 32, 0.026],
  [8.0, 26, 0.051],
  [8.0, 28, 0.059],
  [8.0, 30, 0.067],
  [8.0, 32, 0.077],
  [8.5, 26, 0.145],
  [8.5, 28, 0.164],
  [8.5, 30, 0.186],
  [8.5, 32, 0.209],
  [9.0, 26, 0.349],
  [9.0, 28, 0.383],
  [9.0, 30, 0.419],
  [9.0, 32, 0.456],
])('1 mg/L of total ammonia at pH %d and %d °C holds %d mg/L of NH3-N', (ph, temperatureC, nh3) => {
  const found = unionizedAmmoniaMgL({ tanMgL: 1, temperatureC, ph, salinityPpt: 20 });
  expect(found).toBeCloseTo(nh3, 3);
});

describe('what nobody knows is taken at its worst and says what is missing', () => {
  const known = { tanMgL: 1, temperatureC: 28, ph: 8, salinityPpt: 20 };
  test.each([
    ['no temperature', { temperatureC: null }, 'TEMPERATURE_MISSING'],
    ['no pH', { ph: null }, 'PH_MISSING'],
    ['no salinity', { salinityPpt: null }, 'SALINITY_MISSING'],
    ['colder than 5 °C', { temperatureC: 4.9 }, 'TEMPERATURE_OUT_OF_RANGE'],
    ['hotter than 40 °C', { temperatureC: 40.1 }, 'TEMPERATURE_OUT_OF_RANGE'],
    ['pH below 6', { ph: 5.9 }, 'PH_OUT_OF_RANGE'],
    ['pH above 10', { ph: 10.1 }, 'PH_OUT_OF_RANGE'],
    ['saltier than 45 ppt', { salinityPpt: 45.1 }, 'SALINITY_OUT_OF_RANGE'],
    ['not a number', { ph: Number.NaN }, 'PH_MISSING'],
  ])('%s', (_what, wrong, gap) => {
    const { tanMgL, ...water } = { ...known, ...wrong };
    expect(nh3Of(worstPlausible, tanMgL, water)).toEqual({
      isKnown: false,
      worstMgL: expect.any(Number) as unknown,
      gaps: [gap],
    });
    expect(tanOf(worstPlausible, 0.1, water)).toEqual({ isKnown: false, gaps: [gap] });
  });

  test('three missing values are three gaps, and most of the ammonia counts as poisonous', () => {
    const nh3 = nh3Of(worstPlausible, 1, { temperatureC: null, ph: null, salinityPpt: null });
    expect(nh3).toMatchObject({ isKnown: false, gaps: { length: 3 } });
    expect(nh3ToActOn(nh3)).toBeGreaterThan(0.7);
    expect(nh3ToActOn(nh3)).toBeLessThan(1);
  });

  test('it is never less than any water within the farm’s limits would hold', () => {
    const within = fc.record({
      temperatureC: fc.double({ min: 5, max: worstPlausible.temperatureC, noNaN: true }),
      ph: fc.double({ min: 6, max: worstPlausible.ph, noNaN: true }),
      salinityPpt: fc.double({ min: 0, max: 45, noNaN: true }),
    });
    const missing = fc.subarray(['temperatureC', 'ph', 'salinityPpt'] as const, { minLength: 1 });
    fc.assert(
      fc.property(within, missing, (water, names) => {
        const less = { ...water, ...Object.fromEntries(names.map((name) => [name, null])) };
        expect(worstOf({ tanMgL: 3, ...less })).toBeGreaterThanOrEqual(worstOf({ tanMgL: 3, ...water }));
      }),
    );
  });

  test.each([
    ['5 °C, pH 6, fresh', { temperatureC: 5, ph: 6, salinityPpt: 0 }, false],
    ['35 °C, pH 10, 36 ppt', { temperatureC: 35, ph: 10, salinityPpt: 36 }, false],
    ['40 °C, 45 ppt, on the same equation', { temperatureC: 40, ph: 9, salinityPpt: 45 }, true],
  ])('the corner %s is still known', (_what, corner, isExtrapolated) => {
    expect(nh3Of(worstPlausible, 1, corner)).toMatchObject({ isKnown: true, isExtrapolated });
  });
});

describe('beyond the tables the equation goes on as others do', () => {
  // Emerson et al. (1975): pKa = 0.09018 + 2729.92 / K, fresh water; read at 36–40 °C, beyond its own 30 °C.
  test.each([36, 38, 40])(
    'at %d °C it is no milder than Emerson’s in fresh water, and at most 13 %% higher',
    (temperatureC) => {
      for (const ph of [7.5, 8, 8.5, 9]) {
        const pKa = 0.09018 + 2729.92 / (temperatureC + 273.15);
        const emerson = 100 / (1 + 10 ** (pKa - ph));
        const ours = percentOf({ temperatureC, ph, salinityPpt: 0 });
        expect(ours / emerson).toBeGreaterThan(1);
        expect(ours / emerson).toBeLessThan(1.13);
      }
    },
  );

  // Emerson's 0.0018 to 0.0171 of pKa above the sea's equation at 0 ppt: 1 in 250 to 1 in 25 of NH3
  test('fresh water is Emerson’s from 5 to 30 °C, the sea’s from 18 ppt and from 32 °C, in between between them', () => {
    const part = (pKa: number, ph: number) => 100 / (1 + 10 ** (pKa - ph));
    const freshPKa = (temperatureC: number) => 0.09018 + 2729.92 / (temperatureC + 273.15);
    const seaPKa = (temperatureC: number, salinityPpt: number) =>
      9.245 +
      (0.1557 * 19.9273 * salinityPpt) / (1000 - 1.005109 * salinityPpt) +
      0.0324 * (298 - temperatureC - 273.15) +
      0.0415 / (temperatureC + 273.15);
    for (const temperatureC of [5, 10, 20, 25, 28, 30])
      expect(percentOf({ temperatureC, ph: 8, salinityPpt: 0 })).toBeCloseTo(
        part(freshPKa(temperatureC), 8),
        9,
      );
    const water = fc.record({
      temperatureC: fc.double({ min: 5, max: 40, noNaN: true }),
      ph: fc.double({ min: 6, max: 10, noNaN: true }),
      salinityPpt: fc.double({ min: 0, max: 45, noNaN: true }),
    });
    fc.assert(
      fc.property(water, (sample) => {
        const { temperatureC, ph, salinityPpt } = sample;
        const sea = part(seaPKa(temperatureC, salinityPpt), ph);
        const emerson = part(
          freshPKa(temperatureC) + seaPKa(temperatureC, salinityPpt) - seaPKa(temperatureC, 0),
          ph,
        );
        const ours = percentOf(sample);
        if (salinityPpt >= 18 || temperatureC >= 32) expect(ours / sea).toBeCloseTo(1, 9);
        expect(ours).toBeGreaterThanOrEqual(Math.min(sea, emerson) * (1 - 1e-9));
        expect(ours).toBeLessThanOrEqual(Math.max(sea, emerson) * (1 + 1e-9));
        // beyond the 30 °C of fresh water never milder than its equation
        if (temperatureC > 30) expect(ours).toBeGreaterThanOrEqual(emerson * (1 - 1e-9));
      }),
    );
  });

  test('there is no cliff at any seam: 30 and 32 °C, 18 ppt, 36 ppt, 35 °C, 45 ppt, 40 °C', () => {
    const at = (water: Partial<AmmoniaWater>) =>
      worstOf({ tanMgL: 3, temperatureC: 30, ph: 8.6, salinityPpt: 36, ...water });
    for (const salinityPpt of [36, 45])
      expect(at({ salinityPpt: salinityPpt + 0.1 }) / at({ salinityPpt })).toBeCloseTo(1, 2);
    for (const salinityPpt of [0, 9, 18, 36]) {
      for (const temperatureC of [30, 32, 35, 40])
        expect(
          at({ salinityPpt, temperatureC: temperatureC + 1e-6 }) /
            at({ salinityPpt, temperatureC: temperatureC - 1e-6 }),
        ).toBeCloseTo(1, 5);
      for (const temperatureC of [5, 29, 31, 33])
        expect(
          at({ temperatureC, salinityPpt: salinityPpt + 1e-6 }) / at({ temperatureC, salinityPpt }),
        ).toBeCloseTo(1, 5);
    }
    for (const temperatureC of [35, 40])
      expect(at({ temperatureC: temperatureC + 0.1 }) / at({ temperatureC })).toBeCloseTo(1, 1);
  });
});

test('the total that belongs to a measured NH₃-N is the way back', () => {
  const water = { temperatureC: 28, ph: 8, salinityPpt: 20 };
  // everyday pond water: 1.2 mg/L as NH3-N would need 20 mg/L of total ammonia
  expect(tanOf(worstPlausible, 1.2, water)).toEqual({
    isKnown: true,
    mgL: expect.closeTo(20.5, 1) as unknown,
    isExtrapolated: false,
  });
});

test('the un-ionised part is a part of the total, larger in warmer, more alkaline and fresher water', () => {
  const water = fc.record({
    tanMgL: fc.double({ min: 0.01, max: 100, noNaN: true }),
    temperatureC: fc.double({ min: 5, max: 39, noNaN: true }),
    ph: fc.double({ min: 6, max: 9.9, noNaN: true }),
    salinityPpt: fc.double({ min: 1, max: 45, noNaN: true }),
  });
  const steps = fc.constantFrom(0.01, 0.1, 1);
  fc.assert(
    fc.property(water, steps, (sample, step) => {
      const here = unionizedAmmoniaMgL(sample);
      const warmer = unionizedAmmoniaMgL({ ...sample, temperatureC: sample.temperatureC + step });
      const moreAlkaline = unionizedAmmoniaMgL({ ...sample, ph: sample.ph + step / 10 });
      expect(here).toBeGreaterThan(0);
      expect(here).toBeLessThan(sample.tanMgL);
      expect(warmer).toBeGreaterThan(here);
      expect(moreAlkaline).toBeGreaterThan(here);
      expect(unionizedAmmoniaMgL({ ...sample, salinityPpt: sample.salinityPpt - step })).toBeGreaterThan(
        here,
      );
    }),
  );
});
