import { nh3Of, nh3ToActOn } from './ammonia.ts';
import { oxygenSaturationPercent } from './oxygen-saturation.ts';
import type { Water, WaterSample } from './water-limits.ts';

export const IMPLAUSIBLE_KINDS = [
  'OXYGEN_ABOVE_ANY_POND',
  'OXYGEN_OVERSATURATED',
  'OXYGEN_DOUBTFUL',
  'TEMPERATURE_UNUSUAL',
  'PH_UNUSUAL',
  'SALINITY_UNUSUAL',
  'AMMONIA_BASIS_DOUBTFUL',
  'AMMONIA_UNUSUAL',
] as const;
type ImplausibleKind = (typeof IMPLAUSIBLE_KINDS)[number];

/** A value that is possible but more likely a bad probe, a wrong unit or a slip of the pen. */
export type Implausibility = {
  kind: ImplausibleKind;
  parameter: 'dissolved_oxygen' | 'temperature' | 'ph' | 'salinity' | 'ammonia';
  value: number;
  /** Per cent of saturation; only with OXYGEN_OVERSATURATED. */
  saturationPercent: number | null;
  /** What would tell whether the value is possible, and was not measured with it; only with OXYGEN_DOUBTFUL. */
  missing: readonly ('temperature' | 'salinity')[];
  /** Total ammonia nitrogen that the value would need, mg/L; only with AMMONIA_BASIS_DOUBTFUL. */
  tanMgL: number | null;
};

/**
 * Values of a measurement that are stored as they are but should be looked at again. Oxygen is held against saturation: what
 * is too much in any water that the measurement may be of, and what is too much in some of it because temperature or
 * salinity was not measured.
 */
export function implausibilitiesOf(water: Water, sample: WaterSample): Implausibility[] {
  const { plausible } = water;
  const found: Implausibility[] = [];
  const oxygen = oxygenDoubt(water, sample);
  if (oxygen !== null) found.push(oxygen);
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

function oxygenDoubt({ plausible, worstPlausible }: Water, sample: WaterSample): Implausibility | null {
  const { dissolved_oxygen: oxygen, temperature, salinity } = sample;
  if (oxygen === null) return null;
  if (oxygen < 0 || oxygen > plausible.oxygenMostMgL)
    return flag('OXYGEN_ABOVE_ANY_POND', 'dissolved_oxygen', oxygen);
  const most = plausible.oxygenMostSaturationPercent;
  // fresh water accuses least; of an unknown temperature nothing is sure
  const least = temperature === null ? 0 : saturationOf(oxygen, temperature, salinity ?? 0);
  if (least > most)
    return { ...flag('OXYGEN_OVERSATURATED', 'dissolved_oxygen', oxygen), saturationPercent: least };
  const highest = saturationOf(
    oxygen,
    temperature ?? worstPlausible.temperatureC,
    salinity ?? SATURATION_UP_TO.salinityPpt,
  );
  if (highest <= most) return null;
  const missing = (['temperature', 'salinity'] as const).filter((name) => sample[name] === null);
  return { ...flag('OXYGEN_DOUBTFUL', 'dissolved_oxygen', oxygen), missing };
}

/** Hotter and saltier water than the table knows holds less than its end, which accuses less. */
const SATURATION_UP_TO = { temperatureC: 40, salinityPpt: 40 };
const saturationOf = (oxygenMgL: number, temperatureC: number, salinityPpt: number): number =>
  oxygenSaturationPercent({
    oxygenMgL,
    temperatureC: Math.min(Math.max(temperatureC, 0), SATURATION_UP_TO.temperatureC),
    salinityPpt: Math.min(Math.max(salinityPpt, 0), SATURATION_UP_TO.salinityPpt),
  }) ?? 0;

function flag(kind: ImplausibleKind, parameter: Implausibility['parameter'], value: number): Implausibility {
  return { kind, parameter, value, saturationPercent: null, missing: [], tanMgL: null };
}

function isOutside(range: { least: number; most: number }, value: number): boolean {
  return value < range.least || value > range.most;
}

/**
 * Practical salinity from conductivity: PSS-78 (Unesco technical papers in marine science 37, 1981) at the pressure of the
 * air, with the extension of Hill, Dauphinee & Woods (1986) for brackish water below 2. Null outside 0–40 °C, 0–42.
 *
 * @param msPerCm conductivity at that temperature, mS/cm
 */
export function practicalSalinity(msPerCm: number, temperatureC: number): number | null {
  // published to 35 °C; shallow ponds pass that, and the polynomials stay smooth
  if (temperatureC < 0 || temperatureC > 40 || msPerCm < 0) return null;
  const t = temperatureC;
  const standard = 0.6766097 + t * (2.00564e-2 + t * (1.104259e-4 + t * (-6.9698e-7 + t * 1.0031e-9)));
  const ratio = msPerCm / STANDARD_MS_PER_CM / standard;
  const root = Math.sqrt(ratio);
  const warmth = (t - 15) / (1 + 0.0162 * (t - 15));
  const main = polynomial(MAIN, root) + warmth * polynomial(WARMTH, root);
  const salinity = main < 2 ? main - hill(ratio, warmth) : main;
  return salinity >= -1e-6 && salinity <= MOST ? Math.max(0, salinity) : null;
}

/** Of sea water of 35 at 15 °C. */
const STANDARD_MS_PER_CM = 42.914;
/** The scale ends there; refractometers go on. */
const MOST = 42;
const MAIN = [0.008, -0.1692, 25.3851, 14.0941, -7.0261, 2.7081] as const;
const WARMTH = [0.0005, -0.0056, -0.0066, -0.0375, 0.0636, -0.0144] as const;

const polynomial = (factors: readonly number[], x: number): number =>
  factors.reduceRight((sum, factor) => sum * x + factor, 0);

function hill(ratio: number, warmth: number): number {
  const x = 400 * ratio;
  const y = 100 * ratio;
  return 0.008 / (1 + 1.5 * x + x * x) + (0.0005 * warmth) / (1 + Math.sqrt(y) + y + y ** 1.5);
}
