import { expect, test } from 'vitest';
import { dateAfter, daysBetween, laterOf } from '#science/local-date.ts';

test.each([
  ['2025-05-12', 5, '2025-05-17'],
  ['2024-02-28', 1, '2024-02-29'],
  ['2025-12-31', 1, '2026-01-01'],
  ['2025-03-01', -1, '2025-02-28'],
  // Summer time began in Brazil on this night of 2018.
  ['2018-11-03', 1, '2018-11-04'],
])('%s and %s days is %s', (date, days, after) => {
  expect(dateAfter(date, days)).toBe(after);
  expect(daysBetween(date, after)).toBe(days);
});

test('the later of two days', () => {
  expect(laterOf('2025-05-12', '2025-06-01')).toBe('2025-06-01');
  expect(laterOf('2026-01-01', '2025-06-01')).toBe('2026-01-01');
});
