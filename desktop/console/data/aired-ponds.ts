import type { PondCards } from '#contract/resources/pond-cards.ts';
import type { AiredPond } from '../state/off-risk.ts';
import { now } from './clock.ts';
import type { ControlPoint } from './farm-store.ts';
import type { Pond } from './places.ts';
import { useGet } from './query.ts';

/** The ponds that a control point airs, and what is known of them so far; null while the ponds themselves are not. */
export function useAiredPonds({ id, farm_id }: Pick<ControlPoint, 'id' | 'farm_id'>): AiredPond[] | null {
  const ponds = useGet<Pond[]>('/ponds/', { farm_id, limit: 1_000 });
  const cards = useGet<PondCards>('/ponds/summary-cards', { farm_id });
  if (ponds.data === undefined) return null;
  const cardsById = new Map(cards.data?.ponds.map((card) => [card.pond_id, card]));
  return ponds.data
    .filter(({ control_point_id }) => control_point_id === id)
    .toSorted((a, b) => a.cod.localeCompare(b.cod, undefined, { numeric: true }))
    .map((pond) => {
      const card = cardsById.get(pond.id);
      const water = card?.water_quality ?? null;
      return {
        cod: pond.cod,
        isEmpty: card?.status === 'EMPTY',
        biomassKg:
          card?.active_batches.reduce((kg, batch) => kg + (batch.current_biomass_kg ?? 0), 0) ?? null,
        oxygen: water?.dissolved_oxygen ?? null,
        oxygenAgeMs: water === null ? null : Math.max(0, now.value - Date.parse(water.last_measurement)),
      };
    });
}
