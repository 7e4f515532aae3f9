import { severityOf, type WaterSeverity } from './severity.ts';
import { type Violation, violationsOf, type Water, type WaterSample } from './water-limits.ts';

export type WaterStatus = 'NORMAL' | 'WARNING' | 'CRITICAL';

export type GradedViolation = Violation & { severity: WaterSeverity };

/**
 * Violations of a measurement with their severity. `pondSalinityPpt` is the latest known salinity of the pond, for a
 * measurement without its own; null: never measured.
 */
export function gradedViolations(
  water: Water,
  sample: WaterSample,
  pondSalinityPpt: number | null,
): GradedViolation[] {
  const salinityPpt = sample.salinity ?? pondSalinityPpt;
  // The same salinity decides how much of the total ammonia is un-ionised.
  return violationsOf(water, { ...sample, salinity: salinityPpt }).map((violation) => ({
    ...violation,
    severity: severityOf(water, violation, salinityPpt),
  }));
}

/** State of the water in one word: CRITICAL with any HIGH alert, WARNING with any other, else NORMAL. */
export function waterStatus(alerts: readonly { severity: WaterSeverity }[]): WaterStatus {
  if (alerts.some(({ severity }) => severity === 'HIGH')) return 'CRITICAL';
  return alerts.length > 0 ? 'WARNING' : 'NORMAL';
}
