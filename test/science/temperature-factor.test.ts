import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { temperatureFactor, warmDaysByDay } from '#science/temperature-factor.ts';

const { growth } = SCIENCE_DEFAULTS;

describe('growth by water temperature, 28 °C being 1', () => {
  test.each([
    [18, '0.116'],
    [20, '0.286'],
    [22, '0.489'],
    [24, '0.695'],
    [25, '0.789'],
    [26, '0.874'],
    [27, '0.945'],
    [28, '1.000'],
    [29, '1.035'],
    [30, '1.047'],
    [31, '1.034'],
    [32, '0.992'],
    [33, '0.920'],
    [34, '0.813'],
    [35, '0.670'],
    [36, '0.489'],
  ])('at %s °C shrimp grow at %s of the pace', (temperatureC, factor) => {
    expect(temperatureFactor(growth, temperatureC).toFixed(3)).toBe(factor);
  });

  test.each([15, 38, 4, 45])('at %s °C nothing grows', (temperatureC) => {
    expect(temperatureFactor(growth, temperatureC)).toBe(0);
  });

  test('no water makes shrimp grow backwards, nor more than a tenth above 28 °C', () => {
    fc.assert(
      fc.property(fc.double({ min: -5, max: 50, noNaN: true }), (temperatureC) => {
        expect(temperatureFactor(growth, temperatureC)).toBeGreaterThanOrEqual(0);
        expect(temperatureFactor(growth, temperatureC)).toBeLessThan(1.1);
      }),
    );
  });

  // Skretting: feed intake and growth are best at 29–31 °C.
  test('shrimp grow best between 29 and 31 °C', () => {
    const temperatures = Array.from({ length: 230 }, (_, step) => 15 + step / 10);
    const best = temperatures.toSorted(
      (a, b) => temperatureFactor(growth, b) - temperatureFactor(growth, a),
    )[0];
    expect(best).toBeGreaterThanOrEqual(29);
    expect(best).toBeLessThanOrEqual(31);
  });

  // Wyban et al. (1995), small vannamei: 1.7–1.8 times the growth at 30 °C as at 23 °C; tolerance 10 %.
  test('small shrimp grow about 1.75 times as fast at 30 as at 23 °C', () => {
    const ratio = temperatureFactor(growth, 30) / temperatureFactor(growth, 23);
    expect(ratio / 1.75).toBeGreaterThan(0.9);
    expect(ratio / 1.75).toBeLessThan(1.1);
  });
});

describe('age in days at 28 °C', () => {
  test('is plain age for a pond that was never measured', () => {
    expect(warmDaysByDay(growth, [null, null, null])).toEqual([0, 1, 2, 3]);
  });

  test('is nothing on the day of stocking', () => {
    expect(warmDaysByDay(growth, [])).toEqual([0]);
  });

  test('runs slower in cool water: ten days at 24 °C are seven', () => {
    const ages = warmDaysByDay(
      growth,
      Array.from({ length: 10 }, () => 24),
    );
    expect(ages[10]).toBeCloseTo(6.95, 2);
  });

  test('counts every day as one while fewer than half were measured', () => {
    expect(warmDaysByDay(growth, [20, null, null])).toEqual([0, 1, 2, 3]);
  });

  test('follows the water from half of the days on', () => {
    expect(warmDaysByDay(growth, [20, null]).map((age) => age.toFixed(3))).toEqual([
      '0.000',
      '0.286',
      '0.571',
    ]);
  });

  test('before the first reading every day counts as one', () => {
    expect(warmDaysByDay(growth, [null, 20])[1]).toBe(1);
  });

  test('a day without a reading takes the mean of the last seven measured ones', () => {
    const ages = warmDaysByDay(growth, [36, 28, 28, 28, 28, 28, 28, 28, null]);
    expect((ages[9] ?? 0) - (ages[8] ?? 0)).toBeCloseTo(1, 10);
    const mixed = warmDaysByDay(growth, [24, 26, null]);
    expect((mixed[3] ?? 0) - (mixed[2] ?? 0)).toBeCloseTo(0.789, 3);
  });

  test('never runs backwards', () => {
    const temperatures = fc.array(fc.option(fc.double({ min: 0, max: 45, noNaN: true }), { nil: null }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(temperatures, (means) => {
        const ages = warmDaysByDay(growth, means);
        expect(ages).toHaveLength(means.length + 1);
        for (const [day, age] of ages.entries()) {
          expect(age).toBeGreaterThanOrEqual(ages[day - 1] ?? 0);
        }
      }),
    );
  });
});
