import { sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import { MOST_RETURNS, type Restamp, type WireChange } from '#contract/sync/wire.ts';
import { wireChangeOf } from '#store/merge/stored-change.ts';
import type { HostedStore } from '../../sync/hosted/ports.ts';
import { movedFarms } from '../sql/queries/cloud/moved-farms.ts';
import { hasReadable, keptAside } from './kept-aside.ts';
import { snapshotPages } from './snapshot-pages.ts';

/** Rows of the feed read first: nearly always that is all there is. */
const FIRST_LOOK = 64;
const MAX_RESTAMPS = 10_000;

/** What the hosted side of the sync reads; all of it is written by units. */
export function hostedStore(read: Db): HostedStore {
  return {
    async stream(streamId) {
      const row = await read
        .selectFrom('sync_stream')
        .leftJoin('gateways', 'gateways.stream_id', 'sync_stream.stream_id')
        .selectAll('sync_stream')
        .select('gateways.status')
        .where('sync_stream.stream_id', '=', streamId)
        .executeTakeFirst();
      return row ?? null;
    },
    feedFrom: (streamId, from, most) => feedFrom(read, { streamId, from }, most),
    async feedChain(streamId, seq) {
      const row = await read
        .selectFrom('sync_change')
        .select('chain')
        .where('stream_id', '=', streamId)
        .where('lane', '=', 'core')
        .where('seq', '=', seq)
        .executeTakeFirst();
      return row?.chain ?? null;
    },
    marks: (streamId, lane, { from, to }) =>
      read
        .selectFrom('sync_marks')
        .select(['seq', 'chain'])
        .where('stream_id', '=', streamId)
        .where('lane', '=', lane)
        .where('seq', '>=', from)
        .where('seq', '<=', to)
        .orderBy('seq')
        .execute(),
    async parked(streamId, lane, { from, to }) {
      const rows = await read
        .selectFrom('sync_parked')
        .select('seq')
        .where('stream_id', '=', streamId)
        .where('lane', '=', lane)
        .where('seq', '>=', from)
        .where('seq', '<=', to)
        .orderBy('seq')
        .execute();
      return rows.map(({ seq }) => seq);
    },
    keptAside: keptAside(read),
    hasReadable: (streamId) => hasReadable(read, streamId),
    restamps: (streamId, epoch, after) => restampsOf(read, { streamId, epoch }, after),
    async returns() {
      const latest = await read
        .selectFrom('sync_time_returns')
        .select(['limit_ms', 'newest_ms', 'returned_ms'])
        .orderBy('returned_ms', 'desc')
        .limit(MOST_RETURNS)
        .execute();
      return latest.toReversed();
    },
    movedFarms: (streamId) => movedFarms(read, streamId),
    snapshotPage: snapshotPages(read),
  };
}

async function feedFrom(
  read: Db,
  { streamId, from }: { streamId: number; from: number },
  most: { rows: number; bytes: number },
): Promise<{ rows: WireChange[]; isEnd: boolean }> {
  const rows: WireChange[] = [];
  let bytes = 0;
  for (
    let limit = Math.min(FIRST_LOOK, most.rows);
    rows.length < most.rows;
    limit = most.rows - rows.length
  ) {
    const found = await read
      .selectFrom('sync_change')
      .selectAll()
      .where('stream_id', '=', streamId)
      .where('lane', '=', 'core')
      .where('seq', '>=', (rows.at(-1)?.seq ?? from - 1) + 1)
      .orderBy('seq')
      .limit(limit)
      .execute();
    for (const row of found) {
      bytes += (row.body_json?.length ?? 0) + (row.base_json?.length ?? 0) + (row.over_json?.length ?? 0);
      if (bytes > most.bytes && rows.length > 1) return { rows, isEnd: false };
      rows.push(wireChangeOf(row));
    }
    if (found.length < limit) return { rows, isEnd: true };
  }
  return { rows, isEnd: false };
}

async function restampsOf(
  read: Db,
  { streamId, epoch }: { streamId: number; epoch: number },
  after: Parameters<HostedStore['restamps']>[2],
): Promise<Restamp[]> {
  const found = await Promise.all(
    (['core', 'history'] as const).map(async (lane) => {
      const behind = after[lane];
      if (behind === undefined) return [];
      return read
        .selectFrom('sync_restamps')
        .select(['epoch', sql.val(lane).as('lane'), 'seq', 'chain', 'from_hlc as from', 'to_hlc as to'])
        .where('stream_id', '=', streamId)
        .where('epoch', '=', epoch)
        .where('lane', '=', lane)
        .where('seq', '>', behind)
        .orderBy('seq')
        .limit(MAX_RESTAMPS / 2)
        .execute();
    }),
  );
  return found.flat();
}
