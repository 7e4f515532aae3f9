import type { BatchState } from '#core/batch-state.ts';
import type { BatchToFeed } from '#science/feeding-ration.ts';
import { speciesOf } from '#science/species.ts';

/** A batch as the ration looks at it; `warmDays` is its age at 28 °C, where that is known. */
export function batchToRation(state: BatchState, warmDays: number | null = null): BatchToFeed {
  const day = Math.max(0, state.daysActive);
  const { latestBiometry } = state;
  return {
    species: speciesOf(state.batch.species).species,
    initialWeightG: state.batch.initial_avg_weight,
    day,
    warmDays: warmDays ?? day,
    lastWeighing:
      latestBiometry === null
        ? null
        : { day: latestBiometry.measurementDay, weightG: latestBiometry.average_weight_g },
    population: state.population,
  };
}
