import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { safeNitrateMgL, safeNitriteMgL, severityOf, severityWord } from '#science/severity.ts';
import type { Violation, WaterAlertType, WaterParameter, WaterSample } from '#science/water-limits.ts';
import { gradedViolations, waterStatus } from '#science/water-status.ts';

const { water } = SCIENCE_DEFAULTS;
const aViolation = (type: WaterAlertType, value: number): Violation => ({
  type,
  // not read by the grading
  parameter: 'dissolved_oxygen',
  value,
  threshold: water.alerts[type].limit,
  measured: value,
  nh3: type === 'HIGH_AMMONIA' ? { isKnown: true, mgL: value, isExtrapolated: false } : null,
});
const RANKS = { LOW: 0, MEDIUM: 1, HIGH: 2 };
const NOTHING_MEASURED: WaterSample = {
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
const grade = (type: WaterAlertType, value: number, salinityPpt: number | null = null) =>
  severityOf(water, aViolation(type, value), salinityPpt);

describe('HIGH from the harmful level, MEDIUM from half-way, LOW before', () => {
  test.each<[WaterAlertType, number, number, number, number]>([
    ['LOW_OXYGEN', 3.51, 3.5, 3.01, 3],
    ['LOW_TEMPERATURE', 24.1, 24, 22.1, 22],
    ['HIGH_TEMPERATURE', 32.9, 33, 33.9, 34],
    ['LOW_PH', 7.01, 7, 6.51, 6.5],
    ['HIGH_PH', 8.99, 9, 9.49, 9.5],
    ['LOW_ALKALINITY', 60.1, 60, 40.1, 40],
    ['HIGH_AMMONIA', 0.249, 0.25, 0.399, 0.4],
  ])('%s', (type, low, medium, almostHigh, high) => {
    const found = [low, medium, almostHigh, high].map((value) => grade(type, value));
    expect(found).toEqual(['LOW', 'MEDIUM', 'MEDIUM', 'HIGH']);
  });

  // Safe levels: nitrite of Lin & Chen (2003) and the low-salinity study, nitrate of Alves Neto et al. (2019).
  test.each([
    [0.6, 0.28],
    [1, 0.35],
    [2, 0.62],
    [15, 6.1],
    [25, 15.2],
    [35, 25.7],
  ])('nitrite at %d ppt is HIGH from %d mg/L', (salinityPpt, safe) => {
    expect(grade('HIGH_NITRITE', safe, salinityPpt)).toBe('HIGH');
    expect(grade('HIGH_NITRITE', safe * 0.99, salinityPpt)).toBe('MEDIUM');
    expect(grade('HIGH_NITRITE', (0.1 + safe) / 2, salinityPpt)).toBe('MEDIUM');
    expect(grade('HIGH_NITRITE', (0.1 + safe) / 2 - 0.01, salinityPpt)).toBe('LOW');
  });

  test('1 mg/L of nitrite is slight in sea water, grave inland and where nobody knows the salinity', () => {
    expect([35, 15, 2, 0, null].map((ppt) => grade('HIGH_NITRITE', 1, ppt))).toEqual([
      'LOW',
      'LOW',
      'HIGH',
      'HIGH',
      'HIGH',
    ]);
  });

  test.each([
    [null, 40, 60],
    [0, 40, 60],
    [5, 40, 60],
    [10, 73.5, 127],
    [30, 73.5, 127],
  ])('nitrate at %d ppt is MEDIUM from %d and HIGH from %d mg/L', (salinityPpt, medium, high) => {
    const found = [medium - 0.1, medium, high - 0.1, high].map((mgL) =>
      grade('HIGH_NITRATE', mgL, salinityPpt),
    );
    expect(found).toEqual(['LOW', 'MEDIUM', 'MEDIUM', 'HIGH']);
  });

  test('a farm that sets its limit beyond the harmful level gets HIGH at once', () => {
    const lax = { ...water, alerts: { ...water.alerts, LOW_OXYGEN: { limit: 2.5, highFrom: 3 } } };
    expect(severityOf(lax, { ...aViolation('LOW_OXYGEN', 2.4), threshold: 2.5 }, null)).toBe('HIGH');
  });
});

test('safe levels rise with salinity and stay between the published ends', () => {
  const salinity = fc.double({ min: 0, max: 60, noNaN: true });
  fc.assert(
    fc.property(salinity, salinity, (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(safeNitriteMgL(water, less)).toBeLessThanOrEqual(safeNitriteMgL(water, more) + 1e-9);
      expect(safeNitrateMgL(water, less)).toBeLessThanOrEqual(safeNitrateMgL(water, more));
      expect(safeNitriteMgL(water, less)).toBeGreaterThanOrEqual(0.28 - 1e-9);
      expect(safeNitriteMgL(water, more)).toBeLessThanOrEqual(25.7 + 1e-9);
    }),
  );
});

describe('total ammonia', () => {
  const total = { ...water, ammoniaBasis: 'TAN' as const };
  type Sample = { ammonia: number; temperature: number | null; ph: number | null; salinity: number | null };
  const gradeOf = (sample: Sample) => {
    const [found] = gradedViolations(total, { ...NOTHING_MEASURED, ...sample }, null).filter(
      ({ parameter }) => parameter === 'ammonia',
    );
    return found === undefined ? -1 : RANKS[found.severity];
  };

  // from a farm's ponds in the dry season: each was graded LOW, the mildest, because no table reaches there
  test.each([
    ['20 mg/L at 32 °C, pH 9 and 40 ppt', { ammonia: 20, temperature: 32, ph: 9, salinity: 40 }],
    ['3 mg/L at 30 °C, pH 8.6 and 36 ppt', { ammonia: 3, temperature: 30, ph: 8.6, salinity: 36 }],
    ['3 mg/L at 30 °C, pH 8.6 and 37 ppt', { ammonia: 3, temperature: 30, ph: 8.6, salinity: 37 }],
    ['3 mg/L at 35.5 °C', { ammonia: 3, temperature: 35.5, ph: 8.6, salinity: 30 }],
    ['20 mg/L with nothing beside it', { ammonia: 20, temperature: null, ph: null, salinity: null }],
    ['3 mg/L without a pH', { ammonia: 3, temperature: 30, ph: null, salinity: 30 }],
  ])('%s is HIGH', (_what, sample) => {
    expect(gradeOf(sample)).toBe(RANKS.HIGH);
  });

  test('more of it, warmer, more alkaline or fresher water is never graded milder; unknown never milder than known', () => {
    const figure = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    const sample = fc.record({
      ammonia: figure(0, 30),
      temperature: figure(0, 50),
      ph: figure(4, 12),
      salinity: figure(0, 80),
    });
    const more = fc.record({
      ammonia: figure(0, 10),
      temperature: figure(0, 10),
      ph: figure(0, 2),
      salinity: figure(0, 20),
    });
    fc.assert(
      fc.property(sample, more, (known, by) => {
        const here = gradeOf(known);
        expect(gradeOf({ ...known, ammonia: known.ammonia + by.ammonia })).toBeGreaterThanOrEqual(here);
        expect(gradeOf({ ...known, temperature: known.temperature + by.temperature })).toBeGreaterThanOrEqual(
          here,
        );
        expect(gradeOf({ ...known, ph: known.ph + by.ph })).toBeGreaterThanOrEqual(here);
        expect(
          gradeOf({ ...known, salinity: Math.max(0, known.salinity - by.salinity) }),
        ).toBeGreaterThanOrEqual(here);
        expect(gradeOf({ ...known, salinity: null })).toBeGreaterThanOrEqual(here);
        const { worstPlausible } = total;
        if (known.ph <= worstPlausible.ph)
          expect(gradeOf({ ...known, ph: null })).toBeGreaterThanOrEqual(here);
        if (known.temperature <= worstPlausible.temperatureC)
          expect(gradeOf({ ...known, temperature: null })).toBeGreaterThanOrEqual(here);
      }),
    );
  });
});

test('nitrite and nitrate of unknown salinity are never graded milder than in any water that shrimp live in', () => {
  const mgL = fc.double({ min: 0.11, max: 200, noNaN: true });
  fc.assert(
    fc.property(mgL, fc.double({ min: 0, max: 60, noNaN: true }), (value, salinityPpt) => {
      for (const type of ['HIGH_NITRITE', 'HIGH_NITRATE'] as const)
        expect(RANKS[grade(type, value, null)]).toBeGreaterThanOrEqual(
          RANKS[grade(type, value, salinityPpt)],
        );
    }),
  );
});

test('0.3 mg/L of nitrite kills inland shrimp of 0.6 ppt: it is HIGH where nobody knows the salinity', () => {
  expect([grade('HIGH_NITRITE', 0.3, 0.6), grade('HIGH_NITRITE', 0.3, null)]).toEqual(['HIGH', 'HIGH']);
  // a farm whose water never is that fresh says so once, for ammonia, nitrite and nitrate
  const salty = { ...water, worstPlausible: { ...water.worstPlausible, salinityPpt: 15 } };
  expect(severityOf(salty, aViolation('HIGH_NITRITE', 0.3), null)).toBe('LOW');
});

test('what kills is HIGH wherever a farm has set its levels', () => {
  const lax = {
    ...water,
    criticalOxygenMgL: 3.5,
    alerts: { ...water.alerts, HIGH_AMMONIA: { limit: 0.1, highFrom: 10 } },
  };
  expect(severityOf(lax, aViolation('LOW_OXYGEN', 3.4), null)).toBe('HIGH');
  expect(severityOf(lax, aViolation('HIGH_AMMONIA', 1.2), null)).toBe('HIGH');
});

test.each([
  ['LOW_OXYGEN', -1],
  ['LOW_TEMPERATURE', -1],
  ['HIGH_TEMPERATURE', 1],
  ['LOW_PH', -1],
  ['HIGH_PH', 1],
  ['LOW_ALKALINITY', -1],
  ['HIGH_AMMONIA', 1],
  ['HIGH_NITRITE', 1],
  ['HIGH_NITRATE', 1],
] as const)('%s: further beyond the limit never grades milder', (type, side) => {
  const beyond = fc.double({ min: 0.001, max: 100, noNaN: true });
  const { limit } = water.alerts[type];
  fc.assert(
    fc.property(beyond, beyond, (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(RANKS[grade(type, limit + side * more)]).toBeGreaterThanOrEqual(
        RANKS[grade(type, limit + side * less)],
      );
    }),
  );
});

test('worse water never grades milder', () => {
  const ranks = { LOW: 0, MEDIUM: 1, HIGH: 2 };
  const oxygen = fc.double({ min: 0, max: 3.999, noNaN: true });
  fc.assert(
    fc.property(oxygen, oxygen, (one, other) => {
      const [worse, better] = one < other ? [one, other] : [other, one];
      expect(ranks[grade('LOW_OXYGEN', worse)]).toBeGreaterThanOrEqual(ranks[grade('LOW_OXYGEN', better)]);
    }),
  );
});

test.each([
  [2.01, 'HIGH'],
  [2, 'CRITICAL'],
  [0, 'CRITICAL'],
])('oxygen of %d mg/L is spoken of as %s', (oxygen, word) => {
  const violation = aViolation('LOW_OXYGEN', oxygen);
  expect(severityWord(water, violation, severityOf(water, violation, null))).toBe(word);
});

test('only oxygen is ever CRITICAL in words', () => {
  expect(severityWord(water, aViolation('LOW_PH', 1), 'HIGH')).toBe('HIGH');
});

describe('status of a measurement', () => {
  const aSample = (measured: Partial<Record<WaterParameter, number>>): WaterSample => ({
    ...NOTHING_MEASURED,
    ...measured,
  });
  const statusOf = (
    measured: Partial<Record<WaterParameter, number>>,
    pondSalinityPpt: number | null = null,
  ) => waterStatus(gradedViolations(water, aSample(measured), pondSalinityPpt));

  test.each([
    ['good water', { dissolved_oxygen: 5, ph: 8 }, 'NORMAL'],
    ['nothing measured', {}, 'NORMAL'],
    ['oxygen a little low', { dissolved_oxygen: 3.8 }, 'WARNING'],
    ['oxygen half-way', { dissolved_oxygen: 3.2 }, 'WARNING'],
    ['oxygen at the least', { dissolved_oxygen: 3 }, 'CRITICAL'],
    ['one slight and one grave', { ph: 8.6, dissolved_oxygen: 2.5 }, 'CRITICAL'],
  ])('%s: %o is %s', (_what, measured, status) => {
    expect(statusOf(measured)).toBe(status);
  });

  test('nitrite follows the salinity measured with it, else the latest of the pond', () => {
    expect(statusOf({ nitrite: 1 })).toBe('CRITICAL');
    expect(statusOf({ nitrite: 1 }, 30)).toBe('WARNING');
    expect(statusOf({ nitrite: 1, salinity: 1 }, 30)).toBe('CRITICAL');
  });
});
