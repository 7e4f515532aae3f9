import { type AmmoniaGap, type AmmoniaWater, type Nh3, nh3Of, nh3ToActOn, tanOf } from './ammonia.ts';
import type { ScienceConstants } from './constants.ts';

export type Water = ScienceConstants['water'];

export const WATER_PARAMETERS = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'salinity',
  'alkalinity',
  'ammonia',
  'nitrite',
  'nitrate',
  'transparency',
] as const;
export type WaterParameter = (typeof WATER_PARAMETERS)[number];

export const WATER_UNITS: Readonly<Record<WaterParameter, string>> = {
  temperature: '°C',
  dissolved_oxygen: 'mg/L',
  ph: 'pH',
  salinity: 'ppt',
  alkalinity: 'mg/L CaCO₃',
  ammonia: 'mg/L',
  nitrite: 'mg/L',
  nitrate: 'mg/L',
  transparency: 'cm',
};

export const WATER_ALERT_TYPES = [
  'LOW_OXYGEN',
  'LOW_TEMPERATURE',
  'HIGH_TEMPERATURE',
  'LOW_PH',
  'HIGH_PH',
  'LOW_ALKALINITY',
  'HIGH_AMMONIA',
  'HIGH_NITRITE',
  'HIGH_NITRATE',
] as const;
export type WaterAlertType = (typeof WATER_ALERT_TYPES)[number];

/** What was measured at one time in one pond, in the units of WATER_UNITS; null: not measured. */
export type WaterSample = Readonly<Record<WaterParameter, number | null>>;

/** A value beyond its limit. `value` is compared with `threshold`, in the same unit. */
export type Violation = {
  type: WaterAlertType;
  parameter: WaterParameter;
  value: number;
  threshold: number;
  /** What was typed, on the farm's basis; not `value` where total ammonia was typed. */
  measured: number;
  /** What the animals feel of ammonia; null: this is no ammonia. */
  nh3: Nh3 | null;
  /** Of nitrite and nitrate: salinity, which decides what they do, was not measured, and that of hardly salty water counts. */
  isSalinityUnknown?: true;
  /** Total ammonia beside a measured NH3-N, mg/L; left out where it cannot be worked out, or was what was measured. */
  tan?: number;
};

type Side = 'below' | 'above';
const RULES: Readonly<Record<WaterAlertType, { parameter: WaterParameter; side: Side }>> = {
  LOW_OXYGEN: { parameter: 'dissolved_oxygen', side: 'below' },
  LOW_TEMPERATURE: { parameter: 'temperature', side: 'below' },
  HIGH_TEMPERATURE: { parameter: 'temperature', side: 'above' },
  LOW_PH: { parameter: 'ph', side: 'below' },
  HIGH_PH: { parameter: 'ph', side: 'above' },
  LOW_ALKALINITY: { parameter: 'alkalinity', side: 'below' },
  HIGH_AMMONIA: { parameter: 'ammonia', side: 'above' },
  HIGH_NITRITE: { parameter: 'nitrite', side: 'above' },
  HIGH_NITRATE: { parameter: 'nitrate', side: 'above' },
};

/** What dissolved salts keep out of the gills. */
const SALT_PROTECTS: readonly WaterAlertType[] = ['HIGH_NITRITE', 'HIGH_NITRATE'];

export const parameterOf = (type: WaterAlertType): WaterParameter => RULES[type].parameter;
export const isUpperLimit = (type: WaterAlertType): boolean => RULES[type].side === 'above';

/** Alert types of a parameter; none for salinity and transparency. */
export function alertTypesOf(parameter: WaterParameter): WaterAlertType[] {
  return WATER_ALERT_TYPES.filter((type) => RULES[type].parameter === parameter);
}

/** The range a grower aims at; `max` null: the more the better, within reason. */
export function optimalRange(water: Water, parameter: WaterParameter): { min: number; max: number | null } {
  const { alerts, optimal } = water;
  switch (parameter) {
    case 'temperature':
      return { min: alerts.LOW_TEMPERATURE.limit, max: alerts.HIGH_TEMPERATURE.limit };
    case 'dissolved_oxygen':
      return { min: alerts.LOW_OXYGEN.limit, max: null };
    case 'ph':
      return { min: alerts.LOW_PH.limit, max: alerts.HIGH_PH.limit };
    case 'alkalinity':
      return { min: alerts.LOW_ALKALINITY.limit, max: optimal.alkalinityMax };
    case 'ammonia':
      return { min: 0, max: mostAmmonia(water) };
    case 'nitrite':
      return { min: 0, max: alerts.HIGH_NITRITE.limit };
    case 'nitrate':
      return { min: 0, max: alerts.HIGH_NITRATE.limit };
    case 'salinity':
    case 'transparency':
      return { ...optimal[parameter] };
  }
}

/**
 * What is typed of ammonia at its limit. Of a total it depends on the water: told is what stays below the limit as long as
 * pH and temperature keep to theirs.
 */
function mostAmmonia(water: Water): number {
  const { HIGH_AMMONIA, HIGH_PH, HIGH_TEMPERATURE } = water.alerts;
  if (water.ammoniaBasis === 'NH3') return HIGH_AMMONIA.limit;
  const share = nh3Of(water.worstPlausible, 1, {
    temperatureC: HIGH_TEMPERATURE.limit,
    ph: HIGH_PH.limit,
    salinityPpt: water.worstPlausible.salinityPpt,
  });
  return Math.round((HIGH_AMMONIA.limit / nh3ToActOn(share)) * 100) / 100;
}

/**
 * Values beyond their limits, in the order of WATER_ALERT_TYPES. Limits are strict: a value equal to one raises nothing.
 *
 * Ammonia: on the basis NH3 the posted value is compared as it stands. On the basis TAN the un-ionised part is, and the
 * violation speaks of that; what it cannot be worked out from is taken at its worst, because a missing pH must not hide
 * an alert nor make it milder.
 */
export function violationsOf(water: Water, sample: WaterSample): Violation[] {
  return WATER_ALERT_TYPES.flatMap((type): Violation[] => {
    const { parameter, side } = RULES[type];
    const measured = sample[parameter];
    if (measured === null) return [];
    const asked = { ...sample, ammonia: measured };
    const nh3 = parameter === 'ammonia' ? nh3In(water, asked) : null;
    const tan = nh3 === null || water.ammoniaBasis === 'TAN' ? null : ammoniaOnBoth(water, asked).tan;
    const value = nh3 === null ? measured : nh3ToActOn(nh3);
    const threshold = water.alerts[type].limit;
    return isBeyond(value, threshold, side)
      ? [
          {
            type,
            parameter,
            value,
            threshold,
            measured,
            nh3,
            ...(tan === null ? {} : { tan }),
            ...(SALT_PROTECTS.includes(type) && sample.salinity === null ? { isSalinityUnknown: true } : {}),
          },
        ]
      : [];
  });
}

/**
 * Whether a later value of the alert's parameter ends its episode: inside the limit by more than the dead band, so that
 * water that hangs at the limit does not raise the same alert again and again. `value` as `comparedValue` gives it.
 */
export function endsEpisode(water: Water, type: WaterAlertType, value: number): boolean {
  const { parameter, side } = RULES[type];
  const { limit } = water.alerts[type];
  const band = deadBandOf(water, parameter, limit);
  return side === 'below' ? value > limit + band : value < limit - band;
}

/** The value of a sample that limits are compared with; null: not measured. Ammonia as in `violationsOf`. */
export function comparedValue(water: Water, sample: WaterSample, parameter: WaterParameter): number | null {
  const { ammonia } = sample;
  if (parameter !== 'ammonia' || ammonia === null) return sample[parameter];
  return nh3ToActOn(nh3In(water, { ...sample, ammonia }));
}

/** The un-ionised part of measured ammonia, on whichever basis the farm measures. */
export function nh3In(
  { ammoniaBasis, worstPlausible }: Water,
  { ammonia, ...sample }: { ammonia: number } & Pick<WaterSample, 'temperature' | 'ph' | 'salinity'>,
): Nh3 {
  if (ammoniaBasis === 'NH3') return { isKnown: true, mgL: ammonia, isExtrapolated: false };
  return nh3Of(worstPlausible, ammonia, ammoniaWaterOf(sample));
}

/** Ammonia on both bases, mg/L: the measured one and the one worked out. `tan` null: it cannot be; `nh3N` then is the worst. */
export type AmmoniaOnBoth = { nh3N: number; tan: number | null } & (
  | { isKnown: true; isExtrapolated: boolean }
  | { isKnown: false; gaps: readonly AmmoniaGap[] }
);

export function ammoniaOnBoth(
  water: Pick<Water, 'ammoniaBasis' | 'worstPlausible'>,
  sample: { ammonia: number } & Pick<WaterSample, 'temperature' | 'ph' | 'salinity'>,
): AmmoniaOnBoth {
  const { ammonia } = sample;
  if (water.ammoniaBasis === 'TAN') {
    const nh3 = nh3Of(water.worstPlausible, ammonia, ammoniaWaterOf(sample));
    return { ...nh3, tan: ammonia, nh3N: nh3ToActOn(nh3) };
  }
  const tan = tanOf(water.worstPlausible, ammonia, ammoniaWaterOf(sample));
  return { ...tan, nh3N: ammonia, tan: tan.isKnown ? tan.mgL : null };
}

const ammoniaWaterOf = ({
  temperature,
  ph,
  salinity,
}: Pick<WaterSample, 'temperature' | 'ph' | 'salinity'>): AmmoniaWater => ({
  temperatureC: temperature,
  ph,
  salinityPpt: salinity,
});

function deadBandOf({ deadBand }: Water, parameter: WaterParameter, limit: number): number {
  if (parameter === 'dissolved_oxygen') return deadBand.oxygenMgL;
  if (parameter === 'temperature') return deadBand.temperatureC;
  if (parameter === 'ph') return deadBand.ph;
  return deadBand.otherShareOfLimit * limit;
}

function isBeyond(value: number, limit: number, side: Side): boolean {
  return side === 'below' ? value < limit : value > limit;
}
