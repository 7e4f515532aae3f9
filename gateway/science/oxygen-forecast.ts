import type { ScienceConstants } from './constants.ts';
import type { Night } from './night.ts';

type ForecastSettings = ScienceConstants['aeration']['forecast'];

const HOUR_MS = 3_600_000;
/** Below what a probe can tell from none, mg/L; keeps the logarithm finite. */
const LEAST_READABLE_MG_L = 0.01;

/** Standard errors either side that hold four cases of five. */
const FOUR_OF_FIVE = 1.28;
/** The two courses lie nearer to each other than a straight line alone, so that an error of the pace counts for less. */
const SHARE_OF_PACE = 0.75;
const CROSSING_WITHIN_MS = 1_000;

export type OxygenReading = { atMs: number; oxygenMgL: number };

export type DawnForecast = {
  dawnMs: number;
  /** Oxygen expected at dawn without any change of aeration, mg/L. */
  dawnMgL: number;
  /** Half-width of the band that holds four dawns of five, mg/L: of the method and of the readings. */
  uncertaintyMgL: number;
  /** The last reading, from which the forecast runs. */
  from: OxygenReading;
  /** Share of the oxygen lost per hour, as a logarithm, and mg/L lost per hour: the two courses between which it runs. */
  lossPerHour: number;
  fallMgLPerHour: number;
};

/**
 * The oxygen minimum of the morning from readings of the evening. Whole-pond respiration goes on at one pace through the
 * night (Boyd, Romaire & Johnston 1978), which is a straight line; the air gives back the more, the less there is, which
 * bends it towards the logarithm's (Madenjian et al. 1987). Half-way between the two lies nearest to simulated nights from
 * sparse ponds to 120 shrimp per m² (scripts/bench/dawn-forecast.ts: mean error 0.63 mg/L, the logarithm alone 0.88 and
 * always too high where ponds are dense). Of more than two readings those of the last hours are fitted, so that aerators
 * switched on at midnight are seen.
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
  const first = used[0];
  const last = used.at(-1);
  if (first === undefined || last === undefined) return null;
  const spanHours = (last.atMs - first.atMs) / HOUR_MS;
  const [byShare, byAmount] = [fitOf(used, logOf), fitOf(used, (mgL) => mgL)];
  if (spanHours < settings.leastSpanHours || last.oxygenMgL >= first.oxygenMgL || byShare.slope >= 0)
    return null;

  const leadHours = (night.dawnMs - last.atMs) / HOUR_MS;
  const forecast = {
    dawnMs: night.dawnMs,
    from: last,
    lossPerHour: -byShare.slope,
    fallMgLPerHour: Math.max(0, -byAmount.slope),
  };
  const dawnMgL = oxygenAt(forecast, night.dawnMs);
  const ofMethod = settings.methodErrorMgLPerHour * leadHours;
  const ofReadings = readingError(settings, byAmount, leadHours);
  return { ...forecast, dawnMgL, uncertaintyMgL: FOUR_OF_FIVE * Math.hypot(ofMethod, ofReadings) };
}

type Course = Pick<DawnForecast, 'from' | 'lossPerHour' | 'fallMgLPerHour'>;

/** What the forecast expects at an instant from its last reading on, mg/L. */
export function oxygenAt({ from, lossPerHour, fallMgLPerHour }: Course, atMs: number): number {
  const hours = Math.max(0, atMs - from.atMs) / HOUR_MS;
  const byShare = from.oxygenMgL * Math.exp(-lossPerHour * hours);
  const byAmount = Math.max(0, from.oxygenMgL - fallMgLPerHour * hours);
  return (byShare + byAmount) / 2;
}

/** When the forecast reaches a level (mg/L), ms since 1970; null: not before dawn. At once when it is there already. */
export function crossingMs(forecast: DawnForecast, levelMgL: number): number | null {
  const { from, dawnMs, dawnMgL } = forecast;
  if (from.oxygenMgL <= levelMgL) return from.atMs;
  if (levelMgL <= 0 || dawnMgL > levelMgL) return null;
  let [before, after] = [from.atMs, dawnMs];
  while (after - before > CROSSING_WITHIN_MS) {
    const between = (before + after) / 2;
    if (oxygenAt(forecast, between) > levelMgL) before = between;
    else after = between;
  }
  return after;
}

/** Of this night and shortly before it, in order of time: those of the last hours when they span enough, else all. */
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
  const recent = ofNight.filter(({ atMs }) => atMs >= lastMs - settings.windowHours * HOUR_MS);
  const recentSpanMs = lastMs - (recent[0]?.atMs ?? lastMs);
  return recentSpanMs >= settings.leastSpanHours * HOUR_MS ? recent : ofNight;
}

type Fit = { slope: number; lastAhead: number; spread: number };

const logOf = (mgL: number): number => Math.log(Math.max(mgL, LEAST_READABLE_MG_L));

/** Least squares of oxygen, or of what is made of it, over hours; NaN slope with a single instant. */
function fitOf(readings: readonly OxygenReading[], of: (mgL: number) => number): Fit {
  const originMs = readings[0]?.atMs ?? 0;
  const points = readings.map(({ atMs, oxygenMgL }) => ({
    hours: (atMs - originMs) / HOUR_MS,
    value: of(oxygenMgL),
  }));
  const meanHours = meanOf(points.map(({ hours }) => hours));
  const meanValue = meanOf(points.map(({ value }) => value));
  const spread = points.reduce((sum, { hours }) => sum + (hours - meanHours) ** 2, 0);
  const covered = points.reduce(
    (sum, { hours, value }) => sum + (hours - meanHours) * (value - meanValue),
    0,
  );
  const lastAhead = (points.at(-1)?.hours ?? 0) - meanHours;
  return { slope: covered / spread, lastAhead, spread };
}

/** Error at dawn that errors of the readings cause, mg/L: in the last one, in the slope, and in both together. */
function readingError({ readingErrorMgL }: ForecastSettings, fit: Fit, leadHours: number): number {
  const variance = 1 + (leadHours ** 2 + 2 * leadHours * fit.lastAhead) / fit.spread;
  return readingErrorMgL * SHARE_OF_PACE * Math.sqrt(variance);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
