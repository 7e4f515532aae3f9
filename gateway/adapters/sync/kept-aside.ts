import { sql } from 'kysely';
import type { Database, Db } from '#adapters/sql/database.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import { LANES, MOST_KEPT_ASIDE } from '#contract/sync/wire.ts';
import { type Commit, onTables, rowsOf } from '#core/changes.ts';
import { READABLE_NOW } from '#store/merge/parked.ts';
import type { HostedStore } from '../../sync/hosted/ports.ts';

// Changes of a stream that are kept aside, as an upgrade and the other side ask for them.

/** Is there anything that an older version could not read, and this one has not tried? */
export async function hasReadable(read: Db, streamId: number): Promise<boolean> {
  const row = await read
    .selectFrom('sync_parked')
    .select('id')
    .where('stream_id', '=', streamId)
    .where(sql<boolean>`(${sql.raw(READABLE_NOW)})`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Their numbers by lane; undefined where there are too many to tell of. */
export function keptAside(read: Db): HostedStore['keptAside'] {
  return async (streamId) => {
    const rows = await read
      .selectFrom('sync_parked')
      .select(['lane', 'seq'])
      .where('stream_id', '=', streamId)
      .limit(MOST_KEPT_ASIDE + 1)
      .execute();
    if (rows.length > MOST_KEPT_ASIDE) return undefined;
    const of = (lane: string) => rows.flatMap((row) => (row.lane === lane ? row.seq : []));
    const [core, history] = LANES.map(of);
    return { core: core ?? [], history: history ?? [] };
  };
}

/** The same commit, which counts what of it was kept for a while and went without finding its place. */
export function countingGone({
  commit,
  metrics,
  onRows,
}: {
  commit: Commit;
  metrics: { counter: (name: string, help: string, count: () => number) => void };
  onRows: Database['onRows'];
}): Commit {
  const gone = { dropped: 0, expired: 0, forgotten: 0 };
  metrics.counter(
    'sync_kept_aside_dropped_total',
    'Changes of the other side that fitted nowhere and were dropped because too many of one stream were kept aside',
    () => gone.dropped,
  );
  metrics.counter(
    'sync_kept_aside_expired_total',
    'Changes of the other side that fitted nowhere for 90 days and were dropped',
    () => gone.expired,
  );
  metrics.counter(
    'sync_conflicts_dropped_total',
    'Notes of edits that lost, dropped because there were too many of one stream',
    () => gone.forgotten,
  );
  onRows(
    onTables([parkedChange], (committed) => {
      // the hourly sweep alone removes them row by row
      gone.expired += rowsOf(committed, parkedChange).filter(({ hidden }) => hidden).length;
    }),
  );
  return async (unit) => {
    const committed = await commit(unit);
    gone.dropped += committed.merged?.dropped ?? 0;
    gone.forgotten += committed.merged?.forgotten ?? 0;
    return committed;
  };
}
