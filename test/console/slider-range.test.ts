import { expect, it } from 'vitest';
import { rangeAround } from '../../desktop/console/state/typed-value.ts';

it.each([
  [25, { min: 12.5, max: 37.5, step: 0.5 }],
  [6.2, { min: 3.1, max: 9.3, step: 0.05 }],
  [400, { min: 200, max: 600, step: 5 }],
])('another price than %s is tried from half of it to half as much again', (value, range) => {
  expect(rangeAround(value)).toEqual(range);
});
