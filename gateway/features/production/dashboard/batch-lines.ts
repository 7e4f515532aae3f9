import type {
  BiomassTrend,
  DashboardPond,
  FeedLine,
  GrowthLine,
  SurvivalLine,
} from '#contract/resources/dashboard.ts';
import { grams, kilograms, money, percent, ratio } from '#core/rounding.ts';
import { daysBetween, localDay, startOfDay } from '#core/zone-clock.ts';
import { biomassPerM2, efficiencyRating, ratio as oneBy } from '#science/biomass.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { averageDailyGainG, type WeightAtAge, weeklyGrowthG } from '#science/growth.ts';
import { growthStatus, performancePercent } from '#science/growth-trend.ts';
import { expectedSurvivalPercent, speciesOf, survivalStatus } from '#science/survival.ts';
import { biomassKgIn, populationIn, weightIn } from '../batch-in-pond.ts';
import type { BatchHistory, BatchState } from '../batch-state.ts';
import { missingOfAnimals, missingOfFeed } from '../missing-facts.ts';
import type { PondOnDashboard } from './ports.ts';

const beginning = ({ batch, pondCod, daysActive }: BatchState) => ({
  batch_id: batch.id,
  batch_number: batch.batch_code,
  pond_cod: pondCod,
  days_in_production: daysActive,
});

/** Growth against what is expected of the batch; `expectedG`: its weight on a day since stocking. */
export function growthLine(
  growth: ScienceConstants['growth'],
  state: BatchState,
  expectedG: (day: number) => number,
): GrowthLine {
  const { batch, latestBiometry, currentWeightG } = state;
  const initialG = batch.initial_avg_weight;
  const day = Math.max(0, latestBiometry?.measurementDay ?? state.daysActive);
  const expectedGainG = averageDailyGainG(initialG, { day, weightG: expectedG(day) }) ?? 0;
  const gainG = averageDailyGainG(initialG, { day, weightG: currentWeightG });
  const isWeighed = latestBiometry !== null;
  return {
    ...beginning(state),
    species: batch.species,
    current_weight_g: grams(currentWeightG),
    expected_weight_g: grams(expectedG(day)),
    weight_difference_g: isWeighed ? grams(currentWeightG - expectedG(day)) : null,
    growth_rate_percent: isWeighed ? percent(performancePercent(gainG, expectedGainG)) : null,
    status: isWeighed ? growthStatus(growth, currentWeightG, expectedG(day)) : null,
    weekly_growth_g: grams(weeklyGrowthG(initialG, lastWeighings(state))),
  };
}

/** In order of age. */
function lastWeighings({ previousBiometry, latestBiometry }: BatchState): WeightAtAge[] {
  return [previousBiometry, latestBiometry].flatMap((weighing) =>
    weighing === null ? [] : [{ day: weighing.measurementDay, weightG: weighing.batchWeightG }],
  );
}

export function survivalLine(survival: ScienceConstants['survival'], state: BatchState): SurvivalLine {
  const { batch, population, harvestedCount, survivalRate } = state;
  return {
    ...beginning(state),
    initial_population: batch.initial_count,
    current_population: population,
    survival_rate: percent(survivalRate),
    expected_survival_rate: percent(
      expectedSurvivalPercent(survival, state.isNursery ? 'nursery' : speciesOf(batch.species).species, {
        day: state.daysActive,
        cycleDays: plannedDays(state),
      }),
    ),
    mortality_count: Math.max(0, batch.initial_count - population - harvestedCount),
    status: survivalStatus(survivalRate),
    missing: missingOfAnimals(state).filter((each) => each === 'SURVIVAL'),
  };
}

/** Days from stocking to the planned harvest; null: none is planned. */
function plannedDays({ batch, timezone }: BatchState): number | null {
  if (batch.expected_harvest_date === null) return null;
  return daysBetween(batch.start_date, localDay(batch.expected_harvest_date, timezone));
}

export function feedLine(state: BatchState, readsFinance: boolean): FeedLine {
  const { totalFeedKg, biomassGainedKg, fca } = state;
  // feed of which no price was recorded did not come for nothing
  const totalFeedCost = readsFinance ? state.totalFeedCost : null;
  const pricedFeedCost = totalFeedCost === 0 ? null : totalFeedCost;
  return {
    ...beginning(state),
    total_feed_kg: kilograms(totalFeedKg),
    total_feed_cost: money(totalFeedCost),
    current_biomass_kg: kilograms(state.biomassKg),
    biomass_gained_kg: kilograms(biomassGainedKg),
    fca: ratio(fca),
    cost_per_kg_feed: money(pricedFeedCost === null ? null : oneBy(pricedFeedCost, totalFeedKg)),
    feed_cost_per_kg_shrimp: money(pricedFeedCost === null ? null : oneBy(pricedFeedCost, biomassGainedKg)),
    efficiency_status: efficiencyRating(fca),
    missing: missingOfFeed(state),
  };
}

/** How a pond stands. `states`: its active batches, the one with most animals there first. */
export function pondLine(
  pond: PondOnDashboard,
  states: readonly BatchState[],
): Omit<DashboardPond, 'withdrawal'> {
  const [main] = states;
  const biomassKg = states.reduce((sum, state) => sum + biomassKgIn(state, pond.id), 0);
  const population = states.reduce((sum, state) => sum + populationIn(state, pond.id), 0);
  return {
    pond_id: pond.id,
    pond_cod: pond.cod,
    pond_type: pond.pond_type,
    size_m2: pond.size_m2,
    has_active_batch: main !== undefined,
    batch_id: main?.batch.id ?? null,
    batch_number: main?.batch.batch_code ?? null,
    days_in_production: main?.daysActive ?? null,
    current_population: main === undefined ? null : population,
    survival_rate: percent(main?.survivalRate ?? null),
    current_biomass_kg: main === undefined ? null : kilograms(biomassKg),
    biomass_per_m2: main === undefined ? null : kilograms(biomassPerM2(biomassKg, pond.size_m2)),
    average_weight_g: grams(main === undefined ? null : weightIn(main, pond.id)),
    status: main === undefined ? 'EMPTY' : 'ACTIVE',
    active_batches: states.length,
  };
}

/** What a batch weighed from stocking on, as far as somebody weighed it. */
export function biomassTrendOf({ state, weighings, stockAt }: BatchHistory): BiomassTrend {
  const { batch, timezone } = state;
  const stocking = {
    date: batch.start_date,
    days_in_production: 0,
    at: startOfDay(batch.start_date, timezone),
  };
  const weighed = weighings.map(({ measurement_date: at, measurementDay }) => ({
    date: localDay(at, timezone),
    days_in_production: measurementDay,
    at,
  }));
  const points = [stocking, ...weighed].map(({ at, ...day }, n) => {
    const stock = stockAt(at);
    // what was weighed in the first moment of that day is a point of its own
    const weightG = n === 0 ? batch.initial_avg_weight : stock.weightG;
    const biomassKg = (stock.biomassKg / stock.weightG) * weightG;
    return { ...day, biomass_kg: kilograms(biomassKg), average_weight_g: grams(weightG) };
  });
  const harvestedAt = batch.status === 'FINISHED' ? batch.actual_harvest_date : null;
  if (harvestedAt !== null) {
    points.push({
      date: localDay(harvestedAt, timezone),
      days_in_production: state.daysActive,
      biomass_kg: kilograms(state.biomassKg),
      average_weight_g: grams(state.currentWeightG),
    });
  }
  return { batch_id: batch.id, batch_number: batch.batch_code, data_points: points };
}
