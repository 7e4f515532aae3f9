import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { WaterSample } from '#science/water-limits.ts';

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
const kindsIn = (measured: Partial<WaterSample>) =>
  implausibilitiesOf(water, { ...NOTHING, ...measured }).map(({ kind }) => kind);

test.each([
  ['an ordinary afternoon', { temperature: 31, dissolved_oxygen: 13, ph: 9, salinity: 20 }, []],
  ['nothing measured', {}, []],
  // possible in some water, so that it is asked about; and 16 mg/L in any that a pond has by day
  ['25 mg/L without a temperature', { dissolved_oxygen: 25 }, ['OXYGEN_DOUBTFUL']],
  ['16 mg/L alone', { dissolved_oxygen: 16 }, []],
  ['saturation written as oxygen', { dissolved_oxygen: 98 }, ['OXYGEN_ABOVE_ANY_POND']],
  ['a hair above 25 mg/L', { dissolved_oxygen: 25.1, temperature: 10 }, ['OXYGEN_ABOVE_ANY_POND']],
  // fresh water of 30 °C holds 7.56 mg/L
  ['just under three times saturation', { dissolved_oxygen: 22.6, temperature: 30, salinity: 0 }, []],
  ['just over it', { dissolved_oxygen: 22.8, temperature: 30, salinity: 0 }, ['OXYGEN_OVERSATURATED']],
  ['the same without salinity', { dissolved_oxygen: 22.6, temperature: 30 }, ['OXYGEN_DOUBTFUL']],
  ['20.5 mg/L at 28 °C without salinity', { dissolved_oxygen: 20.5, temperature: 28 }, ['OXYGEN_DOUBTFUL']],
  [
    'too much for fresh water, too, without salinity',
    { dissolved_oxygen: 23.6, temperature: 28 },
    ['OXYGEN_OVERSATURATED'],
  ],
  [
    'in brine, beyond the table',
    { dissolved_oxygen: 20, temperature: 28, salinity: 55 },
    ['OXYGEN_OVERSATURATED'],
  ],
  [
    'at 42 °C, beyond the table',
    { dissolved_oxygen: 20, temperature: 42, salinity: 0 },
    ['OXYGEN_OVERSATURATED'],
  ],
  [
    'in sea water, which holds 6.24',
    { dissolved_oxygen: 19, temperature: 30, salinity: 35 },
    ['OXYGEN_OVERSATURATED'],
  ],
  ['5 and 45 °C', { temperature: 5 }, []],
  ['below 5 °C', { temperature: 4.9 }, ['TEMPERATURE_UNUSUAL']],
  ['45 °C', { temperature: 45 }, []],
  ['degrees Fahrenheit', { temperature: 46 }, ['TEMPERATURE_UNUSUAL']],
  ['pH 3', { ph: 3 }, ['PH_UNUSUAL']],
  ['pH 3.1', { ph: 3.1 }, []],
  ['pH 10.9', { ph: 10.9 }, []],
  ['pH 11', { ph: 11 }, ['PH_UNUSUAL']],
  ['fresh water', { salinity: 0 }, []],
  ['60 ppt', { salinity: 60 }, []],
  ['61 ppt', { salinity: 61 }, ['SALINITY_UNUSUAL']],
])('%s', (_what, measured, kinds) => {
  expect(kindsIn(measured)).toEqual(kinds);
});

describe('ammonia on the wrong basis', () => {
  const kindsOn = (ammoniaBasis: 'NH3' | 'TAN', measured: Partial<WaterSample>) =>
    implausibilitiesOf({ ...water, ammoniaBasis }, { ...NOTHING, ...measured });

  test('1.2 mg/L at pH 8 on the basis NH3 would need 20 mg/L of total ammonia: it is asked back', () => {
    expect(kindsOn('NH3', { ammonia: 1.2, ph: 8, temperature: 28, salinity: 20 })).toMatchObject([
      { kind: 'AMMONIA_BASIS_DOUBTFUL', parameter: 'ammonia', tanMgL: expect.closeTo(20.5, 1) as unknown },
    ]);
    expect(kindsOn('NH3', { ammonia: 1.2 })).toHaveLength(1);
  });

  test.each([
    ['0.12 mg/L NH3-N at pH 8', 'NH3', { ammonia: 0.12, ph: 8, temperature: 28, salinity: 20 }],
    [
      '1.2 mg/L NH3-N where pH is 9.2: 2.3 mg/L in all',
      'NH3',
      { ammonia: 1.2, ph: 9.2, temperature: 30, salinity: 20 },
    ],
    ['an everyday total', 'TAN', { ammonia: 1.2, ph: 8 }],
  ] as const)('%s is not doubted', (_what, basis, measured) => {
    expect(kindsOn(basis, measured)).toEqual([]);
  });

  test('a total of 20 mg/L is unusual', () => {
    expect(kindsOn('TAN', { ammonia: 20 })).toMatchObject([{ kind: 'AMMONIA_UNUSUAL' }]);
  });
});

test('every odd value of a measurement is named', () => {
  expect(kindsIn({ dissolved_oxygen: 30, temperature: 50, ph: 12, salinity: 70 })).toEqual([
    'OXYGEN_ABOVE_ANY_POND',
    'TEMPERATURE_UNUSUAL',
    'PH_UNUSUAL',
    'SALINITY_UNUSUAL',
  ]);
});
