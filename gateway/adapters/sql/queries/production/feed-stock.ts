import { sql } from 'kysely';
import { feedStockEntry } from '#contract/resources/feed-stock.ts';
import type { FeedStockEntry, FeedStockQueries, MealSpan } from '#features/production/feed-stock/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks } from '../paging.ts';

/** `long`: what is reckoned from years of records, beside the main thread. */
export function feedStockQueries(db: Db, long: Db): FeedStockQueries {
  return {
    async farmOf(farmId) {
      const row = await db
        .selectFrom('farms')
        .select(['id', 'name', 'timezone'])
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    farmsWithStock: () =>
      db
        .selectFrom('farms')
        .select(['id', 'name', 'timezone'])
        .where('hidden', '=', 0)
        .where((where) =>
          where.exists(
            where
              .selectFrom('feed_stock')
              .select('feed_stock.id')
              .whereRef('feed_stock.farm_id', '=', 'farms.id')
              .where('feed_stock.hidden', '=', 0),
          ),
        )
        .orderBy('id')
        .execute(),
    async entryById(id) {
      const row = await db
        .selectFrom('feed_stock')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(feedStockEntry, row) : null;
    },
    async entryIdTaken(id) {
      const row = await db.selectFrom('feed_stock').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async entriesOf(farmId) {
      const rows = await seen(long, { id: farmId, kind: null })
        .selectAll()
        .orderBy('happened_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(feedStockEntry, row));
    },
    entriesPage: (farm, page) =>
      inChunks(page, async (after: FeedStockEntry | null, { limit, offset }) => {
        const rows = await seen(long, farm)
          .selectAll()
          .$if(after !== null, (query) =>
            query.where((key) =>
              key(
                key.refTuple('happened_at', 'id'),
                '<',
                key.tuple(after?.happened_at ?? '', after?.id ?? ''),
              ),
            ),
          )
          .orderBy('happened_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(feedStockEntry, row));
      }),
    async countEntries(farm) {
      const row = await seen(long, farm)
        .select((count) => count.fn.countAll<number>().as('n'))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async countBetween(farmId, { from, before }) {
      const row = await seen(db, { id: farmId, kind: null })
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('happened_at', '>=', from)
        .where('happened_at', '<', before)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    mealsBetweenEntries: (farmId, span) => mealsBetweenEntries(long, farmId, span),
  };
}

const seen = (db: Db, { id, kind }: Parameters<FeedStockQueries['countEntries']>[0]) =>
  db
    .selectFrom('feed_stock')
    .where('farm_id', '=', id)
    .where('hidden', '=', 0)
    .$if(kind !== null, (query) => query.where('kind', '=', kind ?? 'COUNT'));

/** A year of a large farm is some 30,000 feedings, and a few hundred sums of them. */
async function mealsBetweenEntries(
  db: Db,
  farmId: string,
  { recentFrom, until, alsoAt }: MealSpan,
): ReturnType<FeedStockQueries['mealsBetweenEntries']> {
  const first = await seen(db, { id: farmId, kind: null })
    .select((least) => least.fn.min('happened_at').as('at'))
    .executeTakeFirst();
  const since = [first?.at ?? null, alsoAt].filter((at) => at !== null).toSorted()[0];
  if (since === undefined) return [];
  // later than every meal where there is none
  const apart = alsoAt ?? '~';
  const fed = db
    .selectFrom('batches')
    .innerJoin('feeding_records', 'feeding_records.batch_id', 'batches.id')
    .select(['feed_type', 'quantity_kg'])
    .select(sql<number>`case when feed_date >= ${recentFrom} then 1 else 0 end`.as('is_recent'))
    .select(sql<number>`case when feed_date >= ${apart} then 1 else 0 end`.as('is_after'))
    .select((entry) =>
      seen(db, { id: farmId, kind: null })
        .select('happened_at')
        .where('happened_at', '<=', entry.ref('feed_date'))
        .orderBy('happened_at', 'desc')
        .limit(1)
        .as('at'),
    )
    .where('batches.farm_id', '=', farmId)
    .where('batches.hidden', '=', 0)
    .where('feeding_records.hidden', '=', 0)
    .where('feed_date', '>=', since)
    .where('feed_date', '<=', until);
  const rows = await db
    .selectFrom(fed.as('fed'))
    .select(['feed_type', 'at', 'is_recent', 'is_after'])
    .select((sum) => sum.fn.sum<number>('quantity_kg').as('kg'))
    .groupBy(['feed_type', 'at', 'is_recent', 'is_after'])
    .execute();
  return rows.map(({ feed_type: feed, at, is_recent, is_after, kg }) => ({
    at: Number(is_after) === 1 && apart > (at ?? '') ? apart : (at ?? ''),
    feed,
    kg: Number(kg),
    isRecent: Number(is_recent) === 1,
    of: null,
  }));
}
