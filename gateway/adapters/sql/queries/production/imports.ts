import type { ImportKind } from '#contract/resources/imports.ts';
import type { ImportQueries } from '#features/production/imports/ports.ts';
import type { Db } from '../../database.ts';
import { numericIdQueries } from '../numeric-ids.ts';

const TABLE = {
  batches: 'batches',
  biometries: 'biometries',
  feeding: 'feeding_records',
  measurements: 'measurements',
} as const satisfies Record<ImportKind, string>;

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
