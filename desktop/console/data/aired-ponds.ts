import { useQueries } from '@tanstack/preact-query';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { byCod } from '../state/code-order.ts';
import type { AiredPond } from '../state/off-risk.ts';
import { get } from './api.ts';
import { now } from './clock.ts';
import type { ControlPoint } from './farm-store.ts';
import { useGet } from './query.ts';

/** The newest measurement may be of something else; oxygen is looked for among so many before it. */
const LOOKED_AT = 50;

type Oxygen = { value: number; at: string };

/** The ponds that a control point airs, and what is known of them so far; null while the ponds themselves are not. */
export function useAiredPonds({ id, farm_id }: Pick<ControlPoint, 'id' | 'farm_id'>): AiredPond[] | null {
  const ponds = useGet('/ponds/', { farm_id, limit: 1_000 });
  const cards = useGet('/ponds/summary-cards', { farm_id });
  const cardsById = new Map(cards.data?.ponds.map((card) => [card.pond_id, card]));
  const aired = (ponds.data ?? []).filter(({ control_point_id }) => control_point_id === id).toSorted(byCod);
  const earlier = useEarlierOxygen(
    aired.flatMap((pond) => {
      const water = cardsById.get(pond.id)?.water_quality ?? null;
      return water !== null && water.dissolved_oxygen === null ? [pond.id] : [];
    }),
  );
  if (ponds.data === undefined) return null;
  return aired.map((pond) => {
    const card = cardsById.get(pond.id);
    const oxygen = oxygenOf(card?.water_quality ?? null) ?? earlier.get(pond.id) ?? null;
    return {
      cod: pond.cod,
      isEmpty: card?.status === 'EMPTY',
      biomassKg: card?.active_batches.reduce((kg, batch) => kg + (batch.current_biomass_kg ?? 0), 0) ?? null,
      oxygen: oxygen?.value ?? null,
      oxygenAgeMs: oxygen === null ? null : Math.max(0, now.value - Date.parse(oxygen.at)),
    };
  });
}

const oxygenOf = (water: PondCards['ponds'][number]['water_quality']): Oxygen | null =>
  water === null || water.dissolved_oxygen === null
    ? null
    : { value: water.dissolved_oxygen, at: water.last_measurement };

function useEarlierOxygen(pondIds: readonly string[]): ReadonlyMap<string, Oxygen> {
  const journals = useQueries({
    queries: pondIds.map((id) => {
      const path = `/water-quality/pond/${id}` as const;
      const query = { limit: LOOKED_AT };
      return {
        queryKey: ['water-quality', path, query],
        queryFn: ({ signal }: { signal: AbortSignal }) => get(path, query, signal),
      };
    }),
  });
  return new Map(
    pondIds.flatMap((id, index) => {
      for (const { dissolved_oxygen, measurement_date } of journals[index]?.data?.measurements ?? [])
        if (dissolved_oxygen !== null)
          return [[id, { value: dissolved_oxygen, at: measurement_date }] as const];
      return [];
    }),
  );
}
