import { expect, it } from 'vitest';
import {
  chosen,
  joined,
  panned,
  showing,
  valueNear,
  zoomed,
} from '../../desktop/console/state/chart-range.ts';

const DAY = { from: 0, to: 24 };

it('coming nearer keeps the instant under the pointer where it is, and ends at the edges of the day', () => {
  expect(zoomed(null, DAY, 2, 12)).toEqual({ from: 6, to: 18 });
  expect(zoomed(null, DAY, 2, 0)).toEqual({ from: 0, to: 12 });
  expect(zoomed({ from: 20, to: 24 }, DAY, 0.5, 24)).toEqual({ from: 16, to: 24 });
});

it('as wide as the day is the whole day', () => {
  expect(zoomed({ from: 6, to: 18 }, DAY, 0.5, 12)).toBeNull();
  expect(chosen(24, 0, DAY)).toBeNull();
});

it('a part drawn backwards is the same part', () => {
  expect(chosen(18, 6, DAY)).toEqual({ from: 6, to: 18 });
});

it('who moves on stops at the end of the day, and the whole day does not move', () => {
  expect(panned({ from: 6, to: 12 }, DAY, 0.5)).toEqual({ from: 9, to: 15 });
  expect(panned({ from: 18, to: 24 }, DAY, 1)).toEqual({ from: 18, to: 24 });
  expect(panned(null, DAY, 1)).toBeNull();
});

it('the view goes along until the reading is seen', () => {
  expect(showing({ from: 6, to: 12 }, DAY, 8)).toEqual({ from: 6, to: 12 });
  expect(showing({ from: 6, to: 12 }, DAY, 14)).toEqual({ from: 8, to: 14 });
  expect(showing({ from: 6, to: 12 }, DAY, 2)).toEqual({ from: 2, to: 8 });
});

it('two ponds measured at different hours share one axis, and neither has a figure of the other', () => {
  expect(
    joined([
      { x: [1, 3], values: [5.1, 5.3] },
      { x: [2, 3], values: [4.2, null] },
    ]),
  ).toEqual({
    x: [1, 2, 3],
    values: [
      [5.1, null, 5.3],
      [null, 4.2, null],
    ],
  });
});

it('beside a reading it is told, farther away nothing is', () => {
  const line = { x: [0, 1, 2, 9], values: [null, null, 5.5, null] };
  expect(valueNear(line, 1, 1)).toBe(5.5);
  expect(valueNear(line, 0, 1)).toBeNull();
  expect(valueNear(line, 3, 1)).toBeNull();
});
