import type { RowOf } from '#contract/resource.ts';
import { importChunk, importLayout, importRecord } from '#contract/resources/import-records.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import type { ImportQueries, ReadingOfMeter } from '#features/production/imports/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { numericIdQueries } from '../paging.ts';

const TABLE = {
  batches: 'batches',
  biometries: 'biometries',
  feeding: 'feeding_records',
  measurements: 'measurements',
  meters: 'farm_records',
} as const satisfies Record<ImportKind, string>;

/** Where the records of a kind stand, what they hang on, and when they are of. */
const RECORDS = {
  biometries: { table: 'biometries', parent: 'batch_id', at: 'measurement_date' },
  feeding: { table: 'feeding_records', parent: 'batch_id', at: 'feed_date' },
  measurements: { table: 'measurements', parent: 'pond_id', at: 'measurement_date' },
  meters: { table: 'farm_records', parent: 'farm_id', at: 'happened_at' },
} as const;

/** What hangs on a batch. */
const OF_BATCHES = [
  'biometries',
  'feeding_records',
  'harvests',
  'survival_changes',
  'transfers',
  'expenses',
] as const;

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
    readingsOf: (farmId) => readingsOf(db, farmId),
    async rowsNow(kind, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom(TABLE[kind])
        .select(['id', 'rev', 'hidden', 'updated_at'])
        .where('id', 'in', [...ids])
        .execute();
      return rows.map(({ id, rev, hidden, updated_at }) => ({
        id,
        rev,
        hidden: hidden === 1,
        isChanged: updated_at !== null,
      }));
    },
    async weighedIn(ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('biometries')
        .select(['id', 'batch_id'])
        .where('id', 'in', [...ids])
        .execute();
      return rows.map(({ id, batch_id: batchId }) => ({ id, batchId }));
    },
    async batchesWithRecords(ids) {
      const used = new Set<string>();
      if (ids.length === 0) return used;
      for (const table of OF_BATCHES) {
        const rows = await db
          .selectFrom(table)
          .select('batch_id')
          .distinct()
          .where('batch_id', 'in', [...ids])
          .where('hidden', '=', 0)
          .execute();
        for (const { batch_id } of rows) used.add(batch_id);
      }
      return used;
    },
    ...recordQueries(db),
    async standing(entity, ids) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom(({ farm: 'farms', pond: 'ponds', batch: 'batches' } as const)[entity])
        .select('id')
        .where('id', 'in', [...ids])
        .where('hidden', '=', 0)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

/** Of three meters that are read three times a day some thirty years. */
const MOST_READINGS = 100_000;

/** Oldest first. */
async function readingsOf(db: Db, farmId: string): Promise<ReadingOfMeter[]> {
  const rows = await db
    .selectFrom('farm_records')
    .select(['meter', 'amount', 'happened_at', 'meter_factor', 'meter_change'])
    .where('farm_id', '=', farmId)
    .where('kind', '=', 'METER')
    .where('hidden', '=', 0)
    .orderBy('happened_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_READINGS)
    .execute();
  return rows
    .flatMap(({ meter, amount, ...row }) =>
      meter === null || amount === null ? [] : [{ meter, amount, ...row }],
    )
    .toReversed();
}

const CHUNKS_AT_ONCE = 20;
const UNDONE_AT_ONCE = 200;

/** A row of this instance alone has no version. */
function recordOf(stored: Record<string, unknown>): RowOf<typeof importRecord> {
  const { rev: _rev, ...row } = decodeRow(importRecord, stored);
  return row;
}

/** What is remembered of the files that were imported here. */
function recordQueries(
  db: Db,
): Pick<
  ImportQueries,
  | 'importById'
  | 'importsOf'
  | 'importsBeyond'
  | 'chunksToUndo'
  | 'undoneRows'
  | 'layoutById'
  | 'layoutsBeyond'
> {
  return {
    async layoutById(id) {
      const row = await db.selectFrom('import_layouts').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : decodeRow(importLayout, row);
    },
    async layoutsBeyond(farmId, kept) {
      const rows = await db
        .selectFrom('import_layouts')
        .select('id')
        .where('farm_id', '=', farmId)
        .orderBy('used_at', 'desc')
        .orderBy('id', 'desc')
        .limit(UNDONE_AT_ONCE)
        .offset(kept)
        .execute();
      return rows.map(({ id }) => id);
    },
    async importById(id) {
      const row = await db.selectFrom('imports').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    async importsOf(farmId, most) {
      const rows = await db
        .selectFrom('imports')
        .selectAll()
        .where('farm_id', '=', farmId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
      return rows.map(recordOf);
    },
    async importsBeyond(farmId, kept) {
      const rows = await db
        .selectFrom('imports')
        .select('id')
        .where('farm_id', '=', farmId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(UNDONE_AT_ONCE)
        .offset(kept)
        .execute();
      return rows.map(({ id }) => id);
    },
    async chunksToUndo(importId) {
      const rows = await db
        .selectFrom('import_chunks')
        .selectAll()
        .where('import_id', '=', importId)
        .where('is_undone', '=', 0)
        .orderBy('id')
        .limit(CHUNKS_AT_ONCE)
        .execute();
      return rows.map((row) => decodeRow(importChunk, row));
    },
    async undoneRows(farmId, kind) {
      const undone = new Set<string>();
      const files = await db
        .selectFrom('imports')
        .select('id')
        .where('farm_id', '=', farmId)
        .where('kind', '=', kind)
        .where('undone', '>', 0)
        .execute();
      for (const { id } of files) {
        for (let after = ''; ; ) {
          const chunks = await db
            .selectFrom('import_chunks')
            .selectAll()
            .where('import_id', '=', id)
            .where('is_undone', '=', 1)
            .where('id', '>', after)
            .orderBy('id')
            .limit(UNDONE_AT_ONCE)
            .execute();
          for (const chunk of chunks)
            for (const rowId of decodeRow(importChunk, chunk).row_ids) undone.add(rowId);
          after = chunks.at(-1)?.id ?? '';
          if (chunks.length < UNDONE_AT_ONCE) break;
        }
      }
      return undone;
    },
  };
}
