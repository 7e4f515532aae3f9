import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type TrendDirection, trendOf } from '#science/parameter-trend.ts';
import { WATER_PARAMETERS, type WaterParameter } from '#science/water-limits.ts';
import { createRandom } from '#sim/random.ts';

const { trends } = SCIENCE_DEFAULTS;
const daysOf = (averages: readonly number[]) => averages.map((average, day) => ({ day, average }));
const directionOf = (parameter: WaterParameter, averages: readonly number[]) =>
  trendOf(trends, parameter, daysOf(averages)).direction;

describe('plain cases', () => {
  test.each<[string, WaterParameter, number[], TrendDirection]>([
    ['nothing measured', 'dissolved_oxygen', [], 'STABLE'],
    ['one day', 'dissolved_oxygen', [5], 'STABLE'],
    ['two days, however far apart', 'dissolved_oxygen', [9, 2], 'STABLE'],
    ['three days of straight fall', 'dissolved_oxygen', [6, 5, 4], 'DECREASING'],
    ['three days without direction', 'dissolved_oxygen', [5, 5.6, 4.9], 'STABLE'],
    ['four days, too ragged to tell', 'temperature', [27, 29.4, 27.4, 29], 'STABLE'],
    ['a fall smaller than what matters', 'dissolved_oxygen', [5.4, 5.3, 5.2, 5.1, 5, 4.95], 'STABLE'],
    ['a fall that matters', 'dissolved_oxygen', [5.6, 5.4, 5.2, 5.1, 5, 4.9], 'DECREASING'],
    ['a rise that matters', 'nitrite', [0.02, 0.03, 0.05, 0.06, 0.08, 0.1], 'INCREASING'],
    ['wild swings', 'dissolved_oxygen', [3, 7, 4, 8, 3.5, 7.5, 4, 7, 3], 'VOLATILE'],
    ['all days alike', 'ph', [8, 8, 8, 8, 8, 8], 'STABLE'],
  ])('%s', (_what, parameter, averages, direction) => {
    expect(directionOf(parameter, averages)).toBe(direction);
  });

  test('one bad probe day does not turn a trend', () => {
    const falling = [6.0, 5.9, 5.8, 5.7, 5.6, 5.5, 5.4, 5.3, 5.2, 5.1];
    const withSpike = falling.with(7, 12);
    expect(trendOf(trends, 'dissolved_oxygen', daysOf(withSpike)).slopePerDay).toBeCloseTo(-0.1, 2);
    expect(directionOf('dissolved_oxygen', withSpike)).toBe('DECREASING');
  });

  test('days that were not measured keep their place in time', () => {
    const sparse = [0, 1, 2, 10, 11, 12].map((day) => ({ day, average: 8 - 0.1 * day }));
    expect(trendOf(trends, 'dissolved_oxygen', sparse)).toMatchObject({
      direction: 'DECREASING',
      slopePerDay: expect.closeTo(-0.1, 9),
      change: expect.closeTo(-1.2, 9),
      residualSd: expect.closeTo(0, 9),
    });
  });
});

describe('the statistics are those of the text books', () => {
  // Gilbert (1987), Statistical Methods for Environmental Pollution Monitoring, sec. 16.4: of n = 10 in perfect
  // order S = 45; Var S = 10·9·25/18 = 125, z = 44/√125 = 3.935, two-sided p = 8.3e-5.
  test('ten values in order', () => {
    const { pValue } = trendOf(trends, 'salinity', daysOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(pValue).toBeCloseTo(8.3e-5, 6);
  });

  // n = 5 in order: S = 10, Var S = 5·4·15/18 = 16.67, z = 9/4.082 = 2.205, p = 0.0275.
  test('five values in order', () => {
    expect(trendOf(trends, 'salinity', daysOf([1, 2, 3, 4, 5])).pValue).toBeCloseTo(0.0275, 4);
  });

  // 1 1 2 2 3 3 by hand: S = 12, ties of 2 three times: Var S = (6·5·17 − 3·2·1·9)/18 = 25.33, z = 11/5.033 = 2.186,
  // p = 0.02885; without the correction it would be 0.0388.
  test('ties make the test sharper', () => {
    expect(trendOf(trends, 'salinity', daysOf([1, 1, 2, 2, 3, 3])).pValue).toBeCloseTo(0.02885, 4);
  });

  // 5 3 6 4 7 2 by hand: 7 rises, 8 falls, so S = −1 and, continuity corrected, p = 1.
  test('no order at all', () => {
    expect(trendOf(trends, 'salinity', daysOf([5, 3, 6, 4, 7, 2])).pValue).toBeCloseTo(1, 6);
  });

  // 3 4 6 by hand: slopes 1, 2 and 1.5, the median 1.5; residuals 0, −0.5, 0 about the median line.
  test('slope is the median of the pairs, scatter is about that line', () => {
    const found = trendOf(trends, 'salinity', daysOf([3, 4, 6]));
    expect(found).toMatchObject({ slopePerDay: 1.5, change: 3, residualSd: 0.5, pValue: null });
  });
});

describe('simulated months of 30 days', () => {
  const RUNS = 400;
  /** Normal scatter, Box–Muller. */
  function normal(random: () => number): number {
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  }
  function shareOf(
    direction: TrendDirection,
    month: { parameter: WaterParameter; noiseSd: number; change: number; seed: number },
  ): number {
    const random = createRandom(month.seed);
    let hits = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const averages = Array.from(
        { length: 30 },
        (_, day) => 10 + (month.change * day) / 29 + month.noiseSd * normal(random),
      );
      if (directionOf(month.parameter, averages) === direction) hits += 1;
    }
    return hits / RUNS;
  }
  /** Scatter of the daily averages of a quiet pond, in the parameter's unit. */
  const QUIET: Readonly<Record<WaterParameter, number>> = {
    temperature: 0.7,
    dissolved_oxygen: 0.45,
    ph: 0.12,
    salinity: 0.8,
    alkalinity: 7,
    ammonia: 0.03,
    nitrite: 0.03,
    nitrate: 2,
    transparency: 3,
  };

  test.each(WATER_PARAMETERS)('%s: noise alone is called a trend in at most 5 of 100 months', (parameter) => {
    const month = { parameter, noiseSd: QUIET[parameter], change: 0, seed: 4242 };
    expect(shareOf('STABLE', month)).toBeGreaterThanOrEqual(0.95);
  });

  test.each(WATER_PARAMETERS)(
    '%s: twice the change that matters is seen in 85 of 100 months',
    (parameter) => {
      const change = 2 * trends.leastChange[parameter];
      const month = { parameter, noiseSd: QUIET[parameter], seed: 99 };
      expect(shareOf('INCREASING', { ...month, change })).toBeGreaterThan(0.85);
      expect(shareOf('DECREASING', { ...month, change: -change })).toBeGreaterThan(0.85);
    },
  );

  test('oxygen that swings by 1.6 mg/L from day to day is VOLATILE', () => {
    const month = { parameter: 'dissolved_oxygen', noiseSd: 1.6, change: 0, seed: 7 } as const;
    expect(shareOf('VOLATILE', month)).toBeGreaterThan(0.9);
  });
});

test('turning the values over turns the trend over, and moving them changes nothing', () => {
  const opposite = {
    INCREASING: 'DECREASING',
    DECREASING: 'INCREASING',
    STABLE: 'STABLE',
    VOLATILE: 'VOLATILE',
  };
  const tenths = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 3, maxLength: 30 });
  fc.assert(
    fc.property(tenths, (values) => {
      const found = directionOf(
        'dissolved_oxygen',
        values.map((each) => each / 16),
      );
      expect(
        directionOf(
          'dissolved_oxygen',
          values.map((each) => -each / 16),
        ),
      ).toBe(opposite[found]);
      expect(
        directionOf(
          'dissolved_oxygen',
          values.map((each) => 4 + each / 16),
        ),
      ).toBe(found);
    }),
  );
});

test('a year of days is done in well under a second', () => {
  const random = createRandom(1);
  const year = Array.from({ length: 366 }, () => 5 + random());
  // work, not time that others had the machine
  const before = process.threadCpuUsage();
  expect(directionOf('dissolved_oxygen', year)).toBe('STABLE');
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(500);
});
