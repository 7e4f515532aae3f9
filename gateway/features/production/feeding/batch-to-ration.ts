import type { BatchToFeed } from '#science/feeding-ration.ts';
import { speciesOf } from '#science/species.ts';
import { populationIn, weighingIn } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';

/** A batch as the ration of one of its ponds looks at it; `warmDays` is its age at 28 °C, where that is known. */
export function batchToRation(
  state: BatchState,
  pondId: string | null,
  warmDays: number | null = null,
): BatchToFeed {
  const day = Math.max(0, state.daysActive);
  const population = pondId === null ? state.population : populationIn(state, pondId);
  const weighing = pondId === null ? state.latestBiometry : weighingIn(state, pondId);
  return {
    species: speciesOf(state.batch.species).species,
    initialWeightG: state.batch.initial_avg_weight,
    day,
    warmDays: warmDays ?? day,
    lastWeighing:
      weighing === null
        ? null
        : {
            day: weighing.measurementDay,
            weightG: pondId === null ? weighing.batchWeightG : weighing.average_weight_g,
          },
    population,
    stocked: state.survivalRate > 0 ? (population * 100) / state.survivalRate : 0,
  };
}
