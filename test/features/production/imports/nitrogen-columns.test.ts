import { describe, expect, test } from 'vitest';
import {
  basisUnit,
  basisUnitsFor,
  nitrogenHeading,
  nitrogenIn,
} from '#features/production/imports/nitrogen-columns.ts';

// Ammonia, nitrite and nitrate in sheets of farms and laboratories, of Brazil, Ecuador and English loggers.

describe('a heading of ammonia, nitrite or nitrate says what its figures count, or is asked about', () => {
  test.each([
    ['N-NO3', 'nitrate', 'N'],
    ['NO3-N', 'nitrate', 'N'],
    ['NO₃-N (mg/L)', 'nitrate', 'N'],
    ['Nitrate (as NO3)', 'nitrate', 'NO3'],
    ['Nitrato como NO3', 'nitrate', 'NO3'],
    ['NO3', 'nitrate', 'ASK'],
    ['Nitrato', 'nitrate', null],
    ['Nitrito (N-NO2)', 'nitrite', 'N'],
    ['N–NO2', 'nitrite', 'N'],
    ['NNO2', 'nitrite', 'N'],
    ['Nitrite-N', 'nitrite', 'N'],
    ['NO2 (mg/L N)', 'nitrite', 'N'],
    ['NO2', 'nitrite', 'ASK'],
    ['NO₂⁻ (mg/L)', 'nitrite', 'ASK'],
    ['Nitrito (NO2)', 'nitrite', 'ASK'],
    ['Nitritos', 'nitrite', null],
    ['TAN', 'ammonia', 'TAN'],
    ['NAT (mg/L)', 'ammonia', 'TAN'],
    ['Amônia total', 'ammonia', 'TAN'],
    ['Amoníaco total', 'ammonia', 'TAN'],
    ['N amoniacal', 'ammonia', 'TAN'],
    ['Nitrogênio amoniacal total', 'ammonia', 'TAN'],
    ['Nitrógeno amoniacal', 'ammonia', 'TAN'],
    ['Total ammonia nitrogen', 'ammonia', 'TAN'],
    ['Ammonia as N', 'ammonia', 'TAN'],
    ['NH4-N', 'ammonia', 'TAN'],
    ['NH4+ -N mg/L', 'ammonia', 'TAN'],
    ['NH3+NH4-N', 'ammonia', 'TAN'],
    ['NH3/NH4', 'ammonia', 'ASK'],
    ['NH4+', 'ammonia', 'ASK'],
    ['Ammonium', 'ammonia', 'ASK'],
    ['N-NH3', 'ammonia', 'ASK'],
    ['Ammonia (NH3-N)', 'ammonia', 'ASK'],
    ['NH3', 'ammonia', 'ASK'],
    ['Amônia não ionizada', 'ammonia', 'ASK'],
    ['Amônia tóxica (N-NH3)', 'ammonia', 'NH3-N'],
    ['Un-ionized ammonia nitrogen', 'ammonia', 'NH3-N'],
    ['Amônia', 'ammonia', null],
    ['Amonio', 'ammonia', null],
  ] as const)('%s', (heading, column, basis) => {
    expect(nitrogenHeading(heading)).toMatchObject({ column, basis });
  });

  test.each([
    'NO2+NO3',
    'NH3 mV',
    'Nitrito meta',
    'Nitrato do solo',
    'TAN kit 2',
    'Amônia max',
    'N',
    'Natureza',
  ])('%s is none of them', (heading) => {
    expect(nitrogenHeading(heading)).toBeNull();
  });
});

test('the unit beside it is kept, and said with its basis', () => {
  expect(nitrogenHeading('N-NO2 (µg/L)')?.unit).toEqual({ text: 'μg/L N', unit: 'ug/L' });
  expect(nitrogenHeading('TAN')?.unit).toEqual({ text: 'mg/L TAN', unit: 'mg/L' });
  expect(nitrogenHeading('Nitrito (mg/L)')?.unit).toEqual({ text: 'mg/L', unit: 'mg/L' });
  expect(nitrogenHeading('Nitrito')?.unit).toBeNull();
});

// Atomic masses: IUPAC; 4.4268 mg of NO3, 3.2845 of NO2, 1.2159 of NH3 and 1.2878 of NH4 hold 1 mg of nitrogen
test.each([
  ['NO3', 4.4268],
  ['NO2', 3.2845],
  ['NH3', 1.2159],
  ['NH4', 1.2878],
] as const)('1 mg of nitrogen is in %s of %d mg', (basis, mg) => {
  expect(mg * nitrogenIn(basis)).toBeCloseTo(1, 3);
});

test('every unit that is offered for such a column is read as it is offered', () => {
  const offered = ['ammonia', 'nitrite', 'nitrate'].flatMap((column) =>
    basisUnitsFor(column).map((unit) => basisUnit(column, unit)),
  );
  expect(offered).toHaveLength(8);
  expect(offered).not.toContain(null);
  expect(basisUnit('nitrite', 'mg/L NO3')).toBeNull();
  expect(basisUnitsFor('ph')).toEqual([]);
});
