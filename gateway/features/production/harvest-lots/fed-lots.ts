import { countsUntil } from '#core/facts-of-now.ts';
import { type Stock, stockOf } from '../feed-stock.ts';
import type { TraceDeps, TracedEntry } from './trace-ports.ts';

// Which delivery a batch ate of: what the feed stock says, which takes the oldest first.

export type Fed = { batchId: string; feed: string; first: string; last: string };

/** The feed stock of a farm with who ate of it; the entries come oldest first. */
export async function fedLots(
  deps: Pick<TraceDeps, 'now' | 'clockQuality' | 'traces'>,
  farmId: string,
): Promise<{ stock: Stock<Fed>; entries: readonly TracedEntry[] }> {
  const until = countsUntil(deps);
  const entries = (await deps.traces.entriesOf(farmId)).filter(({ happened_at }) => happened_at <= until);
  const from = entries[0]?.happened_at;
  if (from === undefined) return { stock: stockOf<Fed>([], []), entries };
  const meals = (await deps.traces.mealsSince(farmId, { from, until })).map(
    ({ batch_id: batchId, feed, kg, first, last }) => ({
      at: first,
      feed,
      kg,
      isRecent: false,
      of: { batchId, feed, first, last },
    }),
  );
  return { stock: stockOf(entries, meals), entries };
}
