import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { projectHarvest } from '#science/harvest-decision.ts';

const { growth } = SCIENCE_DEFAULTS;

const aBatch = {
  initialWeightG: 0.01,
  lastWeighing: null as { day: number; weightG: number } | null,
  today: 0,
  plannedHarvestDay: null as number | null,
};

describe('without a planned day', () => {
  // The check table of the standard curve: 10.185 g on day 90, 12.429 g on day 100 from 0.01 g.
  test('vannamei are harvested at 12 g, on day 99 at the standard pace', () => {
    const projection = projectHarvest(growth, 'vannamei', aBatch);
    expect(projection).toEqual({
      harvestDay: 99,
      harvestWeightG: expect.closeTo(12.2, 1),
      isPlanned: false,
      targetWeightG: 12,
      targetDay: 99,
    });
  });

  test('monodon are harvested at 30 g', () => {
    const projection = projectHarvest(growth, 'monodon', aBatch);
    // 29.127 g on day 120, 32.734 g on day 130.
    expect(projection.targetWeightG).toBe(30);
    expect(projection.harvestDay).toBe(123);
  });

  test('a pond behind its curve is harvested later, one ahead earlier', () => {
    const harvestDayAt = (weightG: number) =>
      projectHarvest(growth, 'vannamei', {
        ...aBatch,
        today: 60,
        lastWeighing: { day: 60, weightG },
      }).harvestDay;
    expect(harvestDayAt(3.5)).toBeGreaterThan(105);
    expect(harvestDayAt(4.5)).toBe(99);
    expect(harvestDayAt(6)).toBeLessThan(90);
  });

  test('a batch past its target is harvested today', () => {
    const projection = projectHarvest(growth, 'vannamei', {
      ...aBatch,
      today: 110,
      lastWeighing: { day: 105, weightG: 13 },
    });
    expect(projection.harvestDay).toBe(110);
    expect(projection.harvestWeightG).toBeGreaterThan(13);
  });

  test('a target the curve never reaches has no day', () => {
    const heavy = { ...growth, harvestWeightG: { vannamei: 90, monodon: 90 } };
    expect(projectHarvest(heavy, 'vannamei', aBatch)).toMatchObject({
      harvestDay: null,
      harvestWeightG: null,
      targetDay: null,
    });
  });
});

describe('with a planned day', () => {
  test('the plan stands, with the weight the pond will have then', () => {
    const projection = projectHarvest(growth, 'vannamei', { ...aBatch, plannedHarvestDay: 120 });
    expect(projection).toMatchObject({ harvestDay: 120, isPlanned: true, targetDay: 99 });
    expect(projection.harvestWeightG).toBeCloseTo(17.246, 3);
  });

  test('a plan overrun becomes today', () => {
    const late = { ...aBatch, today: 130, plannedHarvestDay: 120 };
    expect(projectHarvest(growth, 'vannamei', late).harvestDay).toBe(130);
  });

  test('no projection promises more than 45 g, yet what was weighed stays', () => {
    const long = { ...aBatch, plannedHarvestDay: 400 };
    expect(projectHarvest(growth, 'vannamei', long).harvestWeightG).toBe(45);
    const weighed = { ...long, today: 300, lastWeighing: { day: 300, weightG: 52 } };
    expect(projectHarvest(growth, 'vannamei', weighed).harvestWeightG).toBe(52);
  });
});

test('no batch is harvested in the past or lighter than it was weighed', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('vannamei' as const, 'monodon' as const),
      fc.integer({ min: 0, max: 200 }),
      fc.double({ min: 0.05, max: 40, noNaN: true }),
      fc.integer({ min: 0, max: 30 }),
      (species, day, weightG, age) => {
        const projection = projectHarvest(growth, species, {
          ...aBatch,
          today: day + age,
          lastWeighing: { day, weightG },
        });
        expect(projection.harvestDay).toBeGreaterThanOrEqual(day + age);
        expect(projection.harvestWeightG).toBeGreaterThanOrEqual(weightG);
      },
    ),
  );
});
