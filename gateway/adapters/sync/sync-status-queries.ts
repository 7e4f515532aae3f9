import { sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import { sharedResources } from '#contract/resources/all.ts';
import type { SyncLane } from '#contract/sync/wire.ts';
import type { ParkedRow, SyncStatusQueries } from '#features/cloud/sync-status/ports.ts';
import { KEPT_ASIDE_THERE } from './gateway-store.ts';

const tableByEntity: ReadonlyMap<number, string> = new Map(
  Object.values(sharedResources).map(({ entity, name }) => [entity, name]),
);

const COLUMNS = ['id', 'stream_id', 'lane', 'entity', 'row_id', 'reason', 'parked_at', 'tries'] as const;

export function syncStatusQueries(read: Db): SyncStatusQueries {
  return {
    async parked({ skip, limit }) {
      const rows = await read
        .selectFrom('sync_parked')
        .select(COLUMNS)
        .orderBy('parked_at', 'desc')
        .orderBy('id')
        .offset(skip)
        .limit(limit)
        .execute();
      const all = await read
        .selectFrom('sync_parked')
        .select(sql<number>`count(*)`.as('n'))
        .executeTakeFirst();
      return { rows: rows.map(asParked), total: Number(all?.n ?? 0) };
    },
    async parkedById(id) {
      const row = await read
        .selectFrom('sync_parked')
        .select(COLUMNS)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : asParked(row);
    },
    async runsFarm(userId) {
      const owned = await read
        .selectFrom('farms')
        .select('id')
        .where('owner_id', '=', userId)
        .where('hidden', '=', 0)
        .limit(1)
        .executeTakeFirst();
      if (owned !== undefined) return true;
      const managed = await read
        .selectFrom('farm_members')
        .select('id')
        .where('user_id', '=', userId)
        .where('role', '=', 'MANAGER')
        .where('hidden', '=', 0)
        .limit(1)
        .executeTakeFirst();
      return managed !== undefined;
    },
  };
}

type Stored = {
  id: string;
  stream_id: number;
  lane: string;
  entity: number;
  row_id: string;
  reason: string;
  parked_at: string;
  tries: number;
};

function asParked(row: Stored): ParkedRow {
  return {
    id: row.id,
    isThere: row.stream_id === KEPT_ASIDE_THERE,
    // the two words of the column
    lane: row.lane as SyncLane,
    table: tableByEntity.get(row.entity) ?? `table ${row.entity} of a newer version`,
    rowId: row.row_id,
    reason: row.reason,
    parkedAt: row.parked_at,
    tries: row.tries,
  };
}
