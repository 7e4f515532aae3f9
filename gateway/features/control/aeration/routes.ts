import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';
import { type OxygenForecastAnswer, oxygenForecastAnswer } from '#contract/resources/oxygen-forecast.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { roundTo } from '#core/rounding.ts';
import { type Route, route } from '#core/route.ts';
import type { Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import {
  chanceBelow,
  crossingMs,
  type DawnForecast,
  measureAtMs,
  outlookOf,
} from '#science/oxygen-forecast.ts';
import {
  emergencyLevelOf,
  type ForecastDeps,
  forecastOfPond,
  forecastText,
  type PondForecast,
} from './forecast-dawn.ts';

export function aerationRoutes(deps: ForecastDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ponds/{pond_id}/oxygen-forecast',
      tag: 'Water quality',
      summary: 'Oxygen expected at dawn from the readings of this night, or why nothing can be said',
      access: { who: 'farm', right: 'read', of: 'pond', at: 'params', field: 'pond_id', others: 404 },
      params: z.object({ pond_id: idOrNumber }),
      answers: { 200: { schema: oxygenForecastAnswer } },
      async handle(request) {
        const found = await forecastOfPond(deps, request.params.pond_id);
        if (found === null) throw notFound('Pond');
        return { answer: { status: 200, body: asAnswer(found, deps.now(), request.language) } };
      },
    }),
  ];
}

function asAnswer(found: PondForecast, nowMs: number, language: Language): OxygenForecastAnswer {
  const { pond, constants, night, readings, forecast, whyNone } = found;
  const level = emergencyLevelOf(found);
  const reaches = forecast === null ? null : crossingMs(forecast, level);
  return {
    pond_id: pond.id,
    pond_cod: pond.cod,
    night:
      night === null
        ? null
        : { dusk_at: isoOf(night.duskMs), dawn_at: isoOf(night.dawnMs), is_night: night.isNight },
    readings: readings.map(({ atMs, oxygenMgL }) => ({
      measurement_date: isoOf(atMs),
      dissolved_oxygen: oxygenMgL,
    })),
    forecast: forecast === null ? null : forecastAnswer(forecast, constants.aeration.forecast, nowMs),
    warn_below: constants.aeration.forecast.warnBelowMgL,
    emergency_level: level,
    reaches_emergency_at: reaches === null ? null : isoOf(reaches),
    why_none: whyNone,
    message: forecastText(found, nowMs, language),
  };
}

function forecastAnswer(
  forecast: DawnForecast,
  settings: ScienceConstants['aeration']['forecast'],
  nowMs: number,
): OxygenForecastAnswer['forecast'] {
  const outlook = outlookOf(settings, forecast, nowMs);
  return {
    dawn_at: isoOf(forecast.dawnMs),
    dissolved_oxygen: roundTo(forecast.dawnMgL, 2),
    uncertainty: roundTo(forecast.uncertaintyMgL, 2),
    chance_low: roundTo(chanceBelow(forecast, settings.warnBelowMgL), 2),
    outlook,
    measure_at: outlook === 'MEASURE' ? isoOf(Math.round(measureAtMs(forecast, nowMs))) : null,
    from: isoOf(forecast.from.atMs),
  };
}
