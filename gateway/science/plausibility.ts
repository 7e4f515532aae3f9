import { nh3Of, nh3ToActOn } from './ammonia.ts';
import { oxygenSaturationPercent } from './oxygen-saturation.ts';
import type { Water, WaterSample } from './water-limits.ts';

export const IMPLAUSIBLE_KINDS = [
  'OXYGEN_ABOVE_ANY_POND',
  'OXYGEN_OVERSATURATED',
  'TEMPERATURE_UNUSUAL',
  'PH_UNUSUAL',
  'SALINITY_UNUSUAL',
  'AMMONIA_BASIS_DOUBTFUL',
  'AMMONIA_UNUSUAL',
] as const;
export type ImplausibleKind = (typeof IMPLAUSIBLE_KINDS)[number];

/** A value that is possible but more likely a bad probe, a wrong unit or a slip of the pen. */
export type Implausibility = {
  kind: ImplausibleKind;
  parameter: 'dissolved_oxygen' | 'temperature' | 'ph' | 'salinity' | 'ammonia';
  value: number;
  /** Per cent of saturation; only with OXYGEN_OVERSATURATED. */
  saturationPercent: number | null;
  /** Total ammonia nitrogen that the value would need, mg/L; only with AMMONIA_BASIS_DOUBTFUL. */
  tanMgL: number | null;
};

/**
 * Values of a measurement that are stored as they are but should be looked at again. Oxygen is held against saturation
 * where the temperature is known (salinity unknown counts as fresh water, which accuses less).
 */
export function implausibilitiesOf(water: Water, sample: WaterSample): Implausibility[] {
  const { plausible } = water;
  const found: Implausibility[] = [];
  const oxygen = sample.dissolved_oxygen;
  if (oxygen !== null) {
    const saturationPercent = saturationOf(sample, oxygen);
    if (oxygen < 0 || oxygen > plausible.oxygenMostMgL) {
      found.push(flag('OXYGEN_ABOVE_ANY_POND', 'dissolved_oxygen', oxygen));
    } else if (saturationPercent !== null && saturationPercent > plausible.oxygenMostSaturationPercent) {
      found.push({ ...flag('OXYGEN_OVERSATURATED', 'dissolved_oxygen', oxygen), saturationPercent });
    }
  }
  const { temperature, ph, salinity } = sample;
  if (temperature !== null && isOutside(plausible.temperatureC, temperature)) {
    found.push(flag('TEMPERATURE_UNUSUAL', 'temperature', temperature));
  }
  // pH 3 and 11 themselves are acid soil and quicklime already.
  if (ph !== null && (ph <= plausible.ph.above || ph >= plausible.ph.below)) {
    found.push(flag('PH_UNUSUAL', 'ph', ph));
  }
  if (salinity !== null && isOutside(plausible.salinityPpt, salinity)) {
    found.push(flag('SALINITY_UNUSUAL', 'salinity', salinity));
  }
  const ammonia = ammoniaDoubt(water, sample);
  return ammonia === null ? found : [...found, ammonia];
}

/** More than ponds have: on the basis NH3 most likely a total that was typed as if it were all poisonous. */
function ammoniaDoubt(water: Water, sample: WaterSample): Implausibility | null {
  const { ammonia } = sample;
  if (ammonia === null) return null;
  const { tanMostMgL, everydayWater } = water.plausible;
  if (water.ammoniaBasis === 'TAN')
    return ammonia > tanMostMgL ? flag('AMMONIA_UNUSUAL', 'ammonia', ammonia) : null;
  const share = nh3Of(everydayWater, 1, {
    temperatureC: sample.temperature ?? everydayWater.temperatureC,
    ph: sample.ph ?? everydayWater.ph,
    salinityPpt: sample.salinity ?? everydayWater.salinityPpt,
  });
  const tanMgL = ammonia / nh3ToActOn(share);
  return tanMgL > tanMostMgL ? { ...flag('AMMONIA_BASIS_DOUBTFUL', 'ammonia', ammonia), tanMgL } : null;
}

function saturationOf(sample: WaterSample, oxygenMgL: number): number | null {
  if (sample.temperature === null) return null;
  return oxygenSaturationPercent({
    oxygenMgL,
    temperatureC: sample.temperature,
    salinityPpt: sample.salinity ?? 0,
  });
}

function flag(kind: ImplausibleKind, parameter: Implausibility['parameter'], value: number): Implausibility {
  return { kind, parameter, value, saturationPercent: null, tanMgL: null };
}

function isOutside(range: { least: number; most: number }, value: number): boolean {
  return value < range.least || value > range.most;
}
