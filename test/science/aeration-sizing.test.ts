import { describe, expect, test } from 'vitest';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { aeration } = SCIENCE_DEFAULTS;
/** A pond of half a hectare with ten horsepower: five units of 1.4914 kW. */
const rate = (pond: { biomassKg: number; powerKw?: number; areaM2?: number | null }) =>
  aerationSizing(aeration, { powerKw: 7.457, areaM2: 5000, ...pond });

// Boyd, energy use in pond aeration: 1 hp per 300–500 kg; 1.5–2 t/ha need none. 1 hp = 0.7457 kW.
describe('ten horsepower', () => {
  test.each([
    [1000, 'NOT_NEEDED', 0],
    [1001, 'COMFORTABLE', 0],
    [3000, 'COMFORTABLE', 0],
    [3001, 'ENOUGH', 0],
    [5000, 'ENOUGH', 0],
    [5001, 'ADD_AERATION', 0.002],
    [6500, 'ADD_AERATION', 3],
    [6501, 'RISKY', 3.002],
    [10_000, 'RISKY', 10],
  ])('for %d kg: %s', (biomassKg, rating, missing) => {
    const found = rate({ biomassKg });
    expect(found.rating).toBe(rating);
    expect(found.horsepower).toBeCloseTo(10, 9);
    expect(found.kgPerHorsepower).toBeCloseTo(biomassKg / 10, 6);
    expect(found.missingHorsepower).toBeCloseTo(missing, 6);
  });
});

test('a pond without aerators needs them from 2 t/ha on', () => {
  expect(rate({ biomassKg: 900, powerKw: 0 })).toEqual({
    horsepower: 0,
    kgPerHorsepower: null,
    rating: 'NOT_NEEDED',
    missingHorsepower: 0,
  });
  expect(rate({ biomassKg: 2000, powerKw: 0 })).toEqual({
    horsepower: 0,
    kgPerHorsepower: null,
    rating: 'RISKY',
    missingHorsepower: 4,
  });
});

test('a pond of unknown size is judged by its aerators alone, an empty one not at all', () => {
  expect(rate({ biomassKg: 900, areaM2: null }).rating).toBe('COMFORTABLE');
  expect(rate({ biomassKg: 0, powerKw: 0, areaM2: null }).rating).toBe('NOT_NEEDED');
});
