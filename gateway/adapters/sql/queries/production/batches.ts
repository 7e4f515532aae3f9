import type { ExpressionBuilder } from 'kysely';
import { sql } from 'kysely';
import { batch, harvest, survivalChange } from '#contract/resources/batches.ts';
import { transfer } from '#contract/resources/transfers.ts';
import type {
  BatchFilter,
  BatchQueries,
  DailyTemperature,
  DailyTemperatures,
  HarvestLotFact,
  ListedBatch,
} from '#features/production/batches/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { inChunks, numericIdQueries, uuidOf } from '../paging.ts';
import {
  groupedByBatch,
  harvestsOf,
  slicesOf,
  survivalChangesOf,
  transfersOf,
  withItsLosses,
} from './batch-facts.ts';

export function batchQueries(db: Db): BatchQueries {
  return {
    ...numericIdQueries(db),
    async batch(ref) {
      const row = await db
        .selectFrom('batches')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .selectAll('batches')
        .select('farms.timezone')
        .where('batches.id', '=', uuidOf(db, 'batch', ref))
        .where('batches.hidden', '=', 0)
        .executeTakeFirst();
      return row ? { batch: decodeRow(batch, row), timezone: row.timezone } : null;
    },
    async batchIdTaken(id) {
      const row = await db.selectFrom('batches').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async isCodeUsed(ownerId, code) {
      const row = await db
        .selectFrom('batches')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('batch_code', '=', code)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async pond(ref) {
      const row = await db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select([
          'ponds.id',
          'ponds.cod',
          'ponds.size_m2',
          'ponds.farm_id',
          'farms.owner_id',
          'farms.timezone',
        ])
        .where('ponds.id', '=', uuidOf(db, 'pond', ref))
        .where('ponds.hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    batchesOf: (filter, page) => batchesOf(db, filter, page),
    async countBatches(filter) {
      const row = await db
        .selectFrom('batches')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where((where) => within(db, where, filter))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async survivalIdTaken(id) {
      const row = await db
        .selectFrom('survival_changes')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },
    async lastSurvivalChange(batchId) {
      const row = await db
        .selectFrom('survival_changes')
        .select('changed_at')
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .orderBy('changed_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.changed_at ?? null;
    },
    async survivalTold(batchId, kind) {
      const rows = await db
        .selectFrom('survival_changes')
        .selectAll()
        .where('batch_id', '=', batchId)
        .where('kind', '=', kind)
        .where('hidden', '=', 0)
        .orderBy('changed_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(survivalChange, row));
    },
    async firstFeeding(batchId, { from, before }) {
      const row = await db
        .selectFrom('feeding_records')
        .select(['id', 'feed_date'])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('feed_date', '>=', from)
        .where('feed_date', '<', before)
        .orderBy('feed_date')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
    async transfersOf(batchId) {
      const rows = await db
        .selectFrom('transfers')
        .selectAll()
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .execute();
      return rows.map((row) => decodeRow(transfer, row));
    },
    ...harvestQueries(db),
  };
}

function batchesOf(
  db: Db,
  filter: BatchFilter,
  page: { skip: number; limit: number },
): AsyncIterable<ListedBatch> {
  return inChunks<ListedBatch>(page, async (after, { limit, offset }) => {
    const rows = await db
      .selectFrom('batches')
      .innerJoin('farms', 'farms.id', 'batches.farm_id')
      .selectAll('batches')
      .select('farms.timezone')
      .where((where) => within(db, where, filter))
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(
            tuple.refTuple('batches.start_date', 'batches.id'),
            '<',
            tuple.tuple(after?.batch.start_date ?? '', after?.batch.id ?? ''),
          ),
        ),
      )
      .orderBy('batches.start_date', 'desc')
      .orderBy('batches.id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    const ids = rows.map(({ id }) => id);
    const told = ids.length === 0 ? [] : await survivalChangesOf(db, ids);
    // the share of dead that were counted follows from where the animals were
    const replayed = new Set(
      told.flatMap((each) => (each.animals === null && each.pond_share === null ? [] : each.batch_id)),
    );
    const moved = [...replayed];
    const changes = groupedByBatch(told);
    const harvests = groupedByBatch(moved.length === 0 ? [] : await harvestsOf(db, moved));
    const transfers = groupedByBatch(moved.length === 0 ? [] : await transfersOf(db, moved));
    return rows.map((row) => ({
      batch: withItsLosses(decodeRow(batch, row), changes.get(row.id) ?? []),
      timezone: row.timezone,
      survivalChanges: changes.get(row.id) ?? [],
      harvests: harvests.get(row.id) ?? [],
      transfers: transfers.get(row.id) ?? [],
    }));
  });
}

function within(db: Db, where: ExpressionBuilder<Tables, 'batches'>, filter: BatchFilter) {
  const { userId, farmId, pondRef, status } = filter;
  const all = [
    where('batches.hidden', '=', 0),
    where('batches.farm_id', 'in', farmIdsOf(db, userId)),
    ...(farmId === null ? [] : [where('batches.farm_id', '=', farmId)]),
    ...(status === null ? [] : [where('batches.status', '=', status)]),
  ];
  if (pondRef === null) return where.and(all);
  const pondId = uuidOf(db, 'pond', pondRef);
  const movedThere = db
    .selectFrom('transfers')
    .select('batch_id')
    .where('destination_pond_id', '=', pondId)
    .where('hidden', '=', 0);
  return where.and([
    ...all,
    where.or([where('batches.pond_id', '=', pondId), where('batches.id', 'in', movedThere)]),
  ]);
}

function harvestQueries(db: Db) {
  return {
    async harvestById(id) {
      const row = await db
        .selectFrom('harvests')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(harvest, row) : null;
    },
    async harvestIdTaken(id) {
      const row = await db.selectFrom('harvests').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    harvestsOf: (batchId, page) =>
      inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('harvests')
          .selectAll()
          .where('batch_id', '=', batchId)
          .where('hidden', '=', 0)
          .$if(after !== null, (query) =>
            query.where((tuple) =>
              tuple(
                tuple.refTuple('harvest_date', 'id'),
                '<',
                tuple.tuple(after?.harvest_date ?? '', after?.id ?? ''),
              ),
            ),
          )
          .orderBy('harvest_date', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(harvest, row));
      }),
    async countHarvests(batchId) {
      const row = await db
        .selectFrom('harvests')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async lotsOfHarvests(batchId) {
      const rows = await db
        .selectFrom('harvest_lots')
        .select(['id', 'harvest_id', 'harvested_at', 'weight_kg', 'classes'])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .orderBy('id')
        .execute();
      // written by the codec of lots
      return rows.map((row) => ({ ...row, classes: JSON.parse(row.classes) as HarvestLotFact['classes'] }));
    },
  } satisfies Pick<
    BatchQueries,
    'harvestById' | 'harvestIdTaken' | 'harvestsOf' | 'countHarvests' | 'lotsOfHarvests'
  >;
}

/** One line per pond and day with a reading of temperature. */
export function dailyTemperatures(db: Db): DailyTemperatures {
  return async (spans) => {
    const days = await Promise.all(slicesOf(spans).map((slice) => temperaturesIn(db, slice)));
    return days.flat();
  };
}

function temperaturesIn(db: Db, spans: Parameters<DailyTemperatures>[0]): Promise<DailyTemperature[]> {
  const listed = sql.join(spans.map(({ pond_id, from_day }) => sql`(${pond_id}, ${from_day})`));
  const day = sql<string>`substr(measurements.measurement_date, 1, 10)`;
  return db
    .with('spans(pond_id, from_day)', () => sql<{ pond_id: string; from_day: string }>`(values ${listed})`)
    .selectFrom('spans')
    .innerJoin('measurements', (join) =>
      join
        .onRef('measurements.pond_id', '=', 'spans.pond_id')
        .onRef('measurements.measurement_date', '>=', 'spans.from_day'),
    )
    .select([
      'measurements.pond_id',
      day.as('day'),
      sql<number>`sum(temperature)`.as('sumC'),
      sql<number>`count(temperature)`.as('readings'),
    ])
    .where('measurements.hidden', '=', 0)
    .where('temperature', 'is not', null)
    .groupBy(['measurements.pond_id', day])
    .execute();
}
