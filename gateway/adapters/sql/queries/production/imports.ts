import type { ImportKind } from '#contract/resources/imports.ts';
import type { ImportQueries } from '#features/production/imports/ports.ts';
import type { Db } from '../../database.ts';
import { numericIdQueries } from '../paging.ts';

const TABLE = {
  batches: 'batches',
  biometries: 'biometries',
  feeding: 'feeding_records',
  measurements: 'measurements',
} as const satisfies Record<ImportKind, string>;

/** Where the records of a kind stand, what they hang on, and when they are of. */
const RECORDS = {
  biometries: { table: 'biometries', parent: 'batch_id', at: 'measurement_date' },
  feeding: { table: 'feeding_records', parent: 'batch_id', at: 'feed_date' },
  measurements: { table: 'measurements', parent: 'pond_id', at: 'measurement_date' },
} as const;

export function importQueries(db: Db): ImportQueries {
  return {
    ...numericIdQueries(db),
    async farmFacts(farmId) {
      const farm = await db
        .selectFrom('farms')
        .select(['id', 'timezone'])
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      if (!farm) return null;
      const ponds = await db
        .selectFrom('ponds')
        .select(['id', 'numeric_id', 'cod', 'size_m2'])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .execute();
      const batches = await db
        .selectFrom('batches')
        .select(['id', 'numeric_id', 'batch_code', 'start_date'])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .execute();
      return { ...farm, ponds, batches };
    },
    async batchCodesOf(ownerId) {
      const rows = await db
        .selectFrom('batches')
        .select(['id', 'batch_code'])
        .where('owner_id', '=', ownerId)
        .where('hidden', '=', 0)
        .execute();
      return new Map(rows.map(({ id, batch_code }) => [batch_code, id]));
    },
    async idsTaken(kind, ids) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom(TABLE[kind])
        .select('id')
        .where('id', 'in', [...ids])
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    async onRecordAt(kind, places) {
      if (places.length === 0) return [];
      const { table, parent, at } = RECORDS[kind];
      const rows = await db
        .selectFrom(table)
        .selectAll()
        .where('hidden', '=', 0)
        .where((where) =>
          where.or(
            places.map(({ parentId, from, before }) =>
              where.and([
                where(parent as never, '=', parentId as never),
                where(at as never, '>=', from as never),
                where(at as never, '<', before as never),
              ]),
            ),
          ),
        )
        .execute();
      return rows.map((row: Record<string, unknown>) => ({
        id: String(row['id']),
        parentId: String(row[parent]),
        at: String(row[at]),
        values: row,
      }));
    },
    async weighingsOf(batchIds) {
      if (batchIds.length === 0) return [];
      return db
        .selectFrom('biometries')
        .select(['batch_id', 'pond_id', 'measurement_date', 'sample_size', 'total_weight_g'])
        .where('batch_id', 'in', [...batchIds])
        .where('hidden', '=', 0)
        .execute();
    },
    async standing(entity, ids) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom(entity === 'pond' ? 'ponds' : 'batches')
        .select('id')
        .where('id', 'in', [...ids])
        .where('hidden', '=', 0)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}
