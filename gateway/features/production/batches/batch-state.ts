import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { percent, roundTo } from '#core/rounding.ts';
import type { Caller } from '#core/route.ts';
import { daysBetween, localDay, type Zone, type ZoneClock } from '#core/zone-clock.ts';
import { biomassGainedKg, biomassKg, feedConversion } from '#science/biomass.ts';
import {
  aliveByPond,
  animalsAlive,
  animalsByPond,
  type BatchAnimals,
  type Population,
  replayPopulation,
} from '#science/population.ts';
import type { SurvivalFact as SurvivalChange } from '#science/survival.ts';
import { cvOfSample } from '#science/uniformity.ts';
import type { Batch, BatchState, BatchStates, Stock, Weighing } from '../batch-state.ts';
import { classesIn, type Received, receivedOf, sumOfReceived } from '../lots-of-harvest.ts';
import type { Withdrawals } from '../withdrawal.ts';
import { comparableWeighings } from './comparable-weighings.ts';
import type { BatchFacts, BatchQueries, LossRow, SurvivalFact, WeighingFact } from './ports.ts';

/** How a batch stands, from what was recorded of it. `now` is an instant (ISO 8601 UTC). */
export function stateOf(facts: BatchFacts, clock: ZoneClock, now: string): BatchState {
  const { batch, feed } = facts;
  // moves, harvests and losses all count: they are refused where they lie ahead, so that only another instance's clock
  // can have dated them after ours
  const population = replayPopulation(animalsOf(facts));
  const weighings = sinceStocking(facts, clock);
  const stock = stockOf({ ...facts, weighings }, population, null);
  const currentKg = batch.final_weight_kg ?? stock.biomassKg;
  const initialKg = biomassKg(batch.initial_count, batch.initial_avg_weight);
  const gainedKg = biomassGainedKg({ currentKg, partialHarvestsKg: stock.harvestedKg, initialKg });
  const totalFeedKg = feed?.kg ?? 0;
  const { latest, previous } = lastWeighings({ ...facts, weighings }, clock);
  const alive = batch.status === 'ACTIVE' ? aliveByPond(population) : new Map<string, number>();
  return {
    batch,
    timezone: facts.timezone,
    pondCod: facts.pondCod,
    pondSizeM2: facts.pondSizeM2,
    isNursery: facts.isNursery,
    daysActive: daysInProduction(batch, clock, now),
    survivalRate: stock.survivalRate,
    isSurvivalTold: standing(facts.survivalChanges).length > 0,
    harvestedCount: stock.harvestedCount,
    harvestedKg: stock.harvestedKg,
    harvestedIn: facts.harvests.map(({ pond_id: pondId, harvest_date }) => ({
      pondId,
      day: localDay(harvest_date, clock),
    })),
    sold: soldOf(facts, currentKg),
    population: batch.status === 'ACTIVE' ? stock.population : 0,
    finalCount: batch.status === 'FINISHED' ? stock.population : null,
    populationByPond: batch.status === 'ACTIVE' ? animalsByPond(population) : new Map(),
    stays: staysOf(facts, population, clock),
    overdrawn: new Set(population.overdraws.map(({ stepId }) => stepId)),
    aliveByPond: alive,
    weighingByPond: weighingByPond({ ...facts, weighings }, [...alive.keys()], clock),
    latestBiometry: latest,
    previousBiometry: previous,
    biometryCount: facts.biometryCount,
    currentWeightG: stock.weightG,
    biomassKg: currentKg,
    initialBiomassKg: initialKg,
    biomassGainedKg: gainedKg,
    totalFeedKg,
    totalFeedCost: feed?.cost ?? 0,
    feedingCount: feed?.records ?? 0,
    fca: feedConversion(totalFeedKg, gainedKg),
  };
}

function soldOf({ batch, harvests, lots }: BatchFacts, finalKg: number): Received {
  const classesOf = (id: string | null) => classesIn(lots, id);
  const sales = harvests.map(({ id, weight_kg: kg, price_per_kg: price }) =>
    receivedOf({ kg, price, classes: classesOf(id) }),
  );
  if (batch.status === 'FINISHED')
    sales.push(receivedOf({ kg: finalKg, price: batch.final_price_per_kg, classes: classesOf(null) }));
  return sumOfReceived(sales);
}

/** Whole days from the start to today, or to the day it was harvested; 0 before the start. */
export function daysInProduction(
  batch: Pick<Batch, 'start_date' | 'actual_harvest_date'>,
  clock: Zone,
  now: string,
): number {
  return Math.max(0, daysBetween(batch.start_date, localDay(batch.actual_harvest_date ?? now, clock)));
}

/** Stock at an instant; the weighings of `facts` must be all of them. */
export function stockAt(facts: BatchFacts, clock: ZoneClock, instantIso: string): Stock {
  const population = replayPopulation(animalsOf(facts), instantIso);
  return stockOf({ ...facts, weighings: sinceStocking(facts, clock) }, population, instantIso);
}

/** Newest first: what was weighed before the stocking was no shrimp of this batch. */
export function sinceStocking(
  { batch, weighings }: Pick<BatchFacts, 'batch' | 'weighings'>,
  clock: ZoneClock,
): WeighingFact[] {
  return weighings.filter((each) => localDay(each.measurement_date, clock) >= batch.start_date);
}

function stockOf(
  { batch, harvests, weighings }: Pick<BatchFacts, 'batch' | 'harvests' | 'weighings'>,
  population: Population,
  upTo: string | null,
): Stock {
  const taken = harvests.filter(({ harvest_date }) => upTo === null || harvest_date <= upTo);
  // newest first
  const weightG = batchWeightG(
    weighings.filter(({ measurement_date }) => upTo === null || measurement_date <= upTo),
    population,
    batch.initial_avg_weight,
  );
  const alive = animalsAlive(population);
  return {
    survivalRate: population.survivalPercent,
    harvestedCount: taken.reduce((sum, { quantity }) => sum + quantity, 0),
    harvestedKg: taken.reduce((sum, { weight_kg }) => sum + weight_kg, 0),
    population: wholeAnimals(alive),
    weightG,
    biomassKg: biomassKg(alive, weightG),
  };
}

/** Mean weight, g, at an instant, in a pond or (null) of the batch; the weighings of `facts` must be all of them. */
export function weightAt(
  facts: BatchFacts,
  clock: ZoneClock,
  { pondId, at }: { pondId: string | null; at: string },
): number {
  const weighings = sinceStocking(facts, clock).filter(({ measurement_date }) => measurement_date <= at);
  const counting = pondId === null ? undefined : countingIn(weighings, pondId);
  return counting === undefined ? stockAt(facts, clock, at).weightG : averageWeightG(counting);
}

/** Mean weight of a batch, g, by weighings of which the newest comes first: each pond by its own, and by its animals. */
function batchWeightG(weighings: readonly WeighingFact[], population: Population, initialG: number): number {
  const [newest] = weighings;
  if (newest === undefined) return initialG;
  if (newest.pond_id === null) return averageWeightG(newest);
  let [animals, grams] = [0, 0];
  for (const [pondId, alive] of aliveByPond(population)) {
    animals += alive;
    grams += alive * averageWeightG(countingIn(weighings, pondId) ?? newest);
  }
  return animals > 0 ? grams / animals : averageWeightG(newest);
}

const countingIn = (weighings: readonly WeighingFact[], pondId: string): WeighingFact | undefined =>
  weighings.find(({ pond_id }) => pond_id === null || pond_id === pondId);

function weighingByPond(
  facts: BatchFacts,
  pondIds: readonly string[],
  clock: ZoneClock,
): BatchState['weighingByPond'] {
  const { weighings } = facts;
  return new Map(
    pondIds.flatMap((pondId) => {
      const counting = countingIn(weighings, pondId) ?? weighings[0];
      return counting === undefined ? [] : [[pondId, weighingOf(counting, facts, clock)] as const];
    }),
  );
}

function staysOf(facts: BatchFacts, population: Population, clock: ZoneClock): BatchState['stays'] {
  const { batch, transfers } = facts;
  const from = new Map([[batch.pond_id, batch.start_date]]);
  // oldest first
  for (const { destination_pond_id: id, transfer_date } of transfers)
    if (!from.has(id)) from.set(id, localDay(transfer_date, clock));
  const there = animalsByPond(population);
  return new Map(
    [...from].map(([pondId, day]) => {
      const left = there.has(pondId) ? null : lastTakenFrom(facts, pondId);
      const days = [left, batch.actual_harvest_date].flatMap((at) =>
        at === null ? [] : localDay(at, clock),
      );
      return [pondId, { from: day, to: days.toSorted()[0] ?? null }];
    }),
  );
}

/** When animals were last moved or harvested from a pond; null: never. */
export function lastTakenFrom(
  { transfers, harvests }: Pick<BatchFacts, 'transfers' | 'harvests'>,
  pondId: string,
): string | null {
  const steps = [
    ...transfers.filter((step) => step.source_pond_id === pondId).map((step) => step.transfer_date),
    ...harvests.filter((step) => step.pond_id === pondId).map((step) => step.harvest_date),
  ];
  return steps.toSorted().at(-1) ?? null;
}

/** Where ponds are weighed one after the other on a day, that day is one weighing of the batch. */
function lastWeighings(facts: BatchFacts, clock: ZoneClock): Record<'latest' | 'previous', Weighing | null> {
  const [latest, ...before] = comparableWeighings(facts.weighings, animalsOf(facts)).map((fact) =>
    weighingOf(fact, facts, clock),
  );
  if (latest === undefined) return { latest: null, previous: null };
  const previous =
    latest.pondId === null
      ? before[0]
      : before.find(({ measurementDay }) => measurementDay < latest.measurementDay);
  return { latest, previous: previous ?? null };
}

/** Animals are whole; what binary rounding leaves of the last one still counts. */
const wholeAnimals = (alive: number): number => Math.floor(alive + 1e-6);

/** Facts as they stand, by what was told last in place of each; `corrections`: how often that was. */
export function standing<
  Fact extends Pick<SurvivalFact, 'id' | 'kind' | 'animals' | 'corrects' | 'created_at'>,
>(facts: readonly Fact[]): { id: string; first: Fact; fact: Fact; corrections: number }[] {
  const later = Map.groupBy(
    facts.filter(({ corrects }) => corrects !== null),
    ({ corrects }) => corrects,
  );
  return facts.flatMap((first) => {
    if (first.corrects !== null) return [];
    const inItsPlace = later.get(first.id) ?? [];
    // of two instances that corrected one at the same time the one that took it back is believed
    if (inItsPlace.some(({ kind, animals }) => kind === 'FACTOR' && animals === 0)) return [];
    const [fact = first] = inItsPlace.toSorted((a, b) =>
      a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1,
    );
    return [{ id: first.id, first, fact, corrections: inItsPlace.length }];
  });
}

function survivalFactsOf(changes: readonly SurvivalFact[]): SurvivalChange[] {
  return standing(changes).map(({ id, fact }) => {
    const { kind, value, pond_id: pondId, animals, pond_share: pondShare, changed_at: at } = fact;
    return kind === 'ABSOLUTE'
      ? { id, at, kind: 'SET', percent: value, counted: animals }
      : { id, at, kind: 'LOSS', severity: value, pondId, animals, pondShare };
  });
}

/** What decides how many animals of a batch live where. */
export function animalsOf({
  batch,
  survivalChanges,
  harvests,
  transfers,
}: Pick<BatchFacts, 'batch' | 'survivalChanges' | 'harvests' | 'transfers'>): BatchAnimals {
  return {
    firstPondId: batch.pond_id,
    initialCount: batch.initial_count,
    initialSurvivalPercent: batch.estimated_survival_rate,
    survivalFacts: survivalFactsOf(survivalChanges),
    steps: [
      ...transfers.map(({ id, transfer_date: at, quantity, source_pond_id, destination_pond_id }) => ({
        id,
        at,
        quantity,
        kind: 'TRANSFER' as const,
        fromPondId: source_pond_id,
        toPondId: destination_pond_id,
      })),
      ...harvests.map(({ id, harvest_date: at, quantity, pond_id: pondId }) => ({
        id,
        at,
        quantity,
        kind: 'HARVEST' as const,
        pondId,
      })),
    ],
  };
}

function averageWeightG(weighing: Pick<WeighingFact, 'total_weight_g' | 'sample_size'>): number {
  return weighing.total_weight_g / weighing.sample_size;
}

/** Percent; null where only a total was weighed. */
function variationOf(
  weighing: Pick<WeighingFact, 'total_weight_g' | 'sample_size' | 'weight_sd_g' | 'individual_weights_g'>,
): number | null {
  return cvOfSample(
    { individualWeightsG: weighing.individual_weights_g, standardDeviationG: weighing.weight_sd_g },
    averageWeightG(weighing),
  );
}

/** A weighing with what the batch weighed after it; the weighings of `facts` come newest first. */
export function weighingOf(fact: WeighingFact, facts: BatchFacts, clock: ZoneClock): Weighing {
  const { batch } = facts;
  const at = fact.measurement_date;
  return {
    id: fact.id,
    pondId: fact.pond_id,
    measurement_date: fact.measurement_date,
    sample_size: fact.sample_size,
    total_weight_g: fact.total_weight_g,
    average_weight_g: averageWeightG(fact),
    batchWeightG:
      fact.pond_id === null
        ? averageWeightG(fact)
        : batchWeightG(
            facts.weighings.filter(({ measurement_date }) => measurement_date <= at),
            replayPopulation(animalsOf(facts), at),
            batch.initial_avg_weight,
          ),
    coefficient_variation: variationOf(fact),
    measurementDay: daysBetween(batch.start_date, localDay(fact.measurement_date, clock)),
  };
}

/** What a survival that was counted at the final harvest is described by. */
export const COUNTED_AT_HARVEST = 'harvest';

export type ChangeBatchDeps = Pick<Kernel, 'guard'> &
  SurvivalDeps & {
    queries: BatchQueries;
    batches: Pick<BatchStates, 'byIds' | 'historyOf'>;
    withdrawals: Withdrawals;
  };

export type SurvivalDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<BatchQueries, 'lastSurvivalChange'>;
};

export type SurvivalStep = Pick<RowOf<typeof survivalChange>, 'kind' | 'value' | 'description'> &
  Partial<Pick<LossRow, 'pond_id' | 'animals' | 'weight_kg' | 'pond_share' | 'corrects' | 'cause'>>;

/** When what is told now of a survival counts: after all that was told before, whatever the clocks show. */
export async function afterAllTold(
  deps: Pick<SurvivalDeps, 'now' | 'queries'>,
  batchId: string,
): Promise<string> {
  const last = await deps.queries.lastSurvivalChange(batchId);
  const now = deps.now();
  return isoOf(last === null ? now : Math.max(now, Date.parse(last) + 1));
}

/** A fact about the survival of a batch. */
export function survivalFact(
  deps: SurvivalDeps,
  caller: Pick<Caller, 'userId'>,
  batchId: string,
  { id, at, step }: { id?: string | undefined; at: string; step: SurvivalStep },
): LossRow {
  return {
    id: id ?? deps.newId(),
    batch_id: batchId,
    pond_id: null,
    animals: null,
    weight_kg: null,
    pond_share: null,
    corrects: null,
    cause: null,
    ...step,
    changed_at: at,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
  };
}

/**
 * The rows of a survival change: the fact itself, the audit entry with old and new rate, and the batch, whose version
 * moves on so that an If-Match sees it.
 */
export async function survivalRows(
  deps: SurvivalDeps,
  caller: Caller,
  state: BatchState,
  told: { id?: string | undefined; at?: string; step: SurvivalStep; newRate: number },
): Promise<{ changes: Change[]; updatedAt: string }> {
  const { id, step, newRate } = told;
  const at = told.at ?? (await afterAllTold(deps, state.batch.id));
  const fact = survivalFact(deps, caller, state.batch.id, { id, at, step });
  const entry = audit(deps, {
    farm_id: state.batch.farm_id,
    entity_type: 'SYSTEM',
    entity_id: state.batch.id,
    entity_name: state.batch.batch_code,
    action: 'survival_adjusted',
    user_id: caller.userId,
    details: {
      old_survival_rate: percent(state.survivalRate),
      new_survival_rate: percent(newRate),
      ...(step.kind === 'FACTOR' ? { severity: roundTo(step.value, 4) } : {}),
      ...(at < fact.created_at ? { lost_at: at } : {}),
      ...(step.pond_id == null ? {} : { pond_id: step.pond_id }),
      ...(step.animals == null ? {} : { dead_count: step.animals }),
      ...(step.weight_kg == null ? {} : { dead_weight_kg: step.weight_kg }),
      ...(step.cause == null ? {} : { cause: step.cause }),
      ...(step.description === null ? {} : { description: step.description }),
    },
  });
  return { changes: [insert(survivalChange, fact), entry], updatedAt: isoOf(deps.now()) };
}

/** Moves the version of the batch on, and its `updated_at`. */
export function touched(state: BatchState, updatedAt: string): Change {
  return update(batch, state.batch, { updated_at: updatedAt });
}
