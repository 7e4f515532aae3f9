import { sql } from 'kysely';
import { farmRecord } from '#contract/resources/farm-records.ts';
import type {
  TracedMeals,
  TracedRecord,
  TraceQueries,
} from '#features/production/harvest-lots/trace-ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { slicesOf } from './batch-facts.ts';

/** All of it may be years of records: `long` reads beside the main thread. */
export function traceQueries(
  long: Db,
): Omit<TraceQueries, 'waterTotals' | 'pondCods' | 'batchesEverIn' | 'farmOf'> {
  return {
    /** A pond that was deleted afterwards changes nothing about what its animals were given. */
    async recordsIn(pondIds, { from, before }) {
      const found: TracedRecord[] = [];
      for (const ids of slicesOf(pondIds)) {
        const rows = await records(long)
          .where('pond_id', 'in', ids)
          .where('kind', 'not in', ['NOTE', 'FEED_TRAYS', 'PREPARATION', 'METER'])
          .where('happened_at', '>=', from)
          .where('happened_at', '<', before)
          .execute();
        found.push(...rows.map((row) => decodeRow(farmRecord, row)));
      }
      return found;
    },
    async findingsOf(batchId, before) {
      const rows = await records(long)
        .where('batch_id', '=', batchId)
        .where('kind', 'in', ['DISEASE', 'LAB'])
        .where('happened_at', '<', before)
        .execute();
      return rows.map((row) => decodeRow(farmRecord, row));
    },
    async treatmentsOfFarm(farmId) {
      const rows = await records(long)
        .where('farm_id', '=', farmId)
        .where('kind', '=', 'TREATMENT')
        .execute();
      return rows.map((row) => decodeRow(farmRecord, row));
    },
    movesOf: (batchId, before) =>
      long
        .selectFrom('transfers')
        .select(['source_pond_id', 'destination_pond_id', 'quantity', 'average_weight', 'transfer_date'])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('transfer_date', '<', before)
        .orderBy('transfer_date')
        .orderBy('id')
        .execute(),
    async fedTo(batchId, before) {
      const rows = await meals(long)
        .where('batch_id', '=', batchId)
        .where('feed_date', '<', before)
        .groupBy(['batch_id', 'feed_type'])
        .orderBy('feed_type')
        .execute();
      return rows.map(asMeals);
    },
    async fedOnFarm(farmId, before) {
      const rows = await meals(long)
        .where('batches.farm_id', '=', farmId)
        .where('feed_date', '<=', before)
        .groupBy(['batch_id', 'feed_type'])
        .execute();
      return rows.map(asMeals);
    },
    entriesOf: (farmId) =>
      long
        .selectFrom('feed_stock')
        .select(['id', 'kind', 'happened_at', 'product', 'lot', 'quantity_kg', 'expires_on', 'supplier'])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .orderBy('happened_at')
        .orderBy('id')
        .execute() as ReturnType<TraceQueries['entriesOf']>,
    async mealsSince(farmId, { from, until }) {
      const entry = sql<string>`(select max(e.happened_at) from feed_stock as e
        where e.farm_id = ${farmId} and e.hidden = 0 and e.happened_at <= feed_date)`;
      const fed = meals(long)
        .clearSelect()
        .select(['batch_id', 'feed_type', 'feed_date', 'quantity_kg'])
        .select(entry.as('entry'))
        .select(sql<string>`substr(feed_date, 1, 10)`.as('day'))
        .where('batches.farm_id', '=', farmId)
        .where('feed_date', '>=', from)
        .where('feed_date', '<=', until);
      const rows = await long
        .selectFrom(fed.as('fed'))
        .select((of) => [
          'batch_id',
          'feed_type',
          of.fn.sum<number>('quantity_kg').as('kg'),
          of.fn.min('feed_date').as('first'),
          of.fn.max('feed_date').as('last'),
        ])
        .groupBy(['batch_id', 'feed_type', 'entry', 'day'])
        .execute();
      return rows.map(asMeals);
    },
  };
}

const records = (db: Db) =>
  db.selectFrom('farm_records').selectAll().where('hidden', '=', 0).orderBy('happened_at').orderBy('id');

const meals = (db: Db) =>
  db
    .selectFrom('batches')
    .innerJoin('feeding_records', 'feeding_records.batch_id', 'batches.id')
    .select((of) => [
      'batch_id',
      'feed_type',
      of.fn.sum<number>('quantity_kg').as('kg'),
      of.fn.min('feed_date').as('first'),
      of.fn.max('feed_date').as('last'),
    ])
    .where('batches.hidden', '=', 0)
    .where('feeding_records.hidden', '=', 0);

const asMeals = ({
  batch_id,
  feed_type: feed,
  kg,
  first,
  last,
}: {
  batch_id: string;
  feed_type: string;
  kg: number;
  first: string;
  last: string;
}): TracedMeals => ({ batch_id, feed, kg: Number(kg), first, last });
