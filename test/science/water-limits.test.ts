import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  alertTypesOf,
  comparedValue,
  endsEpisode,
  optimalRange,
  violationsOf,
  WATER_PARAMETERS,
  WATER_UNITS,
  type WaterAlertType,
  type WaterParameter,
  type WaterSample,
} from '#science/water-limits.ts';

const { water } = SCIENCE_DEFAULTS;
const NOTHING: WaterSample = {
  temperature: null,
  dissolved_oxygen: null,
  ph: null,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
};
const aSample = (measured: Partial<WaterSample>): WaterSample => ({ ...NOTHING, ...measured });
const typesIn = (measured: Partial<WaterSample>) =>
  violationsOf(water, aSample(measured)).map(({ type }) => type);

describe('limits of the interface are strict', () => {
  test.each<[WaterParameter, number, number, WaterAlertType]>([
    ['temperature', 26, 25.99, 'LOW_TEMPERATURE'],
    ['temperature', 32, 32.01, 'HIGH_TEMPERATURE'],
    ['dissolved_oxygen', 4, 3.99, 'LOW_OXYGEN'],
    ['ph', 7.5, 7.49, 'LOW_PH'],
    ['ph', 8.5, 8.51, 'HIGH_PH'],
    ['alkalinity', 80, 79.9, 'LOW_ALKALINITY'],
    ['ammonia', 0.1, 0.1001, 'HIGH_AMMONIA'],
    ['nitrite', 0.1, 0.1001, 'HIGH_NITRITE'],
    ['nitrate', 20, 20.1, 'HIGH_NITRATE'],
  ])('%s of %d is good, of %d is %s', (parameter, atLimit, beyond, type) => {
    expect(typesIn({ [parameter]: atLimit })).toEqual([]);
    expect(violationsOf(water, aSample({ [parameter]: beyond }))).toEqual([
      {
        type,
        parameter,
        value: beyond,
        threshold: atLimit,
        measured: beyond,
        nh3: type === 'HIGH_AMMONIA' ? { isKnown: true, mgL: beyond, isExtrapolated: false } : null,
        // salt keeps nitrite and nitrate from harming: how much there is nobody measured
        ...(type === 'HIGH_NITRITE' || type === 'HIGH_NITRATE' ? { isSalinityUnknown: true } : {}),
      },
    ]);
  });

  test.each<[WaterParameter, number]>([
    ['salinity', 0],
    ['salinity', 60],
    ['transparency', 0],
    ['transparency', 200],
    ['alkalinity', 900],
    ['dissolved_oxygen', 12],
  ])('%s of %d raises nothing', (parameter, value) => {
    expect(typesIn({ [parameter]: value })).toEqual([]);
  });

  test('what was not measured raises nothing, what was raises each its own', () => {
    expect(typesIn({})).toEqual([]);
    expect(typesIn({ temperature: 33, dissolved_oxygen: 2, nitrite: 5 })).toEqual([
      'LOW_OXYGEN',
      'HIGH_TEMPERATURE',
      'HIGH_NITRITE',
    ]);
  });

  test('a farm’s own limit counts instead', () => {
    const strict = { ...water, alerts: { ...water.alerts, LOW_OXYGEN: { limit: 5, highFrom: 3.5 } } };
    expect(violationsOf(strict, aSample({ dissolved_oxygen: 4.5 }))).toMatchObject([{ threshold: 5 }]);
  });
});

describe('ammonia given as total', () => {
  const total = { ...water, ammoniaBasis: 'TAN' as const };

  test('1 mg/L at pH 8, 28 °C and 20 ppt is harmless, at pH 8.5 it is not', () => {
    const sample = aSample({ ammonia: 1, temperature: 28, ph: 8, salinity: 20 });
    expect(violationsOf(total, sample)).toEqual([]);
    expect(violationsOf(water, sample)).toMatchObject([{ type: 'HIGH_AMMONIA', value: 1 }]);
    const [found] = violationsOf(total, { ...sample, ph: 8.5 });
    expect(found?.value).toBeCloseTo(0.164, 3);
    expect(found?.nh3).toMatchObject({ isKnown: true, mgL: found?.value });
    expect(found?.measured).toBe(1);
  });

  test('without a pH the worst that is plausible is compared, and the violation says what is missing', () => {
    const sample = aSample({ ammonia: 1, temperature: 28, salinity: 20 });
    const [found] = violationsOf(total, sample);
    // at pH 9.5
    expect(found?.value).toBeCloseTo(0.66, 2);
    expect(found?.nh3).toEqual({ isKnown: false, worstMgL: found?.value, gaps: ['PH_MISSING'] });
    expect(comparedValue(total, sample, 'ammonia')).toBe(found?.value);
  });
});

describe('an episode ends inside the limit by more than the dead band', () => {
  test.each<[WaterAlertType, number, number]>([
    ['LOW_OXYGEN', 4.3, 4.31],
    ['LOW_TEMPERATURE', 26.5, 26.6],
    ['HIGH_TEMPERATURE', 31.5, 31.4],
    ['LOW_PH', 7.6, 7.61],
    ['HIGH_PH', 8.4, 8.39],
    ['LOW_ALKALINITY', 84, 84.1],
    ['HIGH_AMMONIA', 0.0951, 0.0949],
    ['HIGH_NITRITE', 0.0951, 0.0949],
    ['HIGH_NITRATE', 19, 18.9],
  ])('%s is still on at %d, over at %d', (type, still, over) => {
    expect([endsEpisode(water, type, still), endsEpisode(water, type, over)]).toEqual([false, true]);
  });
});

test('the trend answers the optimal ranges of the interface', () => {
  const ranges = Object.fromEntries(WATER_PARAMETERS.map((each) => [each, optimalRange(water, each)]));
  expect(ranges).toEqual({
    temperature: { min: 26, max: 32 },
    dissolved_oxygen: { min: 4, max: null },
    ph: { min: 7.5, max: 8.5 },
    salinity: { min: 15, max: 25 },
    alkalinity: { min: 80, max: 150 },
    ammonia: { min: 0, max: 0.1 },
    nitrite: { min: 0, max: 0.1 },
    nitrate: { min: 0, max: 20 },
    transparency: { min: 30, max: 40 },
  });
});

test('the good range of total ammonia is what stays harmless while pH and temperature keep to their limits', () => {
  const total = { ...water, ammoniaBasis: 'TAN' as const };
  const { max } = optimalRange(total, 'ammonia');
  // 0.1 mg/L NH3-N at pH 8.5 and 32 °C in fresh water
  expect(max).toBeCloseTo(0.42, 1);
  const atMost = aSample({ ammonia: max, temperature: 32, ph: 8.5, salinity: 0 });
  expect(violationsOf(total, { ...atMost, ammonia: (max ?? 0) - 0.01 })).toEqual([]);
  expect(violationsOf(total, { ...atMost, ammonia: (max ?? 0) + 0.01 })).toHaveLength(1);
});

test('every parameter has a unit; temperature has two alerts, salinity none', () => {
  expect(Object.keys(WATER_UNITS)).toEqual([...WATER_PARAMETERS]);
  expect(alertTypesOf('temperature')).toEqual(['LOW_TEMPERATURE', 'HIGH_TEMPERATURE']);
  expect(alertTypesOf('salinity')).toEqual([]);
});
