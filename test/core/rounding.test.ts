import { describe, expect, it } from 'vitest';
import { grams, kilograms, money, percent, roundTo } from '#core/rounding.ts';

describe('figures leave rounded as people would round them', () => {
  it.each([
    [1.005, 2, 1.01],
    [2.675, 2, 2.68],
    [1.4949999, 2, 1.49],
    [-1.005, 2, -1.01],
    [0.0000004, 4, 0],
    [-0.001, 2, 0],
    [1e21, 2, 1e21],
    [123_456_789_012.345, 2, 123_456_789_012.35],
    [5e-7, 6, 0.000001],
  ])('%d to %d decimals is %d', (value, decimals, rounded) => {
    expect(roundTo(value, decimals)).toBe(rounded);
  });

  it('weights below a gram keep four decimals, kilograms three, money and percent two', () => {
    expect([grams(0.00321), grams(0.99996), grams(12.345), grams(-0.12345)]).toEqual([
      0.0032, 1, 12.35, -0.1235,
    ]);
    expect([kilograms(2066.40049), money(9.995), percent(33.333)]).toEqual([2066.4, 10, 33.33]);
  });

  it('what is not known stays so', () => {
    expect([grams(null), percent(null)]).toEqual([null, null]);
  });
});
