import type { PondCard } from '#contract/resources/pond-cards.ts';
import { roundTo } from '#core/rounding.ts';
import type { Language } from '#science/advice/language.ts';
import { aerationText } from '#science/advice/oxygen-advice.ts';
import { aerationSizing } from '#science/aeration-sizing.ts';
import { biomassPerM3 } from '#science/biomass.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { hoursToOxygenLevel } from '#science/oxygen-decline.ts';
import type { Pond } from './ports.ts';

type Living = Pick<PondCard['active_batches'][number], 'current_biomass_kg'>;

/** Whether the aerators of a pond carry what lives in it, and how long it does without them; null: nothing lives there. */
export function aerationOf(
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
