import { sql } from 'kysely';
import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { isoOf } from '#core/kernel.ts';
import { formatHlc } from '#store/hlc.ts';

const DAY_MS = 24 * 3600 * 1000;
/** What a gateway fetched is kept for one that comes back from an older image of its card. */
const KEPT_MS = 30 * DAY_MS;
/** A gateway that was away for longer starts anew from a snapshot, which is shorter than its feed by then. */
const SILENT_MS = 90 * DAY_MS;
const MOST_PENDING = 200_000;
/** Rows removed at a time, so that nobody waits for a clean-up. */
const SLICE = 500;
const MARKS_AT_ONCE = 5_000;

type FeedFacts = {
  head: number;
  acked: number;
  floor: number;
  /** The first number whose stamp is younger than what is kept; null: none is. */
  firstYoung: number | null;
  seenAtMs: number;
};

/** The smallest number of a feed that is still worth keeping. The row at it stays: cursors there are checked by it. */
export function keepFrom({ head, acked, floor, firstYoung, seenAtMs }: FeedFacts, nowMs: number): number {
  const isLeft = head - acked > MOST_PENDING || nowMs - seenAtMs > SILENT_MS;
  return Math.max(floor, isLeft ? head : Math.min(acked, firstYoung ?? acked));
}

/** Forgets what no gateway will ask for any more: of the feeds, and what stands beside them. */
export async function forgetFeeds(
  { read, commit }: Pick<Database, 'read' | 'commit'>,
  { now }: { now: () => number },
): Promise<void> {
  const nowMs = now();
  const streams = await read
    .selectFrom('sync_stream')
    .innerJoin('gateways', 'gateways.stream_id', 'sync_stream.stream_id')
    .select(['sync_stream.stream_id', 'core_seq', 'acked_core_seq', 'floor_seq', 'last_seen_at', 'paired_at'])
    .where('sync_stream.stream_id', '!=', OWN_STREAM)
    .execute();
  for (const stream of streams) {
    const inFeed = read
      .selectFrom('sync_change')
      .where('stream_id', '=', stream.stream_id)
      .where('lane', '=', 'core');
    const young = await inFeed
      .select('seq')
      .where('hlc', '>=', formatHlc(nowMs - KEPT_MS, 0, ''))
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    const floor = keepFrom(
      {
        head: stream.core_seq,
        acked: stream.acked_core_seq,
        floor: stream.floor_seq,
        firstYoung: young?.seq ?? null,
        seenAtMs: Date.parse(stream.last_seen_at ?? stream.paired_at),
      },
      nowMs,
    );
    if (floor <= stream.floor_seq) continue;
    // told first: a gateway that asks in between is sent to the snapshot instead of finding a hole
    await commit({
      actor: null,
      changes: [],
      stream: { id: stream.stream_id, expect: {}, set: { floor_seq: floor } },
    });
    await removeBelow(read, stream.stream_id, floor);
  }
  await forgetMarks(read, isoOf(nowMs - KEPT_MS));
  await read
    .deleteFrom('sync_restamps')
    .where('restamped_at', '<', isoOf(nowMs - SILENT_MS))
    .execute();
  // a day after everything was compared nothing that had waited is tried any more
  await sql`delete from sync_bases where farm_id not in (select id from farms where hidden = 0)
    or farm_id in (select sync_farms.id from sync_farms
      join sync_stream on sync_stream.stream_id = sync_farms.stream_id
      where resync is null and bound_at < ${isoOf(nowMs - DAY_MS)})`.execute(read);
}

/** After a long pause there are millions: slice by slice, for a statement that takes too long is ended and starts anew. */
async function forgetMarks(read: Database['read'], before: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ seq: number }>`delete from sync_marks where (stream_id, lane, seq) in
      (select stream_id, lane, seq from sync_marks where marked_at < ${before} limit ${sql.lit(MARKS_AT_ONCE)})
      returning seq`.execute(read);
    if (rows.length < MARKS_AT_ONCE) return;
  }
}

async function removeBelow(read: Database['read'], streamId: number, floor: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{
      seq: number;
    }>`delete from sync_change where stream_id = ${streamId} and lane = 'core'
      and seq in (select seq from sync_change where stream_id = ${streamId} and lane = 'core' and seq < ${floor}
        order by seq limit ${sql.lit(SLICE)}) returning seq`.execute(read);
    if (rows.length < SLICE) return;
  }
}
