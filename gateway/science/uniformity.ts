import type { ScienceConstants } from './constants.ts';

type Uniformity = ScienceConstants['uniformity'];

export const UNIFORMITY_RATINGS = ['EXCELLENT', 'GOOD', 'POOR'] as const;
export type UniformityRating = (typeof UNIFORMITY_RATINGS)[number];

/** Two-sided 95 % of the normal distribution. */
const Z95 = 1.96;

/**
 * Coefficient of variation of single weights, %: of the weights themselves, else of a standard deviation (g). One total
 * over one sample says nothing about spread, so without either it is null and never a guess.
 */
export function cvOfSample(
  spread: { individualWeightsG: readonly number[] | null; standardDeviationG: number | null },
  meanG: number,
): number | null {
  const { individualWeightsG, standardDeviationG } = spread;
  const single = individualWeightsG === null ? null : cvOfWeights(individualWeightsG);
  if (single !== null) return single;
  return standardDeviationG !== null && meanG > 0 ? (standardDeviationG / meanG) * 100 : null;
}

/** Sample standard deviation over mean, %; null with fewer than two weights. */
export function cvOfWeights(weightsG: readonly number[]): number | null {
  const count = weightsG.length;
  const meanG = weightsG.reduce((sum, weight) => sum + weight, 0) / count;
  if (count < 2 || meanG <= 0) return null;
  const squares = weightsG.reduce((sum, weight) => sum + (weight - meanG) ** 2, 0);
  return (Math.sqrt(squares / (count - 1)) / meanG) * 100;
}

/**
 * Spread of single weights, %, estimated from how the means of groups differ. Unbiased but
 * noisy: a true 25 % reads as 11–39 % with five groups, 15–35 % with ten (90 % of the time).
 * Null with fewer than three groups.
 */
export function cvOfSubsamples(
  uniformity: Uniformity,
  subsamples: readonly { count: number; weightG: number }[],
): number | null {
  const groups = subsamples.filter((group) => group.count > 0);
  const animals = groups.reduce((sum, group) => sum + group.count, 0);
  const meanG = groups.reduce((sum, group) => sum + group.weightG, 0) / animals;
  if (groups.length < uniformity.leastSubsamples || meanG <= 0) return null;
  const squares = groups.reduce((sum, { count, weightG }) => sum + count * (weightG / count - meanG) ** 2, 0);
  return (Math.sqrt(squares / (groups.length - 1)) / meanG) * 100;
}

/** Single weights must add up to the weighed total, within 1 % of it. */
export function weightsMatchTotal(
  uniformity: Uniformity,
  weightsG: readonly number[],
  totalG: number,
): boolean {
  const sumG = weightsG.reduce((sum, weight) => sum + weight, 0);
  return Math.abs(sumG - totalG) <= (totalG * uniformity.totalTolerancePercent) / 100;
}

/**
 * EXCELLENT up to 20 %, GOOD up to 30 %, POOR above; both limits 5 points wider below 2 g.
 * Above 30 % is the mark of runt-deformity syndrome (IHHNV); good lines show 10–27 %.
 *
 * @param cvPercent null when no spread was measured: then there is no rating either
 */
export function uniformityRating(
  uniformity: Uniformity,
  cvPercent: number | null,
  weightG: number,
): UniformityRating | null {
  if (cvPercent === null) return null;
  const { smallShrimp } = uniformity;
  const allowance = weightG < smallShrimp.belowWeightG ? smallShrimp.addPoints : 0;
  if (cvPercent <= uniformity.excellentUpToPercent + allowance) return 'EXCELLENT';
  return cvPercent <= uniformity.goodUpToPercent + allowance ? 'GOOD' : 'POOR';
}

/** Mean of the coefficients that were measured; null when none was. */
export function averageCvPercent(cvPercents: readonly (number | null)[]): number | null {
  const measured = cvPercents.filter((cv) => cv !== null);
  if (measured.length === 0) return null;
  return measured.reduce((sum, cv) => sum + cv, 0) / measured.length;
}

/**
 * How many shrimp to weigh so that the mean is right within the wanted precision, 95 % of the
 * time: n = (1.96·CV/e)², to the nearest animal, at least 2.
 *
 * @param precisionPercent half width of the wanted interval, % of the mean, above 0
 */
export function sampleSizeFor(cvPercent: number, precisionPercent: number): number {
  return Math.max(2, Math.round(((Z95 * cvPercent) / precisionPercent) ** 2));
}

/** Precision of a sample's mean: half width of its 95 % interval, %; infinite for no sample. */
export function precisionPercent(cvPercent: number, sampleSize: number): number {
  return (Z95 * cvPercent) / Math.sqrt(sampleSize);
}

/** The spread to plan a weighing with: what was measured, else the usual one of the size. */
export function planningCvPercent(uniformity: Uniformity, cvPercent: number | null, weightG: number): number {
  const { planningPercent, smallShrimp } = uniformity;
  return cvPercent ?? (weightG < smallShrimp.belowWeightG ? planningPercent.small : planningPercent.ordinary);
}
