import type { RowOf } from '#contract/resource.ts';
import { batch, survivalChange } from '#contract/resources/batches.ts';
import { numericId } from '#contract/resources/local-tables.ts';
import { numberOf } from '#core/numeric-id.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { growthCurve, instantaneousGrowthGPerDay } from '#science/growth.ts';
import { temperatureFactor } from '#science/temperature-factor.ts';
import type { Chance } from './chance.ts';
import { at, dateOf, type Emit, iso, UNTOUCHED, written } from './grown.ts';
import type { Places, PondPlace } from './places.ts';
import type { Weather } from './water.ts';

const { growth } = SCIENCE_DEFAULTS;
const CURVE = growthCurve(growth, 'vannamei');
const POSTLARVA_G = 0.003;
const EVERYTHING_PERCENT = 100;
const LEAVES_AT_G = { nursery: 1.5, fattening: 12 };
const LEAST_DENSITY = 8;

/** A batch as it truly stands in the water, and as the farm believes it stands. */
export type LivingBatch = {
  row: RowOf<typeof batch>;
  startDay: number;
  isNursery: boolean;
  /** Truth: mean weight, and animals alive. */
  weightG: number;
  alive: number;
  /** Its growth relative to the curve, its death rate, and how unequal its animals are. */
  vigour: number;
  deathsPerDay: number;
  cvPercent: number;
  /** How generously it is fed. */
  ration: number;
  /** What the farm knows: survival in percent, animals taken out, last weighing, stocking equivalents per pond. */
  believedPercent: number;
  /** What was moved cannot come to life again: later counts stay below that of the move. */
  mostPercent: number;
  harvested: number;
  weighedG: number;
  stockedByPond: Map<string, number>;
  targetG: number;
  /** A partial harvest is due at this share of the target; null: none, or done. */
  thinAtShare: number | null;
};

export type Deps = { chance: Chance; emit: Emit; places: Places; weather: Weather; day: number };

/** Stocks a pond with postlarvae. */
export function stock({ chance, places, day }: Deps, pond: PondPlace, number: number): LivingBatch {
  const unixMs = at(day, 7, chance.whole(0, 59));
  const id = chance.uuid(unixMs);
  const wished = pond.isNursery ? chance.whole(70, 110) * 10 : chance.whole(45, 85);
  const initial_density = Math.max(LEAST_DENSITY, Math.min(wished, Math.floor(carriedPerM2(pond))));
  const initial_count = Math.round((initial_density * pond.areaM2) / 1_000) * 1_000;
  const year = dateOf(day).slice(2, 4);
  return {
    row: {
      ...UNTOUCHED,
      id,
      numeric_id: numberOf(id, 0),
      owner_id: places.ownerId,
      farm_id: places.farmId,
      pond_id: pond.id,
      batch_code: `${pond.cod}/${year}-${String(number).padStart(4, '0')}`,
      species: 'Litopenaeus vannamei',
      lineage: chance.oneOf(['SPF Fast Growth', 'SPR Equilíbrio', 'F1 Regional']),
      larva_origin: chance.oneOf(['Aracati', 'Canguaretama', 'Touros', 'Luís Correia']),
      start_date: dateOf(day),
      expected_harvest_date: iso(at(day + (pond.isNursery ? 115 : 98), 12)),
      actual_harvest_date: null,
      initial_count,
      initial_avg_weight: POSTLARVA_G,
      initial_density,
      estimated_survival_rate: 85,
      status: 'ACTIVE',
      final_weight_kg: null,
      final_price_per_kg: null,
      end_reason: null,
      notes: null,
      created_by: places.ownerId,
      created_at: iso(unixMs),
    },
    startDay: day,
    isNursery: pond.isNursery,
    weightG: POSTLARVA_G,
    alive: initial_count,
    vigour: Math.min(1.3, Math.max(0.75, chance.normal(1.02, 0.1))),
    // 65 to 92 % alive after 100 days
    deathsPerDay: -Math.log(chance.between(0.65, 0.92)) / 100,
    cvPercent: chance.between(13, 29),
    ration: Math.min(1.25, Math.max(0.8, chance.normal(1.09, 0.09))),
    believedPercent: 85,
    mostPercent: EVERYTHING_PERCENT,
    harvested: 0,
    weighedG: POSTLARVA_G,
    stockedByPond: new Map([[pond.id, initial_count]]),
    targetG: chance.between(10.3, 12.8),
    thinAtShare: chance.happens(0.3) ? 0.72 : null,
  };
}

/** Animals for each m² that the aerators of a pond keep alive until they leave it. */
function carriedPerM2({ powerKw, areaM2, isNursery }: PondPlace): number {
  const { kwPerHorsepower, kgPerHorsepower } = SCIENCE_DEFAULTS.aeration;
  const kg = (powerKw / kwPerHorsepower) * kgPerHorsepower.most;
  return (kg * 1_000) / (areaM2 * LEAVES_AT_G[isNursery ? 'nursery' : 'fattening']);
}

/** A day in the water: animals grow with the temperature, and some die. */
export function grow({ chance, weather }: Deps, living: LivingBatch): void {
  const warmth = temperatureFactor(growth, weather.meanC);
  const gainG = instantaneousGrowthGPerDay(CURVE, living.weightG, warmth);
  living.weightG += Math.max(0, gainG * living.vigour * chance.normal(1, 0.12));
  living.alive *= Math.exp(-living.deathsPerDay);
}

const EVENTS = [
  ['Mortalidade após queda de oxigênio na madrugada', 'LOW_OXYGEN', 0.03, 0.15],
  ['Animais mortos nas bandejas, suspeita de vibriose', 'DISEASE', 0.02, 0.1],
  ['Muda sincronizada com mortalidade', 'MOLTING', 0.02, 0.08],
  ['Manejo da despesca parcial', 'HANDLING', 0.01, 0.04],
] as const;

/** A mortality that people saw. */
export function sufferEvent({ chance, emit, places, day }: Deps, living: LivingBatch): void {
  const [description, cause, least, most] = chance.oneOf(EVENTS);
  const severity = written(chance.between(least, most), 3);
  living.alive *= 1 - Math.min(0.95, severity * chance.between(0.7, 1.3));
  living.believedPercent *= 1 - severity;
  const unixMs = at(day, 8, chance.whole(0, 59));
  emit(survivalChange, {
    id: chance.uuid(unixMs),
    batch_id: living.row.id,
    kind: 'FACTOR',
    value: severity,
    pond_id: null,
    animals: null,
    weight_kg: null,
    pond_share: null,
    corrects: null,
    cause,
    changed_at: iso(unixMs),
    description,
    created_by: places.ownerId,
    clock_quality: 'trusted',
    created_at: iso(unixMs),
  });
}

/** The farm counts, and sets the survival it believes in. */
export function recount(deps: Deps, living: LivingBatch, description: string): void {
  const { chance, emit, places, day } = deps;
  const counted = ((living.alive + living.harvested) / living.row.initial_count) * EVERYTHING_PERCENT;
  const value = written(Math.min(living.mostPercent, Math.max(0.1, counted * chance.normal(1, 0.02))), 1);
  living.believedPercent = value;
  const unixMs = at(day, 6, chance.whole(0, 20));
  emit(survivalChange, {
    id: chance.uuid(unixMs),
    batch_id: living.row.id,
    kind: 'ABSOLUTE',
    value,
    pond_id: null,
    animals: null,
    weight_kg: null,
    pond_share: null,
    corrects: null,
    cause: null,
    changed_at: iso(unixMs),
    description,
    created_by: places.ownerId,
    clock_quality: 'trusted',
    created_at: iso(unixMs),
  });
}

const HAIR = 1e-6;

/** Animals alive in a pond, as the farm believes. */
export function believedIn(living: LivingBatch, pondId: string): number {
  const stocked = [...living.stockedByPond.values()].reduce((sum, count) => sum + count, 0);
  if (stocked <= 0) return 0;
  const share = (living.stockedByPond.get(pondId) ?? 0) / stocked;
  // as the gateway counts: floating point must not cost a shrimp
  return Math.floor(share * believed(living) + HAIR);
}

/** Animals alive of the whole batch, as the farm believes. */
export function believed({ row, believedPercent, harvested }: LivingBatch): number {
  return Math.max(0, (row.initial_count * believedPercent) / EVERYTHING_PERCENT - harvested);
}

/** Mean weight of one animal as the farm believes: the last weighing, grown on. */
export const believedWeightG = (living: LivingBatch): number =>
  Math.max(living.weighedG, living.weightG * 0.97);

/** The row of the batch, as it ended or as it stands. */
export function emitBatch(emit: Emit, { row }: LivingBatch): void {
  emit(numericId, { id: String(row.numeric_id), entity: 'batch', uuid: row.id });
  emit(batch, row);
}
