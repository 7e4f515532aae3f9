import type { BatchOnCard, BatchOnDetail, PondCard, PondCards } from '#contract/resources/pond-cards.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { grams, kilograms, percent, ratio, roundTo } from '#core/rounding.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import { biomassKgIn, populationIn, weighingIn, weightIn } from '#features/production/batch-in-pond.ts';
import type { BatchState, BatchStates, Weighing } from '#features/production/batch-state.ts';
import { missingOfAnimals } from '#features/production/missing-facts.ts';
import type { Language } from '#science/advice/language.ts';
import { type MissingFact, missingText } from '#science/advice/missing-words.ts';
import { aerationText } from '#science/advice/oxygen-advice.ts';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { biomassPerM3 } from '#science/biomass.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { weightToFeedG } from '#science/feeding-ration.ts';
import { hoursToOxygenLevel } from '#science/oxygen-forecast.ts';
import { speciesOf } from '#science/survival.ts';
import type { IsOnline, Living, Pond, PondContents, PondContentsQueries, PondQueries } from './ports.ts';

export type PondCardDeps = {
  queries: Pick<PondQueries, 'activeAlerts' | 'controlPointCod' | 'aeratorsOfPond'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  contents: PondContents;
  isOnline: IsOnline;
};

/** One line per pond and the sums over all of them. */
export async function pondCardsOf(deps: PondCardDeps, ponds: readonly Pond[]): Promise<PondCards> {
  const contents = await deps.contents.overview(ponds.map(({ id }) => id));
  const cards = ponds.map((pond) => {
    const { active_batches = [], water_quality = null, empty_since = null } = contents.get(pond.id) ?? {};
    const hasBatch = active_batches.length > 0;
    return {
      pond_id: pond.id,
      cod: pond.cod,
      pond_type: pond.pond_type,
      active_batch: active_batches[0] ?? null,
      active_batches,
      water_quality,
      status: hasBatch ? ('ACTIVE' as const) : ('EMPTY' as const),
      empty_since,
    };
  });
  const active = cards.filter(({ status }) => status === 'ACTIVE').length;
  const biomassKg = cards
    .flatMap((card) => card.active_batches)
    .reduce((sum, batch) => sum + (batch.current_biomass_kg ?? 0), 0);
  return {
    ponds: cards,
    summary: {
      total_ponds: cards.length,
      active_ponds: active,
      empty_ponds: cards.length - active,
      total_biomass_kg: Math.round(biomassKg * 1000) / 1000,
    },
  };
}

/** Everything about one pond on one card. */
export async function pondCardOf(deps: PondCardDeps, pond: Pond, language: Language): Promise<PondCard> {
  const { active_batches, living, latest_biometry, latest_water_quality, feeding_today } =
    await deps.contents.detail(pond.id);
  return {
    pond_id: pond.id,
    cod: pond.cod,
    pond_type: pond.pond_type,
    size_m2: pond.size_m2,
    depth_m: pond.depth_m,
    aerator_count: pond.aerator_count,
    active_batch: active_batches[0] ?? null,
    active_batches,
    latest_biometry,
    latest_water_quality,
    feeding_today,
    active_alerts: await deps.queries.activeAlerts(pond),
    aeration: aerationOf(await deps.scienceOf(pond.farm_id), pond, {
      living,
      aerators: await deps.queries.aeratorsOfPond(pond.id),
      language,
    }),
    control_point: await controlPointOnCard(deps, pond.control_point_id),
  };
}

async function controlPointOnCard(
  deps: PondCardDeps,
  controlPointId: string | null,
): Promise<PondCard['control_point']> {
  if (controlPointId === null) return null;
  const cod = await deps.queries.controlPointCod(controlPointId);
  if (cod === null) return null;
  const isOnline = deps.isOnline(controlPointId);
  const status = isOnline === null ? 'UNKNOWN' : isOnline ? 'ONLINE' : 'OFFLINE';
  return { id: controlPointId, name: cod, status };
}

/** Contents of ponds as long as no feature brings batches, measurements and feedings. */
export const emptyPonds: PondContents = {
  overview: async () => new Map(),
  detail: async () => ({
    active_batches: [],
    living: [],
    latest_biometry: null,
    latest_water_quality: null,
    feeding_today: { total_kg: 0, feeds_count: 0, last_feed: null },
  }),
};

/** Whether the aerators of a pond carry what lives in it, and how long it does without them; null: nothing lives there. */
function aerationOf(
  science: ScienceConstants,
  pond: Pick<Pond, 'cod' | 'size_m2' | 'depth_m' | 'aerator_count'>,
  of: { living: Living; aerators: readonly { power_kw: number }[]; language: Language },
): PondCard['aeration'] {
  const biomassKg = of.living.reduce(
    (sum, { state, pondId }) => sum + biomassToAirKg(science, state, pondId),
    0,
  );
  if (biomassKg <= 0) return null;
  const missing = missingForAir(pond, of);
  const { aeration, water } = science;
  const powerKw = of.aerators.reduce((sum, { power_kw }) => sum + power_kw, 0);
  const sizing = aerationSizing(aeration, { biomassKg, powerKw, areaM2: pond.size_m2 });
  const kgPerM3 = biomassPerM3(biomassKg, { areaM2: pond.size_m2, depthM: pond.depth_m });
  const fall = { fromMgL: water.alerts.LOW_OXYGEN.limit, toMgL: water.criticalOxygenMgL };
  return {
    horsepower: roundTo(sizing.horsepower, 2),
    kg_per_horsepower: roundTo(sizing.kgPerHorsepower, 1),
    rating: sizing.rating,
    missing_horsepower: roundTo(sizing.missingHorsepower, 2),
    without_aerators:
      kgPerM3 === null
        ? null
        : {
            from_mg_l: fall.fromMgL,
            to_mg_l: fall.toMgL,
            hours: roundTo(hoursToOxygenLevel(aeration, { kgPerM3, ...fall }), 1),
          },
    proposed_set_points: {
      on_mg_l: aeration.proposedSetPoints.onMgL,
      off_mg_l: aeration.proposedSetPoints.offMgL,
      emergency_mg_l: aeration.proposedSetPoints.emergencyMgL,
    },
    advice:
      [
        aerationText({ pond: pond.cod, biomassKg, sizing }, of.language),
        missingText(
          missing.filter((each) => each !== 'SURVIVAL'),
          of.language,
        ),
      ]
        .filter((sentence) => sentence !== null)
        .join(' ') || null,
    missing,
  };
}

/** Shrimp that nobody weighed lately have grown: what their aerators have to carry is no less than what is expected. */
function biomassToAirKg(science: ScienceConstants, state: BatchState, pondId: string): number {
  const ofRecords = biomassKgIn(state, pondId);
  const isWeighed = missingOfAnimals(state).every((each) => each === 'SURVIVAL');
  if (isWeighed) return ofRecords;
  const expectedG = weightToFeedG(science, toFeed(state, pondId));
  return Math.max(ofRecords, (populationIn(state, pondId) * expectedG) / 1000);
}

function toFeed(state: BatchState, pondId: string): Parameters<typeof weightToFeedG>[1] {
  const weighing = weighingIn(state, pondId);
  return {
    species: speciesOf(state.batch.species).species,
    initialWeightG: state.batch.initial_avg_weight,
    day: state.daysActive,
    warmDays: state.daysActive,
    lastWeighing:
      weighing === null ? null : { day: weighing.measurementDay, weightG: weighing.average_weight_g },
  };
}

function missingForAir(
  pond: Pick<Pond, 'size_m2' | 'depth_m' | 'aerator_count'>,
  { living, aerators }: { living: Living; aerators: readonly unknown[] },
): MissingFact[] {
  return [
    ...new Set(living.flatMap(({ state }) => missingOfAnimals(state))),
    ...(pond.size_m2 === null ? (['POND_SIZE'] as const) : []),
    ...(pond.depth_m === null ? (['POND_DEPTH'] as const) : []),
    ...(aerators.length < (pond.aerator_count ?? 0) ? (['AERATORS'] as const) : []),
  ];
}

type PondContentsDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  batches: Pick<BatchStates, 'activeInPonds' | 'lastLeft'>;
  queries: PondContentsQueries;
};

/**
 * What lives in ponds now. Population and biomass are those of the pond, so that the cards of a batch that was spread
 * over several ponds sum up to the batch.
 */
export function pondContents(deps: PondContentsDeps): PondContents {
  const { queries } = deps;
  return {
    async overview(pondIds) {
      const batches = await deps.batches.activeInPonds(pondIds);
      const water = await queries.latestWater(pondIds);
      const alerts = await queries.countActiveAlerts(pondIds);
      const left = await deps.batches.lastLeft(pondIds.filter((pondId) => !batches.has(pondId)));
      return new Map(
        pondIds.map((pondId) => {
          const latest = water.get(pondId);
          return [
            pondId,
            {
              active_batches: (batches.get(pondId) ?? []).map((state) => onCard(state, pondId)),
              water_quality:
                latest === undefined
                  ? null
                  : {
                      last_measurement: latest.measurement_date,
                      temperature: latest.temperature,
                      dissolved_oxygen: latest.dissolved_oxygen,
                      ph: latest.ph,
                      source: latest.source,
                      alerts_count: alerts.get(pondId) ?? 0,
                    },
              empty_since: left.get(pondId) ?? null,
            },
          ] as const;
        }),
      );
    },
    async detail(pondId) {
      const states = (await deps.batches.activeInPonds([pondId])).get(pondId) ?? [];
      const latest = (await queries.latestWater([pondId])).get(pondId);
      return {
        active_batches: states.map((state) => onDetail(state, pondId)),
        living: states.map((state) => ({ state, pondId })),
        latest_biometry: biometryOnCard(states[0] === undefined ? null : weighingIn(states[0], pondId)),
        latest_water_quality:
          latest === undefined
            ? null
            : {
                date: latest.measurement_date,
                temperature: latest.temperature,
                dissolved_oxygen: latest.dissolved_oxygen,
                ph: latest.ph,
                ammonia: latest.ammonia,
                nitrite: latest.nitrite,
              },
        feeding_today: await feedingToday(deps, pondId, states),
      };
    },
  };
}

function onCard(state: BatchState, pondId: string): BatchOnCard {
  return {
    id: state.batch.id,
    batch_number: state.batch.batch_code,
    days_active: state.daysActive,
    current_biomass_kg: kilograms(biomassKgIn(state, pondId)),
    average_weight_g: grams(weightIn(state, pondId)),
    survival_rate: percent(state.survivalRate),
    weighed_at: weighingIn(state, pondId)?.measurement_date ?? null,
    weighed_pond_id: weighingIn(state, pondId)?.pondId ?? null,
    fca: ratio(state.fca),
  };
}

function onDetail(state: BatchState, pondId: string): BatchOnDetail {
  return {
    ...onCard(state, pondId),
    start_date: state.batch.start_date,
    expected_harvest_date: state.batch.expected_harvest_date,
    initial_population: state.batch.initial_count,
    current_population: populationIn(state, pondId),
  };
}

function biometryOnCard(weighing: Weighing | null): PondCard['latest_biometry'] {
  if (weighing === null) return null;
  return {
    date: weighing.measurement_date,
    average_weight_g: grams(weighing.average_weight_g),
    sample_size: weighing.sample_size,
    coefficient_variation: percent(weighing.coefficient_variation),
  };
}

/** Today is a day of the farm. A feeding that names no pond counts where most animals of its batch are. */
async function feedingToday(
  deps: PondContentsDeps,
  pondId: string,
  states: readonly BatchState[],
): Promise<PondCard['feeding_today']> {
  const [first] = states;
  if (first === undefined) return { total_kg: 0, feeds_count: 0, last_feed: null };
  const today = localDay(isoOf(deps.now()), first.timezone);
  const until = countsUntil(deps);
  const ofToday = await deps.queries.feedingsBetween(
    states.map(({ batch }) => batch.id),
    { from: startOfDay(today, first.timezone), to: startOfDay(dayAfter(today, 1), first.timezone) },
  );
  const feedings = ofToday.filter(({ feed_date }) => feed_date <= until);
  const mainPondByBatch = new Map(
    states.map(({ batch, populationByPond }) => [batch.id, [...populationByPond.keys()][0] ?? batch.pond_id]),
  );
  const here = feedings.filter(
    (feeding) => (feeding.pond_id ?? mainPondByBatch.get(feeding.batch_id)) === pondId,
  );
  return {
    total_kg: kilograms(here.reduce((sum, { quantity_kg }) => sum + quantity_kg, 0)),
    feeds_count: here.length,
    last_feed:
      here
        .map(({ feed_date }) => feed_date)
        .toSorted()
        .at(-1) ?? null,
  };
}
