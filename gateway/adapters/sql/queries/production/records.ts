import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { farmRecord, type ProductAnswer } from '#contract/resources/farm-records.ts';
import { meterKey } from '#contract/resources/meter-readings.ts';
import type { FarmRecord, Place, RecordFilter, RecordQueries } from '#features/production/records/ports.ts';
import type { WithdrawalQueries } from '#features/production/withdrawal.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { inChunks, uuidOf } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';

/** Not deleted, and of a place that still stands: what goes by its parent is not marked itself. */
export const isRecordSeen = sql<SqlBool>`farm_records.hidden = 0
  and (farm_records.pond_id is null
    or exists (select 1 from ponds as own where own.id = farm_records.pond_id and own.hidden = 0))
  and (farm_records.batch_id is null
    or exists (select 1 from batches as own where own.id = farm_records.batch_id and own.hidden = 0))
  and (farm_records.control_point_id is null
    or exists (select 1 from control_points as own where own.id = farm_records.control_point_id and own.hidden = 0))`;

const COLUMN = {
  pond: 'pond_id',
  batch: 'batch_id',
  control_point: 'control_point_id',
  farm: 'farm_id',
} as const;

/** `long`: lists of years, read beside the main thread. */
export function recordQueries(db: Db, long: Db): RecordQueries {
  return {
    place: (kind, ref) => placeOf(db, kind, ref),
    async recordById(id) {
      const row = await db
        .selectFrom('farm_records')
        .selectAll()
        .where('id', '=', id)
        .where(isRecordSeen)
        .executeTakeFirst();
      return row ? decodeRow(farmRecord, row) : null;
    },
    async recordIdTaken(id) {
      const row = await db.selectFrom('farm_records').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    recordsOf: (filter, page) =>
      inChunks(page, async (after: FarmRecord | null, { limit, offset }) => {
        const rows = await long
          .selectFrom('farm_records')
          .selectAll()
          .where((where) => isOf(where, filter))
          .where(isRecordSeen)
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
        return rows.map((row) => decodeRow(farmRecord, row));
      }),
    async countRecords(filter) {
      const row = await long
        .selectFrom('farm_records')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where((where) => isOf(where, filter))
        .where(isRecordSeen)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async countBetween({ kind, id }, { from, before }) {
      const row = await db
        .selectFrom('farm_records')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where(COLUMN[kind], '=', id)
        // what lies on its ponds is counted there
        .$if(kind === 'farm', (query) => query.where('kind', '=', 'METER'))
        .where('happened_at', '>=', from)
        .where('happened_at', '<', before)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    productsOf: (farmId, most) => productsOf(db, farmId, most),
    async readingsBeside({ id, farm_id, meter, happened_at }) {
      const named = await db
        .selectFrom('farm_records')
        .select('meter')
        .distinct()
        .where('farm_id', '=', farm_id)
        .where('kind', '=', 'METER')
        .where('hidden', '=', 0)
        .execute();
      const names = named.flatMap((row) => row.meter ?? []);
      const same = names.filter((name) => meterKey(name) === meterKey(meter ?? ''));
      if (same.length === 0) return { before: null, after: null };
      const [before, after] = await Promise.all(
        (['desc', 'asc'] as const).map((way) =>
          db
            .selectFrom('farm_records')
            .select(['amount', 'meter_change', 'happened_at'])
            .where('farm_id', '=', farm_id)
            .where('kind', '=', 'METER')
            .where('hidden', '=', 0)
            .where('meter', 'in', same)
            .where('id', '!=', id)
            .where('happened_at', way === 'desc' ? '<=' : '>', happened_at)
            .orderBy('happened_at', way)
            .orderBy('id', way)
            .limit(1)
            .executeTakeFirst(),
        ),
      );
      return { before: before ?? null, after: after ?? null };
    },
    async mealById(id) {
      const row = await db
        .selectFrom('feeding_records')
        .select(['batch_id', 'pond_id', 'feed_date'])
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async batchesEverIn(pondIds) {
      const found = new Set<string>();
      for (const ids of slicesOf(pondIds)) {
        const rows = await db
          .selectFrom('batches')
          .select('id')
          .where('pond_id', 'in', ids)
          .where('hidden', '=', 0)
          .union(
            db
              .selectFrom('transfers')
              .select('batch_id as id')
              .where('destination_pond_id', 'in', ids)
              .where('hidden', '=', 0),
          )
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return [...found];
    },
  };
}

/** A pond that was deleted afterwards changes nothing about what its animals were given. */
export function withdrawalQueries(db: Db): WithdrawalQueries {
  return {
    async treatmentsIn(pondIds, since) {
      const found = [];
      for (const ids of slicesOf(pondIds)) {
        const rows = await db
          .selectFrom('farm_records')
          .selectAll()
          .where('pond_id', 'in', ids)
          .where('happened_at', '>=', since)
          .where('kind', '=', 'TREATMENT')
          .where('hidden', '=', 0)
          .where((either) =>
            either.or([either('withdrawal_days', 'is', null), either('withdrawal_days', '>', 0)]),
          )
          .orderBy('happened_at')
          .orderBy('id')
          .execute();
        found.push(...rows.map((row) => decodeRow(farmRecord, row)));
      }
      return found.flatMap(({ id, pond_id, product, product_kind, happened_at, withdrawal_days }) =>
        pond_id === null || product === null || product_kind === null
          ? []
          : [{ id, pond_id, product, product_kind, happened_at, withdrawal_days }],
      );
    },
  };
}

function isOf(where: ExpressionBuilder<Tables, 'farm_records'>, { of, kind, except }: RecordFilter) {
  const ofKind = where.and([
    ...(kind === null ? [] : [where('kind', '=', kind)]),
    ...(except === null ? [] : [where('kind', '!=', except)]),
  ]);
  if ('farmId' in of && !('batchId' in of)) return where.and([where('farm_id', '=', of.farmId), ofKind]);
  if ('place' in of) return where.and([where(COLUMN[of.place.kind], '=', of.place.id), ofKind]);
  const stays = of.stays.map(({ pondId, from, before }) =>
    where.and([
      where('pond_id', '=', pondId),
      where('farm_id', '=', of.farmId),
      where('kind', '!=', 'NOTE'),
      where('happened_at', '>=', from),
      ...(before === null ? [] : [where('happened_at', '<', before)]),
    ]),
  );
  return where.and([where.or([where('batch_id', '=', of.batchId), ...stays]), ofKind]);
}

async function placeOf(db: Db, kind: Place['kind'], ref: string): Promise<Place | null> {
  const none = { size_m2: null, depth_m: null };
  switch (kind) {
    case 'pond': {
      const row = await db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select(['ponds.id', 'ponds.cod as name', 'ponds.farm_id', 'farms.timezone'])
        .select(['ponds.size_m2', 'ponds.depth_m'])
        .where('ponds.id', '=', uuidOf(db, 'pond', ref))
        .where('ponds.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row };
    }
    case 'batch': {
      const row = await db
        .selectFrom('batches')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .select(['batches.id', 'batches.batch_code as name', 'batches.farm_id', 'farms.timezone'])
        .where('batches.id', '=', uuidOf(db, 'batch', ref))
        .where('batches.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, ...none };
    }
    case 'farm': {
      const row = await db
        .selectFrom('farms')
        .select(['id', 'name', 'id as farm_id', 'timezone'])
        .where('id', '=', ref)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, ...none };
    }
    case 'control_point': {
      const row = await db
        .selectFrom('control_points')
        .innerJoin('farms', 'farms.id', 'control_points.farm_id')
        .select([
          'control_points.id',
          'control_points.cod as name',
          'control_points.farm_id',
          'farms.timezone',
        ])
        .where('control_points.id', '=', ref)
        .where('control_points.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, ...none };
    }
  }
}

async function productsOf(db: Db, farmId: string, most: number): Promise<ProductAnswer[]> {
  const newest = db
    .selectFrom('farm_records')
    .select(['product', 'product_kind', 'unit', 'withdrawal_days', 'happened_at as last_used_at'])
    .select(
      sql<number>`row_number() over (partition by lower(product) order by happened_at desc, id desc)`.as(
        'place',
      ),
    )
    .where('farm_id', '=', farmId)
    .where('kind', '=', 'TREATMENT')
    .where('hidden', '=', 0);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select(['product', 'product_kind', 'unit', 'withdrawal_days', 'last_used_at'])
    .where('place', '=', 1)
    .orderBy('last_used_at', 'desc')
    .limit(most)
    .execute();
  // a treatment has all of these, and the words of a treatment; the row of another kind has not
  return rows as ProductAnswer[];
}
