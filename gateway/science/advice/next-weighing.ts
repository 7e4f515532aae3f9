import type { ScienceConstants } from '../constants.ts';
import { dateAfter, laterOf } from '../local-date.ts';
import { planningCvPercent, sampleSizeFor } from '../uniformity.ts';

type Constants = Pick<ScienceConstants, 'growth' | 'uniformity'>;

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
