import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  averageDailyGainG,
  averageWeeklyGainG,
  recentDailyGrowthG,
  specificGrowthRatePercent,
  weeklyGrowthG,
} from '#science/growth.ts';
import { growthStatus, performancePercent, variancePercent } from '#science/growth-trend.ts';

const { growth } = SCIENCE_DEFAULTS;

describe('where a batch stands', () => {
  test.each([
    [10.51, 10, 'ABOVE_EXPECTED'],
    [10.5, 10, 'ON_TRACK'],
    [10, 10, 'ON_TRACK'],
    [9.5, 10, 'ON_TRACK'],
    [9.49, 10, 'BELOW_EXPECTED'],
    // 5 % of these is no round binary number.
    [1.05 * 0.3, 0.3, 'ON_TRACK'],
    [0.95 * 7.3, 7.3, 'ON_TRACK'],
  ])('%s g against %s g expected is %s', (measuredG, expectedG, status) => {
    expect(growthStatus(growth, measuredG, expectedG)).toBe(status);
  });

  test('is unknown when nothing is expected', () => {
    expect(growthStatus(growth, 5, 0)).toBeNull();
    expect(variancePercent(5, 0)).toBeNull();
  });

  test('9 g against 10 g is 10 % below', () => {
    expect(variancePercent(9, 10)).toBeCloseTo(-10, 10);
  });

  test('performance compares daily gains', () => {
    expect(performancePercent(0.11, 0.1)).toBeCloseTo(110, 10);
    expect(performancePercent(null, 0.1)).toBeNull();
    expect(performancePercent(0.1, 0)).toBeNull();
  });
});

describe('gains', () => {
  test('8.5 g on day 85 from 0.01 g are 0.0999 g a day and 0.699 g a week', () => {
    const latest = { day: 85, weightG: 8.5 };
    expect(averageDailyGainG(0.01, latest)).toBeCloseTo(0.0999, 4);
    expect(averageWeeklyGainG(0.01, latest)).toBeCloseTo(0.699, 3);
  });

  test('there is no daily gain on the day of stocking', () => {
    expect(averageDailyGainG(0.01, { day: 0, weightG: 0.01 })).toBeNull();
    expect(averageWeeklyGainG(0.01, { day: 0, weightG: 0.01 })).toBeNull();
  });

  test.each([
    ['no weighing', [], 0],
    ['one weighing, from stocking', [{ day: 14, weightG: 2.01 }], 1],
    [
      'the last of three intervals',
      [
        { day: 30, weightG: 1 },
        { day: 37, weightG: 2 },
        { day: 47, weightG: 4 },
      ],
      1.4,
    ],
    [
      'two weighings of one day',
      [
        { day: 30, weightG: 1 },
        { day: 30, weightG: 2 },
      ],
      0,
    ],
  ])('weekly growth: %s', (_, weighings, weeklyG) => {
    expect(weeklyGrowthG(0.01, weighings)).toBeCloseTo(weeklyG, 10);
  });

  test('growth now is the slope through the last three weighings', () => {
    const weighings = [
      { day: 10, weightG: 0 },
      { day: 30, weightG: 5 },
      { day: 37, weightG: 6.4 },
      { day: 44, weightG: 7.8 },
    ];
    expect(recentDailyGrowthG(weighings)).toBeCloseTo(0.2, 10);
    // A single outlier in the middle does not tilt evenly spaced weighings.
    expect(
      recentDailyGrowthG([
        { day: 0, weightG: 1 },
        { day: 7, weightG: 9 },
        { day: 14, weightG: 2.4 },
      ]),
    ).toBeCloseTo(0.1, 10);
  });

  test('a batch that lost weight grows by nothing, not by less', () => {
    expect(
      recentDailyGrowthG([
        { day: 0, weightG: 5 },
        { day: 7, weightG: 4 },
      ]),
    ).toBe(0);
  });

  test('one weighing, or two of one day, give no slope', () => {
    expect(recentDailyGrowthG([{ day: 7, weightG: 5 }])).toBeNull();
    expect(
      recentDailyGrowthG([
        { day: 7, weightG: 5 },
        { day: 7, weightG: 6 },
      ]),
    ).toBeNull();
  });

  test('doubling in 10 days is 6.93 % a day', () => {
    expect(specificGrowthRatePercent(2, 4, 10)).toBeCloseTo(6.93, 2);
  });

  test.each([
    [0, 4, 10],
    [2, 0, 10],
    [2, 4, 0],
  ])('no specific growth rate from %s g to %s g in %s days', (fromG, toG, days) => {
    expect(specificGrowthRatePercent(fromG, toG, days)).toBeNull();
  });
});
