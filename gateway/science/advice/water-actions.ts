import type { WaterParameter } from '../water-limits.ts';
import type { AdviceGrade, AdviceStage, WaterProblem } from './advice-sources.ts';
import { adviceOf, LIMESTONE_UP_TO_MG_L } from './advice-table.ts';
import { figure, type Language } from './language.ts';

/** What an action may need to know of the pond. */
export type PondWater = {
  /** The latest value of the parameter. */
  value: number;
  /** The limit it should keep to. */
  limit: number;
  /** m³; null: surface or depth unknown. */
  volumeM3: number | null;
};

/** What a technician does about a parameter that is, or soon will be, out of range; null: nothing in particular. */
export function waterAction(
  parameter: WaterParameter,
  problem: WaterProblem,
  told: { pond: PondWater; stage: AdviceStage; grade: AdviceGrade | null; language: Language },
): string | null {
  const { pond, stage, grade, language } = told;
  const kg = parameter === 'alkalinity' ? (limeKg(pond) ?? bicarbonateKg(pond)) : null;
  const dose = kg === null ? null : `${figure(kg, 0, language)} kg`;
  return adviceOf({ parameter, problem, stage, grade, value: pond.value }, language, dose);
}

/** By experience alkalinity is raised by no more than this at a time, mg/L CaCO₃. */
const MOST_AT_ONCE_MG_L = 30;
/** Sodium bicarbonate that holds the alkalinity of 1 g of CaCO₃, g: 84.007 / 50.044. */
const BICARBONATE_PER_CACO3 = 1.679;

/**
 * Lime (CaCO₃ equivalent): 1 mg/L is 1 g per m³, as far as limestone dissolves. null: it would not, or the volume is
 * unknown.
 */
export function limeKg({ value, limit, volumeM3 }: PondWater): number | null {
  const target = Math.min(limit, LIMESTONE_UP_TO_MG_L);
  return volumeM3 === null || value >= target
    ? null
    : (Math.min(MOST_AT_ONCE_MG_L, target - value) * volumeM3) / 1000;
}

/** Sodium bicarbonate that lifts alkalinity to its limit; null: it is there, or the volume is unknown. */
export function bicarbonateKg({ value, limit, volumeM3 }: PondWater): number | null {
  return volumeM3 === null || value >= limit
    ? null
    : (Math.min(MOST_AT_ONCE_MG_L, limit - value) * volumeM3 * BICARBONATE_PER_CACO3) / 1000;
}
