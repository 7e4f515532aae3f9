import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import type { SimulatedNight } from './simulated-nights.ts';
import { forecastOf, type Told, toldOf, WARN_MG_L } from './watched-nights.ts';

// The methods that were measured before one was chosen. Each tells the oxygen of dawn from the readings of a night, mg/L; null:
// nothing. The simple ones warn at the last reading where that lies below the level.

export type Method = (night: SimulatedNight) => number | null;

const settings = SCIENCE_DEFAULTS.aeration.forecast;

/** First and last reading, and how many times the hours between them dawn is ahead. */
function ends({ readings, dawnHour }: SimulatedNight) {
  const [one, two] = [readings[0], readings.at(-1)];
  if (one === undefined || two === undefined || two.mgL >= one.mgL) return null;
  return { one: Math.max(one.mgL, 0.01), two: two.mgL, steps: (dawnHour - two.hour) / (two.hour - one.hour) };
}

/** Oxygen falls by a share of what there is (Madenjian et al. 1987, the published two-point formula). */
const logLinear: Method = (night) => {
  const found = ends(night);
  return found === null ? null : found.two * (found.two / found.one) ** found.steps;
};

/** Oxygen falls by the same amount every hour (Boyd, Romaire & Johnston 1978). */
const linear: Method = (night) => {
  const found = ends(night);
  return found === null ? null : Math.max(0, found.two + (found.two - found.one) * found.steps);
};

const both = (night: SimulatedNight, of: (line: number, log: number) => number) => {
  const [line, log] = [linear(night), logLinear(night)];
  return line === null || log === null ? null : of(line, log);
};

/** How far a pond's nights lie from the mean of three, and the reading errors of those, mg/L an hour. */
const SPREAD_OF_PAST = 0.12;

/** Settings that hold the pace to what the pond breathed in nights before. */
function byPast(night: SimulatedNight, airedMgLPerHour: number): typeof settings {
  const past = night.pastPaces.reduce((sum, pace) => sum + pace, 0) / night.pastPaces.length;
  const usualMgLPerHour = Math.max(0.05, past - airedMgLPerHour);
  return { ...settings, pace: { usualMgLPerHour, spreadMgLPerHour: SPREAD_OF_PAST } };
}

/** What aerators brought in nights before where they do not run tonight, mg/L an hour. */
const AIRED = 0.3;

export const METHODS: Readonly<Record<string, { mgL: Method; tells: (night: SimulatedNight) => Told }>> = {
  'log-linear': simple(logLinear),
  linear: simple(linear),
  'lower of both': simple((night) => both(night, Math.min)),
  'half-way between': simple((night) => both(night, (line, log) => (line + log) / 2)),
  'whole pond, own past nights': wholePond((night) => byPast(night, 0)),
  '… aerated then, not tonight': wholePond((night) => byPast(night, AIRED)),
  'whole pond: program': wholePond(() => settings),
  '… who is asked measures': {
    ...wholePond(() => settings),
    tells: (night) => toldOf(night, true),
  },
};

function simple(mgL: Method) {
  return {
    mgL,
    tells: (night: SimulatedNight): Told => {
      const said = mgL(night);
      const leadHours = night.dawnHour - (night.readings.at(-1)?.hour ?? 0);
      return said !== null && said < WARN_MG_L
        ? { what: 'ALARM', leadHours }
        : { what: 'SILENT', leadHours: 0 };
    },
  };
}

function wholePond(of: (night: SimulatedNight) => typeof settings) {
  return {
    mgL: (night: SimulatedNight) => forecastOf(night, of(night))?.dawnMgL ?? null,
    tells: (night: SimulatedNight) => toldOf(night, false, of(night)),
  };
}
