import { useQueries } from '@tanstack/preact-query';
import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { instantAt } from '../i18n/format.ts';
import { get } from './api.ts';

/** What the last meal of a batch left on the trays of a pond; null: nobody looked since. */
export type TraysLeft = FeedingRecommendation['ponds'][number]['trays'];

export type PlannedFeed =
  | { is: 'pending' }
  /** Of one batch at least nobody can say now. */
  | { is: 'unknown' }
  | { is: 'known'; kg: number; meals: readonly { at: number; kg: number }[]; trays: readonly TraysLeft[] };

/** What the pond is to be fed today, of all batches in it, and at which meals. */
export function usePlannedFeed(pondId: string, batchIds: readonly string[]): PlannedFeed {
  const answers = useQueries({
    queries: batchIds.map((id) => {
      const path = `/feeding/batch/${id}/recommendation` as const;
      return {
        queryKey: ['feeding', path, {}],
        queryFn: ({ signal }: { signal: AbortSignal }) => get(path, {}, signal),
      };
    }),
  });
  if (answers.some(({ isError, data }) => isError && data === undefined)) return { is: 'unknown' };
  const told = answers.flatMap(({ data }) => data ?? []);
  if (told.length < batchIds.length) return { is: 'pending' };
  const shares = told.map((advice) => ({
    ...advice,
    kg: advice.ponds.find(({ pond_id }) => pond_id === pondId)?.recommended_feed_kg ?? 0,
  }));
  const kgAt = new Map<number, number>();
  for (const { kg, recommendation, daily_schedule } of shares) {
    for (const { time, percentage } of daily_schedule) {
      const at = Date.parse(instantAt(recommendation.date, time));
      kgAt.set(at, (kgAt.get(at) ?? 0) + (kg * percentage) / 100);
    }
  }
  return {
    is: 'known',
    kg: shares.reduce((sum, { kg }) => sum + kg, 0),
    trays: told.flatMap(({ ponds }) =>
      ponds.filter(({ pond_id }) => pond_id === pondId).map(({ trays }) => trays),
    ),
    meals: [...kgAt].map(([at, kg]) => ({ at, kg })).toSorted((a, b) => a.at - b.at),
  };
}
