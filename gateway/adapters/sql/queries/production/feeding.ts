import { farmRecord } from '#contract/resources/farm-records.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import type { FeedingQueries, TrayLook } from '#features/production/feeding/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks, uuidOf } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';

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
    async mealsBetween(batchId, { from, until }) {
      return db
        .selectFrom('feeding_records')
        .select(['id', 'pond_id', 'feed_date', 'tray_leftover_percent'])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('feed_date', '>=', from)
        .where('feed_date', '<=', until)
        .orderBy('feed_date', 'desc')
        .execute();
    },
    trayLooksBetween: (pondIds, span) => trayLooksBetween(db, pondIds, span),
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

async function trayLooksBetween(
  db: Db,
  pondIds: readonly string[],
  { from, until }: { from: string; until: string },
): Promise<TrayLook[]> {
  const looks = [];
  for (const ids of slicesOf(pondIds)) {
    const rows = await db
      .selectFrom('farm_records')
      .leftJoin('feeding_records', (meal) =>
        meal.onRef('feeding_records.id', '=', 'farm_records.feeding_id').on('feeding_records.hidden', '=', 0),
      )
      .selectAll('farm_records')
      .select('feeding_records.id as meal_id')
      .where('farm_records.pond_id', 'in', ids)
      .where('farm_records.happened_at', '>=', from)
      .where('farm_records.happened_at', '<=', until)
      .where('farm_records.kind', '=', 'FEED_TRAYS')
      .where('farm_records.hidden', '=', 0)
      .orderBy('farm_records.happened_at', 'desc')
      .orderBy('farm_records.id', 'desc')
      .execute();
    looks.push(
      ...rows.map(({ meal_id, ...row }) => ({ ...decodeRow(farmRecord, row), feeding_id: meal_id })),
    );
  }
  return looks.flatMap(({ pond_id, happened_at, trays, feeding_id }) =>
    pond_id === null || trays === null ? [] : [{ pond_id, happened_at, trays, feeding_id }],
  );
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
