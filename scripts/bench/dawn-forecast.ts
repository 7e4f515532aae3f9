import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { oxygenDeclineMgLPerHour } from '#science/oxygen-decline.ts';
import { type DawnForecast, dawnForecast } from '#science/oxygen-forecast.ts';

// How well methods foretell the oxygen of dawn, on simulated nights: `node scripts/bench/dawn-forecast.ts`. Respiration of
// water, bottom and shrimp goes on at one pace through the night (Boyd, Romaire & Johnston 1978) and slackens only where
// little oxygen is left; wind brings some in. Two hand readings, each off by some 0.2 mg/L.

type Reading = { hour: number; mgL: number };
export type SimulatedNight = {
  kgPerM3: number;
  readings: [Reading, Reading];
  dawnHour: number;
  dawnMgL: number;
};

const NIGHTS = 4_000;
/** Shrimp of 12 g in water of 1.5 m, from sparse to 120 per m², alive at 75 %. */
const SPARSE_PER_M2 = 5;
const DENSE_PER_M2 = 120;
const KG_PER_M3_OF_ONE_PER_M2 = (0.012 * 0.75) / 1.5;
const STEP_H = 1 / 60;
const HOUR_MS = 3_600_000;
const DUSK_MS = Date.parse('2026-03-01T21:00:00Z');

/** Small and repeatable: the same nights on every machine (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function simulatedNights(count: number, seed = 1): SimulatedNight[] {
  const random = randomFrom(seed);
  const between = (least: number, most: number) => least + random() * (most - least);
  const gauss = (sd: number) =>
    sd * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const nights: SimulatedNight[] = [];
  while (nights.length < count) {
    const kgPerM3 = between(SPARSE_PER_M2, DENSE_PER_M2) * KG_PER_M3_OF_ONE_PER_M2;
    const pace = oxygenDeclineMgLPerHour(SCIENCE_DEFAULTS.aeration, kgPerM3) * between(0.6, 1.3);
    const saturation = between(6.2, 7.6);
    const exchangePerHour = between(0.005, 0.05);
    const dawnHour = between(10.8, 11.8);
    const first = between(-1, 3);
    const second = first + between(1.5, 4);
    let mgL = between(6, 8 + pace * 6);
    const at: Record<'first' | 'second', number> = { first: mgL, second: mgL };
    // until sunset some light is left
    for (let hour = -1; hour < dawnHour; hour += STEP_H) {
      if (hour < first) at.first = mgL;
      if (hour < second) at.second = mgL;
      const breathed = pace * (mgL / (mgL + 0.3)) * (hour < 0 ? 0.5 : 1);
      mgL = Math.max(0, mgL + (exchangePerHour * (saturation - mgL) - breathed) * STEP_H);
    }
    const read = (hour: number, value: number) => ({ hour, mgL: Math.max(0, value + gauss(0.2)) });
    const readings: [Reading, Reading] = [read(first, at.first), read(second, at.second)];
    // where nothing falls nothing is foretold
    if (readings[1].mgL < readings[0].mgL && readings[1].mgL > 0.2)
      nights.push({ kgPerM3, readings, dawnHour, dawnMgL: mgL });
  }
  return nights;
}

type Method = (night: SimulatedNight) => number;

/** Oxygen falls by a share of what there is (Madenjian et al. 1987, the published two-point formula). */
const logLinear: Method = ({ readings: [one, two], dawnHour }) =>
  two.mgL * (two.mgL / one.mgL) ** ((dawnHour - two.hour) / (two.hour - one.hour));

/** Oxygen falls by the same amount every hour. */
const linear: Method = ({ readings: [one, two], dawnHour }) =>
  Math.max(0, two.mgL + ((two.mgL - one.mgL) / (two.hour - one.hour)) * (dawnHour - two.hour));

const lower: Method = (night) => Math.min(linear(night), logLinear(night));

/** Half-way between the two: constant respiration, with the air giving back more the less there is. */
const middle: Method = (night) => (linear(night) + logLinear(night)) / 2;

/** Whole-pond respiration at one pace, and diffusion through the surface at a usual rate. */
const wholePond: Method = ({ readings: [one, two], dawnHour }) => {
  const exchange = 0.0275;
  // C' = −R + k (S − C) runs towards S − R/k, which the two readings tell
  const decay = Math.exp(-exchange * (two.hour - one.hour));
  const end = (two.mgL - one.mgL * decay) / (1 - decay);
  return Math.max(0, end + (two.mgL - end) * Math.exp(-exchange * (dawnHour - two.hour)));
};

/** The program's own forecast of such a night. */
export function forecastOf({ readings, dawnHour }: SimulatedNight): DawnForecast | null {
  const night = { isNight: true, duskMs: DUSK_MS, dawnMs: DUSK_MS + dawnHour * HOUR_MS };
  const at = readings.map(({ hour, mgL }) => ({ atMs: DUSK_MS + hour * HOUR_MS, oxygenMgL: mgL }));
  return dawnForecast(SCIENCE_DEFAULTS.aeration.forecast, night, at);
}

/** Share of dawns inside the band that is told with the forecast. */
export function coverageOf(nights: readonly SimulatedNight[]): number {
  const inside = nights.filter((night) => {
    const found = forecastOf(night);
    return found !== null && Math.abs(found.dawnMgL - night.dawnMgL) <= found.uncertaintyMgL;
  });
  return inside.length / nights.length;
}

export const METHODS = { logLinear, linear, lower, middle, wholePond } as const;

export type Verdict = {
  meanAbsoluteError: number;
  bias: number;
  /** Half-width that holds 80 % of nights, mg/L. */
  bandOf80: number;
  /** Share of dawns below 4 mg/L that were foretold above it, and of those above it foretold below. */
  missed: number;
  falseAlarms: number;
};

export function verdictOf(method: Method, nights: readonly SimulatedNight[], warnMgL = 4): Verdict {
  const told = nights.map((night) => ({ said: method(night), came: night.dawnMgL }));
  const errors = told.map(({ said, came }) => said - came);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const low = told.filter(({ came }) => came < warnMgL);
  const good = told.filter(({ came }) => came >= warnMgL);
  const sorted = errors.map(Math.abs).toSorted((a, b) => a - b);
  return {
    meanAbsoluteError: mean(sorted),
    bias: mean(errors),
    bandOf80: sorted[Math.floor(sorted.length * 0.8)] ?? Number.NaN,
    missed: low.filter(({ said }) => said >= warnMgL).length / low.length,
    falseAlarms: good.filter(({ said }) => said < warnMgL).length / good.length,
  };
}

if (import.meta.main) {
  const nights = simulatedNights(NIGHTS);
  const shown = (value: number) => Math.round(value * 1_000) / 1_000;
  const rows = (of: readonly SimulatedNight[]) =>
    Object.fromEntries(
      Object.entries(METHODS).map(([name, method]) => [
        name,
        Object.fromEntries(Object.entries(verdictOf(method, of)).map(([key, value]) => [key, shown(value)])),
      ]),
    );
  console.table(rows(nights));
  console.log(`band: ${shown(coverageOf(nights))}`);
  for (const [least, most] of [
    [0, 0.25],
    [0.25, 0.5],
    [0.5, 1],
  ] as const) {
    const of = nights.filter(({ kgPerM3 }) => kgPerM3 >= least && kgPerM3 < most);
    console.log(
      `${least}–${most} kg/m³, ${of.length} nights, dawns below 4: ${of.filter((n) => n.dawnMgL < 4).length}`,
    );
    console.table(rows(of));
    console.log(`band: ${shown(coverageOf(of))}`);
  }
  for (const [least, most] of [
    [0, 5],
    [5, 7],
    [7, 9],
    [9, 12],
  ] as const) {
    const of = nights.filter(({ dawnHour, readings: [, two] }) => {
      const lead = dawnHour - two.hour;
      return lead >= least && lead < most;
    });
    console.log(`${least}–${most} h ahead, ${of.length} nights`);
    console.table(rows(of));
    console.log(`band: ${shown(coverageOf(of))}`);
  }
}
