import { describe, expect, test } from 'vitest';
import { biometryAdvice, type GrowthFacts, growthAdvice } from '#science/advice/growth-advice.ts';
import { LANGUAGES, type Language } from '#science/advice/language.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

/** Day 87 of a batch stocked on 14 February; 8.60 g expected on the 86th. */
const aBatch = (facts: Partial<GrowthFacts> = {}): GrowthFacts => ({
  today: '2025-05-12',
  startDate: '2025-02-14',
  plannedHarvestDate: null,
  speciesName: 'Litopenaeus vannamei',
  isKnownSpecies: true,
  animals: 100_000,
  initialWeightG: 0.01,
  lastSample: aSample(),
  expectedWeightOnDay: (day) => day / 10,
  trend: { trend: 'STEADY', change: 0, z: 0 },
  projection: {
    harvestDay: 110,
    harvestWeightG: 12.1,
    isPlanned: false,
    targetWeightG: 12,
    targetDay: 110,
  },
  ...facts,
});
const aSample = (sample: Partial<NonNullable<GrowthFacts['lastSample']>> = {}) => ({
  date: '2025-05-11',
  weightG: 8.6,
  sampleSize: 100,
  cvPercent: 24,
  ...sample,
});
const forGrowth = (facts: GrowthFacts, language: Language = 'en') =>
  growthAdvice(SCIENCE_DEFAULTS, facts, language);
const forBiometry = (facts: GrowthFacts, language: Language = 'en') =>
  biometryAdvice(SCIENCE_DEFAULTS, facts, language);

const HARVEST = "At this pond's pace the batch reaches 12.0 g on 4 June 2025, in 23 days.";
const NEXT_IN_A_WEEK = 'Next weighing on 18 May 2025 with 89 shrimp (mean to ±5%).';
const NEXT_IN_FIVE_DAYS = 'Next weighing on 16 May 2025 with 89 shrimp (mean to ±5%).';

describe('a batch on its curve', () => {
  test('is told when it is ready and when to weigh again, in English', () => {
    expect(forGrowth(aBatch())).toEqual([HARVEST, NEXT_IN_A_WEEK]);
    expect(forBiometry(aBatch())).toEqual([NEXT_IN_A_WEEK]);
  });

  test('and in Portuguese', () => {
    expect(forGrowth(aBatch(), 'pt-BR')).toEqual([
      'No ritmo deste viveiro o lote chega a 12,0 g em 04/06/2025, daqui a 23 dias.',
      'Próxima biometria em 18/05/2025 com 89 camarões (média com ±5%).',
    ]);
  });
});

describe('a batch off its curve', () => {
  test('12 % below is told what to check and weighed again after five days', () => {
    expect(forBiometry(aBatch({ lastSample: aSample({ weightG: 7.568 }) }))).toEqual([
      '7.57 g on 11 May 2025: 12% below the 8.60 g expected on day 86. Check what is left on the trays after each meal, and the oxygen at dawn, before changing the ration.',
      NEXT_IN_FIVE_DAYS,
    ]);
  });

  test('20 % above is fed by its weight', () => {
    expect(forBiometry(aBatch({ lastSample: aSample({ weightG: 10.32 }) }))[0]).toBe(
      '10.3 g on 11 May 2025: 20% above the 8.60 g expected on day 86. Compute the ration from 10.3 g, not from the age of the batch.',
    );
  });

  test('by less than its sample can tell is weighed again, with more shrimp', () => {
    const lastSample = aSample({ weightG: 8.084, sampleSize: 40, cvPercent: null });
    expect(forBiometry(aBatch({ lastSample }), 'pt-BR')).toEqual([
      '8,08 g em 11/05/2025: 6% abaixo dos 8,60 g esperados no dia 86, mas a amostra de 40 camarões só garante ±7,7%. Pese 96 antes de mudar o manejo.',
      'Na próxima biometria pese pelo menos 30 camarões um a um: sem isso não há como avaliar a uniformidade.',
      'Próxima biometria em 16/05/2025 com 96 camarões (média com ±5%). A última, de 40, só garante ±7,7%.',
    ]);
  });
});

describe('a change of pace', () => {
  test('for the worse is told with its size, and the next weighing comes sooner', () => {
    const slower = aBatch({ trend: { trend: 'DECLINING', change: -0.45, z: -2 } });
    expect(forGrowth(slower)).toEqual([
      'The last interval grew 45% less than the ones before, size allowed for. Look at molting, leftovers on the trays and oxygen before dawn.',
      HARVEST,
      NEXT_IN_FIVE_DAYS,
    ]);
  });

  test('to none at all is not told as a share of what was', () => {
    const stopped = aBatch({ trend: { trend: 'DECLINING', change: -1.24, z: -4 } });
    expect(forGrowth(stopped, 'pt-BR')[0]).toBe(
      'O peso médio não subiu no último intervalo. Confira a amostragem e verifique muda, sobras nas bandejas e oxigênio da madrugada.',
    );
  });

  test('for the better asks for the ration of the new weight', () => {
    const faster = aBatch({ trend: { trend: 'ACCELERATING', change: 0.3, z: 2 } });
    expect(forGrowth(faster)[0]).toBe(
      'The last interval grew 30% more than the ones before, size allowed for. Set the ration for 8.60 g and confirm it on the trays.',
    );
  });
});

describe('uniformity', () => {
  test('of 34 % points to runts', () => {
    expect(forBiometry(aBatch({ lastSample: aSample({ cvPercent: 34 }) }))[0]).toBe(
      'Coefficient of variation 34%, above 30%. Look for runts and deformed rostrums (a sign of IHHNV), have a sample tested, and expect mixed sizes at harvest.',
    );
  });

  test('of small shrimp is allowed five points more', () => {
    const small = { date: '2025-03-06', weightG: 2, sampleSize: 150 };
    const advice = (cvPercent: number, weightG: number) =>
      forBiometry(aBatch({ today: '2025-03-07', lastSample: { ...small, weightG, cvPercent } }));
    expect(advice(34, 1.95)).toHaveLength(1);
    expect(advice(34, 2)[0]).toContain('above 30%');
    expect(advice(36, 1.95)[0]).toContain('above 35%');
  });
});

describe('harvest', () => {
  const planned = (plannedHarvestDate: string, harvestWeightG: number) =>
    aBatch({
      plannedHarvestDate,
      projection: { ...aBatch().projection, isPlanned: true, harvestWeightG },
    });

  test('planned after the target asks for a price to bring it forward', () => {
    expect(forGrowth(planned('2025-06-20', 15.2))[0]).toBe(
      '15.2 g is expected at the harvest planned for 20 June 2025; 12.0 g is reached on 4 June 2025, 16 days earlier. Ask for a price to bring it forward.',
    );
  });

  test('planned before the target names the weight it will have', () => {
    expect(forGrowth(planned('2025-06-03', 11.8))[0]).toBe(
      '11.8 g is expected at the harvest planned for 3 June 2025; 12.0 g is only reached on 4 June 2025, 1 day later. Move the date or agree a sale at 11.8 g.',
    );
  });

  test('planned for the very day of the target says so', () => {
    expect(forGrowth(planned('2025-06-04', 12))[0]).toBe(HARVEST);
  });

  test('overdue asks for a new date or the end of the batch', () => {
    expect(forGrowth(planned('2025-05-11', 8.6))[0]).toBe(
      'The harvest planned for 11 May 2025 has passed with the batch at 8.60 g. Set a new date or finish the batch.',
    );
  });

  test('of a batch past its target is a question of price', () => {
    const ready = aBatch({ lastSample: aSample({ weightG: 12.3 }) });
    expect(forGrowth(ready)).toContain(
      "The batch weighs 12.3 g, past the harvest weight of 12.0 g. Compare today's price with the cost of another week.",
    );
  });

  test('is not foretold for a batch nobody weighed', () => {
    expect(forGrowth(aBatch({ lastSample: null }))).toHaveLength(1);
  });
});

describe('the next weighing', () => {
  test('is the first one on day 20 of postlarvae, with the weight to expect', () => {
    expect(forGrowth(aBatch({ today: '2025-02-20', lastSample: null }))).toEqual([
      'Not weighed yet. Weigh 138 shrimp on 6 March 2025 (day 20); the curve expects 2.00 g, and that sample gives the mean to ±5%.',
    ]);
  });

  test('is after a week the first one of juveniles', () => {
    const juveniles = aBatch({ today: '2025-02-15', lastSample: null, initialWeightG: 1 });
    expect(forGrowth(juveniles)[0]).toContain('on 21 February 2025 (day 7)');
  });

  test('is today once it is due', () => {
    const due = aBatch({ lastSample: aSample({ date: '2025-05-01', weightG: 7.6 }) });
    expect(forBiometry(due)).toEqual([
      'The last weighing is 11 days old. Weigh 89 shrimp today (mean to ±5%).',
    ]);
  });

  test('takes 30 shrimp even of a very even batch', () => {
    expect(forBiometry(aBatch({ lastSample: aSample({ cvPercent: 12 }) }))).toEqual([
      'Next weighing on 18 May 2025 with 30 shrimp (mean to ±4.3%).',
    ]);
  });
});

describe('a batch of which nothing new is known', () => {
  test('is not fed by a weight of a month ago, but weighed', () => {
    const old = aBatch({
      lastSample: aSample({ date: '2025-04-12', weightG: 8 }),
      trend: { trend: 'ACCELERATING', change: 0.3, z: 2 },
    });
    expect(forBiometry(old)).toEqual([
      'The last weighing is 30 days old. Weigh 89 shrimp today (mean to ±5%).',
    ]);
  });

  test('without a living shrimp is not weighed, but looked at', () => {
    const empty = aBatch({ animals: 0 });
    const sentence = 'Nenhum camarão vivo registrado no lote: confira a sobrevivência ou encerre o lote.';
    expect([forGrowth(empty, 'pt-BR'), forBiometry(empty, 'pt-BR')]).toEqual([[sentence], [sentence]]);
  });
});

test('a species without a curve of its own is named', () => {
  const unknown = aBatch({ speciesName: 'camarão rosa', isKnownSpecies: false });
  expect(forGrowth(unknown, 'pt-BR')[0]).toBe(
    'Não há curva própria para "camarão rosa": os valores esperados são os do vannamei.',
  );
});

test('every sentence is there in each language, and none shows a hole', () => {
  for (const language of LANGUAGES) {
    for (const facts of [
      aBatch({ isKnownSpecies: false, lastSample: null }),
      aBatch({ lastSample: aSample({ weightG: 6, cvPercent: null, sampleSize: 20 }) }),
      aBatch({ lastSample: aSample({ weightG: 8.15, cvPercent: 40, sampleSize: 20 }) }),
      aBatch({ trend: { trend: 'ACCELERATING', change: 0.5, z: 3 }, plannedHarvestDate: '2025-07-01' }),
      aBatch({ trend: { trend: 'DECLINING', change: -1, z: -3 }, plannedHarvestDate: '2025-05-20' }),
      aBatch({ lastSample: aSample({ weightG: 14 }), plannedHarvestDate: '2025-01-01' }),
    ]) {
      for (const sentence of [...forGrowth(facts, language), ...forBiometry(facts, language)]) {
        expect(sentence).not.toMatch(/undefined|null|NaN|Infinity|∞/);
        expect(sentence).toMatch(/[.]$/);
      }
    }
  }
});
