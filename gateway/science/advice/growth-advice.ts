import type { ScienceConstants } from '../constants.ts';
import { type GrowthTrend, growthStatus, variancePercent } from '../growth-trend.ts';
import type { HarvestProjection } from '../harvest-decision.ts';
import { dateAfter, daysBetween, laterOf } from '../local-date.ts';
import { planningCvPercent, precisionPercent, sampleSizeFor, uniformityRating } from '../uniformity.ts';
import { GROWTH_WORDS } from './growth-words.ts';
import { calendarDay, figure, grams, type Language, percent } from './language.ts';

type Constants = Pick<ScienceConstants, 'growth' | 'uniformity'>;

/** What growth advice is made from; dates are local dates of the farm, YYYY-MM-DD. */
export interface GrowthFacts {
  today: string;
  startDate: string;
  plannedHarvestDate: string | null;
  speciesName: string;
  isKnownSpecies: boolean;
  /** Alive now. */
  animals: number;
  initialWeightG: number;
  lastSample: LastSample | null;
  /** Expected weight at any age of the batch, grams. */
  expectedWeightOnDay: (day: number) => number;
  trend: GrowthTrend;
  projection: HarvestProjection;
}

/** Recommendations of the growth analysis of an active batch: how it stands, when to harvest, when to weigh. */
export function growthAdvice(constants: Constants, facts: GrowthFacts, language: Language): string[] {
  if (facts.animals === 0) return [GROWTH_WORDS[language].noShrimp];
  return said([
    speciesAdvice(facts, language),
    statusAdvice(constants, facts, language),
    trendAdvice(constants, facts, language),
    harvestAdvice(facts, language),
    weighingAdvice(constants, facts, language),
  ]);
}

/** Recommendations of the biometry summary of an active batch: how it stands, how even it is, when to weigh. */
export function biometryAdvice(constants: Constants, facts: GrowthFacts, language: Language): string[] {
  if (facts.animals === 0) return [GROWTH_WORDS[language].noShrimp];
  return said([
    speciesAdvice(facts, language),
    statusAdvice(constants, facts, language),
    trendAdvice(constants, facts, language),
    uniformityAdvice(constants, facts, language),
    weighingAdvice(constants, facts, language),
  ]);
}

function speciesAdvice(facts: GrowthFacts, language: Language): string | null {
  return facts.isKnownSpecies ? null : GROWTH_WORDS[language].unknownSpecies(facts.speciesName);
}

function statusAdvice(constants: Constants, facts: GrowthFacts, language: Language): string | null {
  const { lastSample } = facts;
  const standing = standingOf(constants, facts);
  if (lastSample === null || standing === null || standing.status === 'ON_TRACK') return null;
  if (isOld(constants, facts)) return null;
  const words = GROWTH_WORDS[language];
  const measured = {
    weight: grams(lastSample.weightG, language),
    date: calendarDay(lastSample.date, language),
    variance: percent(standing.variance, language),
    expected: grams(standing.expectedG, language),
    day: standing.day,
  };
  if (Math.abs(standing.variance) <= standing.error) {
    return words.withinError({
      ...measured,
      side: standing.variance > 0 ? 'ABOVE' : 'BELOW',
      sample: figure(lastSample.sampleSize, 0, language),
      error: percent(standing.error, language),
      wanted: figure(next(constants, facts).sampleSize, 0, language),
    });
  }
  return standing.status === 'BELOW_EXPECTED' ? words.below(measured) : words.above(measured);
}

function trendAdvice(constants: Constants, facts: GrowthFacts, language: Language): string | null {
  const { trend, lastSample } = facts;
  if (trend.change === null || lastSample === null || isOld(constants, facts)) return null;
  const change = percent(trend.change * 100, language);
  switch (trend.trend) {
    case 'DECLINING':
      return trend.change <= -1 ? GROWTH_WORDS[language].noGain : GROWTH_WORDS[language].slower(change);
    case 'ACCELERATING':
      return GROWTH_WORDS[language].faster(change, grams(lastSample.weightG, language));
    case 'STEADY':
      return null;
  }
}

function uniformityAdvice({ uniformity }: Constants, facts: GrowthFacts, language: Language): string | null {
  const { lastSample } = facts;
  if (lastSample === null) return null;
  const { cvPercent, weightG } = lastSample;
  const words = GROWTH_WORDS[language];
  if (cvPercent === null) return words.noSpread(figure(uniformity.leastSample, 0, language));
  if (uniformityRating(uniformity, cvPercent, weightG) !== 'POOR') return null;
  const { belowWeightG, addPoints } = uniformity.smallShrimp;
  const limit = uniformity.goodUpToPercent + (weightG < belowWeightG ? addPoints : 0);
  return words.unevenWeights(percent(cvPercent, language), percent(limit, language));
}

function harvestAdvice(facts: GrowthFacts, language: Language): string | null {
  const { lastSample, plannedHarvestDate, projection, startDate, today } = facts;
  // Before the first weighing a harvest day would be the species', not this pond's.
  if (lastSample === null) return null;
  const words = GROWTH_WORDS[language];
  const weighed = grams(lastSample.weightG, language);
  const target = grams(projection.targetWeightG, language);
  if (plannedHarvestDate !== null && plannedHarvestDate < today) {
    return words.planOverrun(calendarDay(plannedHarvestDate, language), weighed);
  }
  if (lastSample.weightG >= projection.targetWeightG) return words.targetReached(weighed, target);
  if (projection.targetDay === null) return null;
  const targetDate = dateAfter(startDate, projection.targetDay);
  const targetDay = calendarDay(targetDate, language);
  if (plannedHarvestDate === null || projection.harvestWeightG === null) {
    return words.targetAhead(target, targetDay, daysBetween(today, targetDate));
  }
  const days = daysBetween(plannedHarvestDate, targetDate);
  if (days === 0) return words.targetAhead(target, targetDay, daysBetween(today, targetDate));
  const plan = {
    date: calendarDay(plannedHarvestDate, language),
    weight: grams(projection.harvestWeightG, language),
    target,
    targetDate: targetDay,
    days: Math.abs(days),
  };
  return days < 0 ? words.planAfterTarget(plan) : words.planBeforeTarget(plan);
}

function weighingAdvice(constants: Constants, facts: GrowthFacts, language: Language): string {
  const { lastSample, startDate, today } = facts;
  const { uniformity } = constants;
  const words = GROWTH_WORDS[language];
  const { date, sampleSize, cvPercent } = next(constants, facts);
  const weighing = {
    date: calendarDay(date, language),
    sample: figure(sampleSize, 0, language),
    precision: percent(precisionPercent(cvPercent, sampleSize), language),
  };
  if (lastSample === null) {
    const day = daysBetween(startDate, date);
    const expected = grams(facts.expectedWeightOnDay(day), language);
    return words.weighFirst({ ...weighing, day, expected });
  }
  const error = errorOf(constants, lastSample);
  const wasTooSmall = lastSample.sampleSize < sampleSize && error > uniformity.wantedPrecisionPercent;
  const age = daysBetween(lastSample.date, today);
  const sentence = date === today ? words.weighToday({ ...weighing, age }) : words.weighNext(weighing);
  if (!wasTooSmall) return sentence;
  const sample = figure(lastSample.sampleSize, 0, language);
  return sentence + words.lastSampleWas(sample, percent(error, language));
}

/** Twice as old as weighings should be: what it said then is no reason to change anything today. */
function isOld({ growth }: Constants, { lastSample, today }: GrowthFacts): boolean {
  return lastSample !== null && daysBetween(lastSample.date, today) > 2 * growth.biometryEveryDays;
}

function standingOf(constants: Constants, { lastSample, ...facts }: GrowthFacts) {
  if (lastSample === null) return null;
  const day = daysBetween(facts.startDate, lastSample.date);
  const expectedG = facts.expectedWeightOnDay(day);
  const variance = variancePercent(lastSample.weightG, expectedG);
  const status = growthStatus(constants.growth, lastSample.weightG, expectedG);
  if (variance === null || status === null) return null;
  return { day, expectedG, variance, status, error: errorOf(constants, lastSample) };
}

function next(constants: Constants, facts: GrowthFacts) {
  const isBehind =
    facts.trend.trend === 'DECLINING' || standingOf(constants, facts)?.status === 'BELOW_EXPECTED';
  const expectedWeightG = facts.expectedWeightOnDay(daysBetween(facts.startDate, facts.today));
  return nextWeighing(constants, { ...facts, expectedWeightG }, isBehind ? 'SOON' : 'USUAL');
}

/** How far the mean of a sample may be off, %, 95 % of the time. */
function errorOf({ uniformity }: Constants, sample: LastSample): number {
  const cvPercent = planningCvPercent(uniformity, sample.cvPercent, sample.weightG);
  return precisionPercent(cvPercent, sample.sampleSize);
}

function said(sentences: readonly (string | null)[]): string[] {
  return sentences.filter((sentence) => sentence !== null);
}

export interface LastSample {
  /** Local date of the farm, YYYY-MM-DD. */
  date: string;
  weightG: number;
  sampleSize: number;
  cvPercent: number | null;
}

/**
 * When to weigh a batch next and how many shrimp: a week after the last weighing (five days when
 * something is wrong), or the first time on day 20 for postlarvae and after a week for juveniles.
 * A day already gone becomes today. The sample is the one that gives the mean to ±5 % at the
 * spread that was measured, or else is usual (`cvPercent`); never under 30.
 */
export function nextWeighing(
  { growth, uniformity }: Constants,
  batch: {
    today: string;
    startDate: string;
    initialWeightG: number;
    expectedWeightG: number;
    lastSample: LastSample | null;
  },
  pace: 'USUAL' | 'SOON',
): { date: string; sampleSize: number; cvPercent: number } {
  const { lastSample } = batch;
  const every = pace === 'SOON' ? growth.biometryEveryDaysWhenBehind : growth.biometryEveryDays;
  const firstAfter = batch.initialWeightG < growth.postlarvaBelowG ? growth.firstBiometryDay : every;
  const due =
    lastSample === null ? dateAfter(batch.startDate, firstAfter) : dateAfter(lastSample.date, every);
  const weightG = lastSample?.weightG ?? batch.expectedWeightG;
  const cvPercent = planningCvPercent(uniformity, lastSample?.cvPercent ?? null, weightG);
  const wanted = sampleSizeFor(cvPercent, uniformity.wantedPrecisionPercent);
  return {
    date: laterOf(due, batch.today),
    sampleSize: Math.max(uniformity.leastSample, wanted),
    cvPercent,
  };
}
