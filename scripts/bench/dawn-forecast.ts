import { parseArgs } from 'node:util';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { chanceBelow, dawnForecast } from '#science/oxygen-forecast.ts';
import { momentsOf, PUBLISHED_NIGHTS } from './published-nights.ts';
import {
  courseOf,
  drawPond,
  eveningMgL,
  forecastOf,
  mgLAt,
  ROUNDS,
  randomFrom,
  type SimulatedNight,
  simulatedNights,
  type Told,
  toldOf,
  verdictOf,
  WARN_MG_L,
} from './simulated-nights.ts';

// The methods that were measured before one was chosen. Each tells the oxygen of dawn from the readings of a night, mg/L; null:
// nothing. The simple ones warn at the last reading where that lies below the level.

type Method = (night: SimulatedNight) => number | null;

const settings = SCIENCE_DEFAULTS.aeration.forecast;

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

/** What aerators brought in nights before where they do not run tonight, mg/L an hour. */
const AIRED = 0.3;

const METHODS: Readonly<Record<string, { mgL: Method; tells: (night: SimulatedNight) => Told }>> = {
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

type Bound = (night: SimulatedNight, levelMgL: number, isBiomassKnown: boolean) => number;

// What hardly anybody can beat who knows only the readings: the chance of a low dawn by the very distribution that the nights are
// drawn from, of two hundred thousand other ponds each weighed by how well it would have made these readings.

const PONDS = 200_000;

/** Ponds of nearly the same biomass that a night is compared with where that is known. */
const OF_A_KIND = 20_000;

const READING_ERROR = 0.2;

/** Beyond it a pond weighs nothing. */
const MOST_SQUARES = 40;

// How well methods foretell the oxygen of dawn: `node scripts/bench/dawn-forecast.ts`, half a minute. Methods side by side on
// simulated nights by kind of round, the program's band by hour and density, and the published nights one by one. `--bound` adds
// what hardly any predictor of the same readings can beat (minutes). Seeds below 100 measure, from 100 on they chose (`--seed 101`).
// LOW ALARMED, ASKED, MISSED: of the nights whose dawn lies below 4 mg/L, what people heard three hours before dawn or earlier.
// FALSE, ASKED IN VAIN: of the nights whose dawn stays above it. A request to measure is no alarm and is counted apart.

const HOURS = [
  [3, 5],
  [5, 7],
  [7, 9],
  [9, 12],
] as const;
const KG_PER_M3 = [
  [0, 0.25],
  [0.25, 0.5],
  [0.5, 1],
] as const;

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The program's forecast by the last reading of each night: how many are inside the band, and how far off it is. */
export function bandOf(nights: readonly SimulatedNight[]) {
  const told = nights.flatMap((night) => {
    const forecast = forecastOf(night);
    return forecast === null ? [] : [{ forecast, off: Math.abs(forecast.dawnMgL - night.dawnMgL) }];
  });
  return {
    nights: told.length,
    inBand: told.filter(({ forecast, off }) => off <= forecast.uncertaintyMgL).length / told.length,
    meanError: meanOf(told.map(({ off }) => off)),
    meanBand: meanOf(told.map(({ forecast }) => forecast.uncertaintyMgL)),
  };
}

/** The same by hours ahead and by what lives in the pond, where there are nights enough to tell. */
export function bandByHourAndDensity(nights: readonly SimulatedNight[], least = 100) {
  return HOURS.flatMap(([from, to]) =>
    KG_PER_M3.map(([sparse, dense]) => {
      const of = nights.filter(({ pond, dawnHour, readings }) => {
        const ahead = dawnHour - (readings.at(-1)?.hour ?? 0);
        return ahead >= from && ahead < to && pond.kgPerM3 >= sparse && pond.kgPerM3 < dense;
      });
      return { name: `${from}–${to} h ahead, ${sparse}–${dense} kg/m³`, ...bandOf(of) };
    }),
  ).filter((cell) => cell.nights >= least);
}

export function methodOn(name: string, nights: readonly SimulatedNight[]) {
  const method = METHODS[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  const errors = nights.flatMap((night) => {
    const said = method.mgL(night);
    return said === null ? [] : [said - night.dawnMgL];
  });
  return {
    meanError: meanOf(errors.map(Math.abs)),
    bias: meanOf(errors),
    ...verdictOf(
      nights,
      nights.map((night) => method.tells(night)),
    ),
  };
}

export function publishedResults() {
  return PUBLISHED_NIGHTS.map((published) => {
    const { night, readings } = momentsOf(published);
    const forecast = dawnForecast(SCIENCE_DEFAULTS.aeration.forecast, night, readings);
    if (forecast === null) throw new Error(`nothing is foretold of ${published.name}`);
    const off = forecast.dawnMgL - published.dawnMgL;
    return { published, forecast, off, isInBand: Math.abs(off) <= forecast.uncertaintyMgL };
  });
}

/** The fewest false alarms with 3 % of low dawns missed, and the fewest missed with 10 % of false ones, by hindsight. */
function tradeOff(nights: readonly SimulatedNight[], chances: readonly number[]) {
  const verdicts = Array.from({ length: 199 }, (_, i) =>
    verdictOf(
      nights,
      chances.map((chance) => ({
        what: chance >= (i + 1) / 200 ? 'ALARM' : 'SILENT',
        leadHours: LEAST_LEAD,
      })),
    ),
  );
  return {
    missed: Math.min(1, ...verdicts.filter((each) => each.falseAlarms <= 0.1).map(({ missed }) => missed)),
    falseAlarms: Math.min(
      1,
      ...verdicts.filter(({ missed }) => missed <= 0.03).map((each) => each.falseAlarms),
    ),
  };
}
const LEAST_LEAD = 3;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      nights: { type: 'string', default: '4000' },
      bound: { type: 'boolean', default: false },
    },
  });
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const best = values.bound ? bestPredictor() : null;
  const aims: [string, object][] = [];
  for (const [name, rounds] of Object.entries(ROUNDS)) {
    // a probe's night has some sixty readings
    const count = name === 'probe' ? Number(values.nights) / 4 : Number(values.nights);
    const nights = simulatedNights(count, { seed: Number(values.seed), rounds });
    const low = nights.filter(({ dawnMgL }) => dawnMgL < WARN_MG_L).length / nights.length;
    console.log(`${name}: ${count} nights, ${percent(low)} with a dawn below ${WARN_MG_L} mg/L`);
    const rows = Object.keys(METHODS).map((method) => {
      const found = methodOn(method, nights);
      return [
        method,
        {
          'mean error': found.meanError.toFixed(2),
          bias: found.bias.toFixed(2),
          'low alarmed': percent(found.alarmed),
          asked: percent(found.asked),
          missed: percent(found.missed),
          false: percent(found.falseAlarms),
          'asked in vain': percent(found.askedInVain),
          'least lead, h': found.leastLead.toFixed(1),
        },
      ];
    });
    console.table(Object.fromEntries(rows));
    const { alarmed, missed, falseAlarms, leastLead } = methodOn('whole pond: program', nights);
    aims.push([
      name,
      {
        'in band': percent(bandOf(nights).inBand),
        'missed, neither alarmed nor asked': percent(missed),
        'missed by alarms alone': percent(1 - alarmed),
        'false alarms': percent(falseAlarms),
        'least lead, h': leastLead.toFixed(1),
      },
    ]);
    console.table(
      Object.fromEntries(
        [{ name: 'all', ...bandOf(nights) }, ...bandByHourAndDensity(nights)].map((cell) => [
          cell.name,
          {
            nights: cell.nights,
            'in band': percent(cell.inBand),
            'mean error': cell.meanError.toFixed(2),
            'mean band': cell.meanBand.toFixed(2),
          },
        ]),
      ),
    );
    if (best === null || name === 'probe') continue;
    const some = nights.slice(0, 1_000);
    for (const [who, chance] of [
      [
        'program',
        (night: SimulatedNight) => {
          const forecast = forecastOf(night);
          return forecast === null ? 0 : chanceBelow(forecast, WARN_MG_L);
        },
      ],
      ['bound', (night: SimulatedNight) => best(night, WARN_MG_L, false)],
      ['bound where the biomass is known', (night: SimulatedNight) => best(night, WARN_MG_L, true)],
    ] as const) {
      const { missed, falseAlarms } = tradeOff(some, some.map(chance));
      console.log(
        `  alarms alone, ${who}: ${percent(missed)} missed at 10 % false, ${percent(falseAlarms)} false at 3 % missed`,
      );
    }
  }
  console.log(
    'the program against the aims: in band 80 % or more, missed 3 % or less, false 10 % or less, lead 3 h or more',
  );
  console.table(Object.fromEntries(aims));
  console.table(
    Object.fromEntries(
      publishedResults().map(({ published, forecast, off, isInBand }) => [
        published.name,
        {
          published: published.dawnMgL,
          told: `${forecast.dawnMgL.toFixed(2)} ± ${forecast.uncertaintyMgL.toFixed(2)}`,
          off: off.toFixed(2),
          inside: isInBand,
        },
      ]),
    ),
  );
}

/** The chance that dawn lies below the level, by the best of all predictors; for hand readings. */
function bestPredictor(seed = 777): Bound {
  const { between } = randomFrom(seed);
  const ponds = Array.from({ length: PONDS }, () => {
    const pond = drawPond(between);
    return { kgPerM3: pond.kgPerM3, course: courseOf(pond, eveningMgL(between, pond)) };
  }).toSorted((a, b) => a.kgPerM3 - b.kgPerM3);

  return ({ pond, readings, dawnHour }, levelMgL, isBiomassKnown) => {
    const place = ponds.findIndex(({ kgPerM3 }) => kgPerM3 >= pond.kgPerM3);
    const from = isBiomassKnown ? Math.max(0, Math.min(place, PONDS - OF_A_KIND / 2) - OF_A_KIND / 2) : 0;
    let [all, low] = [0, 0];
    for (const { course } of isBiomassKnown ? ponds.slice(from, from + OF_A_KIND) : ponds) {
      let squares = 0;
      for (const { hour, mgL } of readings) {
        squares += ((mgLAt(course, hour) - mgL) / READING_ERROR) ** 2;
        if (squares > MOST_SQUARES) break;
      }
      if (squares > MOST_SQUARES) continue;
      const weight = Math.exp(-squares / 2);
      all += weight;
      if (mgLAt(course, dawnHour) < levelMgL) low += weight;
    }
    return all === 0 ? Number((readings.at(-1)?.mgL ?? 0) < levelMgL) : low / all;
  };
}

/** First and last reading, and how many times the hours between them dawn is ahead. */
function ends({ readings, dawnHour }: SimulatedNight) {
  const [one, two] = [readings[0], readings.at(-1)];
  if (one === undefined || two === undefined || two.mgL >= one.mgL) return null;
  return { one: Math.max(one.mgL, 0.01), two: two.mgL, steps: (dawnHour - two.hour) / (two.hour - one.hour) };
}

/** Settings that hold the pace to what the pond breathed in nights before. */
function byPast(night: SimulatedNight, airedMgLPerHour: number): typeof settings {
  const past = night.pastPaces.reduce((sum, pace) => sum + pace, 0) / night.pastPaces.length;
  const usualMgLPerHour = Math.max(0.05, past - airedMgLPerHour);
  return { ...settings, pace: { usualMgLPerHour, spreadMgLPerHour: SPREAD_OF_PAST } };
}

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
