import type { BiometryCreate } from '#contract/resources/biometries.ts';
import { invalidField } from '#core/errors.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { cvOfSubsamples, cvOfWeights, weightsMatchTotal } from '#science/uniformity.ts';
import type { Biometry } from './ports.ts';

type Sample = Pick<Biometry, 'sample_size' | 'total_weight_g'>;
export type Spread = Pick<Biometry, 'weight_sd_g' | 'individual_weights_g'>;
type Sent = Pick<BiometryCreate, 'individual_weights_g' | 'weight_sd_g' | 'subsamples'>;

/**
 * What is known of how the weights of a sample differ, from the best evidence that was sent: single weights, then a
 * standard deviation, then groups weighed one by one. Throws 422 for single weights or groups that are not this sample.
 */
export function spreadOf(uniformity: ScienceConstants['uniformity'], sample: Sample, sent: Sent): Spread {
  const { individual_weights_g, weight_sd_g, subsamples } = sent;
  if (individual_weights_g) {
    requireSameSample(uniformity, 'individual_weights_g', sample, {
      count: individual_weights_g.length,
      weightsG: individual_weights_g,
    });
    const cv = cvOfWeights(individual_weights_g);
    const meanG = individual_weights_g.reduce((sum, each) => sum + each, 0) / individual_weights_g.length;
    return { individual_weights_g, weight_sd_g: cv === null ? null : (cv * meanG) / 100 };
  }
  if (weight_sd_g !== null && weight_sd_g !== undefined) return { individual_weights_g: null, weight_sd_g };
  if (!subsamples) return { individual_weights_g: null, weight_sd_g: null };
  requireSameSample(uniformity, 'subsamples', sample, {
    count: subsamples.reduce((sum, { count }) => sum + count, 0),
    weightsG: subsamples.map(({ weight_g }) => weight_g),
  });
  const cv = cvOfSubsamples(
    uniformity,
    subsamples.map(({ count, weight_g }) => ({ count, weightG: weight_g })),
  );
  const meanG = sample.total_weight_g / sample.sample_size;
  return { individual_weights_g: null, weight_sd_g: cv === null ? null : (cv * meanG) / 100 };
}

function requireSameSample(
  uniformity: ScienceConstants['uniformity'],
  field: string,
  { sample_size, total_weight_g }: Sample,
  { count, weightsG }: { count: number; weightsG: readonly number[] },
): void {
  if (count !== sample_size)
    throw invalidField(422, field, `${count} animals, but sample_size is ${sample_size}`, 'OTHER_SAMPLE');
  if (weightsMatchTotal(uniformity, weightsG, total_weight_g)) return;
  const sumG = weightsG.reduce((sum, each) => sum + each, 0);
  const message = `together ${sumG.toFixed(2)} g, but total_weight_g is ${total_weight_g}; they may differ by ${uniformity.totalTolerancePercent} %`;
  throw invalidField(422, field, message, 'OTHER_SAMPLE');
}
