import { describe, expect, test } from 'vitest';
import { calendarDay, figure, grams, percent } from '#science/advice/language.ts';

describe('a number', () => {
  test.each([
    [12345.6, 1, '12.345,6', '12,345.6'],
    [1234, 0, '1.234', '1,234'],
    [8.4, 2, '8,40', '8.40'],
    [-3.25, 1, '-3,3', '-3.3'],
    [-0.001, 2, '0,00', '0.00'],
    [-0.06, 1, '-0,1', '-0.1'],
    [0, 0, '0', '0'],
  ])('%s with %s decimals', (n, decimals, portuguese, english) => {
    expect(figure(n, decimals, 'pt-BR')).toBe(portuguese);
    expect(figure(n, decimals, 'en')).toBe(english);
  });
});

test.each([
  [0.0034, '0,003 g', '0.003 g'],
  [0.347, '0,347 g', '0.347 g'],
  [8.4, '8,40 g', '8.40 g'],
  [12.44, '12,4 g', '12.4 g'],
])('a weight of %s g has the precision of scales', (weightG, portuguese, english) => {
  expect(grams(weightG, 'pt-BR')).toBe(portuguese);
  expect(grams(weightG, 'en')).toBe(english);
});

test.each([
  [7.75, '7,8%', '7.8%'],
  [-7.75, '7,8%', '7.8%'],
  [5, '5%', '5%'],
  [4.98, '5%', '5%'],
  [12.4, '12%', '12%'],
])('a share of %s', (share, portuguese, english) => {
  expect(percent(share, 'pt-BR')).toBe(portuguese);
  expect(percent(share, 'en')).toBe(english);
});

test('a day', () => {
  expect(calendarDay('2025-09-07', 'pt-BR')).toBe('07/09/2025');
  expect(calendarDay('2025-09-07', 'en')).toBe('7 September 2025');
});
