import { localDay } from '#core/zone-clock.ts';
import type { BatchState, BatchStates, Weighing } from './batch-state.ts';

/** Animals of a batch that live in this pond. */
export function populationIn(state: Pick<BatchState, 'populationByPond'>, pondId: string): number {
  return state.populationByPond.get(pondId) ?? 0;
}

/** The weighing that counts in this pond; null: nobody weighed the batch yet. */
export function weighingIn(
  state: Pick<BatchState, 'weighingByPond' | 'latestBiometry'>,
  pondId: string,
): Weighing | null {
  return state.weighingByPond.get(pondId) ?? state.latestBiometry;
}

type Weighed = Pick<BatchState, 'weighingByPond' | 'currentWeightG'>;

/** Mean weight of the animals in this pond, g: as weighed there, else of the batch. */
export function weightIn(state: Weighed, pondId: string): number {
  return state.weighingByPond.get(pondId)?.average_weight_g ?? state.currentWeightG;
}

/** Biomass of a batch that lies in this pond, kg: its ponds together hold exactly what the batch weighs. Unrounded. */
export function biomassKgIn(
  state: Weighed & Pick<BatchState, 'populationByPond' | 'biomassKg'>,
  pondId: string,
): number {
  const weightOf = (id: string) => populationIn(state, id) * weightIn(state, id);
  const total = [...state.populationByPond.keys()].reduce((sum, id) => sum + weightOf(id), 0);
  return total === 0 ? 0 : (state.biomassKg * weightOf(pondId)) / total;
}

/** Were animals of the batch in this pond on that day of the farm, as far as was recorded? */
export function wasIn({ stays }: Pick<BatchState, 'stays'>, pondId: string, day: string): boolean {
  const stay = stays.get(pondId);
  return stay !== undefined && stay.from <= day && (stay.to === null || day <= stay.to);
}

const BIOMASS_OF = { ACTIVE: 'ALIVE', FINISHED: 'HARVEST', ABORTED: 'END' } as const;

/** What the biomass of a batch is of, and the animals of its final harvest: one that has ended has none alive. */
export function endOf({ batch, finalCount }: Pick<BatchState, 'batch' | 'finalCount'>) {
  return { biomass_of: BIOMASS_OF[batch.status], final_count: finalCount };
}

export type BatchesThere = (at: {
  pond_id: string | null;
  happened_at: string;
}) => Promise<{ id: string; batch_code: string }[]>;

/** Batches whose animals were in a pond when something was done there, as far as is recorded; each pond is asked for once. */
export function batchesThere(deps: {
  batches: Pick<BatchStates, 'byIds'>;
  /** Batches that were stocked in these ponds or moved to them at some time, whatever became of them. */
  batchesEverIn: (pondIds: readonly string[]) => Promise<string[]>;
}): BatchesThere {
  const known = new Map<string, BatchState[]>();
  async function everIn(pondId: string): Promise<BatchState[]> {
    const states = [...(await deps.batches.byIds(await deps.batchesEverIn([pondId]))).values()];
    known.set(pondId, states);
    return states;
  }
  return async ({ pond_id: pondId, happened_at }) => {
    if (pondId === null) return [];
    return (known.get(pondId) ?? (await everIn(pondId)))
      .filter((state) => wasIn(state, pondId, localDay(happened_at, state.timezone)))
      .map(({ batch }) => ({ id: batch.id, batch_code: batch.batch_code }));
  };
}
