import type { ScienceConstants } from './constants.ts';

type Aeration = ScienceConstants['aeration'];

/**
 * How fast a pond loses oxygen at night when its aerators stop, mg/L per hour, by biomass (kg per m³ of water): shrimp,
 * water and bottom together. Straight between the four measured kinds of pond, and on along the outer lines beyond
 * them; an empty pond still loses what water and bottom breathe. Typical values: an order of magnitude to act by.
 */
export function oxygenDeclineMgLPerHour({ decline }: Aeration, kgPerM3: number): number {
  const next = decline.findIndex((point) => point.kgPerM3 >= kgPerM3);
  const upper = next === -1 ? decline.length - 1 : Math.max(1, next);
  const right = decline[upper];
  const left = decline[upper - 1];
  if (left === undefined || right === undefined) return right?.mgLPerHour ?? Number.NaN;
  const perKg = (right.mgLPerHour - left.mgLPerHour) / (right.kgPerM3 - left.kgPerM3);
  return left.mgLPerHour + perKg * (Math.max(0, kgPerM3) - left.kgPerM3);
}

/** Hours without aeration until oxygen falls from one level to another, mg/L; 0 when it is there already. */
export function hoursToOxygenLevel(
  aeration: Aeration,
  pond: { kgPerM3: number; fromMgL: number; toMgL: number },
): number {
  const fall = Math.max(0, pond.fromMgL - pond.toMgL);
  return fall === 0 ? 0 : fall / oxygenDeclineMgLPerHour(aeration, pond.kgPerM3);
}
