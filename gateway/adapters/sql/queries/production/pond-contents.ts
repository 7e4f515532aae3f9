import { sql } from 'kysely';
import type { PondContentsQueries } from '#features/farm/ponds/ports.ts';
import type { Db } from '../../database.ts';

export function pondContentsQueries(db: Db): PondContentsQueries {
  return {
    async latestWater(pondIds) {
      const rows = await latestWater(db, pondIds);
      return new Map(rows.map(({ pond_id, ...water }) => [pond_id, water]));
    },
    async countActiveAlerts(pondIds) {
      if (pondIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('alerts')
        .select((count) => ['pond_id', count.fn.count<number>('episode_id').distinct().as('n')])
        .where('pond_id', 'in', pondIds)
        .where('status', '=', 'ACTIVE')
        .where('folded_into', 'is', null)
        .where('hidden', '=', 0)
        .groupBy('pond_id')
        .execute();
      return new Map(rows.flatMap(({ pond_id, n }) => (pond_id === null ? [] : [[pond_id, Number(n)]])));
    },
    async feedingsBetween(batchIds, { from, to }) {
      if (batchIds.length === 0) return [];
      return db
        .selectFrom('feeding_records')
        .select(['batch_id', 'pond_id', 'quantity_kg', 'feed_date'])
        .where('batch_id', 'in', batchIds)
        .where('hidden', '=', 0)
        .where('feed_date', '>=', from)
        .where('feed_date', '<', to)
        .execute();
    },
  };
}

/** One step into the index for each pond, however long its journal is. */
function latestWater(db: Db, pondIds: readonly string[]) {
  const newest = db
    .selectFrom('measurements as newer')
    .select('newer.id')
    .where('newer.pond_id', '=', sql.ref<string>('ponds.id'))
    .where('newer.hidden', '=', 0)
    .orderBy('newer.measurement_date', 'desc')
    .orderBy('newer.id', 'desc')
    .limit(1);
  return db
    .selectFrom('ponds')
    .innerJoin('measurements', (join) => join.on('measurements.id', '=', newest))
    .select([
      'measurements.pond_id',
      'measurements.measurement_date',
      'measurements.temperature',
      'measurements.dissolved_oxygen',
      'measurements.ph',
      'measurements.ammonia',
      'measurements.nitrite',
      'measurements.source',
    ])
    .where('ponds.id', 'in', pondIds.length === 0 ? [''] : pondIds)
    .execute();
}
