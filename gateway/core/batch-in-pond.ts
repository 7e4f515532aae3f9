import type { BatchState } from './batch-state.ts';

/** Animals of a batch that live in this pond. */
export function populationIn(state: Pick<BatchState, 'populationByPond'>, pondId: string): number {
  return state.populationByPond.get(pondId) ?? 0;
}

/** Biomass of a batch that lies in this pond, kg: its ponds together hold exactly what the batch weighs. Unrounded. */
export function biomassKgIn(
  state: Pick<BatchState, 'populationByPond' | 'biomassKg'>,
  pondId: string,
): number {
  const animals = [...state.populationByPond.values()].reduce((sum, count) => sum + count, 0);
  return animals === 0 ? 0 : (state.biomassKg * populationIn(state, pondId)) / animals;
}
