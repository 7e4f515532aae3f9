import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { isoOf } from '#core/kernel.ts';
import type { SilenceQueries } from '#features/alarms/alerts/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function silenceQueries(db: Db): SilenceQueries {
  const active = () => db.selectFrom('gateways').selectAll().where('status', '=', 'active');
  return {
    async silentSince(before, now, limit) {
      const rows = await active()
        .where('silent_since', 'is', null)
        .where((row) =>
          row.or([
            row('last_seen_at', '<', isoOf(before)),
            row.and([row('last_seen_at', 'is', null), row('paired_at', '<', isoOf(before))]),
          ]),
        )
        .where((row) => row.or([row('outage_until', 'is', null), row('outage_until', '<=', isoOf(now))]))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(pairedGateway, row));
    },
    async backSince(after, limit) {
      const rows = await db
        .selectFrom('gateways')
        .selectAll()
        .where('silent_since', 'is not', null)
        // one that was unpaired is missed no longer
        .where((row) => row.or([row('last_seen_at', '>=', isoOf(after)), row('status', '<>', 'active')]))
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(pairedGateway, row));
    },
    async gatewayById(id) {
      const row = await db.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(pairedGateway, row);
    },
    farmsOfStream(streamId) {
      return db
        .selectFrom('sync_farms')
        .innerJoin('farms', 'farms.id', 'sync_farms.id')
        .select(['farms.id', 'farms.name'])
        .where('sync_farms.stream_id', '=', streamId)
        .where('farms.hidden', '=', 0)
        .orderBy('farms.id')
        .execute();
    },
  };
}

/** Notes that these gateways are there; an older instant never takes the place of a newer one. */
export async function keepSeen(db: Db, streamIds: readonly number[], atMs: number): Promise<void> {
  if (streamIds.length === 0) return;
  const at = isoOf(atMs);
  await db
    .updateTable('gateways')
    .set({ last_seen_at: at })
    .where('stream_id', 'in', [...streamIds])
    .where((row) => row.or([row('last_seen_at', 'is', null), row('last_seen_at', '<', at)]))
    .execute();
}
