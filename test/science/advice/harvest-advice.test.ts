import { describe, expect, test } from 'vitest';
import {
  type HarvestAdviceFacts,
  harvestExplanation,
  harvestSuggestion,
} from '#science/advice/harvest-advice.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { type HarvestFacts, harvestDecision } from '#science/harvest-decision.ts';

const { economics } = SCIENCE_DEFAULTS;
const BATCH: HarvestFacts = {
  animals: 246_000,
  currentWeightG: 12,
  weighings: [
    { day: 80, weightG: 10.67, sampleSize: 100, cvPercent: null },
    { day: 87, weightG: 12, sampleSize: 100, cvPercent: null },
  ],
  lastWeighingDaysAgo: 2,
  expectedGrowthGPerDay: 0.22,
  marketPricePerKg: 22,
  dailyOperationalCost: 700,
};
function adviceOn(given: Partial<HarvestFacts>, more: Partial<HarvestAdviceFacts> = {}): HarvestAdviceFacts {
  const facts = { ...BATCH, ...given };
  return {
    ...facts,
    decision: harvestDecision(economics, facts),
    batch: 'L-07',
    currency: 'BRL',
    fca: null,
    feed: null,
    missing: [],
    ...more,
  };
}

describe('a batch that pays', () => {
  test('is explained with its figures', () => {
    expect(harvestExplanation(adviceOn({}), 'pt-BR')).toBe(
      '246.000 camarões ganham 0,19 g por dia (medido): 46,7 kg por dia. ' +
        'A R$ 22,00/kg isso vale R$ 1.028,28 por dia contra R$ 700,00 de custo: cada dia a mais rende R$ 328,28. ' +
        'Pelo erro das amostras, isso está certo com 85% de chance.',
    );
  });

  test('goes on until growth or price fall to where they no longer pay', () => {
    expect(harvestSuggestion(adviceOn({}), 'pt-BR')).toBe(
      'Continue o lote L-07 e pese de novo em 7 dias. Despesque se o ganho cair a 0,13 g por dia ou o preço a R$ 14,98/kg.',
    );
    expect(harvestSuggestion(adviceOn({}, { currency: 'USD' }), 'en')).toBe(
      'Go on with batch L-07 and weigh again in 7 days. Harvest if growth falls to 0.13 g a day or the price to US$ 14.98/kg.',
    );
  });
});

describe('figures at their ends', () => {
  test('a certainty of the samples is never a whole one', () => {
    const sure = adviceOn({ dailyOperationalCost: 1 });
    expect(harvestExplanation(sure, 'pt-BR')).toContain('isso está certo com mais de 99% de chance.');
    expect(harvestExplanation(sure, 'en')).toContain('right with a chance of more than 99%.');
  });

  test('a day that just pays neither earns nor loses', () => {
    const even = adviceOn({ marketPricePerKg: 0, dailyOperationalCost: 0 });
    expect(harvestExplanation(even, 'pt-BR')).toContain('cada dia a mais nem rende nem perde.');
    expect(harvestExplanation(even, 'en')).toContain('a further day neither earns nor loses.');
  });

  test('the small growth of small shrimp keeps its digits', () => {
    const small = adviceOn({ weighings: [], expectedGrowthGPerDay: 0.0019 });
    expect(harvestExplanation(small, 'pt-BR')).toContain('ganham 0,0019 g por dia');
  });

  test('of a batch without a living shrimp there is nothing to weigh or to book', () => {
    const empty = adviceOn({ animals: 0 });
    expect(harvestExplanation(empty, 'pt-BR')).toBe('Nenhum camarão vivo registrado no lote L-07.');
    expect(harvestSuggestion(empty, 'pt-BR')).toBe(
      'Confira a sobrevivência registrada; se nada restou, encerre o lote L-07 e prepare o viveiro.',
    );
    expect(harvestSuggestion(empty, 'en')).toBe(
      'Check the recorded survival; if nothing is left, end batch L-07 and prepare the pond.',
    );
  });
});

describe('a batch that does not', () => {
  const dear = { dailyOperationalCost: 1200 };

  test('loses by the day, and is booked for harvest', () => {
    expect(harvestExplanation(adviceOn(dear), 'en')).toContain('each further day loses R$ 171.72.');
    // 1,200 ÷ 46.74 kg
    expect(harvestSuggestion(adviceOn(dear), 'pt-BR')).toBe(
      'Marque a despesca do lote L-07: 2.952 kg de 12,00 g. Esperar só compensa com preço acima de R$ 25,67/kg.',
    );
  });

  test('that stopped growing has no price to wait for', () => {
    const still = adviceOn({ weighings: BATCH.weighings.map((each) => ({ ...each, weightG: 12 })) });
    expect(harvestSuggestion(still, 'en')).toBe('Book the harvest of batch L-07: 2,952 kg of 12.00 g.');
  });

  // 110 kg of feed a day for 46.74 kg of shrimp at R$ 7: R$ 16.47 a kilogram
  test('feed is named where it is being wasted', () => {
    const feed = { kgPerDay: 110, pricePerKg: 7 };
    expect(harvestExplanation(adviceOn(dear, { fca: 2.3, feed }), 'pt-BR')).toContain(
      'FCA 2,30: o quilo que cresce agora custa R$ 16,47 só de ração.',
    );
    expect(harvestExplanation(adviceOn(dear, { fca: 1.6, feed }), 'pt-BR')).not.toContain('FCA');
  });
});

describe('a batch nobody has weighed lately', () => {
  test('says so before any figure, claims no certainty and asks for a weighing', () => {
    const old = adviceOn({ lastWeighingDaysAgo: 18 });
    expect(harvestExplanation(old, 'pt-BR')).toMatch(/^A última biometria tem 18 dias/);
    expect(harvestExplanation(old, 'pt-BR')).not.toContain('chance');
    expect(harvestSuggestion(old, 'pt-BR')).toContain('Pese ao menos 100 camarões do lote L-07');
  });

  test('never weighed: the curve speaks', () => {
    const never = adviceOn({ weighings: [], lastWeighingDaysAgo: null });
    expect(harvestExplanation(never, 'en')).toMatch(/^The batch has not been weighed yet/);
    expect(harvestExplanation(never, 'en')).toContain('0.22 g a day (expected from the curve)');
  });
});

test('what nobody recorded is named, and without feed on record no chance of being right is told', () => {
  const told = harvestExplanation(adviceOn({}, { missing: ['SURVIVAL', 'FEED', 'DAILY_COST'] }), 'en');
  expect(told).toContain(
    'Not recorded, and may make it worse: survival (the estimate of the stocking counts); feed; cost of a day (100 are assumed).',
  );
  expect(told).not.toContain('chance');
  // feed only makes a loss larger
  const loss = adviceOn({ dailyOperationalCost: 5_000 }, { missing: ['FEED'] });
  expect(harvestExplanation(loss, 'en')).toContain('chance');
});
