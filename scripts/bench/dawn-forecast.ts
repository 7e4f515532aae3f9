import { parseArgs } from 'node:util';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  chanceBelow,
  type DawnForecast,
  dawnForecast,
  type OxygenReading,
  outlookOf,
} from '#science/oxygen-forecast.ts';
import { bestPredictor } from './dawn-bound.ts';
import { ROUNDS, type SimulatedNight, type SimulatedReading, simulatedNights } from './simulated-nights.ts';

// How well the oxygen of dawn is foretold on simulated nights: `node scripts/bench/dawn-forecast.ts`, beside what the best
// possible predictor reaches. Seeds below 100 are for measuring, from 100 on for choosing figures (`--seed 101`).
// MISSED: of the nights whose dawn lies below 4 mg/L, those without a warning three hours before dawn or earlier.
// FALSE: of the nights whose dawn stays above it, those with a warning at any hour; of warnings: of all nights warned of.
// LEVEL FREE and BOUND are told of the first 1,000 nights, at the last reading and with the level of warning chosen by hindsight;
// BOUND is reckoned from a sample of ponds, so that it may itself be off by one or two hundredths.
// Told again leaving out dawns within 0.2 mg/L of the level: the meter itself cannot tell those.

const NIGHTS = 4_000;
const WARN_MG_L = 4;
const LEAD_HOURS = 3;
const INDIFFERENT_MG_L = 0.2;
/** Looks at fixed hours after sunset (18:00) besides those at each reading: every half-hour from 22:00 on. */
const FIRST_LOOK = 4;
const HOUR_MS = 3_600_000;
const DUSK_MS = Date.parse('2026-03-01T21:00:00Z');

const settings = SCIENCE_DEFAULTS.aeration.forecast;
const at = (readings: readonly SimulatedReading[]): OxygenReading[] =>
  readings.map(({ hour, mgL }) => ({ atMs: DUSK_MS + hour * HOUR_MS, oxygenMgL: mgL }));

/** The program's own forecast of such a night by the readings up to an hour. */
export function forecastOf(
  { readings, dawnHour }: SimulatedNight,
  untilHour = Number.POSITIVE_INFINITY,
): DawnForecast | null {
  const night = { isNight: true, duskMs: DUSK_MS, dawnMs: DUSK_MS + dawnHour * HOUR_MS };
  return dawnForecast(settings, night, at(readings.filter(({ hour }) => hour <= untilHour)));
}

/** The chance of a low dawn by the program, at the last reading. */
function chanceOf(night: SimulatedNight): number {
  const forecast = forecastOf(night);
  return forecast === null ? 0 : chanceBelow(forecast, WARN_MG_L);
}

/** Whether the program warns early enough, at any of its looks. */
export function isWarnedOf(night: SimulatedNight): boolean {
  const lastLook = night.dawnHour - LEAD_HOURS;
  const fixed = Array.from({ length: 20 }, (_, i) => FIRST_LOOK + i / 2);
  const looks = [...night.readings.map(({ hour }) => hour), ...fixed].filter((hour) => hour <= lastLook);
  const kept = new Map<number, DawnForecast | null>();
  return looks.some((hour) => {
    const count = night.readings.filter((reading) => reading.hour <= hour).length;
    if (!kept.has(count)) kept.set(count, forecastOf(night, hour));
    const forecast = kept.get(count) ?? null;
    return forecast !== null && outlookOf(settings, forecast, DUSK_MS + hour * HOUR_MS) === 'WARN';
  });
}

/** Half-way between straight line and logarithm through first and last reading: what the program told before. */
export function halfWayMgL({ readings, dawnHour }: SimulatedNight): number {
  const [one, two] = [readings[0], readings.at(-1)];
  if (one === undefined || two === undefined) return Number.NaN;
  const steps = (dawnHour - two.hour) / (two.hour - one.hour);
  const line = Math.max(0, two.mgL + (two.mgL - one.mgL) * steps);
  return (line + two.mgL * (two.mgL / Math.max(one.mgL, 0.01)) ** steps) / 2;
}

export type Verdict = { missed: number; false: number; ofWarnings: number };

export function verdictOf(nights: readonly SimulatedNight[], isWarned: readonly boolean[]): Verdict {
  const count = (isLow: boolean, warned: boolean) =>
    nights.filter(({ dawnMgL }, i) => dawnMgL < WARN_MG_L === isLow && isWarned[i] === warned).length;
  const [hit, missed, false_] = [count(true, true), count(true, false), count(false, true)];
  return {
    missed: missed / (hit + missed),
    false: false_ / (false_ + count(false, false)),
    ofWarnings: false_ / Math.max(1, hit + false_),
  };
}

const isClear = ({ dawnMgL }: Pick<SimulatedNight, 'dawnMgL'>) =>
  Math.abs(dawnMgL - WARN_MG_L) > INDIFFERENT_MG_L;
/** What was said of the nights that are clear. */
const onClear = <T>(nights: readonly SimulatedNight[], said: readonly T[]): T[] =>
  said.filter((_, i) => isClear(nights[i] ?? { dawnMgL: Number.NaN }));
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What the program makes of nights: errors of its forecast three hours before dawn, the share inside its band, its warnings. */
export function programOn(nights: readonly SimulatedNight[]) {
  const told = nights.flatMap((night) => {
    const forecast = forecastOf(night);
    return forecast === null ? [] : [{ forecast, off: Math.abs(forecast.dawnMgL - night.dawnMgL) }];
  });
  const warned = nights.map((night) => isWarnedOf(night));
  return {
    meanError: meanOf(told.map(({ off }) => off)),
    inBand: told.filter(({ forecast, off }) => off <= forecast.uncertaintyMgL).length / told.length,
    strict: verdictOf(nights, warned),
    clear: verdictOf(nights.filter(isClear), onClear(nights, warned)),
  };
}

/** The fewest low dawns that can be missed with false alarms in a tenth of good nights, and the other way round at 3 %. */
export function tradeOff(nights: readonly SimulatedNight[], chances: readonly number[]) {
  const levels = Array.from({ length: 199 }, (_, i) => (i + 1) / 200);
  const verdicts = levels.map((level) =>
    verdictOf(
      nights,
      chances.map((chance) => chance >= level),
    ),
  );
  const least = (values: readonly number[]) => (values.length === 0 ? 1 : Math.min(...values));
  return {
    missed: least(verdicts.filter((each) => each.false <= 0.1).map(({ missed }) => missed)),
    false: least(verdicts.filter(({ missed }) => missed <= 0.03).map((each) => each.false)),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, nights: { type: 'string', default: String(NIGHTS) } },
  });
  const best = bestPredictor();
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const rowOf = (found: ReturnType<typeof programOn>) => ({
    'mean error': found.meanError.toFixed(2),
    'in band': percent(found.inBand),
    missed: percent(found.strict.missed),
    false: percent(found.strict.false),
    'of warnings': percent(found.strict.ofWarnings),
    'missed ±0.2': percent(found.clear.missed),
    'false ±0.2': percent(found.clear.false),
  });
  for (const [name, rounds] of Object.entries(ROUNDS)) {
    const nights = simulatedNights(Number(values.nights), { seed: Number(values.seed), rounds });
    const before = verdictOf(
      nights,
      nights.map((night) => halfWayMgL(night) < WARN_MG_L),
    );
    const rows: Record<string, Record<string, string>> = {
      'half-way, crossing': {
        missed: percent(before.missed),
        false: percent(before.false),
        'of warnings': percent(before.ofWarnings),
        'mean error': meanOf(nights.map((night) => Math.abs(halfWayMgL(night) - night.dawnMgL))).toFixed(2),
      },
      program: rowOf(programOn(nights)),
    };
    if (name !== 'probe') {
      const some = nights.slice(0, 1_000);
      rows['program, these 1,000 nights'] = rowOf(programOn(some));
      const predictors: Record<string, (night: SimulatedNight) => number> = {
        'program, level free': chanceOf,
        BOUND: (night) => best(night, WARN_MG_L, false),
        'BOUND, biomass known': (night) => best(night, WARN_MG_L, true),
      };
      for (const [who, predictor] of Object.entries(predictors)) {
        const chances = some.map(predictor);
        const all = tradeOff(some, chances);
        const clear = tradeOff(some.filter(isClear), onClear(some, chances));
        rows[who] = {
          missed: `${percent(all.missed)} at 10 % false`,
          false: `${percent(all.false)} at 3 % missed`,
          'missed ±0.2': `${percent(clear.missed)} at 10 %`,
          'false ±0.2': `${percent(clear.false)} at 3 %`,
        };
      }
    }
    console.log(
      `${name}: ${nights.length} nights, ${percent(nights.filter(({ dawnMgL }) => dawnMgL < WARN_MG_L).length / nights.length)} with a dawn below ${WARN_MG_L} mg/L`,
    );
    console.table(rows);
  }
}
