import { ASSUMED_DAILY_COST, type OptimalHarvestAnswer } from '#contract/resources/finance.ts';
import { conflict } from '#core/errors.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { grams, kilograms, money, percent } from '#core/rounding.ts';
import { daysBetween, localDay, startOfDay } from '#core/zone-clock.ts';
import {
  feedTurnsIt,
  type HarvestAdviceFacts,
  harvestExplanation,
  harvestSuggestion,
} from '#science/advice/harvest-advice.ts';
import type { Language } from '#science/advice/language.ts';
import type { MissingFact } from '#science/advice/missing-words.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { priceAtSize } from '#science/economics.ts';
import { growthCurve, instantaneousGrowthGPerDay } from '#science/growth.ts';
import { type HarvestFacts, harvestDecision } from '#science/harvest-decision.ts';
import { speciesOf } from '#science/survival.ts';
import type { BatchHistory, BatchState } from '../batch-state.ts';
import { missingOfAnimals } from '../missing-facts.ts';
import { type Withdrawals, withdrawalSentence } from '../withdrawal.ts';
import { dailyEnergyOf, type EnergyDeps } from './energy-use.ts';
import type { FinanceQueries } from './ports.ts';

export type OptimalHarvestDeps = EnergyDeps &
  Pick<Kernel, 'clockQuality'> & {
    withdrawals: Withdrawals;
    queries: Pick<FinanceQueries, 'fedBetween' | 'currencyOf'>;
  };

/** `dailyCost` null: nobody told it. */
type Market = { pricePerKg: number; dailyCost: number | null };

/** A thinning that relieves the pond and still leaves most of the growth. */
const PARTIAL_SHARE = 0.3;
const FEED_DAYS = 7;
const PRICE_DAYS = [7, 14, 21];

/** Whether a batch earns by staying another day. Throws 409 for one that has ended: there is nothing to decide. */
export async function optimalHarvest(
  deps: OptimalHarvestDeps,
  { state, comparable }: BatchHistory,
  market: Market,
  language: Language,
): Promise<OptimalHarvestAnswer> {
  const { batch } = state;
  if (batch.status !== 'ACTIVE') {
    throw conflict(
      `Batch ${batch.batch_code} is ${batch.status}: its harvest is decided already`,
      'BATCH_NOT_ACTIVE',
    );
  }
  const { economics, growth } = await deps.scienceOf(batch.farm_id);
  const dailyCost = market.dailyCost ?? ASSUMED_DAILY_COST;
  const curve = growthCurve(growth, speciesOf(batch.species).species);
  const facts: HarvestFacts = {
    animals: state.population,
    currentWeightG: state.currentWeightG,
    weighings: comparable.map((each) => ({
      day: each.measurementDay,
      weightG: each.batchWeightG,
      sampleSize: each.sample_size,
      cvPercent: each.coefficient_variation,
    })),
    lastWeighingDaysAgo: lastWeighingDaysAgo(deps, state),
    expectedGrowthGPerDay: instantaneousGrowthGPerDay(curve, state.currentWeightG),
    marketPricePerKg: market.pricePerKg,
    dailyOperationalCost: dailyCost,
  };
  const decision = harvestDecision(economics, facts);
  const feed = await recentFeed(deps, state);
  const missing = missingOf(economics, state, { feed, dailyCost: market.dailyCost });
  const advice = {
    ...facts,
    decision,
    batch: batch.batch_code,
    currency: await deps.queries.currencyOf(batch.owner_id),
    fca: state.fca,
    feed,
    missing,
  };
  const withdrawal = (await deps.withdrawals.ofBatches([state])).get(batch.id) ?? null;
  const kept = withdrawalSentence(withdrawal, language);
  const suggestion = harvestSuggestion(advice, language);
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    recommendation: decision.recommendation,
    explanation: harvestExplanation(advice, language),
    analysis: {
      current_weight_g: grams(state.currentWeightG),
      expected_daily_growth_g: grams(decision.growthGPerDay),
      current_biomass_kg: kilograms(state.biomassKg),
      daily_biomass_gain_kg: kilograms(decision.dailyBiomassGainKg),
      daily_growth_revenue: money(decision.dailyGrowthRevenue),
      daily_operational_cost: money(dailyCost),
      net_daily_profit: money(decision.netDailyProfit),
    },
    suggestion: kept === null ? suggestion : `${kept} ${suggestion}`,
    // the error of the samples alone: feed that is not on record is named as missing
    confidence: feedTurnsIt(advice) ? null : percent(decision.confidencePercent),
    break_even_price_per_kg: money(decision.breakEvenPricePerKg),
    last_biometry_days_ago: facts.lastWeighingDaysAgo,
    energy_estimate: await dailyEnergyOf(deps, {
      farmId: batch.farm_id,
      pondIds: [...state.populationByPond.keys()],
      timezone: state.timezone,
      batchAgeDays: state.daysActive,
      stockedAt: startOfDay(batch.start_date, state.timezone),
      gainedKg: state.biomassGainedKg,
    }),
    partial_harvest: partialHarvestOf(state, market),
    price_by_size: priceBySize(economics, state.currentWeightG, {
      growthGPerDay: decision.growthGPerDay,
      pricePerKg: market.pricePerKg,
    }),
    withdrawal,
    missing,
  };
}

function missingOf(
  { biometryStaleDays: staleDays }: ScienceConstants['economics'],
  state: BatchState,
  told: { feed: HarvestAdviceFacts['feed']; dailyCost: number | null },
): MissingFact[] {
  return [
    ...missingOfAnimals(state, staleDays),
    ...(told.feed === null ? (['FEED'] as const) : []),
    ...(told.dailyCost === null ? (['DAILY_COST'] as const) : []),
  ];
}

/** The price asked is that of the shrimp as they are: what it would be in the weeks to come. */
function priceBySize(
  economics: ScienceConstants['economics'],
  weightG: number,
  { growthGPerDay, pricePerKg }: { growthGPerDay: number; pricePerKg: number },
): OptimalHarvestAnswer['price_by_size'] {
  if (growthGPerDay <= 0) return [];
  return PRICE_DAYS.flatMap((days) => {
    const thenG = weightG + days * growthGPerDay;
    const then = priceAtSize(economics, { pricePerKg, weightG }, thenG);
    return then === null ? [] : [{ days, weight_g: grams(thenG), price_per_kg: money(then) }];
  });
}

function lastWeighingDaysAgo(deps: Pick<EnergyDeps, 'now'>, state: BatchState): number | null {
  const { latestBiometry, timezone } = state;
  if (latestBiometry === null) return null;
  return daysBetween(
    localDay(latestBiometry.measurement_date, timezone),
    localDay(isoOf(deps.now()), timezone),
  );
}

async function recentFeed(deps: OptimalHarvestDeps, { batch }: BatchState) {
  const from = isoOf(deps.now() - FEED_DAYS * 86_400_000);
  const { kg, cost } = await deps.queries.fedBetween(batch.id, { from, to: countsUntil(deps) });
  return kg > 0 ? { kgPerDay: kg / FEED_DAYS, pricePerKg: cost / kg } : null;
}

function partialHarvestOf(state: BatchState, market: Market): OptimalHarvestAnswer['partial_harvest'] {
  const quantity = Math.floor(state.population * PARTIAL_SHARE);
  const takenKg = (quantity * state.currentWeightG) / 1000;
  return {
    share_percent: PARTIAL_SHARE * 100,
    quantity,
    biomass_kg: kilograms(takenKg),
    revenue: money(takenKg * market.pricePerKg),
    remaining_biomass_kg: kilograms(Math.max(0, state.biomassKg - takenKg)),
  };
}
