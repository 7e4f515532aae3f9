import { expect, test } from 'vitest';
import { oxygenSaturationMgL, oxygenSaturationPercent } from '#science/oxygen-saturation.ts';

// Published tables: published.test.ts.
test.each([
  [-0.1, 10],
  [40.1, 10],
  [28, -0.1],
  [28, 40.1],
  [Number.NaN, 10],
])('at %d °C and %d ppt nobody knows', (temperatureC, salinityPpt) => {
  expect(oxygenSaturationMgL(temperatureC, salinityPpt)).toBeNull();
  expect(oxygenSaturationPercent({ oxygenMgL: 5, temperatureC, salinityPpt })).toBeNull();
});
