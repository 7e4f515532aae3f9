import type { BatchAnswer, BatchDetail, BatchFinished, HarvestAnswer } from '#contract/resources/batches.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { grams, kilograms, money, percent, ratio } from '#core/rounding.ts';
import { localDay, type ZoneClock, zoneClock, zoneClocks } from '#core/zone-clock.ts';
import { animalsIn, replayPopulation } from '#science/population.ts';
import { biomassKgIn, endOf, weighingIn, weightIn } from '../batch-in-pond.ts';
import type { Batch, BatchHistory, BatchState, BatchStates, Reweighed } from '../batch-state.ts';
import { classesIn, receivedOf } from '../lots-of-harvest.ts';
import {
  animalsOf,
  lastTakenFrom,
  sinceStocking,
  stateOf,
  stockAt,
  weighingOf,
  weightAt,
} from './batch-state.ts';
import { comparableWeighings } from './comparable-weighings.ts';
import type { Finished } from './end-batch.ts';
import type { BatchFactQueries, BatchFacts, Harvest, HarvestLotFact, Stay, WeighingFact } from './ports.ts';

/** One that lives on elsewhere, or ended after the pond was last left: there may have been animals of it until then. */
const isDoubtful = ({ pond_id, ended_at, moved_at }: Stay, left: ReadonlyMap<string, string>): boolean =>
  ended_at === null || (moved_at !== null && ended_at > (left.get(pond_id) ?? ''));

/** How batches stand, for every feature that asks; read afresh each time. */
export function batchStates(
  deps: Pick<Kernel, 'now' | 'clockQuality'> & { queries: BatchFactQueries },
): BatchStates {
  const { queries } = deps;

  async function inOrder(ids: readonly string[]): Promise<BatchState[]> {
    const now = isoOf(deps.now());
    const clockIn = zoneClocks();
    const facts = await queries.factsOf(ids, 'last two', countsUntil(deps));
    const byId = new Map(facts.map((each) => [each.batch.id, stateOf(each, clockIn(each.timezone), now)]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  return {
    async byIds(batchIds) {
      return new Map((await inOrder([...new Set(batchIds)])).map((state) => [state.batch.id, state]));
    },
    async activeInPonds(pondIds) {
      const asked = new Set(pondIds);
      const byPond = new Map<string, BatchState[]>();
      for (const state of await inOrder(await queries.activeEverIn([...asked]))) {
        for (const pondId of pondsOf(state)) {
          if (asked.has(pondId)) byPond.set(pondId, [...(byPond.get(pondId) ?? []), state]);
        }
      }
      for (const [pondId, states] of byPond) states.sort(mostAnimalsIn(pondId));
      return byPond;
    },
    lastLeft: (pondIds) => lastLeft(queries, pondIds, countsUntil(deps)),
    async activeTiedTo(pondId) {
      const ever = await inOrder(await queries.activeEverIn([pondId]));
      return ever.filter(
        ({ batch, populationByPond }) => batch.pond_id === pondId || populationByPond.has(pondId),
      );
    },
    async ofFarms(farmIds, status) {
      return inOrder(await queries.idsOfFarms([...new Set(farmIds)], status));
    },
    async pageOfFarms(farmIds, { status, skip, limit }) {
      const ids = (await queries.idsOfFarms([...new Set(farmIds)], status)).toReversed();
      return { total: ids.length, states: await inOrder(ids.slice(skip, skip + limit)) };
    },
    async historyOf(batchId) {
      const until = countsUntil(deps);
      const [all] = await queries.factsOf([batchId], 'all', until);
      if (all === undefined) return null;
      const clock = zoneClock(all.timezone);
      const minutes = await queries.fedMinutes(batchId, until);
      const feedDays = new Set(minutes.map((minute) => localDay(`${minute}:00Z`, clock))).size;
      return historyIn(all, { clock, until, now: isoOf(deps.now()), feedDays });
    },
  };
}

function historyIn(
  all: BatchFacts,
  read: { clock: ZoneClock; until: string; now: string; feedDays: number },
): BatchHistory {
  const { clock, until, now, feedDays } = read;
  const weighingsOf = (of: BatchFacts) => of.weighings.map((fact) => weighingOf(fact, of, clock)).reverse();
  const facts = { ...all, weighings: all.weighings.filter((each) => each.measurement_date <= until) };
  const since = { ...facts, weighings: sinceStocking(facts, clock) };
  return {
    state: stateOf(facts, clock, now),
    weighings: weighingsOf(since),
    comparable: comparableWeighings(since.weighings, animalsOf(facts))
      .map((fact) => weighingOf(fact, since, clock))
      .reverse(),
    recorded: weighingsOf(all),
    feedDays,
    stockAt: (instantIso) => stockAt(facts, clock, instantIso),
    weightAt: (when) => weightAt(facts, clock, when),
    animals: animalsOf(facts),
    asIf: ({ stocking = {}, survival = [], weighings = [] }) =>
      historyIn(
        {
          ...all,
          batch: { ...all.batch, ...stocking },
          survivalChanges: [...all.survivalChanges, ...survival],
          weighings: weighings.reduce(reweighed, all.weighings),
        },
        read,
      ),
  };
}

const UNSPREAD = { weight_sd_g: null, individual_weights_g: null };

/** Newest first, as they are read. */
function reweighed(weighings: readonly WeighingFact[], { id, as }: Reweighed): readonly WeighingFact[] {
  const others = weighings.filter((fact) => fact.id !== id);
  const was = weighings.find((fact) => fact.id === id) ?? UNSPREAD;
  return (as === null ? others : [...others, { ...was, ...as, id }]).toSorted((a, b) =>
    a.measurement_date === b.measurement_date
      ? a.id < b.id
        ? 1
        : -1
      : a.measurement_date < b.measurement_date
        ? 1
        : -1,
  );
}

/** A batch that has lost every animal still lies in its first pond until somebody ends it. */
function pondsOf({ batch, populationByPond }: BatchState): string[] {
  return populationByPond.size === 0 ? [batch.pond_id] : [...populationByPond.keys()];
}

function mostAnimalsIn(pondId: string) {
  const countOf = (state: BatchState) => state.populationByPond.get(pondId) ?? 0;
  return (a: BatchState, b: BatchState): number =>
    countOf(b) - countOf(a) || (a.batch.created_at < b.batch.created_at ? 1 : -1);
}

/**
 * When each of these ponds lost its last animals, by pond; those that never held any are left out. Years of batches go
 * by their ends alone; only those are replayed that were moved on and may have left some behind.
 */
async function lastLeft(
  queries: Pick<BatchFactQueries, 'staysIn' | 'factsOf'>,
  pondIds: readonly string[],
  countsUntil: string,
): Promise<Map<string, string>> {
  if (pondIds.length === 0) return new Map();
  const stays = await queries.staysIn(pondIds);
  const left = new Map<string, string>();
  for (const stay of stays) note(left, stay.pond_id, stay.moved_at ?? stay.ended_at);
  const doubtful = stays.filter((stay) => isDoubtful(stay, left));
  const named = [...new Set(doubtful.map(({ batch_id }) => batch_id))];
  const facts = await queries.factsOf(named, 'last two', countsUntil);
  const factsByBatch = new Map(facts.map((each) => [each.batch.id, each]));
  for (const { pond_id, batch_id } of doubtful) {
    const found = factsByBatch.get(batch_id);
    if (found !== undefined) note(left, pond_id, leftAt(found, pond_id));
  }
  return left;
}

function note(left: Map<string, string>, pondId: string, at: string | null): void {
  if (at !== null && at > (left.get(pondId) ?? '')) left.set(pondId, at);
}

function leftAt(facts: BatchFacts, pondId: string): string | null {
  const there = animalsIn(replayPopulation(animalsOf(facts)), pondId);
  return there > 0 ? facts.batch.actual_harvest_date : lastTakenFrom(facts, pondId);
}

export function batchToAnswer(
  batch: Omit<Batch, 'rev'>,
  { survivalRate, daysActive }: { survivalRate: number; daysActive: number },
): BatchAnswer {
  return {
    id: batch.id,
    numeric_id: batch.numeric_id,
    farm_id: batch.farm_id,
    pond_id: batch.pond_id,
    batch_code: batch.batch_code,
    batch_number: batch.batch_code,
    batch_name: batch.batch_code,
    species: batch.species,
    lineage: batch.lineage,
    larva_origin: batch.larva_origin,
    start_date: batch.start_date,
    expected_harvest_date: batch.expected_harvest_date,
    actual_harvest_date: batch.actual_harvest_date,
    initial_count: batch.initial_count,
    initial_avg_weight: batch.initial_avg_weight,
    initial_density: batch.initial_density,
    estimated_survival_rate: percent(survivalRate),
    survival_rate: percent(survivalRate),
    survival_rate_at_stocking: percent(batch.estimated_survival_rate),
    status: batch.status,
    final_weight_kg: batch.final_weight_kg,
    end_reason: batch.end_reason,
    notes: batch.notes,
    days_active: daysActive,
    clock_quality: batch.clock_quality,
    created_at: batch.created_at,
    updated_at: batch.updated_at,
  };
}

export function detailToAnswer(state: BatchState): Omit<BatchDetail, 'withdrawal'> {
  const { latestBiometry } = state;
  return {
    ...batchToAnswer(state.batch, state),
    current_biomass_kg: kilograms(state.biomassKg),
    ...endOf(state),
    current_fca: ratio(state.fca),
    latest_biometry:
      latestBiometry === null
        ? null
        : {
            measurement_date: latestBiometry.measurement_date,
            average_weight_g: grams(latestBiometry.average_weight_g),
            sample_size: latestBiometry.sample_size,
          },
    current_population: state.population,
    average_weight_g: grams(state.currentWeightG),
    harvested_count: state.harvestedCount,
    harvested_kg: kilograms(state.harvestedKg),
    total_feed_kg: kilograms(state.totalFeedKg),
    ponds: [...state.populationByPond].map(([pond_id, population]) => ({
      pond_id,
      population,
      average_weight_g: grams(weightIn(state, pond_id)),
      biomass_kg: kilograms(biomassKgIn(state, pond_id)),
      weighed_pond_id: weighingIn(state, pond_id)?.pondId ?? null,
    })),
  };
}

export function finishedToAnswer(finished: Finished): BatchFinished {
  const { batch, warnings } = finished;
  return {
    id: batch.id,
    status: 'FINISHED',
    // a finished batch has its date
    actual_harvest_date: batch.actual_harvest_date ?? '',
    total_days: finished.totalDays,
    final_fca: ratio(finished.finalFca),
    final_weight_kg: kilograms(finished.finalWeightKg),
    harvested_kg: kilograms(finished.harvestedKg),
    survival_rate: percent(finished.survivalRate),
    final_count: finished.finalCount,
    revenue:
      batch.final_price_per_kg === null ? null : money(batch.final_price_per_kg * finished.finalWeightKg),
    warnings,
  };
}

export function harvestToAnswer(
  row: Omit<Harvest, 'rev'>,
  { readsFinance, lots }: { readsFinance: boolean; lots: readonly HarvestLotFact[] },
): HarvestAnswer {
  const price = readsFinance ? row.price_per_kg : null;
  const sold = receivedOf({
    kg: row.weight_kg,
    price: row.price_per_kg,
    classes: classesIn(lots, row.id),
  });
  const lotsKg = lots.reduce((sum, lot) => sum + (lot.harvest_id === row.id ? lot.weight_kg : 0), 0);
  return {
    id: row.id,
    batch_id: row.batch_id,
    pond_id: row.pond_id,
    harvest_date: row.harvest_date,
    quantity: row.quantity,
    weight_kg: row.weight_kg,
    average_weight_g: grams((row.weight_kg * 1000) / row.quantity),
    price_per_kg: price,
    revenue: readsFinance && (price !== null || sold.kg > 0) ? money(sold.revenue) : null,
    lots_kg: kilograms(lotsKg),
    notes: row.notes,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
