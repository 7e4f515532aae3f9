import { useQueries } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import type { WaterAlert } from '#contract/resources/water-quality.ts';
import { get } from './api.ts';
import { useGet } from './query.ts';

// What happened at a pond while its water was measured, for the charts: its alarms and its meals.

export type WaterEpisode = WaterAlert & { at: number };
export type Meal = { at: number; kg: number };

const MOST_ALERTS = 1_000;
const MOST_MEALS = 400;

/** Alarms of the pond's water since an instant, each trouble once, by the first alert of it; null as pond asks nothing. */
export function useWaterEpisodes(pondId: string | null, from: number): readonly WaterEpisode[] {
  const path = pondId === null ? null : (`/water-quality/pond/${pondId}/alerts` as const);
  const told = useGet(path, { start_date: new Date(from).toISOString(), limit: MOST_ALERTS });
  // the same list as long as it says the same: charts rest on it
  return useMemo(() => {
    const first = new Map<string, WaterEpisode>();
    // newest first: the last one that is seen began it
    for (const alert of told.data?.alerts ?? [])
      first.set(alert.episode_id, { ...alert, at: Date.parse(alert.triggered_at) });
    return [...first.values()].toSorted((a, b) => a.at - b.at);
  }, [told.data]);
}

/** Meals of the pond since an instant; of a batch in several ponds also those where nobody said which. */
export function useMeals(pondId: string, batchIds: readonly string[], from: number): readonly Meal[] {
  const journals = useQueries({
    queries: batchIds.map((id) => {
      const path = `/feeding/batch/${id}` as const;
      const query = { limit: MOST_MEALS };
      return {
        queryKey: ['feeding', path, query],
        queryFn: ({ signal }: { signal: AbortSignal }) => get(path, query, signal),
      };
    }),
  });
  const version = journals.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  return useMemo(
    () =>
      journals
        .flatMap(({ data }) => data?.feeding_records ?? [])
        .filter(({ pond_id }) => pond_id === null || pond_id === pondId)
        .map(({ feed_date, quantity_kg }) => ({ at: Date.parse(feed_date), kg: quantity_kg }))
        .filter(({ at }) => at >= from)
        .toSorted((a, b) => a.at - b.at),
    [version, pondId, from],
  );
}
