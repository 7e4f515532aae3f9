import { describe, expect, test } from 'vitest';
import type { BatchState } from '#features/production/batch-state.ts';
import { feedLine, growthLine, pondLine, survivalLine } from '#features/production/dashboard/batch-lines.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { batchRow } from '#test/farm-rows.ts';

const aState = (fields: Partial<BatchState> = {}): BatchState => ({
  batch: {
    ...batchRow({ batch: 'batch', farm: 'farm', pond: 'pond' }, 'owner'),
    initial_avg_weight: 1,
    rev: 1,
  },
  timezone: 'America/Fortaleza',
  pondCod: 'V-01',
  pondSizeM2: 1000,
  isNursery: false,
  daysActive: 50,
  survivalRate: 85,
  isSurvivalTold: false,
  harvestedCount: 0,
  harvestedKg: 0,
  harvestedIn: [],
  sold: { kg: 0, revenue: 0, byLots: 0 },
  population: 85_000,
  finalCount: null,
  populationByPond: new Map([['pond', 85_000]]),
  stays: new Map([['pond', { from: '2026-01-10', to: null }]]),
  overdrawn: new Set(),
  aliveByPond: new Map([['pond', 85_000]]),
  weighingByPond: new Map(),
  latestBiometry: null,
  previousBiometry: null,
  biometryCount: 0,
  currentWeightG: 1,
  biomassKg: 850,
  initialBiomassKg: 100,
  biomassGainedKg: 750,
  totalFeedKg: 900,
  totalFeedCost: 6300,
  feedingCount: 200,
  fca: 1.2,
  ...fields,
});

const weighed = (average_weight_g: number, measurementDay = 50): Partial<BatchState> => ({
  currentWeightG: average_weight_g,
  latestBiometry: {
    id: 'weighing',
    pondId: null,
    measurement_date: '2026-02-20T11:00:00.000Z',
    sample_size: 100,
    total_weight_g: average_weight_g * 100,
    average_weight_g,
    batchWeightG: average_weight_g,
    coefficient_variation: null,
    measurementDay,
  },
});

describe('feed efficiency', () => {
  test.each([
    [1.4999, 'EXCELLENT'],
    [1.5, 'GOOD'],
    [2, 'GOOD'],
    [2.0001, 'ACCEPTABLE'],
    [2.5, 'ACCEPTABLE'],
    [2.5001, 'POOR'],
    [null, null],
  ])('an FCA of %s is %s', (fca, status) => {
    expect(feedLine(aState({ fca }), true).efficiency_status).toBe(status);
  });

  test('a batch that lost weight has no cost per kilogram gained', () => {
    expect(feedLine(aState({ biomassGainedKg: -3, fca: null }), true)).toMatchObject({
      biomass_gained_kg: -3,
      fca: null,
      cost_per_kg_feed: 7,
      feed_cost_per_kg_shrimp: null,
    });
  });
});

describe('survival', () => {
  test.each([
    [80, 'GOOD'],
    [79.999, 'ACCEPTABLE'],
    [60, 'ACCEPTABLE'],
    [59.999, 'POOR'],
    [0, 'POOR'],
  ])('%s %% is %s', (survivalRate, status) => {
    expect(survivalLine(SCIENCE_DEFAULTS.survival, aState({ survivalRate })).status).toBe(status);
  });

  test('harvested animals are not among the dead', () => {
    const state = aState({ population: 60_000, harvestedCount: 25_000 });
    expect(survivalLine(SCIENCE_DEFAULTS.survival, state).mortality_count).toBe(15_000);
  });
});

describe('growth', () => {
  const expected10G = () => 10;

  test.each([
    [10.5, 'ON_TRACK'],
    [10.501, 'ABOVE_EXPECTED'],
    [9.5, 'ON_TRACK'],
    [9.499, 'BELOW_EXPECTED'],
  ])('%s g where 10 g are expected is %s', (weight, status) => {
    expect(growthLine(SCIENCE_DEFAULTS.growth, aState(weighed(weight)), expected10G).status).toBe(status);
  });

  test('the rate compares daily gains since stocking', () => {
    // 9 g expected and 8.1 g gained since 1 g
    expect(growthLine(SCIENCE_DEFAULTS.growth, aState(weighed(9.1)), expected10G).growth_rate_percent).toBe(
      90,
    );
  });

  test('a batch weighed on the day it was stocked has gained nothing yet', () => {
    expect(growthLine(SCIENCE_DEFAULTS.growth, aState(weighed(1, 0)), () => 1)).toMatchObject({
      growth_rate_percent: null,
      status: 'ON_TRACK',
      weekly_growth_g: 0,
    });
  });
});

describe('ponds', () => {
  const pond = { id: 'pond', cod: 'V-01', pond_type: null, size_m2: 500 };

  test('the ponds of a batch together hold exactly its biomass', () => {
    const state = aState({
      populationByPond: new Map([
        ['pond', 1],
        ['other', 2],
      ]),
      biomassKg: 10,
    });
    const there = pondLine({ ...pond, id: 'other' }, [state]).current_biomass_kg ?? 0;

    expect((pondLine(pond, [state]).current_biomass_kg ?? 0) + there).toBeCloseTo(10, 6);
  });

  test('a batch that has lost every animal still occupies its pond', () => {
    const dead = aState({ populationByPond: new Map(), population: 0, biomassKg: 0 });
    expect(pondLine(pond, [dead])).toMatchObject({
      status: 'ACTIVE',
      current_population: 0,
      current_biomass_kg: 0,
      biomass_per_m2: 0,
    });
  });
});
