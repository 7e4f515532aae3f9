import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  daysToReach,
  expectedDailyGainG,
  expectedWeightG,
  growthCurve,
  instantaneousGrowthGPerDay,
  pondCurve,
} from '#science/growth.ts';
import { warmDaysByDay } from '#science/temperature-factor.ts';

const { growth } = SCIENCE_DEFAULTS;
const vannamei = growthCurve(growth, 'vannamei');
const monodon = growthCurve(growth, 'monodon');

// Computed apart from this program from the two curves, rounded to the digits shown.
const CHECK_TABLE = `
day  v0.003  v-adg  v-inst v0.01  v1.0   m0.01   m-adg  m0.5
0    0.003   -      0.002  0.010  1.00   0.010   -      0.50
10   0.081   0.008  0.016  0.125  1.86   0.218   0.021  1.42
20   0.347   0.017  0.038  0.447  3.01   0.856   0.042  2.88
30   0.866   0.029  0.066  1.032  4.43   2.021   0.067  4.86
40   1.670   0.042  0.095  1.906  6.11   3.725   0.093  7.30
50   2.763   0.055  0.124  3.067  8.00   5.928   0.118  10.14
60   4.136   0.069  0.150  4.503  10.09  8.564   0.143  13.28
70   5.764   0.082  0.175  6.189  12.33  11.552  0.165  16.66
80   7.619   0.095  0.196  8.094  14.68  14.813  0.185  20.19
90   9.669   0.107  0.214  10.185 17.13  18.267  0.203  23.81
100  11.879  0.119  0.228  12.429 19.65  21.845  0.218  27.45
110  14.217  0.129  0.239  14.793 22.19  25.482  0.232  31.08
120  16.651  0.139  0.247  17.246 24.75  29.127  0.243  34.65
130  19.153  0.147  0.253  19.759 27.30  32.734  0.252  38.13
140  21.694  0.155  0.255  22.306 29.83  36.267  0.259  41.50
150  24.252  0.162  0.256  24.865 32.32  39.697  0.265  44.73`;

const CHECKS = rowsOf(CHECK_TABLE);

describe('expected weight, g, and gain, g/day, at 28 °C', () => {
  test.each(CHECKS)('on day %s', (day, ...cells) => {
    const d = Number(day);
    const gainSince = (curve: typeof vannamei, fromG: number) =>
      d === 0 ? null : expectedDailyGainG(curve, fromG, { day: d, warmDays: d });
    const answers = [
      expectedWeightG(vannamei, 0.003, d),
      gainSince(vannamei, 0.003),
      instantaneousGrowthGPerDay(vannamei, expectedWeightG(vannamei, 0.003, d)),
      expectedWeightG(vannamei, 0.01, d),
      expectedWeightG(vannamei, 1, d),
      expectedWeightG(monodon, 0.01, d),
      gainSince(monodon, 0.01),
      expectedWeightG(monodon, 0.5, d),
    ];
    expect(answers.map((answer, column) => roundedLike(cells[column], answer))).toEqual(cells);
  });

  test.each([
    [22, '.24', '.98', '2.33', '4.29'],
    [26, '.78', '3.39', '7.83', '13.6'],
    [30, '1.14', '4.96', '11.1', '18.7'],
    [34, '.67', '2.91', '6.77', '11.9'],
  ])('%s °C all along, 0.01 g vannamei on days 30, 60, 90, 120', (temperatureC, ...weights) => {
    const warmDays = warmDaysByDay(
      growth,
      Array.from({ length: 120 }, () => temperatureC),
    );
    const answers = [30, 60, 90, 120].map((day) =>
      expectedWeightG(vannamei, 0.01, warmDays[day] ?? Number.NaN),
    );
    expect(answers.map((answer, at) => roundedLike(weights[at], answer))).toEqual(
      weights.map((weight) => weight.replace(/^\./, '0.')),
    );
  });

  test('on day 0 the expected gain is that of the first day', () => {
    expect(expectedDailyGainG(vannamei, 1, { day: 0, warmDays: 0 })).toBeCloseTo(0.0715, 4);
  });
});

// Published figures: published.test.ts.

describe("a pond's own pace", () => {
  const stockedWith = (initialWeightG: number, day: number, weightG: number) =>
    pondCurve(growth, 'vannamei', { initialWeightG, lastWeighing: { day, weightG } }).ratePerDay;

  test('without a weighing is that of the species', () => {
    expect(pondCurve(growth, 'monodon', { initialWeightG: 0.01, lastWeighing: null })).toEqual(monodon);
  });

  test('before day 14 is that of the species, however heavy the shrimp', () => {
    expect(stockedWith(0.01, 13, 3)).toBe(0.0072);
  });

  test('is the rate that leads through the last weighing', () => {
    // The fast line weighs 19.6 g on day 100 (cautious farm: 8.3 g).
    expect(stockedWith(0.003, 100, 19.6)).toBeCloseTo(0.0095, 4);
    expect(stockedWith(0.003, 100, 8.3)).toBeCloseTo(0.006, 4);
  });

  test('stays within half and twice the rate of the species', () => {
    expect(stockedWith(1, 60, 1.1)).toBeCloseTo(0.0036, 10);
    expect(stockedWith(1, 60, 0.8)).toBeCloseTo(0.0036, 10);
    expect(stockedWith(1, 20, 30)).toBeCloseTo(0.0144, 10);
    expect(stockedWith(1, 20, 95)).toBeCloseTo(0.0144, 10);
  });
});

describe('days to a weight', () => {
  test('a vannamei postlarva needs 101 days to 12 g', () => {
    expect(daysToReach(vannamei, 0.003, 12)).toSatisfy(within(100, 101));
  });

  test('are none for what is heavy enough, and unknown for what the curve never reaches', () => {
    expect(daysToReach(vannamei, 12, 12)).toBe(0);
    expect(daysToReach(vannamei, 15, 12)).toBe(0);
    expect(daysToReach(vannamei, 12, 80)).toBeNull();
  });
});

describe('any batch', () => {
  const curves = fc.constantFrom(vannamei, monodon);
  const weights = fc.double({ min: 0.001, max: 75, noNaN: true });
  const ages = fc.double({ min: 0, max: 2000, noNaN: true });

  test('never weighs less on a later day, nor more than the curve allows', () => {
    fc.assert(
      fc.property(curves, weights, ages, ages, (curve, fromG, one, other) => {
        const [early, late] = [Math.min(one, other), Math.max(one, other)];
        const earlyG = expectedWeightG(curve, fromG, early);
        const lateG = expectedWeightG(curve, fromG, late);
        expect(earlyG).toBeGreaterThanOrEqual(fromG * (1 - 1e-9));
        expect(lateG).toBeGreaterThanOrEqual(earlyG * (1 - 1e-9));
        expect(lateG).toBeLessThanOrEqual(curve.asymptoticWeightG);
      }),
    );
  });

  test('grows the same in one stretch as in two', () => {
    fc.assert(
      fc.property(curves, weights, ages, ages, (curve, fromG, first, then) => {
        const inTwo = expectedWeightG(curve, expectedWeightG(curve, fromG, first), then);
        expect(inTwo / expectedWeightG(curve, fromG, first + then)).toBeCloseTo(1, 6);
      }),
    );
  });

  test('reaches a weight on the day that was said', () => {
    fc.assert(
      fc.property(curves, weights, weights, (curve, fromG, toG) => {
        fc.pre(toG > fromG);
        const days = daysToReach(curve, fromG, toG) ?? Number.NaN;
        expect(expectedWeightG(curve, fromG, days) / toG).toBeCloseTo(1, 6);
      }),
    );
  });

  test('gains in an hour what its growth of the moment says', () => {
    fc.assert(
      fc.property(curves, weights, (curve, fromG) => {
        const hour = 1 / 24;
        const gainedG = (expectedWeightG(curve, fromG, hour) - fromG) / hour;
        const saidG = instantaneousGrowthGPerDay(curve, fromG + (gainedG * hour) / 2);
        expect(Math.abs(gainedG - saidG)).toBeLessThan(0.01 * saidG + 1e-6);
      }),
    );
  });

  test('weighs before stocking what it weighed at stocking', () => {
    expect(expectedWeightG(vannamei, 1, -5)).toBe(1);
  });

  test('heavier than the curve knows stays what it is', () => {
    expect(expectedWeightG(vannamei, 90, 30)).toBe(90);
    expect(instantaneousGrowthGPerDay(vannamei, 90)).toBe(0);
    expect(instantaneousGrowthGPerDay(vannamei, 0)).toBe(0);
  });
});

function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/ +/));
}

/** As many decimals as the printed cell has; a dash where nothing is expected. */
function roundedLike(cell: string | undefined, answer: number | null): string {
  if (answer === null) return '-';
  return answer.toFixed(cell?.split('.')[1]?.length ?? 0);
}

function within(least: number, most: number) {
  return (value: number | null) => value !== null && value >= least && value <= most;
}
