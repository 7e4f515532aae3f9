import type { ScienceConstants } from './constants.ts';

type Aeration = ScienceConstants['aeration'];

export type AerationRating = 'NOT_NEEDED' | 'COMFORTABLE' | 'ENOUGH' | 'ADD_AERATION' | 'RISKY';

export type AerationSizing = {
  horsepower: number;
  /** Shrimp per horsepower, kg; null without aerators. */
  kgPerHorsepower: number | null;
  rating: AerationRating;
  /** Horsepower still missing until a horsepower carries no more than it should; 0 when there is enough. */
  missingHorsepower: number;
};

/**
 * Whether a pond's aerators carry its shrimp: 1 hp per 300–500 kg (Boyd), more than 650 kg puts them at risk. A pond of
 * up to 2 t/ha does without.
 *
 * @param pond biomass in kg, sum of the aerators' rated power in kW, surface in m² (null: unknown)
 */
export function aerationSizing(
  aeration: Aeration,
  pond: { biomassKg: number; powerKw: number; areaM2: number | null },
): AerationSizing {
  const { comfortable, most, risky } = aeration.kgPerHorsepower;
  const horsepower = pond.powerKw / aeration.kwPerHorsepower;
  const kgPerHorsepower = horsepower > 0 ? pond.biomassKg / horsepower : null;
  const isSparse =
    pond.biomassKg <= 0 ||
    (pond.areaM2 !== null && pond.biomassKg <= aeration.unaeratedKgPerM2 * pond.areaM2);
  if (isSparse) return { horsepower, kgPerHorsepower, rating: 'NOT_NEEDED', missingHorsepower: 0 };

  const load = kgPerHorsepower ?? Number.POSITIVE_INFINITY;
  const missingHorsepower = Math.max(0, pond.biomassKg / most - horsepower);
  if (load > risky) return { horsepower, kgPerHorsepower, rating: 'RISKY', missingHorsepower };
  if (load > most) return { horsepower, kgPerHorsepower, rating: 'ADD_AERATION', missingHorsepower };
  const rating = load > comfortable ? 'ENOUGH' : 'COMFORTABLE';
  return { horsepower, kgPerHorsepower, rating, missingHorsepower: 0 };
}
