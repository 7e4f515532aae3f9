import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  type DawnForecast,
  dawnForecast,
  measureAtMs,
  type OxygenReading,
  outlookOf,
} from '#science/oxygen-forecast.ts';
import type { SimulatedNight, SimulatedReading } from './simulated-nights.ts';

// What the program tells people in a simulated night, look by look as the gateway looks: at each reading and every half-hour from
// 22:00 on, until three hours before dawn. Hours are those after sunset (18:00).

export const WARN_MG_L = 4;
export const LEAD_HOURS = 3;
const FIRST_LOOK = 4;
const HOUR_MS = 3_600_000;
export const DUSK_MS = Date.parse('2026-03-01T21:00:00Z');

type Settings = typeof SCIENCE_DEFAULTS.aeration.forecast;
const DEFAULTS = SCIENCE_DEFAULTS.aeration.forecast;

export const readingsOf = (readings: readonly SimulatedReading[]): OxygenReading[] =>
  readings.map(({ hour, mgL }) => ({ atMs: DUSK_MS + hour * HOUR_MS, oxygenMgL: mgL }));

/** The program's own forecast of such a night. */
export function forecastOf(
  { readings, dawnHour }: Pick<SimulatedNight, 'readings' | 'dawnHour'>,
  settings: Settings = DEFAULTS,
): DawnForecast | null {
  const night = { isNight: true, duskMs: DUSK_MS, dawnMs: DUSK_MS + dawnHour * HOUR_MS };
  return dawnForecast(settings, night, readingsOf(readings));
}

export type Told = {
  /** ALARM: told of a low dawn; ASKED: asked to measure, and nothing better came; SILENT: neither. */
  what: 'ALARM' | 'ASKED' | 'SILENT';
  /** How long before dawn an alarm came, hours. */
  leadHours: number;
};

/** @param answers whether people measure once more at the hour that they are asked to */
export function toldOf(night: SimulatedNight, answers: boolean, settings: Settings = DEFAULTS): Told {
  const { dawnHour } = night;
  const readings = [...night.readings];
  const looks = [
    ...readings.map(({ hour }) => hour),
    ...Array.from({ length: 20 }, (_, i) => FIRST_LOOK + i / 2),
  ];
  const forecasts = new Map<number, DawnForecast | null>();
  let isAsked = false;
  for (let hour = nextOf(looks); hour <= dawnHour - LEAD_HOURS; hour = nextOf(looks)) {
    const known = readings.filter((reading) => reading.hour <= hour);
    if (!forecasts.has(known.length))
      forecasts.set(known.length, forecastOf({ readings: known, dawnHour }, settings));
    const forecast = forecasts.get(known.length) ?? null;
    const nowMs = DUSK_MS + hour * HOUR_MS;
    const outlook = forecast === null ? null : outlookOf(settings, forecast, nowMs);
    if (outlook === 'WARN') return { what: 'ALARM', leadHours: dawnHour - hour };
    isAsked = outlook === 'MEASURE';
    if (!isAsked || !answers || forecast === null || known.length < readings.length) continue;
    // people come at that hour, not before
    const asked = (measureAtMs(forecast, nowMs) - DUSK_MS) / HOUR_MS;
    if (asked >= hour + 0.5) continue;
    const reading = night.readAt(asked);
    readings.push(reading);
    looks.push(reading.hour);
  }
  return { what: isAsked ? 'ASKED' : 'SILENT', leadHours: 0 };
}

function nextOf(looks: number[]): number {
  const next = Math.min(...looks);
  looks.splice(looks.indexOf(next), 1);
  return next;
}

export type Verdict = {
  /** Of low dawns: told of, only asked to measure, neither. */
  alarmed: number;
  asked: number;
  missed: number;
  /** Of good dawns: false alarms, and requests to measure, which are none. */
  falseAlarms: number;
  askedInVain: number;
  /** The shortest time between an alarm and dawn, hours. */
  leastLead: number;
};

export function verdictOf(nights: readonly SimulatedNight[], told: readonly Told[]): Verdict {
  const share = (isLow: boolean, what: Told['what']) => {
    const of = told.filter((_, i) => (nights[i]?.dawnMgL ?? Number.NaN) < WARN_MG_L === isLow);
    return of.filter((each) => each.what === what).length / of.length;
  };
  return {
    alarmed: share(true, 'ALARM'),
    asked: share(true, 'ASKED'),
    missed: share(true, 'SILENT'),
    falseAlarms: share(false, 'ALARM'),
    askedInVain: share(false, 'ASKED'),
    leastLead: Math.min(...told.flatMap(({ what, leadHours }) => (what === 'ALARM' ? [leadHours] : []))),
  };
}
