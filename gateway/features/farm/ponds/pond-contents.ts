import type { BatchOnCard, BatchOnDetail, PondCard } from '#contract/resources/pond-cards.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { grams, kilograms, percent, ratio } from '#core/rounding.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import { biomassKgIn, populationIn, weighingIn, weightIn } from '#features/production/batch-in-pond.ts';
import type { BatchState, BatchStates, Weighing } from '#features/production/batch-state.ts';
import type { PondContents, PondContentsQueries } from './ports.ts';

export type PondContentsDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
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
