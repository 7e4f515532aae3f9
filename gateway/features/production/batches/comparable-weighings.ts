import { animalsByPond, type BatchAnimals, replayPopulation } from '#science/population.ts';
import type { WeighingFact } from './ports.ts';

/**
 * The weighings whose mean weights of the batch may be compared with that of the newest one, in the order given: newest
 * first. A pond that was never weighed is taken to weigh as much as the last pond that was. Once it is weighed, what the
 * batch weighed before was an estimate by other ponds, and the way to the newest weight is no growth: ponds of 14 g and of
 * 7 g, first weighed on two days, did not lose 3.5 g. A pond that is still not weighed is estimated alike in all of them.
 */
export function comparableWeighings(
  weighings: readonly WeighingFact[],
  animals: BatchAnimals,
): readonly WeighingFact[] {
  const [newest] = weighings;
  if (newest === undefined) return weighings;
  /** Whether a pond had a weighing of its own, or one of the whole batch, at that instant. */
  const wasWeighed = (pondId: string, at: string) =>
    weighings.some(
      ({ measurement_date, pond_id }) => measurement_date <= at && (pond_id === null || pond_id === pondId),
    );
  return weighings.filter((weighing) => {
    const { measurement_date: at } = weighing;
    if (weighing.pond_id === null || weighing === newest) return true;
    const ponds = [...animalsByPond(replayPopulation(animals, at)).keys()];
    return ponds.every((pondId) => wasWeighed(pondId, at) || !wasWeighed(pondId, newest.measurement_date));
  });
}
