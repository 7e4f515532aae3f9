import { type PlanLimits, UNLIMITED } from '#contract/plans.ts';
import type { Plan } from '#contract/words.ts';
import type { Counted, Usage } from './ports.ts';

export const COUNTED = ['farms', 'ponds', 'active_batches'] as const satisfies readonly Counted[];

/** Share of a limit from which people are told once, and above which their limits carry a warning, percent. */
const WARN_PERCENT = 80;

/** What people are told of: nothing, that 80 % of a limit is used, or that nothing is left. */
export type UsageLevel = 0 | 80 | 100;

/** Most of each an owner can have altogether; -1 is unlimited. */
export function maximaOf(limits: PlanLimits): Usage {
  const ponds = times(limits.max_farms, limits.max_ponds_per_farm);
  return {
    farms: limits.max_farms,
    ponds,
    active_batches: times(ponds, limits.max_batches_per_pond),
  };
}

const times = (a: number, b: number): number => (a === UNLIMITED || b === UNLIMITED ? UNLIMITED : a * b);

/** Percent of a limit that is used, unrounded; 0 of an unlimited one, and more than 100 where there is too much. */
export function percentOf(current: number, max: number): number {
  if (max === UNLIMITED || current === 0) return 0;
  return max === 0 ? 100 : (current / max) * 100;
}

export const hasRoom = (current: number, max: number, adding = 1): boolean =>
  max === UNLIMITED || current + adding <= max;

export function levelOf(current: number, max: number): UsageLevel {
  const percent = percentOf(current, max);
  if (percent >= 100) return 100;
  return percent >= WARN_PERCENT ? 80 : 0;
}

/** Whether the limits of an owner carry a warning: the interface wants it above 80 %, not at it. */
export const isWarnedOf = (current: number, max: number): boolean => percentOf(current, max) > WARN_PERCENT;

/** The least of a limit that is warned of. */
export const warnedFrom = (max: number): number => Math.floor((max * WARN_PERCENT) / 100) + 1;

/** One of what FREE allows one of is ordinary use: that there is a farm, and a batch in a pond, is no news. */
export const isOfUse = (plan: Plan, max: number): boolean => plan === 'FREE' && max === 1;

/** Whether all that a plan allows of it is ordinary use. */
export function isAllOfUse(plan: Plan, limits: PlanLimits, resource: Counted): boolean {
  const { max_farms, max_batches_per_pond } = limits;
  const max = { farms: max_farms, ponds: null, active_batches: max_batches_per_pond }[resource];
  return max !== null && isOfUse(plan, max);
}
