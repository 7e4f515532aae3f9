import { type Freshness, freshnessOf } from './freshness.ts';

// What it means for the shrimp when a motor stops. Pure: ages in milliseconds come in.

/** A pond that the motor airs. */
export type AiredPond = {
  cod: string;
  /** No batch is recorded in it. */
  isEmpty: boolean;
  biomassKg: number | null;
  /** mg/L as last measured; null: nobody did. */
  oxygen: number | null;
  oxygenAgeMs: number | null;
};

export type PondRisk = AiredPond & {
  /** `unknown`: not measured, or too long ago to act on. That is no better than low. */
  is: 'empty' | 'fine' | 'low' | 'unknown';
  fresh: Freshness;
};

export type OffRisk = {
  isNight: boolean;
  /** null: which ponds it airs is not known. */
  ponds: readonly PondRisk[] | null;
  biomassKg: number;
  /** One press is not enough: the code of the motor must be written out. */
  mustType: boolean;
};

const LOW_OXYGEN = 5;
/** Where people measure, something lives, whatever the records say. */
const MEASURED_MS = 3 * 86_400_000;

export function offRiskOf(aired: readonly AiredPond[] | null, isNight: boolean): OffRisk {
  const ponds = aired?.map((pond) => pondRisk(pond, isNight)) ?? null;
  const isSafe = ponds?.every((pond) => pond.is === 'fine' || pond.is === 'empty') ?? false;
  const biomassKg = (aired ?? []).reduce((sum, pond) => sum + (pond.biomassKg ?? 0), 0);
  return { isNight, ponds, biomassKg, mustType: isNight || !isSafe };
}

function pondRisk(pond: AiredPond, isNight: boolean): PondRisk {
  const kind = isNight ? 'oxygenByNight' : 'oxygenByDay';
  const fresh = pond.oxygen === null ? 'stale' : freshnessOf(kind, pond.oxygenAgeMs);
  const isMeasured = pond.oxygen !== null && (pond.oxygenAgeMs ?? 0) <= MEASURED_MS;
  if (pond.isEmpty && !isMeasured) return { ...pond, is: 'empty', fresh };
  if (pond.oxygen === null || fresh === 'stale') return { ...pond, is: 'unknown', fresh };
  return { ...pond, is: pond.oxygen < LOW_OXYGEN ? 'low' : 'fine', fresh };
}
