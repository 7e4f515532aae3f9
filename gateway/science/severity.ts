import { DEADLY_NH3_MG_L } from './ammonia.ts';
import { interpolate } from './temperature-factor.ts';
import { isUpperLimit, type Violation, type Water } from './water-limits.ts';

export type WaterSeverity = 'LOW' | 'MEDIUM' | 'HIGH';

/** Marks a share that floating point left a hair below a half or a whole. */
const HAIR = 1e-9;

/**
 * How bad a value beyond its limit is for the animals: HIGH at the toxic or stressful level and beyond, MEDIUM from
 * half-way between the limit and that level, LOW below.
 *
 * Nitrite and nitrate are graded by salinity (ppt; chloride keeps nitrite out of the gills): the measurement's own or
 * the latest known of the pond; null takes the freshest water that is plausible. Ammonia is graded by NH3-N; total ammonia whose
 * un-ionised part is unknown by the most that it may be. What kills is HIGH wherever a farm has set its levels.
 */
export function severityOf(water: Water, violation: Violation, salinityPpt: number | null): WaterSeverity {
  if (isDeadly(water, violation)) return 'HIGH';
  const direction = isUpperLimit(violation.type) ? 1 : -1;
  const span = direction * (highFrom(water, violation, salinityPpt) - violation.threshold);
  // A farm may set a limit beyond the harmful level: then every violation is harmful.
  if (span <= 0) return 'HIGH';
  const share = (direction * (violation.value - violation.threshold)) / span;
  if (share >= 1 - HAIR) return 'HIGH';
  return share >= 0.5 - HAIR ? 'MEDIUM' : 'LOW';
}

/** The word of a message: CRITICAL for oxygen that kills within the hour, else the severity. */
export function severityWord(
  water: Water,
  violation: Violation,
  severity: WaterSeverity,
): WaterSeverity | 'CRITICAL' {
  return violation.type === 'LOW_OXYGEN' && isDeadly(water, violation) ? 'CRITICAL' : severity;
}

const isDeadly = (water: Water, { type, value }: Violation): boolean =>
  (type === 'LOW_OXYGEN' && value <= water.criticalOxygenMgL) ||
  (type === 'HIGH_AMMONIA' && value >= DEADLY_NH3_MG_L);

/**
 * Nitrite that shrimp stand for good at a salinity, mg/L NO2-N. Between the published points the logarithm runs straight
 * over salinity, the lower and so the more cautious of the usual two ways; flat beyond the first and the last. Where nobody
 * knows the salinity that of the freshest plausible water counts, as it does for ammonia.
 */
export function safeNitriteMgL(water: Water, salinityPpt: number | null): number {
  const points = water.nitriteSafe.map(({ salinityPpt: at, mgL }) => ({ at, value: Math.log(mgL) }));
  return Math.exp(interpolate(points, salinityPpt ?? water.worstPlausible.salinityPpt));
}

/** Nitrate that shrimp stand for good at a salinity, mg/L NO3-N. */
export function safeNitrateMgL(water: Water, salinityPpt: number | null): number {
  const points = water.nitrateSafe.map(({ salinityPpt: at, mgL }) => ({ at, value: mgL }));
  return interpolate(points, salinityPpt ?? water.worstPlausible.salinityPpt);
}

function highFrom(water: Water, violation: Violation, salinityPpt: number | null): number {
  switch (violation.type) {
    case 'HIGH_NITRITE':
      return safeNitriteMgL(water, salinityPpt);
    case 'HIGH_NITRATE':
      return safeNitrateMgL(water, salinityPpt);
    case 'LOW_OXYGEN':
    case 'LOW_TEMPERATURE':
    case 'HIGH_TEMPERATURE':
    case 'LOW_PH':
    case 'HIGH_PH':
    case 'LOW_ALKALINITY':
    case 'HIGH_AMMONIA':
      return water.alerts[violation.type].highFrom;
  }
}
