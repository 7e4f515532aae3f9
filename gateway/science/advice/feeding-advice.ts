import type { ScienceConstants } from '../constants.ts';
import {
  type FeedingAdjustment,
  type FeedingCause,
  type FeedingConditions,
  isFresh,
  suspends,
} from '../feeding-adjustments.ts';
import { BLIND_SOURCES, type DailyRation } from '../feeding-ration.ts';
import { daysBetween } from '../local-date.ts';
import { FEEDING_WORDS, type FeedForm } from './feeding-words.ts';
import { type LastSample, nextWeighing } from './growth-advice.ts';
import { calendarDay, figure, grams, type Language, percent } from './language.ts';
import { ammoniaNow, gapsText, oxygenNow } from './water-alert-text.ts';

type Constants = Pick<ScienceConstants, 'growth' | 'uniformity' | 'feeding' | 'water'>;

/** Feed by shrimp weight: sizes after a feed maker's guide (Uni-President Laone), protein by practice. */
const FEED_TYPES: readonly {
  fromWeightG: number;
  form: FeedForm;
  sizeMm: readonly number[];
  protein: readonly number[];
}[] = [
  { fromWeightG: 0, form: 'STARTER', sizeMm: [0.5, 1], protein: [40, 45] },
  { fromWeightG: 1, form: 'CRUMBLE', sizeMm: [1, 1.6], protein: [38, 40] },
  { fromWeightG: 3, form: 'PELLET', sizeMm: [1.4, 1.7], protein: [35] },
  { fromWeightG: 7, form: 'PELLET', sizeMm: [1.7], protein: [35] },
  { fromWeightG: 8, form: 'PELLET', sizeMm: [1.7], protein: [30, 35] },
  { fromWeightG: 10, form: 'PELLET', sizeMm: [2], protein: [30, 35] },
];

/** The feed for shrimp of this weight: form, grain and crude protein. */
export function feedTypeName(weightG: number, language: Language): string {
  const feed = FEED_TYPES.findLast((each) => weightG >= each.fromWeightG);
  if (feed === undefined) return feedTypeName(0, language);
  const range = (bounds: readonly number[], decimals: number) =>
    bounds.map((bound) => figure(bound, decimals, language)).join('–');
  return FEEDING_WORDS[language].feedType({
    form: feed.form,
    sizeMm: range(feed.sizeMm, 1),
    protein: `${range(feed.protein, 0)}%`,
  });
}

/** Why a batch gets nothing: it has ended, nothing lives, or it comes to its pond on a later day (YYYY-MM-DD). */
export type NothingToFeed = 'NOT_ACTIVE' | 'NO_SHRIMP' | { stockedOn: string };

/**
 * Why the ration is what it is, in one line, the largest change first: "Temperature 24.0 °C:
 * -20%; dissolved oxygen 3.4 mg/L: -24%".
 */
export function adjustmentReason(adjustment: FeedingAdjustment | NothingToFeed, language: Language): string {
  const words = FEEDING_WORDS[language];
  if (adjustment === 'NOT_ACTIVE') return words.notActive;
  if (adjustment === 'NO_SHRIMP') return words.noShrimp;
  if ('stockedOn' in adjustment) return words.notStocked(calendarDay(adjustment.stockedOn, language));
  const stopping = stoppingCauses(adjustment);
  if (stopping.length > 0) return words.suspended(stopping.map((each) => nameOf(each, language)).join('; '));
  if (adjustment.causes.length === 0) return words.noAdjustment;
  const reason = adjustment.causes
    .map((each) => `${nameOf(each, language)}: ${signedPercent(each.factor, language)}`)
    .join('; ');
  return reason.charAt(0).toLocaleUpperCase(language) + reason.slice(1);
}

/** Each of what allows no feed; empty: something may be fed. */
const stoppingCauses = ({ causes, covered }: FeedingAdjustment) =>
  [...causes, ...(covered === null ? [] : [covered])].filter(suspends);

/** What feeding notes are made from; dates are local dates of the farm, YYYY-MM-DD. */
export interface FeedingFacts {
  today: string;
  startDate: string;
  speciesName: string;
  isKnownSpecies: boolean;
  initialWeightG: number;
  lastSample: LastSample | null;
  conditions: FeedingConditions;
  ration: DailyRation;
  /** Feed conversion of the batch so far; null when it cannot be told. */
  fca: number | null;
}

/** What to watch or do with today's ration of an active batch; empty when nothing needs saying. */
export function feedingNotes(constants: Constants, facts: FeedingFacts, language: Language): string[] {
  const words = FEEDING_WORDS[language];
  return [
    facts.isKnownSpecies ? null : words.unknownSpecies(facts.speciesName),
    ...waterNotes(constants, facts, language),
    weightNote(constants, facts, language),
    conversionNote(constants.feeding, facts, language),
  ].filter((note) => note !== null);
}

function waterNotes(
  { feeding, water }: Constants,
  { conditions, ration }: FeedingFacts,
  language: Language,
): (string | null)[] {
  const words = FEEDING_WORDS[language];
  const { oxygen, temperature } = feeding.readingFreshHours;
  const fullRationAbove = feeding.oxygenFactor.at(-1)?.at ?? 0;
  const limit = figure(fullRationAbove, 1, language);
  const stopping = stoppingCauses(ration.adjustment);
  if (stopping.length > 0)
    return stopping.map((each) =>
      each.cause === 'AMMONIA'
        ? ammoniaNow(each.value, language)
        : oxygenNow('CRITICAL', language, { fedAboveMgL: water.alerts.LOW_OXYGEN.highFrom }),
    );
  const { covered } = ration.adjustment;
  return [
    isFresh(conditions.dissolvedOxygen, oxygen)
      ? holdNote(water, conditions.dissolvedOxygen.value, language)
      : words.measureOxygen(oxygen, limit, figure(feeding.whenUnknown.oxygenMgL, 1, language)),
    isFresh(conditions.temperatureC, temperature)
      ? null
      : words.measureTemperature(temperature, figure(feeding.whenUnknown.temperatureC, 0, language)),
    ration.adjustment.causes.some((each) => each.cause !== 'EVENT' && each.isAssumed === true)
      ? words.unknownAtMost(percent((1 - feeding.whenUnknown.leastFactor) * 100, language))
      : null,
    covered && words.covered(nameOf(covered, language), percent((1 - covered.factor) * 100, language)),
  ];
}

/** What the alarm of such oxygen says: the ration stands, but not yet the meal. */
function holdNote(water: Constants['water'], oxygenMgL: number, language: Language): string | null {
  const { highFrom } = water.alerts.LOW_OXYGEN;
  return oxygenMgL <= highFrom ? oxygenNow('HIGH', language, { fedAboveMgL: highFrom }) : null;
}

function weightNote(constants: Constants, facts: FeedingFacts, language: Language): string | null {
  const { lastSample, ration, startDate, today } = facts;
  const words = FEEDING_WORDS[language];
  const weight = grams(ration.feedWeightG, language);
  const { date, sampleSize } = nextWeighing(
    constants,
    { ...facts, expectedWeightG: ration.feedWeightG },
    'USUAL',
  );
  const sample = figure(sampleSize, 0, language);
  if (lastSample === null) {
    const day = daysBetween(startDate, today);
    const until = calendarDay(date, language);
    if (ration.chart !== 'BY_WEIGHT') return words.byChart(BLIND_SOURCES[ration.chart], sample, until);
    return words.notWeighed(weight, day, sample, until);
  }
  const age = daysBetween(lastSample.date, today);
  if (age > constants.feeding.biometryStaleDays) return words.staleWeighing(age, weight, sample);
  const weighed = grams(lastSample.weightG, language);
  return weighed === weight ? null : words.grownForward(weighed, age, weight);
}

function conversionNote(
  { wastefulFca }: Constants['feeding'],
  { fca, ration }: FeedingFacts,
  language: Language,
): string | null {
  const words = FEEDING_WORDS[language];
  if (fca !== null && fca > wastefulFca) return words.wastefulSoFar(figure(fca, 2, language));
  if (ration.feedPerGain === null || ration.feedPerGain <= wastefulFca) return null;
  return words.wastefulToday(figure(ration.feedPerGain, 1, language));
}

function nameOf(cause: FeedingCause, language: Language): string {
  const { causes, events, agedHours, assumed, atMost } = FEEDING_WORDS[language];
  if (cause.cause === 'EVENT') return events[cause.event];
  const named = causes[cause.cause](figure(cause.value, cause.cause === 'AMMONIA' ? 2 : 1, language));
  if (cause.isAssumed === true) return assumed(named);
  const told = cause.gaps === undefined ? named : atMost(named, gapsText(cause.gaps, language));
  return cause.ageHours === undefined ? told : agedHours(told, Math.floor(cause.ageHours));
}

function signedPercent(factor: number, language: Language): string {
  return `${factor < 1 ? '-' : '+'}${percent((factor - 1) * 100, language)}`;
}

/** What the trays of the last meal say about the next one, and which of them say nothing. */
export function trayNote(
  tray: {
    leftPercent: number;
    factor: number;
    time: string;
    quantityKg: number;
    /** Trays that nobody looked at since that meal. */
    unseen: number;
    /** null: the batch is in one alone. */
    pond: string | null;
  },
  language: Language,
): string[] {
  const words = TRAY_WORDS[language];
  const left = percent(tray.leftPercent, language);
  const kg = figure(tray.quantityKg, tray.quantityKg < 1 ? 3 : 2, language);
  const sign = tray.factor < 1 ? '−' : '+';
  const change = `${sign}${percent((tray.factor - 1) * 100, language)}`;
  const told = [
    ...(tray.factor === 1
      ? []
      : [tray.factor <= 0 ? words.skip(left, tray.time) : words.give(left, kg, tray.time, change)]),
    ...(tray.unseen === 0 ? [] : [words.unseen(tray.unseen)]),
  ];
  return told.map((note) => (tray.pond === null ? note : `${tray.pond}: ${note}`));
}

type TrayWords = {
  skip: (left: string, time: string) => string;
  give: (left: string, kg: string, time: string, change: string) => string;
  unseen: (trays: number) => string;
};

const TRAY_WORDS: Readonly<Record<Language, TrayWords>> = {
  'pt-BR': {
    skip: (left, time) =>
      `Sobrou ${left} da ração nas bandejas: não dê a refeição das ${time} e confira as bandejas de novo.`,
    give: (left, kg, time, change) =>
      `Sobrou ${left} da ração nas bandejas: dê ${kg} kg às ${time} (${change}).`,
    unseen: (trays) =>
      trays === 1
        ? 'Uma bandeja não foi vista depois da última refeição: não se sabe o que sobrou nela, e a refeição não aumenta.'
        : `${trays} bandejas não foram vistas depois da última refeição: não se sabe o que sobrou nelas, e a refeição não aumenta.`,
  },
  en: {
    skip: (left, time) =>
      `${left} of the feed was left on the trays: skip the ${time} meal and look at the trays again.`,
    give: (left, kg, time, change) =>
      `${left} of the feed was left on the trays: give ${kg} kg at ${time} (${change}).`,
    unseen: (trays) =>
      trays === 1
        ? 'One tray was not looked at since the last meal: what is left on it is not known, and the meal is not raised.'
        : `${trays} trays were not looked at since the last meal: what is left on them is not known, and the meal is not raised.`,
  },
  es: {
    skip: (left, time) =>
      `Sobró ${left} del balanceado en los comederos: no dé la ración de las ${time} y revise los comederos de nuevo.`,
    give: (left, kg, time, change) =>
      `Sobró ${left} del balanceado en los comederos: dé ${kg} kg a las ${time} (${change}).`,
    unseen: (trays) =>
      trays === 1
        ? 'Un comedero no se revisó después de la última ración: no se sabe qué sobró en él, y la ración no aumenta.'
        : `${trays} comederos no se revisaron después de la última ración: no se sabe qué sobró en ellos, y la ración no aumenta.`,
  },
};
