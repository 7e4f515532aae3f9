import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import { adjustmentReason } from '#science/advice/feeding-advice.ts';
import { LANGUAGES } from '#science/advice/language.ts';
import { gapsText, waterAlertMessage } from '#science/advice/water-alert-text.ts';
import { nh3ToActOn } from '#science/ammonia.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type FeedingConditions, feedingAdjustment } from '#science/feeding-adjustments.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import { severityWord } from '#science/severity.ts';
import { nh3In, WATER_PARAMETERS, type Water, type WaterSample } from '#science/water-limits.ts';
import { type GradedViolation, gradedViolations, waterStatus } from '#science/water-status.ts';

// Worse water is never answered by milder words, a lower alert or more feed; what nobody measured is never harmless.

const { feeding } = SCIENCE_DEFAULTS;
const TOTAL: Water = { ...SCIENCE_DEFAULTS.water, ammoniaBasis: 'TAN' };
const UNIONISED: Water = SCIENCE_DEFAULTS.water;
const NOTHING = Object.fromEntries(WATER_PARAMETERS.map((name) => [name, null])) as unknown as WaterSample;

type Told = { status: number; severities: Map<string, number>; gravity: Map<string, number>; factor: number };
const GRADES = ['LOW', 'MEDIUM', 'HIGH'];

/** Mild, only the recommended ration at shorter notice, this meal held, no feed and help. */
function gravityOf(advice: string): number {
  if (/call for help/i.test(advice)) return 3;
  if (/hold this meal/i.test(advice)) return 2;
  return /12 hours|renew 10% of the water/i.test(advice) ? 1 : 0;
}

/** The ration of such water, measured just now; salinity in no way but by the ammonia. */
function rationOf(water: Water, sample: WaterSample) {
  const now = (value: number | null) => (value === null ? null : { value, ageHours: 0 });
  const { ammonia, temperature, dissolved_oxygen } = sample;
  const nh3 = ammonia === null ? null : nh3In(water, { ...sample, ammonia });
  const conditions: FeedingConditions = {
    temperatureC: now(temperature),
    dissolvedOxygen: now(dissolved_oxygen),
    ammoniaNh3N:
      nh3 === null
        ? null
        : { value: nh3ToActOn(nh3), ageHours: 0, ...(nh3.isKnown ? {} : { gaps: nh3.gaps }) },
    event: null,
  };
  return feedingAdjustment(feeding, conditions, 4);
}

const adviceOf = (water: Water, violation: GradedViolation) => alertAdvice(violation, 'en', water);

function toldOf(water: Water, sample: WaterSample): Told {
  const violations = gradedViolations(water, sample, null);
  return {
    status: ['NORMAL', 'WARNING', 'CRITICAL'].indexOf(waterStatus(violations)),
    severities: new Map(violations.map(({ type, severity }) => [type, GRADES.indexOf(severity)])),
    gravity: new Map(violations.map((each) => [each.type, gravityOf(adviceOf(water, each))])),
    factor: rationOf(water, sample).factor,
  };
}

function expectNoMilder(worse: Told, better: Told): void {
  expect(worse.status).toBeGreaterThanOrEqual(better.status);
  expect(worse.factor).toBeLessThanOrEqual(better.factor);
  for (const [type, severity] of better.severities)
    expect([type, worse.severities.get(type) ?? -1]).toSatisfy(
      ([, found]: [string, number]) => found >= severity,
    );
  for (const [type, gravity] of better.gravity)
    expect([type, worse.gravity.get(type) ?? -1]).toSatisfy(
      ([, found]: [string, number]) => found >= gravity,
    );
}

/** From the better to the worse end of a warm pond; of alkaline, hot and fresh water more ammonia is poisonous. */
const WARM = {
  temperature: [28, 45],
  dissolved_oxygen: [24, 0],
  ph: [7.5, 12],
  salinity: [60, 0],
  alkalinity: [300, 0],
  ammonia: [0, 100],
  nitrite: [0, 100],
  nitrate: [0, 1000],
} as const satisfies Partial<Record<keyof WaterSample, readonly [number, number]>>;
type Field = keyof typeof WARM;
const FIELDS = Object.keys(WARM) as Field[];
const share = fc.oneof(
  fc.constantFrom(0, 0.25, 0.5, 0.75, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
  // where ponds are
  fc.double({ min: 0, max: 0.05, noNaN: true }),
);
const at = (field: Field, part: number) => WARM[field][0] + (WARM[field][1] - WARM[field][0]) * part;
const pair = fc
  .record(
    Object.fromEntries(
      FIELDS.map((field) => [field, fc.tuple(share, share, fc.boolean())]),
    ) as unknown as Record<Field, fc.Arbitrary<[number, number, boolean]>>,
  )
  .map((drawn) => {
    const sampleOf = (pick: (one: number, other: number) => number): WaterSample => ({
      ...NOTHING,
      ...Object.fromEntries(
        FIELDS.flatMap((field) => {
          const [one, other, isMeasured] = drawn[field];
          return isMeasured ? [[field, at(field, pick(one, other))]] : [];
        }),
      ),
    });
    return { better: sampleOf(Math.min), worse: sampleOf(Math.max) };
  });

test.each([
  ['NH3', UNIONISED],
  ['TAN', TOTAL],
])(
  'worse water is answered no milder and fed no more, whatever of it was measured: basis %s',
  (_basis, water) => {
    fc.assert(
      fc.property(pair, ({ better, worse }) => expectNoMilder(toldOf(water, worse), toldOf(water, better))),
      { numRuns: 2_000 },
    );
  },
);

describe('one word of alarm and ration', () => {
  test.each([
    ['NH3', UNIONISED],
    ['TAN', TOTAL],
  ])(
    'where the alarm of ammonia or oxygen stops the feed nothing is fed, and nowhere else: basis %s',
    (_b, water) => {
      fc.assert(
        fc.property(pair, ({ worse }) => {
          const told = gradedViolations(water, worse, null).map((each) => adviceOf(water, each));
          const stops = told.some((advice) => /stop feeding|hold the feed/i.test(advice));
          const ration = rationOf(water, worse);
          expect(ration.isSuspended).toBe(stops);
          if (stops) expect(ration.factor).toBe(0);
        }),
        { numRuns: 2_000 },
      );
    },
  );

  test.each([1.2, 1.5, 8, 100])(
    'NH3-N of %d mg/L holds the feed and calls for help, in each language',
    (ammonia) => {
      const [violation] = gradedViolations(UNIONISED, { ...NOTHING, ammonia }, null);
      if (violation === undefined) throw new Error('no alarm');
      const ration = rationOf(UNIONISED, { ...NOTHING, ammonia, temperature: 29, dissolved_oxygen: 6 });
      expect([violation.severity, ration.factor]).toEqual(['HIGH', 0]);
      expect(adjustmentReason(ration, 'en')).toMatch(/^Feeding suspended: un-ionised ammonia/);
      expect(adjustmentReason(ration, 'pt-BR')).toMatch(/^Alimentação suspensa: amônia não ionizada/);
      expect(adjustmentReason(ration, 'es')).toMatch(/^Alimentación suspendida: amoníaco no ionizado/);
    },
  );
});

describe('every subset of what was measured beside 3 mg/L of total ammonia', () => {
  const BESIDE = {
    temperature: [null, 0, 26, 29, 32, 45],
    ph: [null, 0, 7.5, 8.2, 10, 14],
    salinity: [null, 0, 20, 45, 100],
  } as const;
  const cases = BESIDE.temperature.flatMap((temperature) =>
    BESIDE.ph.flatMap((ph) => BESIDE.salinity.map((salinity) => ({ temperature, ph, salinity }))),
  );

  test.each(cases)('temperature $temperature, pH $ph, salinity $salinity', (beside) => {
    const sample = { ...NOTHING, ammonia: 3, ...beside };
    const violation = gradedViolations(TOTAL, sample, null).find(({ type }) => type === 'HIGH_AMMONIA');
    const missing = (['temperature', 'ph', 'salinity'] as const).filter((name) => beside[name] === null);
    const gaps = missing.map(
      (name) => ({ temperature: 'TEMPERATURE', ph: 'PH', salinity: 'SALINITY' })[name] + '_MISSING',
    );
    const nh3 = nh3In(TOTAL, { ...sample, ammonia: 3 });
    const known = nh3.isKnown ? [] : nh3.gaps;
    expect(known.filter((gap) => gap.endsWith('MISSING'))).toEqual(gaps);
    // acid or cold water binds nearly all of it, and then that is known: a gap alone never makes an alarm nor hides one
    if (beside.ph === null) expect(violation?.severity).toBe('HIGH');
    const ration = rationOf(TOTAL, { ...sample, dissolved_oxygen: 6 });
    for (const language of LANGUAGES) {
      const reason = adjustmentReason(ration, language);
      if (violation === undefined) continue;
      const word = severityWord(TOTAL, violation, violation.severity);
      const message = waterAlertMessage({ pond: 'V-1', violation, word }, language);
      for (const gap of known) {
        expect(message).toContain(gapsText([gap], language));
        expect(reason).toContain(gapsText([gap], language));
      }
    }
  });

  test('what is missing is answered as the worst of what may stand there', () => {
    const { worstPlausible } = TOTAL;
    const may = fc.record({
      temperature: fc.double({ min: 0, max: worstPlausible.temperatureC, noNaN: true }),
      ph: fc.double({ min: 4, max: worstPlausible.ph, noNaN: true }),
      salinity: fc.double({ min: 0, max: 60, noNaN: true }),
    });
    const gone = fc.subarray(['temperature', 'ph', 'salinity'] as const, { minLength: 1 });
    fc.assert(
      fc.property(may, gone, fc.double({ min: 0, max: 20, noNaN: true }), (known, names, ammonia) => {
        const sample = { ...NOTHING, ...known, ammonia };
        const less = { ...sample, ...Object.fromEntries(names.map((name) => [name, null])) };
        const [told, other] = [toldOf(TOTAL, less), toldOf(TOTAL, sample)];
        const grade = (of: Told) => of.severities.get('HIGH_AMMONIA') ?? -1;
        expect(grade(told)).toBeGreaterThanOrEqual(grade(other));
        expect(told.gravity.get('HIGH_AMMONIA') ?? -1).toBeGreaterThanOrEqual(
          other.gravity.get('HIGH_AMMONIA') ?? -1,
        );
        if (!names.includes('temperature')) expect(told.factor).toBeLessThanOrEqual(other.factor);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  ['NH3', UNIONISED],
  ['TAN', TOTAL],
])(
  'whatever was not measured, in any subset, what was is graded and advised no milder, and told as not measured: basis %s',
  (_basis, water) => {
    const { worstPlausible } = water;
    const plausible = fc.record({
      temperature: fc.double({ min: 10, max: worstPlausible.temperatureC, noNaN: true }),
      dissolved_oxygen: fc.double({ min: 0, max: 12, noNaN: true }),
      ph: fc.double({ min: 5, max: worstPlausible.ph, noNaN: true }),
      salinity: fc.double({ min: 0, max: 60, noNaN: true }),
      alkalinity: fc.double({ min: 0, max: 200, noNaN: true }),
      ammonia: fc.double({ min: 0, max: 10, noNaN: true }),
      nitrite: fc.double({ min: 0, max: 30, noNaN: true }),
      nitrate: fc.double({ min: 0, max: 200, noNaN: true }),
      transparency: fc.double({ min: 0, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(plausible, fc.subarray([...WATER_PARAMETERS], { minLength: 1 }), (all, gone) => {
        const less = { ...all, ...Object.fromEntries(gone.map((name) => [name, null])) } as WaterSample;
        const told = new Map(gradedViolations(water, less, null).map((each) => [each.type, each]));
        for (const before of gradedViolations(water, all, null)) {
          if (gone.includes(before.parameter)) continue;
          const now = told.get(before.type);
          expect(GRADES.indexOf(now?.severity ?? '')).toBeGreaterThanOrEqual(GRADES.indexOf(before.severity));
          if (now === undefined) continue;
          expect(gravityOf(adviceOf(water, now))).toBeGreaterThanOrEqual(gravityOf(adviceOf(water, before)));
          if (before.severity === now.severity || now.parameter === 'ammonia') continue;
          const message = waterAlertMessage({ pond: 'V-1', violation: now, word: now.severity }, 'en');
          expect(message).toContain('salinity not measured');
        }
        const [ration, full] = [rationOf(water, less), rationOf(water, all)];
        if (ration.factor > full.factor)
          expect(gone.some((name) => ['temperature', 'dissolved_oxygen', 'ammonia'].includes(name))).toBe(
            true,
          );
      }),
      { numRuns: 2_000 },
    );
  },
);

test('oxygen that no water may hold is doubted whatever else was measured, and more oxygen is doubted no less', () => {
  const water = fc.record({
    temperature: fc.option(fc.double({ min: -5, max: 60, noNaN: true }), { nil: null }),
    salinity: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { nil: null }),
  });
  const RANK = ['OXYGEN_DOUBTFUL', 'OXYGEN_OVERSATURATED', 'OXYGEN_ABOVE_ANY_POND'];
  const doubt = (sample: Partial<WaterSample>) =>
    Math.max(
      -1,
      ...implausibilitiesOf(UNIONISED, { ...NOTHING, ...sample })
        .filter(({ parameter }) => parameter === 'dissolved_oxygen')
        .map(({ kind }) => RANK.indexOf(kind)),
    );
  const oxygen = fc.double({ min: 0, max: 50, noNaN: true });
  fc.assert(
    fc.property(water, oxygen, oxygen, (beside, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const found = doubt({ ...beside, dissolved_oxygen: more });
      expect(found).toBeGreaterThanOrEqual(doubt({ ...beside, dissolved_oxygen: less }));
      if (more > 25) expect(found).toBe(2);
      // what was not measured beside it hides no doubt
      expect(doubt({ dissolved_oxygen: more })).toBeGreaterThanOrEqual(
        (beside.temperature ?? 0) <= 38 && found > 0 ? 0 : -1,
      );
    }),
  );
});
