import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import {
  type DawnForecast,
  dawnForecast,
  measureAtMs,
  type OxygenReading,
  outlookOf,
  oxygenDeclineMgLPerHour,
} from '#science/oxygen-forecast.ts';

// Nights of ponds from sparse to 120 shrimp per m². Water, bottom and shrimp breathe at one pace through the night (Boyd,
// Romaire & Johnston 1978) and slacken only where little oxygen is left; wind brings some in. What ponds breathe is the
// table of the constants (typical values) times 0.6 to 1.3; how far ponds differ is assumed, not published. Hand readings
// are off by some 0.2 mg/L, as meters' makers state.

type SimulatedReading = { hour: number; mgL: number };
type Pond = { kgPerM3: number; pace: number; saturation: number; exchangePerHour: number };
export type SimulatedNight = {
  pond: Pond;
  readings: readonly SimulatedReading[];
  dawnHour: number;
  dawnMgL: number;
  /** One more reading at an hour, off as the others are. */
  readAt: (hour: number) => SimulatedReading;
  /** What the pond breathed in nights before, by its last evening reading and that of dawn, mg/L an hour. */
  pastPaces: readonly number[];
};

type Between = (least: number, most: number) => number;
/** When a farm reads, hours after sunset (18:00), given when dawn is. */
type Rounds = (between: Between, dawnHour: number) => readonly number[];

export const ROUNDS: Readonly<Record<'two' | 'three' | 'four' | 'probe', Rounds>> = {
  two: (between) => {
    const first = between(-1, 3);
    return [first, first + between(1.5, 4)];
  },
  three: (between) => {
    const first = between(-1, 1);
    return [first, first + between(2.5, 4), between(5.5, 6.5)];
  },
  four: (between, dawnHour) => [
    between(-1, 0),
    between(2.5, 3.5),
    between(5.5, 6.5),
    Math.min(between(7, 8), dawnHour - 3),
  ],
  probe: (_between, dawnHour) =>
    Array.from({ length: Math.floor((dawnHour - 3) * 6) + 7 }, (_, i) => i / 6 - 1),
};

/** Shrimp of 12 g in water of 1.5 m, alive at 75 %. */
const KG_PER_M3_OF_ONE_PER_M2 = (0.012 * 0.75) / 1.5;
const STEPS_AN_HOUR = 60;
const KEPT_AN_HOUR = 12;
const FIRST_HOUR = -1;
const LAST_HOUR = 12;
const READING_ERROR = 0.2;
const NIGHTS_OF_A_SEED = 1_000_003;
/** Who is asked to measure comes this much later at most, hours. */
const LATEST_HOURS = 1 / 6;
const PAST_NIGHTS = 3;
/** How much a pond's nights differ among themselves: weather, feed, algae. Assumed. */
const NIGHT_TO_NIGHT = 0.15;

/** Small and repeatable: the same nights on every machine (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least: number, most: number) => least + random() * (most - least),
    gauss: (sd: number) => sd * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  };
}

export function drawPond(between: Between): Pond {
  const kgPerM3 = between(5, 120) * KG_PER_M3_OF_ONE_PER_M2;
  const pace = oxygenDeclineMgLPerHour(SCIENCE_DEFAULTS.aeration, kgPerM3) * between(0.6, 1.3);
  return { kgPerM3, pace, saturation: between(6.2, 7.6), exchangePerHour: between(0.005, 0.05) };
}

export const eveningMgL = (between: Between, { pace }: Pond): number => between(6, 8 + pace * 6);

/** Oxygen every five minutes from an hour before sunset on. */
export function courseOf({ pace, saturation, exchangePerHour }: Pond, startMgL: number): Float32Array {
  const course = new Float32Array((LAST_HOUR - FIRST_HOUR) * KEPT_AN_HOUR + 1);
  let mgL = startMgL;
  for (let step = 0; step <= (LAST_HOUR - FIRST_HOUR) * STEPS_AN_HOUR; step += 1) {
    if (step % (STEPS_AN_HOUR / KEPT_AN_HOUR) === 0) course[step / (STEPS_AN_HOUR / KEPT_AN_HOUR)] = mgL;
    // until sunset some light is left
    const breathed = pace * (mgL / (mgL + 0.3)) * (step < -FIRST_HOUR * STEPS_AN_HOUR ? 0.5 : 1);
    mgL = Math.max(0, mgL + (exchangePerHour * (saturation - mgL) - breathed) / STEPS_AN_HOUR);
  }
  return course;
}

export function mgLAt(course: Float32Array, hour: number): number {
  const place = (hour - FIRST_HOUR) * KEPT_AN_HOUR;
  const before = Math.floor(place);
  const left = course[before] ?? 0;
  return left + ((course[before + 1] ?? left) - left) * (place - before);
}

/** Of an evening reading at 21:00 and one at dawn, both off as readings are. */
function pastPaceOf(pond: Pond, { between, gauss }: ReturnType<typeof randomFrom>): number {
  const { exchangePerHour, saturationMgL } = SCIENCE_DEFAULTS.aeration.forecast;
  const pace = pond.pace * Math.max(0.3, 1 + gauss(NIGHT_TO_NIGHT));
  const course = courseOf({ ...pond, pace }, eveningMgL(between, pond));
  const [first, dawn] = [3, 11.3].map((hour) => mgLAt(course, hour) + gauss(READING_ERROR)) as [
    number,
    number,
  ];
  const kept = Math.exp(-exchangePerHour * 8.3);
  return (exchangePerHour * (saturationMgL * (1 - kept) + first * kept - dawn)) / (1 - kept);
}

/** Nights on which readings do not fall by the error of the meter stay among them: nobody can choose his nights. */
export function simulatedNights(
  count: number,
  { seed, rounds }: { seed: number; rounds: Rounds },
): SimulatedNight[] {
  const { between, gauss } = randomFrom(seed);
  return Array.from({ length: count }, (_, place): SimulatedNight => {
    const pond = drawPond(between);
    const dawnHour = between(10.8, 11.8);
    const course = courseOf(pond, eveningMgL(between, pond));
    const off = (hour: number, by: number) => ({ hour, mgL: Math.max(0, mgLAt(course, hour) + by) });
    const readings = rounds(between, dawnHour).map((hour) => off(hour, gauss(READING_ERROR)));
    // of its own, so that what is asked later changes no other night
    const later = randomFrom(seed * NIGHTS_OF_A_SEED + place);
    return {
      pond,
      readings,
      dawnHour,
      dawnMgL: mgLAt(course, dawnHour),
      readAt: (hour) => off(hour + later.between(0, LATEST_HOURS), later.gauss(READING_ERROR)),
      pastPaces: Array.from({ length: PAST_NIGHTS }, () => pastPaceOf(pond, later)),
    };
  });
}

// What the program tells people in a simulated night, look by look as the gateway looks: at each reading and every half-hour from
// 22:00 on, until three hours before dawn. Hours are those after sunset (18:00).

export const WARN_MG_L = 4;
const LEAD_HOURS = 3;
const FIRST_LOOK = 4;
const HOUR_MS = 3_600_000;
const DUSK_MS = Date.parse('2026-03-01T21:00:00Z');

type Settings = typeof SCIENCE_DEFAULTS.aeration.forecast;
const DEFAULTS = SCIENCE_DEFAULTS.aeration.forecast;

const readingsOf = (readings: readonly SimulatedReading[]): OxygenReading[] =>
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

type Verdict = {
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
