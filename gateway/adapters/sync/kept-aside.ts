import { sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import { LANES, MOST_KEPT_ASIDE } from '#contract/sync/wire.ts';
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
