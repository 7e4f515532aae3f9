import { expect, it } from 'vitest';
import { rangeOf } from '../../desktop/console/components/chart-limits.ts';

it.each([
  ['a nursery that was weighed once', 0.002, 0.002],
  ['a nursery that grew', 0.002, 0.01],
  ['an empty pond', 0, 0],
  ['a whole cycle', 0.001, 12],
])('the axis of %s does not begin below nothing', (_, low, high) => {
  const [from, to] = rangeOf(low, high, []);
  expect(from).toBeGreaterThanOrEqual(0);
  expect(from).toBeLessThanOrEqual(low);
  expect(to).toBeGreaterThan(high);
});

it('of nothing at all it begins there, and what was lost stands below', () => {
  expect(rangeOf(null, null, [])).toEqual([0, 1]);
  expect(rangeOf(-40, 30, [])[0]).toBeLessThan(-40);
});
