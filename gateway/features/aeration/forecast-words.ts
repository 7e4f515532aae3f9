import type { Language } from '#science/advice/language.ts';
import { dawnForecastText } from '#science/advice/oxygen-advice.ts';
import { placeOf } from './farm-nights.ts';
import { nextLevel, type PondForecast, timeOfDay } from './forecast-dawn.ts';

/** What is expected at dawn and what to do, with the times of the farm's own clock; empty without a forecast. */
export function forecastText(found: PondForecast, language: Language): string {
  const { pond, forecast } = found;
  if (forecast === null) return '';
  const { clock } = placeOf(pond);
  const { levelMgL, reachedMs } = nextLevel(found, forecast);
  return dawnForecastText(
    {
      pond: pond.cod,
      dawnMgL: forecast.dawnMgL,
      uncertaintyMgL: forecast.uncertaintyMgL,
      dawnTime: timeOfDay(clock, forecast.dawnMs),
      levelMgL,
      reachesLevelAt: reachedMs === null ? null : timeOfDay(clock, reachedMs),
    },
    language,
  );
}
