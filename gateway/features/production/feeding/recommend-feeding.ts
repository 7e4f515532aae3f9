import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { grams, kilograms, percent, roundTo } from '#core/rounding.ts';
import { daysBetween, localDay } from '#core/zone-clock.ts';
import {
  adjustmentReason,
  feedingNotes,
  feedTypeName,
  type NothingToFeed,
  trayNote,
} from '#science/advice/feeding-advice.ts';
import { FEEDING_WORDS } from '#science/advice/feeding-words.ts';
import type { Language } from '#science/advice/language.ts';
import { type MissingFact, missingText } from '#science/advice/missing-words.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { FeedingConditions } from '#science/feeding-adjustments.ts';
import {
  BLIND_SOURCES,
  type DailyRation,
  dailyRation,
  feedingSchedule,
  weighedFeedKg,
  weightToFeedG,
} from '#science/feeding-ration.ts';
import { daysToReach, growthCurve } from '#science/growth.ts';
import { speciesOf } from '#science/survival.ts';
import { weighingIn } from '../batch-in-pond.ts';
import type { BatchState, BatchStates, ExpectedWeights } from '../batch-state.ts';
import { missingOfAnimals } from '../missing-facts.ts';
import { type NextMeal, nextMeal, traysAnswer } from './next-meal.ts';
import { batchToRation, conditionsOf, readingsSince, type Seen } from './pond-conditions.ts';
import type { FeedingQueries, LatestWaterOf } from './ports.ts';

export type RecommendDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  batches: Pick<BatchStates, 'byIds'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  latestWater: LatestWaterOf;
  expectedWeights: ExpectedWeights;
  queries: Pick<FeedingQueries, 'lastFeeding' | 'mealsBetween' | 'trayLooksBetween' | 'pondCods'>;
};

type PondRation = {
  pondId: string;
  population: number;
  conditions: FeedingConditions;
  ration: DailyRation;
};
type Ask = { seen: Seen; language: Language };
type LastFed = Awaited<ReturnType<FeedingQueries['lastFeeding']>>;

/**
 * What to feed today: a ration per pond that holds animals of the batch, each by its own water, and their sum. A batch
 * that is not ACTIVE, or without a living animal, gets 0 kg and the reason.
 */
export async function recommendFeeding(
  deps: RecommendDeps,
  state: BatchState,
  ask: Ask,
): Promise<FeedingRecommendation> {
  const science = await deps.scienceOf(state.batch.farm_id);
  const isStocked = localDay(isoOf(deps.now()), state.timezone) >= state.batch.start_date;
  if (state.batch.status !== 'ACTIVE' || state.population === 0 || !isStocked)
    return nothingToFeed(deps, science, state, ask);
  const rations = await pondRations(deps, science, state, ask.seen);
  // a living population lies in at least one pond
  const [main] = rations;
  if (main === undefined) return nothingToFeed(deps, science, state, ask);
  const totalKg = weighedFeedKg(rations.reduce((sum, { ration }) => sum + ration.recommendedKg, 0));
  const meals = rations.length === 1 ? main.ration.meals : feedingSchedule(main.ration.meals, totalKg);
  const biomassKg = rations.reduce((sum, { ration }) => sum + ration.biomassKg, 0);
  const lastFed = await deps.queries.lastFeeding(state.batch.id, countsUntil(deps));
  const next = await nextMeal(deps, science, state, { meals, rations });
  const cods = await deps.queries.pondCods(rations.map(({ pondId }) => pondId));
  const missing = missingOfAnimals(state, science.feeding.biometryStaleDays);
  const reasonOf = ({ ration }: PondRation) => adjustmentReason(ration.adjustment, ask.language);
  return {
    ...headOf(state),
    recommendation: {
      date: localDay(isoOf(deps.now()), state.timezone),
      recommended_feed_kg: totalKg,
      feeding_frequency: meals.length,
      feed_type: feedTypeName(main.ration.feedWeightG, ask.language),
      feeding_rate_percent:
        rations.length === 1 ? main.ration.ratePercent : percent((totalKg / biomassKg) * 100),
      adjustment_reason: reasonOf(main),
      next_meal_kg: next.quantityKg,
      feeding_table: main.ration.chart,
      feeding_table_source: BLIND_SOURCES[main.ration.chart],
    },
    factors: {
      ...factorsOf(deps, state),
      ...waterFactors(main.conditions),
      feed_weight_g: grams(main.ration.feedWeightG),
      feed_biomass_kg: kilograms(biomassKg),
      condition: ask.seen?.condition ?? null,
      missing,
    },
    daily_schedule: meals.map(({ time, percent: percentage, quantityKg }) => ({
      time,
      percentage,
      quantity_kg: quantityKg,
    })),
    ponds: rations.map((pond) => ({
      pond_id: pond.pondId,
      pond_cod: cods.get(pond.pondId) ?? '',
      population: pond.population,
      recommended_feed_kg: pond.ration.recommendedKg,
      adjustment_reason: reasonOf(pond),
      trays: traysAnswer(science, next.byPond.get(pond.pondId)),
    })),
    notes: [
      ...trayNotes(next, { rations, cods }, ask.language),
      ...notesOf(deps, science, state, { main, language: ask.language }),
      ...(await weighedElsewhere(deps, state, cods, ask.language)),
      ...(totalKg === 0 || hasBeenSaid(state, lastFed) ? [] : survivalNote(missing, ask.language)),
    ],
  };
}

/** Who fed since the shrimp were weighed or stocked has read the ration that rests on it; `missing` names it all the same. */
const hasBeenSaid = ({ batch, latestBiometry }: BatchState, lastFed: LastFed): boolean =>
  lastFed !== null && lastFed.feed_date > (latestBiometry?.measurement_date ?? batch.start_date);

/** Of the weight the other notes speak. */
function survivalNote(missing: readonly MissingFact[], language: Language): string[] {
  const note = missingText(missing.includes('SURVIVAL') ? ['SURVIVAL'] : [], language);
  return note === null ? [] : [note];
}

/** Most animals first. */
async function pondRations(
  deps: RecommendDeps,
  science: ScienceConstants,
  state: BatchState,
  seen: Seen,
): Promise<PondRation[]> {
  const ponds = [...state.populationByPond];
  const nowMs = deps.now();
  const water = await deps.latestWater(
    ponds.map(([pondId]) => pondId),
    readingsSince(science.feeding, nowMs),
  );
  const warmDays = await warmDaysOf(deps, science, state);
  return ponds.map(([pondId, inPond]) => {
    // a batch in one pond is fed by its whole, unrounded population
    const population = ponds.length === 1 ? state.population : inPond;
    const when = { nowMs, timezone: state.timezone };
    const conditions = conditionsOf(science, water.get(pondId), seen, when);
    return {
      pondId,
      population,
      conditions,
      ration: dailyRation(science, { ...batchToRation(state, pondId, warmDays), population }, conditions),
    };
  });
}

/**
 * Age at 28 °C of a batch that was never weighed: the days in which it would reach the weight expected in the water it
 * had. null: a weighing says more.
 */
async function warmDaysOf(
  deps: Pick<RecommendDeps, 'expectedWeights'>,
  { growth }: ScienceConstants,
  state: BatchState,
): Promise<number | null> {
  if (state.latestBiometry !== null) return null;
  const { batch } = state;
  const expected = (await deps.expectedWeights([state])).get(batch.id);
  if (expected === undefined) return null;
  const weightG = expected(Math.max(0, state.daysActive));
  return daysToReach(
    growthCurve(growth, speciesOf(batch.species).species),
    batch.initial_avg_weight,
    weightG,
  );
}

function notesOf(
  deps: RecommendDeps,
  science: ScienceConstants,
  state: BatchState,
  { main, language }: { main: PondRation; language: Language },
): string[] {
  const { batch } = state;
  const weighing = weighingIn(state, main.pondId);
  return feedingNotes(
    science,
    {
      today: localDay(isoOf(deps.now()), state.timezone),
      startDate: batch.start_date,
      speciesName: batch.species,
      isKnownSpecies: speciesOf(batch.species).isKnown,
      initialWeightG: batch.initial_avg_weight,
      lastSample:
        weighing === null
          ? null
          : {
              date: localDay(weighing.measurement_date, state.timezone),
              weightG: weighing.average_weight_g,
              sampleSize: weighing.sample_size,
              cvPercent: weighing.coefficient_variation,
            },
      conditions: main.conditions,
      ration: main.ration,
      fca: state.fca,
    },
    language,
  );
}

/** What the trays say of each pond that is fed at all; of several each is named. */
function trayNotes(
  { time, byPond }: NextMeal,
  { rations, cods }: { rations: readonly PondRation[]; cods: ReadonlyMap<string, string> },
  language: Language,
): string[] {
  return rations.flatMap(({ pondId, ration }) => {
    const meal = byPond.get(pondId);
    if (time === null || meal === undefined || meal.trays === null || ration.adjustment.isSuspended)
      return [];
    const { quantityKg, trays } = meal;
    const pond = rations.length === 1 ? null : (cods.get(pondId) ?? '');
    return trayNote({ ...trays, time, quantityKg, pond }, language);
  });
}

/** A pond that was never weighed takes the last weighing of the batch, also where that was of another pond. */
async function weighedElsewhere(
  deps: Pick<RecommendDeps, 'queries'>,
  state: BatchState,
  cods: ReadonlyMap<string, string>,
  language: Language,
): Promise<string[]> {
  const pairs = [...cods.keys()].flatMap((pondId) => {
    const other = weighingIn(state, pondId)?.pondId ?? null;
    return other === null || other === pondId ? [] : [{ pondId, other }];
  });
  const others = await deps.queries.pondCods(pairs.map(({ other }) => other));
  return pairs.map(({ pondId, other }) =>
    FEEDING_WORDS[language].weighedElsewhere(cods.get(pondId) ?? '', others.get(other) ?? ''),
  );
}

function nothingToFeed(
  deps: Pick<RecommendDeps, 'now'>,
  science: ScienceConstants,
  state: BatchState,
  { seen, language }: Ask,
): FeedingRecommendation {
  const weightG = weightToFeedG(science, batchToRation(state, null));
  const why = whyNothing(state);
  return {
    ...headOf(state),
    recommendation: {
      date: localDay(isoOf(deps.now()), state.timezone),
      recommended_feed_kg: 0,
      feeding_frequency: 0,
      feed_type: feedTypeName(weightG, language),
      feeding_rate_percent: 0,
      adjustment_reason: adjustmentReason(why, language),
      next_meal_kg: null,
      feeding_table: 'BY_WEIGHT',
      feeding_table_source: BLIND_SOURCES.BY_WEIGHT,
    },
    factors: {
      ...factorsOf(deps, state),
      water_temperature: null,
      dissolved_oxygen: null,
      dissolved_oxygen_age_h: null,
      dawn_oxygen: null,
      ammonia_nh3_n: null,
      feed_weight_g: grams(weightG),
      feed_biomass_kg: 0,
      condition: seen?.condition ?? null,
      missing: [],
    },
    daily_schedule: [],
    ponds: [],
    notes: [],
  };
}

function whyNothing({ batch, population }: BatchState): NothingToFeed {
  if (batch.status !== 'ACTIVE') return 'NOT_ACTIVE';
  return population === 0 ? 'NO_SHRIMP' : { stockedOn: batch.start_date };
}

const headOf = ({ batch }: BatchState) => ({ batch_id: batch.id, batch_number: batch.batch_code });

function factorsOf(deps: Pick<RecommendDeps, 'now'>, state: BatchState) {
  const { latestBiometry, timezone } = state;
  const today = localDay(isoOf(deps.now()), timezone);
  return {
    current_biomass_kg: kilograms(state.biomassKg),
    average_weight_g: grams(state.currentWeightG),
    days_in_production: state.daysActive,
    survival_rate: percent(state.survivalRate),
    last_biometry_days_ago:
      latestBiometry === null
        ? null
        : daysBetween(localDay(latestBiometry.measurement_date, timezone), today),
  };
}

const waterFactors = ({ temperatureC, dissolvedOxygen, dawnOxygen, ammoniaNh3N }: FeedingConditions) => ({
  water_temperature: temperatureC === null ? null : roundTo(temperatureC.value, 2),
  dissolved_oxygen: dissolvedOxygen === null ? null : roundTo(dissolvedOxygen.value, 2),
  dissolved_oxygen_age_h: dissolvedOxygen === null ? null : roundTo(dissolvedOxygen.ageHours, 1),
  dawn_oxygen: dawnOxygen == null ? null : roundTo(dawnOxygen.value, 2),
  ammonia_nh3_n: ammoniaNh3N === null ? null : roundTo(ammoniaNh3N.value, 3),
});
