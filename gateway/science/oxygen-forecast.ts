import type { ScienceConstants } from './constants.ts';
import type { Night } from './night.ts';

type ForecastSettings = ScienceConstants['aeration']['forecast'];

const HOUR_MS = 3_600_000;
/** Below what a probe can tell from none, mg/L; keeps the logarithm finite. */
const LEAST_READABLE_MG_L = 0.01;

export type OxygenReading = { atMs: number; oxygenMgL: number };

export type DawnForecast = {
  dawnMs: number;
  /** Oxygen expected at dawn without any change of aeration, mg/L. */
  dawnMgL: number;
  /** One standard error of that, mg/L: of the method and of the readings. */
  uncertaintyMgL: number;
  /** The last reading, from which the forecast runs. */
  from: OxygenReading;
  /** Share of the oxygen lost per hour, as a logarithm: DO(t) = from × e^(−loss × hours). */
  lossPerHour: number;
};

/**
 * The oxygen minimum of the morning from readings of the evening: at night, without light, oxygen falls in proportion to
 * what there is (Madenjian et al. 1987), so its logarithm runs straight. Two readings give the published formula; of
 * more, those of the last hours are fitted, so that aerators switched on at midnight are seen.
 *
 * Valid for readings of this night (dusk to dawn) that span an hour at least and fall; null otherwise: after dawn, with
 * one reading, or with oxygen that holds or rises, nothing can be said that the last reading does not say.
 */
export function dawnForecast(
  settings: ForecastSettings,
  night: Night,
  readings: readonly OxygenReading[],
): DawnForecast | null {
  const used = readingsToUse(settings, night, readings);
  const first = used[0];
  const last = used.at(-1);
  if (first === undefined || last === undefined) return null;
  const spanHours = (last.atMs - first.atMs) / HOUR_MS;
  const fit = fitOf(used);
  if (spanHours < settings.leastSpanHours || last.oxygenMgL >= first.oxygenMgL || fit.slope >= 0) return null;

  const leadHours = (night.dawnMs - last.atMs) / HOUR_MS;
  const dawnMgL = last.oxygenMgL * Math.exp(fit.slope * leadHours);
  return {
    dawnMs: night.dawnMs,
    dawnMgL,
    uncertaintyMgL: Math.hypot(settings.methodErrorMgL, dawnMgL * readingError(settings, fit, leadHours)),
    from: last,
    lossPerHour: -fit.slope,
  };
}

/** When the forecast reaches a level (mg/L), ms since 1970; null: not before dawn. At once when it is there already. */
export function crossingMs(forecast: DawnForecast, levelMgL: number): number | null {
  const { from, lossPerHour, dawnMs } = forecast;
  if (from.oxygenMgL <= levelMgL) return from.atMs;
  if (levelMgL <= 0) return null;
  const crossesMs = from.atMs + (Math.log(from.oxygenMgL / levelMgL) / lossPerHour) * HOUR_MS;
  return crossesMs <= dawnMs ? crossesMs : null;
}

/** Of this night, in order of time: those of the last hours when they span enough, else all. */
function readingsToUse(
  settings: ForecastSettings,
  night: Night,
  readings: readonly OxygenReading[],
): OxygenReading[] {
  const ofNight = readings
    .filter(({ atMs, oxygenMgL }) => atMs >= night.duskMs && atMs < night.dawnMs && oxygenMgL >= 0)
    .toSorted((a, b) => a.atMs - b.atMs);
  const lastMs = ofNight.at(-1)?.atMs ?? 0;
  const recent = ofNight.filter(({ atMs }) => atMs >= lastMs - settings.windowHours * HOUR_MS);
  const recentSpanMs = lastMs - (recent[0]?.atMs ?? lastMs);
  return recentSpanMs >= settings.leastSpanHours * HOUR_MS ? recent : ofNight;
}

type Fit = { slope: number; lastAhead: number; spread: number; meanMgL: number };

/** Least squares of ln(oxygen) over hours; NaN slope with a single instant. */
function fitOf(readings: readonly OxygenReading[]): Fit {
  const originMs = readings[0]?.atMs ?? 0;
  const points = readings.map(({ atMs, oxygenMgL }) => ({
    hours: (atMs - originMs) / HOUR_MS,
    log: Math.log(Math.max(oxygenMgL, LEAST_READABLE_MG_L)),
  }));
  const meanHours = meanOf(points.map(({ hours }) => hours));
  const meanLog = meanOf(points.map(({ log }) => log));
  const spread = points.reduce((sum, { hours }) => sum + (hours - meanHours) ** 2, 0);
  const covered = points.reduce((sum, { hours, log }) => sum + (hours - meanHours) * (log - meanLog), 0);
  const lastAhead = (points.at(-1)?.hours ?? 0) - meanHours;
  return { slope: covered / spread, lastAhead, spread, meanMgL: Math.exp(meanLog) };
}

/** Relative error at dawn that errors of the readings cause: in the last one, in the slope, and in both together. */
function readingError({ readingErrorMgL }: ForecastSettings, fit: Fit, leadHours: number): number {
  const relative = readingErrorMgL / fit.meanMgL;
  const variance = 1 + (leadHours ** 2 + 2 * leadHours * fit.lastAhead) / fit.spread;
  return relative * Math.sqrt(variance);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
