import { isoOf, type Kernel } from '#core/kernel.ts';
import { wallOf, type ZoneClock } from '#core/zone-clock.ts';
import type { AdviceGrade } from '#science/advice/advice-sources.ts';
import { type NoForecast, noForecastText } from '#science/advice/forecast-text.ts';
import type { Language } from '#science/advice/language.ts';
import { type DawnFacts, dawnForecastText } from '#science/advice/oxygen-advice.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { Night } from '#science/night.ts';
import {
  crossingMs,
  type DawnForecast,
  dawnForecast,
  measureAtMs,
  type OxygenReading,
  outlookOf,
  oxygenAt,
} from '#science/oxygen-forecast.ts';
import { severityOf, severityWord } from '#science/severity.ts';
import { nightAt, placeOf } from './aired-ponds.ts';
import { usableOxygen } from './pond-readings.ts';
import type { ForecastQueries, PondPlace } from './ports.ts';

export type ForecastDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: Pick<ForecastQueries, 'pondPlace' | 'isPondEmpty' | 'readingsBetween'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
};

/** The oxygen of one pond at the end of this night, or why nothing can be said. */
export type PondForecast = {
  pond: PondPlace;
  /** Nothing lives there, so that its words leave feed out. */
  isPondEmpty: boolean;
  constants: ScienceConstants;
  /** null while the clock is not to be trusted. */
  night: Night | null;
  readings: readonly OxygenReading[];
  forecast: DawnForecast | null;
  whyNone: NoForecast | null;
};

/** null: there is no such pond. */
export async function forecastOfPond(deps: ForecastDeps, pondRef: string): Promise<PondForecast | null> {
  const pond = await deps.queries.pondPlace(pondRef);
  if (pond === null) return null;
  const constants = await deps.scienceOf(pond.farmId);
  const isPondEmpty = await deps.queries.isPondEmpty(pond.id);
  const nothing = { pond, isPondEmpty, constants, readings: [], forecast: null };
  if (deps.clockQuality() !== 'trusted') return { ...nothing, night: null, whyNone: 'CLOCK_UNTRUSTED' };
  const night = nightAt(constants.aeration, placeOf(pond), deps.now());
  if (!night.isNight) return { ...nothing, night, whyNone: 'BY_DAY' };
  const rows = await deps.queries.readingsBetween(
    pond.id,
    isoOf(night.duskMs - constants.aeration.forecast.beforeDuskHours * 3_600_000),
    isoOf(night.dawnMs),
  );
  const readings = rows.flatMap((row) => {
    const oxygenMgL = usableOxygen(constants, row);
    return oxygenMgL === null ? [] : [{ atMs: Date.parse(row.measurement_date), oxygenMgL }];
  });
  const forecast = dawnForecast(constants.aeration.forecast, night, readings);
  const whyNone = forecast === null ? whyNoneOf(constants, readings) : null;
  return { pond, isPondEmpty, constants, night, readings, forecast, whyNone };
}

function whyNoneOf({ aeration }: ScienceConstants, readings: readonly OxygenReading[]): NoForecast {
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined) return 'NO_READING';
  if (readings.length === 1) return 'ONE_READING';
  const spanHours = (last.atMs - first.atMs) / 3_600_000;
  return spanHours < aeration.forecast.leastSpanHours ? 'TOO_CLOSE' : 'NOT_FALLING';
}

/** The level for an emergency: the farm's own, else what is proposed, mg/L. */
export function emergencyLevelOf({ pond, constants }: Pick<PondForecast, 'pond' | 'constants'>): number {
  return pond.emergencyMgL ?? constants.aeration.proposedSetPoints.emergencyMgL;
}

/** How bad oxygen is for the animals by the limits of the measurement's own alert; null: not below the level to stay above. */
function oxygenGrade({ constants }: Pick<PondForecast, 'constants'>, mgL: number): AdviceGrade | null {
  const { water, aeration } = constants;
  const threshold = aeration.forecast.warnBelowMgL;
  if (mgL >= threshold && mgL > water.criticalOxygenMgL) return null;
  const violation = {
    type: 'LOW_OXYGEN',
    parameter: 'dissolved_oxygen',
    value: mgL,
    threshold,
    measured: mgL,
    nh3: null,
  } as const;
  return severityWord(water, violation, severityOf(water, violation, null));
}

/** The next level below what there is now, and when it is reached: what people can still prevent. null: none before dawn. */
function nextLevel(found: PondForecast, forecast: DawnForecast, nowMs: number) {
  const { aeration, water } = found.constants;
  const now = oxygenAt(forecast, nowMs);
  const levels = [aeration.forecast.warnBelowMgL, emergencyLevelOf(found), water.criticalOxygenMgL];
  const levelMgL = levels.toSorted((a, b) => b - a).find((level) => level < now);
  const reachedMs = levelMgL === undefined ? null : crossingMs(forecast, levelMgL);
  return levelMgL === undefined || reachedMs === null || reachedMs <= nowMs ? null : { levelMgL, reachedMs };
}

/** `05:42` on the farm. */
export function timeOfDay(clock: ZoneClock, atMs: number): string {
  // worked out times have fractions, and calendars take whole milliseconds
  return isoOf(wallOf(clock, Math.round(atMs))).slice(11, 16);
}

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;

/** What is expected at dawn and what to do, with the times of the farm's own clock; without a forecast why, and what to do. */
export function forecastText(found: PondForecast, nowMs: number, language: Language): string {
  const { pond, isPondEmpty, forecast, constants } = found;
  const warnMgL = constants.aeration.forecast.warnBelowMgL;
  const fedAboveMgL = constants.water.alerts.LOW_OXYGEN.highFrom;
  if (forecast === null) {
    const last = found.readings.at(-1);
    const grade = last === undefined ? null : oxygenGrade(found, last.oxygenMgL);
    const told =
      last === undefined || grade === null ? null : { mgL: last.oxygenMgL, grade, fedAboveMgL, isPondEmpty };
    return found.whyNone === null ? '' : noForecastText(found.whyNone, told, language);
  }
  const nowMgL = oxygenAt(forecast, nowMs);
  const { clock } = placeOf(pond);
  const next = nextLevel(found, forecast, nowMs);
  return dawnForecastText(
    {
      pond: pond.cod,
      dawnMgL: forecast.dawnMgL,
      uncertaintyMgL: forecast.uncertaintyMgL,
      dawnTime: timeOfDay(clock, forecast.dawnMs),
      nowMgL,
      nowGrade: oxygenGrade(found, nowMgL),
      warnMgL,
      fedAboveMgL,
      isPondEmpty,
      next: next === null ? null : { levelMgL: next.levelMgL, at: timeOfDay(clock, next.reachedMs) },
      outlook: outlookOf(constants.aeration.forecast, forecast, nowMs),
      measureAt: measureAt(found, forecast, nowMs),
      aeration: pond.motor ?? 'UNKNOWN',
      measureAgain: measureAgain(timeOfDay(clock, nowMs), forecast.dawnMs - nowMs),
    },
    language,
  );
}

/** To the quarter of an hour, as people agree on times; null: now. */
function measureAt({ pond }: PondForecast, forecast: DawnForecast, nowMs: number): string | null {
  const atMs = measureAtMs(forecast, nowMs);
  const quarterMs = Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
  return quarterMs <= nowMs ? null : timeOfDay(placeOf(pond).clock, quarterMs);
}

/** Midnight while it is still to come, then an hour before dawn, then dawn itself. */
function measureAgain(nowTime: string, untilDawnMs: number): DawnFacts['measureAgain'] {
  if (nowTime >= '12:00' && nowTime < '23:30') return 'MIDNIGHT';
  return untilDawnMs > 1.5 * HOUR_MS ? 'BEFORE_DAWN' : 'AT_DAWN';
}
