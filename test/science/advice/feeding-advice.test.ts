import { describe, expect, test } from 'vitest';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import {
  adjustmentReason,
  type FeedingFacts,
  feedingNotes,
  feedTypeName,
} from '#science/advice/feeding-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { SCIENCE_DEFAULTS, type ScienceConstants } from '#science/constants.ts';
import { type FeedingConditions, feedingAdjustment } from '#science/feeding-adjustments.ts';
import { type BatchToFeed, dailyRation } from '#science/feeding-ration.ts';

const fresh = (value: number) => ({ value, ageHours: 2 });
const goodWater: FeedingConditions = {
  temperatureC: fresh(29),
  dissolvedOxygen: fresh(5.5),
  ammoniaNh3N: null,
  event: null,
};
const reasonIn = (conditions: Partial<FeedingConditions>, language: Language) =>
  adjustmentReason(feedingAdjustment(SCIENCE_DEFAULTS.feeding, { ...goodWater, ...conditions }, 4), language);

describe('why the ration is what it is', () => {
  test('cool water and little oxygen are told, the larger cut first', () => {
    const conditions = { temperatureC: fresh(24), dissolvedOxygen: fresh(3.4) };
    expect(reasonIn(conditions, 'en')).toBe('Dissolved oxygen 3.4 mg/L: -24%; temperature 24.0 °C: -20%');
    expect(reasonIn(conditions, 'pt-BR')).toBe(
      'Oxigênio dissolvido 3,4 mg/L: -24%; temperatura 24,0 °C: -20%',
    );
  });

  test('suspension names the oxygen and nothing else', () => {
    const conditions = { temperatureC: fresh(24), dissolvedOxygen: fresh(1.8) };
    expect(reasonIn(conditions, 'en')).toBe('Feeding suspended: dissolved oxygen 1.8 mg/L');
    expect(reasonIn(conditions, 'pt-BR')).toBe('Alimentação suspensa: oxigênio dissolvido 1,8 mg/L');
  });

  test('ammonia and what was noted at the pond', () => {
    const conditions = {
      ammoniaNh3N: fresh(0.3),
      event: { kind: 'SYNCHRONOUS_MOLT', daysAgo: 0 },
    } as const;
    expect(reasonIn(conditions, 'en')).toBe('Synchronous molt: -50%; un-ionised ammonia 0.30 mg/L: -30%');
    expect(reasonIn(conditions, 'pt-BR')).toBe(
      'Muda sincronizada: -50%; amônia não ionizada 0,30 mg/L: -30%',
    );
  });

  test('good water, a closed batch and an empty pond', () => {
    expect(reasonIn({}, 'en')).toBe('No adjustment');
    expect(reasonIn({}, 'pt-BR')).toBe('Sem ajuste');
    expect(adjustmentReason('NOT_ACTIVE', 'en')).toBe('Batch not active');
    expect(adjustmentReason('NOT_ACTIVE', 'pt-BR')).toBe('Lote não está ativo');
    expect(adjustmentReason('NO_SHRIMP', 'en')).toBe('No live shrimp recorded in the batch');
  });
});

describe('the feed', () => {
  test.each([
    [0.003, 'Starter powder or crumble 0.5–1.0 mm, 40–45% CP'],
    [1, 'Crumble or micro-pellet 1.0–1.6 mm, 38–40% CP'],
    [3, 'Pellet 1.4–1.7 mm, 35% CP'],
    [7, 'Pellet 1.7 mm, 35% CP'],
    [8, 'Pellet 1.7 mm, 30–35% CP'],
    [10, 'Pellet 2.0 mm, 30–35% CP'],
    [25, 'Pellet 2.0 mm, 30–35% CP'],
  ])('of shrimp of %s g', (weightG, name) => {
    expect(feedTypeName(weightG, 'en')).toBe(name);
  });

  test('is named in Portuguese', () => {
    expect(feedTypeName(0.5, 'pt-BR')).toBe('Ração inicial em pó ou farelada 0,5–1,0 mm, 40–45% PB');
    expect(feedTypeName(12, 'pt-BR')).toBe('Ração peletizada 2,0 mm, 30–35% PB');
  });
});

describe('notes', () => {
  /** Day 87 on 12 May; weighed that day unless a test says otherwise. */
  const aBatch: BatchToFeed = {
    species: 'vannamei',
    initialWeightG: 0.01,
    day: 87,
    warmDays: 87,
    lastWeighing: { day: 87, weightG: 9.5 },
    population: 200_000,
    stocked: 250_000,
  };
  const notesOf = (
    changes: Partial<FeedingFacts> & { batch?: Partial<BatchToFeed> } = {},
    language: Language = 'en',
    constants: ScienceConstants = SCIENCE_DEFAULTS,
  ) => {
    const { batch = {}, conditions = goodWater, ...facts } = changes;
    return feedingNotes(
      constants,
      {
        today: '2025-05-12',
        startDate: '2025-02-14',
        speciesName: 'Litopenaeus vannamei',
        isKnownSpecies: true,
        initialWeightG: 0.01,
        lastSample: { date: '2025-05-12', weightG: 9.5, sampleSize: 100, cvPercent: null },
        fca: 1.4,
        conditions,
        ration: dailyRation(constants, { ...aBatch, ...batch }, conditions),
        ...facts,
      },
      language,
    );
  };

  // the ration of 2.5 mg/L is 30 % of the full one, and the alarm of such oxygen says to hold the meal: so does the ration
  test.each([
    [3.1, false],
    [3, true],
    [2.5, true],
  ])('at %s mg/L the meal is held, as the alarm says: %s', (oxygenMgL, isHeld) => {
    const conditions = { ...goodWater, dissolvedOxygen: { value: oxygenMgL, ageHours: 1 } };
    const { water } = SCIENCE_DEFAULTS;
    const alarm = alertAdvice({ type: 'LOW_OXYGEN', severity: 'HIGH', value: oxygenMgL }, 'en', water);
    expect(alarm).toContain('Hold this meal');
    expect(notesOf({ conditions }).includes(alarm)).toBe(isHeld);
  });
  const weighedOn = (date: string, day: number, weightG: number) => ({
    lastSample: { date, weightG, sampleSize: 100, cvPercent: null },
    batch: { lastWeighing: { day, weightG } },
  });

  test('are none for a batch weighed today in good, measured water', () => {
    expect(notesOf()).toEqual([]);
  });

  test('explain a weight grown on since the last weighing', () => {
    expect(notesOf(weighedOn('2025-05-05', 80, 8.094))).toEqual([
      'The ration uses 9.54 g: the 8.09 g weighed 7 days ago plus growth since.',
    ]);
  });

  test('ask for a weighing once the last one is older than ten days', () => {
    expect(notesOf(weighedOn('2025-05-02', 77, 7.5))[0]).not.toContain('Weigh');
    expect(notesOf(weighedOn('2025-05-01', 76, 7.3), 'pt-BR')).toEqual([
      'A última biometria tem 11 dias e a ração supõe 9,32 g. Pese 96 camarões hoje.',
    ]);
  });

  test('say that an unweighed batch is fed by the curve, and when to weigh it', () => {
    const unweighed = {
      today: '2025-02-24',
      lastSample: null,
      batch: { day: 10, warmDays: 10, lastWeighing: null },
    };
    const byWeight = {
      ...SCIENCE_DEFAULTS,
      feeding: { ...SCIENCE_DEFAULTS.feeding, blindChart: 'BY_WEIGHT' },
    };
    expect(notesOf(unweighed, 'en', byWeight as ScienceConstants)).toEqual([
      'Not weighed yet: the ration uses the 0.125 g expected on day 10. Weigh 138 shrimp on 6 March 2025.',
    ]);
    expect(notesOf(unweighed)).toEqual([
      expect.stringMatching(
        /^Not weighed yet: the ration goes by the farm’s chart of the first days \(Rocha & Maia.*\)\. Weigh 138 shrimp on 6 March 2025\.$/,
      ),
    ]);
  });

  test('ask for the readings that are missing or old', () => {
    const conditions = {
      ...goodWater,
      temperatureC: null,
      dissolvedOxygen: { value: 6, ageHours: 25 },
    };
    expect(notesOf({ conditions })).toEqual([
      'No oxygen reading in the last 24 h: the ration assumes 3.5 mg/L; measure before the next meal, below 4.0 mg/L the ration has to come down.',
      'No temperature reading in the last 48 h: the ration assumes water at 26 °C.',
      'What nobody measured cuts the ration by 30% at most.',
    ]);
  });

  test('say what to do while feeding is suspended', () => {
    const conditions = { ...goodWater, dissolvedOxygen: fresh(1.8) };
    expect(notesOf({ conditions }, 'pt-BR')).toEqual([
      // the words of the alarm
      alertAdvice({ type: 'LOW_OXYGEN', severity: 'HIGH', value: 1.8 }, 'pt-BR', SCIENCE_DEFAULTS.water),
    ]);
  });

  test('name the stress that the larger cut covers', () => {
    const conditions = { ...goodWater, dissolvedOxygen: fresh(3.5), ammoniaNh3N: fresh(0.3) };
    expect(notesOf({ conditions })).toEqual([
      'There is also dissolved oxygen 3.5 mg/L (on its own -20%); the larger cut already covers it.',
    ]);
    expect(notesOf({ conditions }, 'pt-BR')).toEqual([
      'Também pesa oxigênio dissolvido 3,5 mg/L (por si só, −20%), já dentro do corte maior.',
    ]);
  });

  test('send to the trays above a feed conversion of 2, and not at it', () => {
    expect(notesOf({ fca: 2 })).toEqual([]);
    expect(notesOf({ fca: 2.01 })).toEqual([
      'Feed conversion 2.01 so far: check the trays two hours after each meal and record what is left: the next meal allows for it.',
    ]);
  });

  test('warn of a ration that slow shrimp cannot turn into growth', () => {
    const slow = { ...weighedOn('2025-05-12', 150, 8), fca: null };
    expect(notesOf({ ...slow, batch: { day: 150, ...slow.batch } })[0]).toMatch(
      /^At the pond's present pace this ration spends [2-9]\.\d kg per kilogram gained/,
    );
  });

  test('name a species that is fed by the table of another', () => {
    expect(notesOf({ isKnownSpecies: false, speciesName: 'camarão rosa' })).toEqual([
      'There is no table for "camarão rosa": the ration follows vannamei.',
    ]);
  });
});
