import { feedingRecord } from '#contract/resources/feeding.ts';
import type { FeedingQueries } from '#features/production/feeding/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks, uuidOf } from '../paging.ts';

export function feedingQueries(db: Db): FeedingQueries {
  return {
    batchToFeed: (ref) => batchToRecordUnder(db, ref),
    async feedingById(id) {
      const row = await db
        .selectFrom('feeding_records')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(feedingRecord, row) : null;
    },
    async feedingIdTaken(id) {
      const row = await db.selectFrom('feeding_records').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    feedingsOf: (batchId, page) => feedingsOf(db, batchId, page),
    async countFeedings(batchId) {
      const row = await db
        .selectFrom('feeding_records')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async lastFeeding(batchId, countsUntil) {
      const row = await db
        .selectFrom('feeding_records')
        .selectAll()
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('feed_date', '<=', countsUntil)
        .orderBy('feed_date', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? decodeRow(feedingRecord, row) : null;
    },
    async pond(ref) {
      const row = await db
        .selectFrom('ponds')
        .select(['id', 'cod', 'farm_id'])
        .where('id', '=', uuidOf(db, 'pond', ref))
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async pondCods(pondIds) {
      if (pondIds.length === 0) return new Map();
      const rows = await db.selectFrom('ponds').select(['id', 'cod']).where('id', 'in', pondIds).execute();
      return new Map(rows.map(({ id, cod }) => [id, cod]));
    },
  };
}

/** What must be known of a batch to record something under it; by UUID or number. */
export async function batchToRecordUnder(db: Db, ref: string) {
  const row = await db
    .selectFrom('batches')
    .innerJoin('farms', 'farms.id', 'batches.farm_id')
    .select([
      'batches.id',
      'batches.batch_code',
      'batches.status',
      'batches.start_date',
      'batches.farm_id',
      'farms.timezone',
    ])
    .where('batches.id', '=', uuidOf(db, 'batch', ref))
    .where('batches.hidden', '=', 0)
    .executeTakeFirst();
  return row ?? null;
}

const feedingsOf = (
  db: Db,
  batchId: string,
  page: Parameters<FeedingQueries['feedingsOf']>[1],
): ReturnType<FeedingQueries['feedingsOf']> =>
  inChunks(page, async (after, { limit, offset }) => {
    const rows = await db
      .selectFrom('feeding_records')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('hidden', '=', 0)
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(tuple.refTuple('feed_date', 'id'), '<', tuple.tuple(after?.feed_date ?? '', after?.id ?? '')),
        ),
      )
      .orderBy('feed_date', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => decodeRow(feedingRecord, row));
  });
