import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { growthCurve } from '#science/growth.ts';
import { type GrowthTrendWord, growthTrend, type Weighing } from '#science/growth-trend.ts';

const settings = SCIENCE_DEFAULTS.growthTrend;
const curve = growthCurve(SCIENCE_DEFAULTS.growth, 'vannamei');

const aWeighing = (day: number, weightG: number, sampleSize: number | null = 100): Weighing => ({
  day,
  weightG,
  sampleSize,
  cvPercent: null,
});
const weekly = (...weightsG: number[]) => weightsG.map((weightG, week) => aWeighing(30 + 7 * week, weightG));

describe('worked weighings, a hundred shrimp a week', () => {
  test.each([
    ['the same gain every week', [5, 6, 7, 8, 9], 'STEADY', 0, 0],
    ['twice the gain in the last week', [5, 6, 7, 8, 10], 'ACCELERATING', 1, 2.7],
    ['nearly no gain in the last week', [5, 6.3, 7.6, 8.9, 9.2], 'DECLINING', -0.77, -2.6],
  ])('%s', (_, weightsG, trend, change, z) => {
    expect(growthTrend(settings, curve, weekly(...weightsG))).toEqual({
      trend,
      change: expect.closeTo(change, 2),
      z: expect.closeTo(z, 1),
    });
  });

  test('a large change is steady growth as long as the sample is too small to show it', () => {
    const small = [5, 6, 7, 8, 10].map((weightG, week) => aWeighing(30 + 7 * week, weightG, 15));
    const trend = growthTrend(settings, curve, small);
    expect(trend.change).toBeCloseTo(1, 2);
    expect(trend.trend).toBe('STEADY');
  });

  test('a certain but small change is steady growth', () => {
    const sure = [5, 6, 7, 8, 9.1].map((weightG, week) => aWeighing(30 + 7 * week, weightG, 100_000));
    const trend = growthTrend(settings, curve, sure);
    expect(trend.z).toBeGreaterThan(1.28);
    expect(trend.trend).toBe('STEADY');
  });
});

describe('size is allowed for', () => {
  test('young shrimp on their curve gain more every week, and that is steady', () => {
    const onCurve = [20, 27, 34, 41].map((day, week) =>
      aWeighing(day, [0.347, 0.687, 1.155, 1.767][week] ?? 0, 1000),
    );
    const trend = growthTrend(settings, curve, onCurve);
    expect(trend.trend).toBe('STEADY');
    expect(Math.abs(trend.change ?? 1)).toBeLessThan(0.1);
  });
});

describe('few weighings', () => {
  test.each([
    ['none', [], null],
    ['one', weekly(5), null],
    ['two without a stocking weight', weekly(5, 6), null],
    ['one with a stocking weight', weekly(5), aWeighing(0, 0.01)],
  ])('%s are steady and cannot be compared', (_, weighings, stocking) => {
    expect(growthTrend(settings, curve, weighings, stocking)).toEqual({
      trend: 'STEADY',
      change: null,
      z: null,
    });
  });

  test('two are compared with the time since stocking', () => {
    const trend = growthTrend(settings, curve, weekly(2, 2), aWeighing(0, 0.01));
    expect(trend.trend).toBe('DECLINING');
    expect(trend.change).toBeCloseTo(-1, 10);
  });

  test('the stocking weight does not join three weighings', () => {
    const weighings = weekly(5, 6, 7);
    expect(growthTrend(settings, curve, weighings, aWeighing(0, 0.01))).toEqual(
      growthTrend(settings, curve, weighings),
    );
  });
});

describe('weighings close together', () => {
  test('of one day are one weighing with all their shrimp', () => {
    const twice = [...weekly(5, 6, 7, 8), aWeighing(58, 9, 50), aWeighing(58, 11, 50)];
    expect(growthTrend(settings, curve, twice)).toEqual(growthTrend(settings, curve, weekly(5, 6, 7, 8, 10)));
  });

  test('under three days apart are one interval', () => {
    const hasty = [...weekly(5, 6, 7, 8), aWeighing(56, 12), aWeighing(58, 10)];
    expect(growthTrend(settings, curve, hasty)).toEqual(growthTrend(settings, curve, weekly(5, 6, 7, 8, 10)));
  });

  test('count in order of age, however they are listed', () => {
    const listed = weekly(5, 6, 7, 8, 10);
    expect(growthTrend(settings, curve, listed.toReversed())).toEqual(growthTrend(settings, curve, listed));
  });
});

describe('a batch that stood still or lost weight', () => {
  test('and grows again is accelerating', () => {
    expect(growthTrend(settings, curve, weekly(8, 7.9, 7.8, 7.7, 9.5)).trend).toBe('ACCELERATING');
  });

  test('and now loses more is declining', () => {
    expect(growthTrend(settings, curve, weekly(8, 7.9, 7.8, 7.7, 5.5)).trend).toBe('DECLINING');
  });

  test('and goes on standing still is steady', () => {
    expect(growthTrend(settings, curve, weekly(8, 8, 8, 8, 8)).trend).toBe('STEADY');
  });
});

test('any weighings give one of the three words, and numbers or nothing', () => {
  const weighings = fc.array(
    fc.record({
      day: fc.integer({ min: 0, max: 150 }),
      weightG: fc.double({ min: 0.003, max: 60, noNaN: true }),
      sampleSize: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
      cvPercent: fc.option(fc.double({ min: 1, max: 90, noNaN: true }), { nil: null }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(weighings, (each) => {
      const { trend, change, z } = growthTrend(settings, curve, each);
      expect(['ACCELERATING', 'STEADY', 'DECLINING']).toContain(trend);
      if (change !== null) expect(Number.isFinite(change)).toBe(true);
      if (z !== null) expect(Number.isFinite(z)).toBe(true);
    }),
  );
});

describe('simulated ponds, weekly weighings of shrimp that vary by 25 %', () => {
  // 3,000 ponds of each kind: the standard error of a share is below 1 point.
  const PONDS = 3000;

  test.each([50, 100, 200])(
    'steady growth is called anything else in about 10 %% of ponds on each side (n = %s)',
    (sampleSize) => {
      const shares = sharesOf({ lastGain: 1, sampleSize });
      for (const share of [shares.DECLINING, shares.ACCELERATING]) {
        expect(share).toBeGreaterThan(0.08);
        expect(share).toBeLessThan(0.12);
      }
    },
  );

  test.each([
    [50, 0.77],
    [100, 0.94],
    [200, 0.99],
  ])('growth that stopped is found with %s shrimp in at least a share of %s', (sampleSize, least) => {
    expect(sharesOf({ lastGain: 0, sampleSize }).DECLINING).toBeGreaterThan(least);
  });

  test.each([
    [50, 0.31],
    [100, 0.43],
    [200, 0.62],
  ])('growth lower by 40 %% is found with %s shrimp in at least a share of %s', (sampleSize, least) => {
    expect(sharesOf({ lastGain: 0.6, sampleSize }).DECLINING).toBeGreaterThan(least);
  });

  /** Ponds of 6, 7.5, 9 and 10.5 g, then `lastGain` times 1.5 g; each mean as a sample would find it. */
  function sharesOf(pond: { lastGain: number; sampleSize: number }) {
    const normal = normalNumbers(20_250_517);
    const truthG = [6, 7.5, 9, 10.5, 10.5 + 1.5 * pond.lastGain];
    const counts: Record<GrowthTrendWord, number> = { ACCELERATING: 0, STEADY: 0, DECLINING: 0 };
    for (let each = 0; each < PONDS; each += 1) {
      const weighings = truthG.map((weightG, week) => {
        const errorG = (normal() * 0.25 * weightG) / Math.sqrt(pond.sampleSize);
        return aWeighing(40 + 7 * week, weightG + errorG, pond.sampleSize);
      });
      counts[growthTrend(settings, curve, weighings).trend] += 1;
    }
    return {
      ACCELERATING: counts.ACCELERATING / PONDS,
      DECLINING: counts.DECLINING / PONDS,
    };
  }
});

/** Seeded standard normal numbers (Box–Muller over a linear congruential generator). */
function normalNumbers(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
