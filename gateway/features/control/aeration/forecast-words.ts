import { noForecastText } from '#science/advice/forecast-text.ts';
import type { Language } from '#science/advice/language.ts';
import type { DawnFacts } from '#science/advice/oxygen-advice.ts';
import { dawnForecastText } from '#science/advice/oxygen-advice.ts';
import { type DawnForecast, measureAtMs, outlookOf, oxygenAt } from '#science/oxygen-forecast.ts';
import { placeOf } from './farm-nights.ts';
import { nextLevel, oxygenGrade, type PondForecast, timeOfDay } from './forecast-dawn.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;

/** What is expected at dawn and what to do, with the times of the farm's own clock; without a forecast why, and what to do. */
export function forecastText(found: PondForecast, nowMs: number, language: Language): string {
  const { pond, forecast, constants } = found;
  const warnMgL = constants.aeration.forecast.warnBelowMgL;
  if (forecast === null) {
    const last = found.readings.at(-1);
    const grade = last === undefined ? null : oxygenGrade(found, last.oxygenMgL);
    const told = last === undefined || grade === null ? null : { mgL: last.oxygenMgL, grade };
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
