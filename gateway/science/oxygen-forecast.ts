import type { ScienceConstants } from './constants.ts';
import { DAWN_RULES } from './dawn-forecast-constants.ts';
import type { Night } from './night.ts';

/** P(Z > z) of the normal distribution for z ≥ 0: Abramowitz & Stegun 26.2.17, error below 7.5e-8. */
export function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

type ForecastSettings = ScienceConstants['aeration']['forecast'];

const HOUR_MS = 3_600_000;
/** Standard errors either side that hold four cases of five. */
const FOUR_OF_FIVE = 1.28;
/** A reading so many standard errors off the course of the night tells of another pace: aerators were switched. */
const OFF_COURSE = 2.5;
/** Of many readings one or another lies far off by chance. */
const OFF_COURSE_OF_MANY = 3.5;

export type OxygenReading = { atMs: number; oxygenMgL: number };

export type DawnForecast = {
  dawnMs: number;
  /** Oxygen expected at dawn without any change of aeration, mg/L. */
  dawnMgL: number;
  /** Half-width of the band that holds four dawns of five, mg/L: of the method and of the readings. */
  uncertaintyMgL: number;
  /** The last reading, after which the forecast begins. */
  from: OxygenReading;
  /** Oxygen at that instant by all readings, mg/L. */
  startMgL: number;
  /** Where oxygen would end if the night never did, mg/L (below zero in most ponds), and the share of the way in an hour. */
  endMgL: number;
  sharePerHour: number;
  /** A probe, somebody who measures in the night, or only in the evening. */
  basis: 'probe' | 'night' | 'evening';
};

/**
 * The oxygen minimum of the morning from readings of the evening and night. A pond breathes at one pace through the night
 * (Boyd, Romaire & Johnston 1978), and air gives back the more, the less oxygen there is (Madenjian et al. 1987):
 * C' = −R + k(S − C). R and the oxygen of now are the most likely ones by all readings and by what ponds usually breathe
 * (Bayesian linear regression). On simulated nights the best possible predictor of the same readings does little better
 * (scripts/bench/dawn-forecast.ts). What the pond breathed in nights before is left out: where aerators ran in those and
 * do not tonight, it hides low dawns.
 *
 * Valid for readings from shortly before sunset to dawn that span an hour at least and fall; null otherwise: after dawn,
 * with one reading, or with oxygen that holds or rises, nothing can be said that the last reading does not say.
 */
export function dawnForecast(
  settings: ForecastSettings,
  night: Night,
  readings: readonly OxygenReading[],
): DawnForecast | null {
  const used = readingsToUse(settings, night, readings);
  const last = used.at(-1);
  if (last === undefined || !isFalling(settings, used)) return null;
  const fit = fitOf(forNoise(settings, used), used, settings.pace);
  const endMgL = settings.saturationMgL - fit.pace / settings.exchangePerHour;
  if (endMgL >= fit.oxygenMgL) return null;

  const course = { from: last, startMgL: fit.oxygenMgL, endMgL, sharePerHour: settings.exchangePerHour };
  const leadHours = (night.dawnMs - last.atMs) / HOUR_MS;
  const kept = Math.exp(-settings.exchangePerHour * leadHours);
  const perPace = (kept - 1) / settings.exchangePerHour;
  const ofReadings =
    kept ** 2 * fit.oxygenVariance + 2 * kept * perPace * fit.covariance + perPace ** 2 * fit.paceVariance;
  const isProbe = isOfProbe(settings, used);
  const ofAir = DAWN_RULES.exchangeSpreadPerHour * excessHours(settings, course, night.dawnMs);
  const ofPlace = isProbe ? DAWN_RULES.probe.placeErrorMgL : settings.leastErrorMgL;
  const ofMethod =
    (settings.methodErrorMgLPerHour * leadHours * Math.max(0, fit.pace)) / settings.pace.usualMgLPerHour;
  const error = Math.hypot(ofMethod, ofAir, ofPlace, Math.sqrt(Math.max(0, ofReadings)));
  return {
    ...course,
    basis: isProbe ? 'probe' : leadHours <= settings.eveningUntilHours ? 'night' : 'evening',
    dawnMs: night.dawnMs,
    dawnMgL: oxygenAt(course, night.dawnMs),
    uncertaintyMgL: FOUR_OF_FIVE * error,
  };
}

/** Chance that the oxygen of dawn lies below a level, 0 to 1. */
export function chanceBelow(forecast: DawnForecast, levelMgL: number): number {
  const error = forecast.uncertaintyMgL / FOUR_OF_FIVE;
  const { startMgL, endMgL } = forecast;
  const errorsBelow =
    (levelMgL - endMgL - (startMgL - endMgL) * keptUntil(forecast, forecast.dawnMs)) / error;
  return errorsBelow > 0 ? 1 - upperTail(errorsBelow) : upperTail(-errorsBelow);
}

export type Outlook = 'WARN' | 'MEASURE' | 'DOUBT' | 'WELL';

/**
 * Whether people are to be told of a dawn below the level: at once where it is nearly certain; where it is likely, only
 * when the last hour comes in which that still helps, for a later reading tells more than all before it. Where the readings
 * are too few to rule a low dawn out people are asked to measure: that is no alarm. A probe asks nobody, it measures.
 */
export function outlookOf(settings: ForecastSettings, forecast: DawnForecast, nowMs: number): Outlook {
  const { atOnce, lastWord } = DAWN_RULES.warnFromChance;
  const chance = chanceBelow(forecast, settings.warnBelowMgL);
  const isLast = nowMs >= forecast.dawnMs - DAWN_RULES.lastWordHours * HOUR_MS;
  if (chance >= (isLast ? lastWord : atOnce)[forecast.basis]) return 'WARN';
  if (chance < DAWN_RULES.measure.fromChance) return 'WELL';
  return forecast.basis === 'probe' ? 'DOUBT' : 'MEASURE';
}

/** When one more reading tells most and still leaves time to act, ms since 1970; now, where that hour is past. */
export function measureAtMs(forecast: DawnForecast, nowMs: number): number {
  const { hoursBeforeDawn, againAfterHours } = DAWN_RULES.measure;
  const best = forecast.dawnMs - hoursBeforeDawn * HOUR_MS;
  return Math.max(nowMs, best, forecast.from.atMs + againAfterHours * HOUR_MS);
}

type Course = Pick<DawnForecast, 'from' | 'startMgL' | 'endMgL' | 'sharePerHour'>;

/** What the forecast expects at an instant from its last reading on, mg/L; never more than was read. */
export function oxygenAt(course: Course, atMs: number): number {
  const { from, startMgL, endMgL } = course;
  const expected = endMgL + (startMgL - endMgL) * keptUntil(course, atMs);
  return Math.min(from.oxygenMgL, Math.max(0, expected));
}

/** When the forecast reaches a level (mg/L), ms since 1970; null: not before dawn. At once when it is there already. */
export function crossingMs(forecast: DawnForecast, levelMgL: number): number | null {
  const { from, startMgL, endMgL, sharePerHour, dawnMs, dawnMgL } = forecast;
  if (from.oxygenMgL <= levelMgL) return from.atMs;
  if (levelMgL <= 0 || dawnMgL > levelMgL) return null;
  if (startMgL <= levelMgL) return from.atMs;
  const hours = Math.log((startMgL - endMgL) / (levelMgL - endMgL)) / sharePerHour;
  return Math.min(dawnMs, from.atMs + hours * HOUR_MS);
}

/** How much lies above saturation from the last reading to dawn, mg/L × hours: what wind takes of it differs most. */
function excessHours({ saturationMgL }: ForecastSettings, course: Course, dawnMs: number): number {
  const { from, startMgL, endMgL, sharePerHour } = course;
  const excess = startMgL - saturationMgL;
  if (excess <= 0) return 0;
  const hours = (dawnMs - from.atMs) / HOUR_MS;
  const untilSaturation =
    endMgL < saturationMgL ? Math.log((startMgL - endMgL) / (saturationMgL - endMgL)) / sharePerHour : hours;
  const above = Math.min(hours, untilSaturation);
  const left = endMgL + (startMgL - endMgL) * Math.exp(-sharePerHour * above) - saturationMgL;
  return ((excess + Math.max(0, left)) / 2) * above;
}

function keptUntil({ from, sharePerHour }: Course, atMs: number): number {
  return Math.exp((-sharePerHour * Math.max(0, atMs - from.atMs)) / HOUR_MS);
}

/** Of this night and shortly before it, in order of time; of a probe's the last hours, of a person's those of one pace. */
function readingsToUse(
  settings: ForecastSettings,
  night: Night,
  readings: readonly OxygenReading[],
): OxygenReading[] {
  const ofNight = readings
    .filter(
      ({ atMs, oxygenMgL }) =>
        atMs >= night.duskMs - settings.beforeDuskHours * HOUR_MS && atMs < night.dawnMs && oxygenMgL >= 0,
    )
    .toSorted((a, b) => a.atMs - b.atMs);
  const lastMs = ofNight.at(-1)?.atMs ?? 0;
  const recent = ofNight.filter(({ atMs }) => atMs >= lastMs - settings.probe.withinHours * HOUR_MS);
  if (isOfProbe(settings, recent)) return ofOnePace(settings, recent);
  let used = ofNight;
  while (used.length > Math.max(2, recent.length) && isOffCourse(settings, used)) used = used.slice(1);
  return used;
}

/** A probe hears less noise than a meter at hand does, so that it tells sooner that the pace changed. */
function ofOnePace(settings: ForecastSettings, readings: OxygenReading[]): OxygenReading[] {
  let used = readings;
  while (isOffCourse(forNoise(settings, used), used, OFF_COURSE_OF_MANY)) {
    const later = used.slice(1);
    if (!isOfProbe(settings, later)) break;
    used = later;
  }
  return used;
}

/** Settings with the noise that a probe's readings show themselves; a person's are as sure as the meter. */
function forNoise(settings: ForecastSettings, readings: readonly OxygenReading[]): ForecastSettings {
  if (!isOfProbe(settings, readings)) return settings;
  const bends = readings.slice(2).map((reading, i) => {
    const [before, between] = [readings[i]?.oxygenMgL ?? 0, readings[i + 1]?.oxygenMgL ?? 0];
    return (before - 2 * between + reading.oxygenMgL) ** 2 / 6;
  });
  const noise = Math.sqrt(bends.reduce((sum, each) => sum + each, 0) / bends.length);
  const readingErrorMgL = Math.min(settings.readingErrorMgL, Math.max(DAWN_RULES.probe.leastNoiseMgL, noise));
  return { ...settings, readingErrorMgL };
}

/** Whether one pace cannot have made these readings. */
function isOffCourse(
  settings: ForecastSettings,
  readings: readonly OxygenReading[],
  most = OFF_COURSE,
): boolean {
  const lastMs = readings.at(-1)?.atMs ?? 0;
  const { oxygenMgL, pace } = fitOf(settings, readings, null);
  const endMgL = settings.saturationMgL - pace / settings.exchangePerHour;
  return readings.some((reading) => {
    const kept = Math.exp((-settings.exchangePerHour * (reading.atMs - lastMs)) / HOUR_MS);
    const expected = endMgL + (oxygenMgL - endMgL) * kept;
    return Math.abs(reading.oxygenMgL - expected) > most * settings.readingErrorMgL;
  });
}

function isOfProbe(settings: ForecastSettings, readings: readonly OxygenReading[]): boolean {
  const hours = spanHours(readings);
  const isDense = readings.length >= settings.probe.readings && hours <= settings.probe.withinHours;
  return isDense && hours >= settings.leastSpanHours;
}

function isFalling(settings: ForecastSettings, readings: readonly OxygenReading[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || last.oxygenMgL >= first.oxygenMgL) return false;
  return spanHours(readings) >= settings.leastSpanHours;
}

function spanHours(readings: readonly OxygenReading[]): number {
  return ((readings.at(-1)?.atMs ?? 0) - (readings[0]?.atMs ?? 0)) / HOUR_MS;
}

type Fit = {
  oxygenMgL: number;
  pace: number;
  oxygenVariance: number;
  covariance: number;
  paceVariance: number;
};

/**
 * Oxygen at the last reading and pace by least squares, the pace held to what was known of it before; null: nothing was.
 * With s = e^(−kt), t hours after the last reading: C(t) − S(1 − s) = C·s − R·(1 − s)/k, which is linear in both.
 */
function fitOf(
  settings: ForecastSettings,
  readings: readonly OxygenReading[],
  known: ForecastSettings['pace'] | null,
): Fit {
  const { exchangePerHour, saturationMgL } = settings;
  const lastMs = readings.at(-1)?.atMs ?? 0;
  const each = 1 / settings.readingErrorMgL ** 2;
  const held = known === null ? 0 : 1 / known.spreadMgLPerHour ** 2;
  let [oxygen, both, pace] = [0, 0, held];
  let [ofOxygen, ofPace] = [0, held * (known?.usualMgLPerHour ?? 0)];
  for (const { atMs, oxygenMgL } of readings) {
    const kept = Math.exp((-exchangePerHour * (atMs - lastMs)) / HOUR_MS);
    const perPace = (kept - 1) / exchangePerHour;
    const left = oxygenMgL - saturationMgL * (1 - kept);
    oxygen += each * kept * kept;
    both += each * kept * perPace;
    pace += each * perPace * perPace;
    ofOxygen += each * kept * left;
    ofPace += each * perPace * left;
  }
  const determinant = oxygen * pace - both * both;
  return {
    oxygenMgL: (pace * ofOxygen - both * ofPace) / determinant,
    pace: (oxygen * ofPace - both * ofOxygen) / determinant,
    oxygenVariance: pace / determinant,
    covariance: -both / determinant,
    paceVariance: oxygen / determinant,
  };
}

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
