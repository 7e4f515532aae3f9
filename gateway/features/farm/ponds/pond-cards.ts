import type { PondCard, PondCards } from '#contract/resources/pond-cards.ts';
import { roundTo } from '#core/rounding.ts';
import type { Language } from '#science/advice/language.ts';
import { aerationText } from '#science/advice/oxygen-advice.ts';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { biomassPerM3 } from '#science/biomass.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { hoursToOxygenLevel } from '#science/oxygen-decline.ts';
import type { IsOnline, Pond, PondContents, PondQueries } from './ports.ts';

type Living = Pick<PondCard['active_batches'][number], 'current_biomass_kg'>;

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
  const { active_batches, latest_biometry, latest_water_quality, feeding_today } = await deps.contents.detail(
    pond.id,
  );
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
      batches: active_batches,
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
    latest_biometry: null,
    latest_water_quality: null,
    feeding_today: { total_kg: 0, feeds_count: 0, last_feed: null },
  }),
};

/** Whether the aerators of a pond carry what lives in it, and how long it does without them; null: nothing lives there. */
function aerationOf(
  { aeration, water }: Pick<ScienceConstants, 'aeration' | 'water'>,
  pond: Pick<Pond, 'cod' | 'size_m2' | 'depth_m'>,
  of: { batches: readonly Living[]; aerators: readonly { power_kw: number }[]; language: Language },
): PondCard['aeration'] {
  const biomassKg = of.batches.reduce((sum, { current_biomass_kg }) => sum + (current_biomass_kg ?? 0), 0);
  if (biomassKg <= 0) return null;
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
    advice: aerationText({ pond: pond.cod, biomassKg, sizing }, of.language),
  };
}
