import { type AmmoniaGap, DEADLY_NH3_MG_L } from './ammonia.ts';
import { SCIENCE_DEFAULTS, type ScienceConstants } from './constants.ts';
import { interpolate } from './temperature-factor.ts';

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

/** What is poisonous of the ammonia, mg/L as N; with gaps the most that it may be. */
export interface AmmoniaReading extends AgedReading {
  gaps?: readonly AmmoniaGap[];
}

/** What is known about the pond today; null where nothing was measured, which the ration does not take for good water. */
export interface FeedingConditions {
  temperatureC: AgedReading | null;
  /** mg/L, as it was read last. */
  dissolvedOxygen: AgedReading | null;
  /** mg/L, the lowest of the last dawn, where oxygen has risen since. */
  dawnOxygen?: AgedReading | null;
  ammoniaNh3N: AmmoniaReading | null;
  /** What was noted at the pond, and how many whole days ago. */
  event: { kind: FeedingEvent; daysAgo: number } | null;
}

type ReadingCause = 'TEMPERATURE' | 'OXYGEN' | 'DAWN_OXYGEN' | 'AMMONIA';
export type ReadingCauseFound = {
  cause: ReadingCause;
  value: number;
  factor: number;
  /** Only of oxygen and ammonia that were not read just now, hours. */
  ageHours?: number;
  /** Nothing fresh was measured: the farm's value for that stands in. */
  isAssumed?: true;
  /** What the ammonia could not be worked out from: `value` is the most that it may be. */
  gaps?: readonly AmmoniaGap[];
};
export type FeedingCause = ReadingCauseFound | { cause: 'EVENT'; event: FeedingEvent; factor: number };

export interface FeedingAdjustment {
  /** What to multiply the ration by, 0–1.05. */
  factor: number;
  /** What changes the ration, the largest change first; their factors multiply to `factor`. */
  causes: FeedingCause[];
  /** A second stress that the larger one already covers; not in `factor`. */
  covered: FeedingCause | null;
  /** The water is such that nothing may be fed. */
  isSuspended: boolean;
}

/**
 * How today's conditions change the ration: temperature × the worse of oxygen and ammonia ×
 * what was noted at the pond. Oxygen is that of now; a low dawn before it cuts the ration too, for the
 * sake of the next one, but suspends nothing. Oxygen and ammonia stress come together, so the smaller cut is
 * already in the larger. Ammonia that kills, or may as far as anybody knows, holds the feed as its alarm says, until it
 * was measured again. For what nobody measured, or too long ago to speak for today, the farm's
 * own cautious value stands in: unknown water is fed no better than water that is known to be fair.
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
  const { temperature: temperatureHours, oxygen, ammonia } = feeding.readingFreshHours;
  const { whenUnknown } = feeding;
  const temperature = readingCause('TEMPERATURE', feeding.temperatureFactor, {
    reading: upTo(temperatureHours, conditions.temperatureC),
    unknown: whenUnknown.temperatureC,
  });
  const stresses = [
    readingCause('OXYGEN', feeding.oxygenFactor, {
      reading: upTo(oxygen, conditions.dissolvedOxygen),
      unknown: whenUnknown.oxygenMgL,
    }),
    dawnCause(feeding, upTo(oxygen, conditions.dawnOxygen ?? null)),
    held(
      readingCause('AMMONIA', feeding.ammoniaFactor, {
        reading: upTo(ammonia, conditions.ammoniaNh3N),
        unknown: whenUnknown.ammoniaNh3NMgL,
      }),
    ),
  ].filter((cause) => cause !== null && changesRation(cause));
  const [stress = null, covered = null] = stresses.toSorted((a, b) => a.factor - b.factor);
  const causes = withinUnknown(
    whenUnknown.leastFactor,
    [temperature, stress, eventCause(feeding, conditions.event, mealsPerDay)]
      .filter(changesRation)
      .toSorted((a, b) => Math.abs(1 - b.factor) - Math.abs(1 - a.factor)),
  );
  const product = causes.reduce((factor, cause) => factor * cause.factor, 1);
  return {
    factor: Math.min(feeding.largestFactor, Math.max(0, product)),
    causes,
    covered,
    isSuspended: stresses.some(suspends),
  };
}

/** Whether this alone allows no feed: what somebody measured and what stops feeding or kills. */
export function suspends(cause: FeedingCause): cause is ReadingCauseFound {
  if (cause.cause === 'EVENT' || cause.isAssumed === true) return false;
  return (cause.cause === 'OXYGEN' && cause.factor <= 0) || isDeadlyAmmonia(cause);
}

const isDeadlyAmmonia = ({ cause, isAssumed, value }: ReadingCauseFound): boolean =>
  cause === 'AMMONIA' && isAssumed !== true && value >= DEADLY_NH3_MG_L;

const held = (ammonia: ReadingCauseFound): ReadingCauseFound =>
  isDeadlyAmmonia(ammonia) ? { ...ammonia, factor: 0 } : ammonia;

/** What nobody measured cuts by so much at most, all of it together: the smaller cuts give way. */
function withinUnknown(leastFactor: number, causes: readonly FeedingCause[]): FeedingCause[] {
  let left = leastFactor;
  return causes
    .map((cause) => {
      if (cause.cause === 'EVENT' || cause.isAssumed !== true || cause.factor > 1) return cause;
      const factor = Math.max(cause.factor, Math.min(1, left));
      left /= factor;
      return { ...cause, factor };
    })
    .filter(changesRation);
}

/**
 * The next meal by what the last one left on the trays: all eaten +5 %, up to 10 % left as it
 * is, up to 25 % −10 %, up to 50 % −30 %, more: skip it. Over any number of trays, their mean. Hungry shrimp do not
 * raise a ration that the water cuts: the alarms say to give no more than that.
 * Nor does a tray that nobody looked at, which may be full.
 *
 * @param leftoversPercent % of the feed put on the trays, 0–100
 * @param unseenTrays trays of the pond that nobody looked at since the meal
 */
export function nextMealFactor(
  feeding: Feeding,
  leftoversPercent: number,
  rationFactors: readonly number[],
  unseenTrays = 0,
): number {
  const step = feeding.trayLeftovers.find((each) => leftoversPercent <= each.upToPercent);
  const mayRise = unseenTrays === 0 && rationFactors.every((factor) => factor >= 1);
  return Math.min(mayRise ? Number.POSITIVE_INFINITY : 1, step?.factor ?? 0);
}

/** Whose table of trays a farm goes by; null: its own. */
export function trayTableSource({ trayLeftovers }: Feeding): string | null {
  const published = SCIENCE_DEFAULTS.feeding.trayLeftovers;
  const isPublished =
    trayLeftovers.length === published.length &&
    published.every(
      ({ upToPercent, factor }, at) =>
        trayLeftovers[at]?.upToPercent === upToPercent && trayLeftovers[at]?.factor === factor,
    );
  return isPublished ? 'AQT 2016, How to adjust the amount of feed in shrimp culture' : null;
}

/** Whether a reading exists and still speaks for today. */
export function isFresh<R extends AgedReading>(reading: R | null, withinHours: number): reading is R {
  return reading !== null && reading.ageHours <= withinHours;
}

/** What was read so long ago is told with its age, hours. */
const TOLD_FROM_HOURS: Readonly<Record<ReadingCause, number>> = {
  TEMPERATURE: Number.POSITIVE_INFINITY,
  OXYGEN: 3,
  DAWN_OXYGEN: Number.POSITIVE_INFINITY,
  AMMONIA: 24,
};

const upTo = <R extends AgedReading>(hours: number, reading: R | null): R | null =>
  isFresh(reading, hours) ? reading : null;

function readingCause(
  cause: ReadingCause,
  table: readonly { at: number; factor: number }[],
  { reading, unknown }: { reading: AmmoniaReading | null; unknown: number },
): ReadingCauseFound {
  if (reading === null) return { cause, value: unknown, factor: factorAt(table, unknown), isAssumed: true };
  const { value, ageHours, gaps = [] } = reading;
  return {
    cause,
    value,
    factor: factorAt(table, value),
    ...(ageHours >= TOLD_FROM_HOURS[cause] ? { ageHours } : {}),
    ...(gaps.length === 0 ? {} : { gaps }),
  };
}

/** The dawn that was: a cut for the next one, not a fast for the day. */
function dawnCause(feeding: Feeding, reading: AgedReading | null): ReadingCauseFound | null {
  if (reading === null) return null;
  const { value } = reading;
  const factor = Math.max(feeding.dawnLeastFactor, factorAt(feeding.oxygenFactor, value));
  return { cause: 'DAWN_OXYGEN', value, factor };
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
