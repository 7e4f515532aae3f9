import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import type { SyncLane } from '#contract/sync/wire.ts';
import { isDifference } from '../../sync/gateway/ask-snapshot.ts';
import { firstSince, type LaneOfLog, lanesOfLog } from './own-log.ts';

/** Rows removed at a time, so that control never waits for a clean-up. */
const SLICE = 500;
/** Confirmed rows stay for a week: a hosted instance that comes back from a backup finds them by their chains. */
const ACKED_KEPT_MS = 7 * 86_400_000;
const CHANGES_KEPT = 50_000;

export type LogRetention = {
  now: () => number;
  isPaired: boolean;
};

/**
 * Shortens the gateway's change log.
 * - Paired: what was confirmed goes after a week, or when there is much of it; nothing unconfirmed ever does.
 * - Not paired, or everything is to be compared anyway: the newest rows alone are kept, confirmed or not. The next meeting
 *   compares registers and rows, and logs the difference; it does not need this log.
 */
export async function shortenOwnLog(
  { read }: Pick<Database, 'read'>,
  { now, isPaired }: LogRetention,
): Promise<void> {
  const stream = await read
    .selectFrom('sync_stream')
    .select('resync')
    .where('stream_id', '=', OWN_STREAM)
    .executeTakeFirst();
  if (stream === undefined) return;
  const isCompared = stream.resync !== null && !isDifference(stream.resync);
  for (const lane of await lanesOfLog(read)) {
    const last =
      isPaired && !isCompared
        ? Math.min(lane.acked, Math.max(await lastOld(lane), lane.head - CHANGES_KEPT))
        : lane.head - CHANGES_KEPT;
    await removeUpTo(lane.lane, lane.first, last);
  }

  async function lastOld(lane: LaneOfLog): Promise<number> {
    return (await firstSince(read, lane, now() - ACKED_KEPT_MS)) - 1;
  }

  async function removeUpTo(lane: SyncLane, first: number, last: number): Promise<void> {
    for (let from = first; from <= last; from += SLICE) {
      await read
        .deleteFrom('sync_change')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', lane)
        .where('seq', '<=', Math.min(last, from + SLICE - 1))
        .execute();
      await read
        .deleteFrom('sync_restamps')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', lane)
        .where('seq', '<=', Math.min(last, from + SLICE - 1))
        .execute();
      // the database answers at once here; whoever waits for a turn gets it now
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
