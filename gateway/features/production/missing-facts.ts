import type { MissingFact } from '#science/advice/missing-words.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import type { BatchState } from './batch-state.ts';

type Facts = Pick<BatchState, 'batch' | 'daysActive' | 'latestBiometry' | 'isSurvivalTold'>;

/** What nobody recorded of the animals of a batch; by it all that is worked out from them may be worse. */
export function missingOfAnimals(
  { batch, daysActive, latestBiometry, isSurvivalTold }: Facts,
  staleDays = SCIENCE_DEFAULTS.economics.biometryStaleDays,
): MissingFact[] {
  const missing: MissingFact[] = [];
  if (batch.status === 'ACTIVE' && daysActive > 0) {
    if (latestBiometry === null) missing.push('WEIGHING');
    else if (daysActive - latestBiometry.measurementDay > staleDays) missing.push('RECENT_WEIGHING');
  }
  if (!isSurvivalTold) missing.push('SURVIVAL');
  return missing;
}

/** With the feed, by which conversion and cost are worked out. */
export const missingOfFeed = (state: Facts & Pick<BatchState, 'feedingCount'>): MissingFact[] => [
  ...missingOfAnimals(state),
  ...(state.feedingCount === 0 ? (['FEED'] as const) : []),
];
