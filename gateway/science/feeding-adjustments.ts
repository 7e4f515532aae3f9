import type { ScienceConstants } from './constants.ts';
import { interpolate } from './interpolate.ts';

type Feeding = ScienceConstants['feeding'];

/** A measurement and how old it is, hours. */
export interface AgedReading {
  value: number;
  ageHours: number;
}

export const FEEDING_EVENTS = [
  'SYNCHRONOUS_MOLT',
  'PARTIAL_MOLT',
  'HEAVY_RAIN',
  'BLOOM_CRASH',
  'TREATMENT',
] as const;
export type FeedingEvent = (typeof FEEDING_EVENTS)[number];

/** What is known about the pond today; null where nothing is. */
export interface FeedingConditions {
  temperatureC: AgedReading | null;
  /** mg/L; the dawn value where there is one, for it is the day's lowest. */
  dissolvedOxygen: AgedReading | null;
  /** Un-ionised ammonia, mg/L as N. */
  ammoniaNh3N: AgedReading | null;
  /** What was noted at the pond, and how many whole days ago. */
  event: { kind: FeedingEvent; daysAgo: number } | null;
}

export type FeedingCause =
  | { cause: 'TEMPERATURE' | 'OXYGEN' | 'AMMONIA'; value: number; factor: number }
  | { cause: 'EVENT'; event: FeedingEvent; factor: number };

export interface FeedingAdjustment {
  /** What to multiply the ration by, 0–1.05. */
  factor: number;
  /** What changes the ration, the largest change first; their factors multiply to `factor`. */
  causes: FeedingCause[];
  /** A second stress that the larger one already covers; not in `factor`. */
  covered: FeedingCause | null;
  /** Dissolved oxygen is so low that nothing may be fed. */
  isSuspended: boolean;
}

/**
 * How today's conditions change the ration: temperature × the worse of oxygen and ammonia ×
 * what was noted at the pond. Oxygen and ammonia stress come together, so the smaller cut is
 * already in the larger. Readings too old to speak for today change nothing.
 *
 * Sources: temperature An Binh Bio, Skretting, Limsuwan & Ching; oxygen Boyd, Nunes & Musig;
 * ammonia threshold Lin & Chen 2001, its slope calibrated; molt and rain An Binh Bio, AQT.
 *
 * @param mealsPerDay how often this batch is fed, for the recovery after a partial molt
 */
export function feedingAdjustment(
  feeding: Feeding,
  conditions: FeedingConditions,
  mealsPerDay: number,
): FeedingAdjustment {
  const fresh = freshReadings(feeding, conditions);
  const temperature = temperatureCause(feeding, fresh.temperatureC);
  const [stress = null, covered = null] = [
    oxygenCause(feeding, fresh.dissolvedOxygen),
    ammoniaCause(feeding, fresh.ammoniaNh3N),
  ]
    .filter(changesRation)
    .toSorted((a, b) => a.factor - b.factor);
  const causes = [temperature, stress, eventCause(feeding, conditions.event, mealsPerDay)]
    .filter(changesRation)
    .toSorted((a, b) => Math.abs(1 - b.factor) - Math.abs(1 - a.factor));
  const product = causes.reduce((factor, cause) => factor * cause.factor, 1);
  return {
    factor: Math.min(feeding.largestFactor, Math.max(0, product)),
    causes,
    covered,
    isSuspended: stress !== null && stress.cause === 'OXYGEN' && stress.factor <= 0,
  };
}

/**
 * The next meal by what the last one left on the trays: all eaten +5 %, up to 10 % left as it
 * is, up to 25 % −10 %, up to 50 % −30 %, more: skip it. Over any number of trays, their mean.
 *
 * @param leftoversPercent % of the feed put on the trays, 0–100
 */
export function nextMealFactor(feeding: Feeding, leftoversPercent: number): number {
  const step = feeding.trayLeftovers.find((each) => leftoversPercent <= each.upToPercent);
  return step?.factor ?? 0;
}

/** Whether a reading exists and still speaks for today. */
export function isFresh(reading: AgedReading | null, withinHours: number): reading is AgedReading {
  return reading !== null && reading.ageHours <= withinHours;
}

function freshReadings(feeding: Feeding, conditions: FeedingConditions) {
  const { temperature, oxygen, ammonia } = feeding.readingFreshHours;
  const upTo = (hours: number, reading: AgedReading | null) =>
    isFresh(reading, hours) ? reading.value : null;
  return {
    temperatureC: upTo(temperature, conditions.temperatureC),
    dissolvedOxygen: upTo(oxygen, conditions.dissolvedOxygen),
    ammoniaNh3N: upTo(ammonia, conditions.ammoniaNh3N),
  };
}

function temperatureCause(feeding: Feeding, value: number | null): FeedingCause | null {
  if (value === null) return null;
  return { cause: 'TEMPERATURE', value, factor: factorAt(feeding.temperatureFactor, value) };
}

function oxygenCause(feeding: Feeding, value: number | null): FeedingCause | null {
  if (value === null) return null;
  return { cause: 'OXYGEN', value, factor: factorAt(feeding.oxygenFactor, value) };
}

function ammoniaCause(feeding: Feeding, value: number | null): FeedingCause | null {
  if (value === null) return null;
  return { cause: 'AMMONIA', value, factor: factorAt(feeding.ammoniaFactor, value) };
}

function eventCause(
  feeding: Feeding,
  event: FeedingConditions['event'],
  mealsPerDay: number,
): FeedingCause | null {
  if (event === null || event.daysAgo < 0) return null;
  const { factor, days, recoveryPerMeal } = feeding.events[event.kind];
  if (event.daysAgo < days) return { cause: 'EVENT', event: event.kind, factor };
  // Each meal gives a step back; the day's ration is its mean meal.
  const mealsBefore = (event.daysAgo - days) * mealsPerDay;
  const meals = Array.from({ length: mealsPerDay }, (_, meal) =>
    Math.min(1, factor + recoveryPerMeal * (mealsBefore + meal + 1)),
  );
  const dayFactor = meals.reduce((sum, meal) => sum + meal, 0) / mealsPerDay;
  return { cause: 'EVENT', event: event.kind, factor: dayFactor };
}

function factorAt(table: readonly { at: number; factor: number }[], at: number): number {
  return interpolate(
    table.map((row) => ({ at: row.at, value: row.factor })),
    at,
  );
}

function changesRation(cause: FeedingCause | null): cause is FeedingCause {
  return cause !== null && Math.abs(cause.factor - 1) > 1e-9;
}
