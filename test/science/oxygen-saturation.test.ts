import { describe, expect, test } from 'vitest';
import { oxygenSaturationMgL, oxygenSaturationPercent } from '#science/oxygen-saturation.ts';

describe('oxygen at saturation agrees with published tables', () => {
  // Table of EN 25814 as printed in ProMinent's manual of the DULCOTEST DO 1 probe, p. 52: fresh water, 1 atm, mg/L.
  test.each([
    [0, 14.6],
    [10, 11.3],
    [16, 9.87],
    [18, 9.47],
    [20, 9.09],
    [22, 8.74],
    [24, 8.42],
    [25, 8.26],
    [26, 8.11],
    [28, 7.83],
    [29, 7.69],
    [30, 7.56],
  ])('fresh water of %d °C holds %d mg/L', (temperatureC, published) => {
    const digits = published < 10 ? 0.006 : 0.06;
    expect(Math.abs((oxygenSaturationMgL(temperatureC, 0) ?? 0) - published)).toBeLessThan(digits);
  });

  // Benson & Krause (1984), the values the USGS tables give; mg/L at 0, 15, 25 and 35 ppt.
  test.each([
    [20, 9.09, 8.32, 7.85, 7.4],
    [24, 8.42, 7.73, 7.3, 6.89],
    [26, 8.11, 7.45, 7.05, 6.66],
    [28, 7.83, 7.2, 6.81, 6.44],
    [30, 7.56, 6.96, 6.59, 6.24],
    [32, 7.3, 6.73, 6.38, 6.04],
    [34, 7.06, 6.52, 6.18, 5.86],
  ])('at %d °C', (temperatureC, ...published) => {
    const found = [0, 15, 25, 35].map((ppt) => oxygenSaturationMgL(temperatureC, ppt) ?? Number.NaN);
    found.forEach((mgL, i) => expect(Math.abs(mgL - (published[i] ?? Number.NaN))).toBeLessThan(0.006));
  });

  // L. Vinatea (Marine Shrimp Laboratory, UFSC): measured in shrimp tanks, with his tabled saturation, per cent.
  test.each([
    [15, 24, 1.2, 7.7, 15.5],
    [15, 27, 12.9, 7.3, 176.7],
    [40, 28, 1.2, 6.2, 19.3],
    [40, 33, 12.9, 5.7, 226.3],
  ])('at %d ppt and %d °C %d mg/L of %d are %d %%', (salinityPpt, temperatureC, oxygenMgL, full, percent) => {
    expect(Math.abs((oxygenSaturationMgL(temperatureC, salinityPpt) ?? 0) - full)).toBeLessThan(0.1);
    const found = oxygenSaturationPercent({ oxygenMgL, temperatureC, salinityPpt }) ?? Number.NaN;
    expect(Math.abs(found / percent - 1)).toBeLessThan(0.02);
  });
});

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
