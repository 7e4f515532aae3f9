import { sql } from 'kysely';
import { transfer } from '#contract/resources/transfers.ts';
import type { PondContentsQueries } from '#features/farm/ponds/ports.ts';
import type {
  Named,
  NamedTransfer,
  TransferQueries,
  TransferScope,
} from '#features/production/transfers/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { bindingQueries } from '../cloud/moved-farms.ts';
import { farmIdsOf, isKnownOn } from '../farm/farms.ts';
import { numericIdQueries, uuidOf } from '../paging.ts';

export function transferQueries(db: Db): TransferQueries {
  return {
    ...numericIdQueries(db),
    async transferBy(ref) {
      const row = await named(db)
        .where('transfers.id', '=', uuidOf(db, 'transfer', ref))
        .executeTakeFirst();
      return row ? decoded(row) : null;
    },
    async transferIdTaken(id) {
      const row = await db.selectFrom('transfers').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async idOf(entity, ref) {
      const uuid = uuidOf(db, entity, ref);
      return typeof uuid === 'string' ? uuid : ((await uuid.executeTakeFirst())?.uuid ?? null);
    },
    gatewayOf: (farmId) => bindingQueries(db).streamOf(farmId),
    async pondNames(pondIds) {
      if (pondIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('ponds')
        .select(['id', 'numeric_id', 'cod'])
        .where('id', 'in', [...pondIds])
        .execute();
      return new Map(rows.map(({ id, numeric_id, cod }) => [id, nameOf(id, numeric_id, cod)]));
    },
    async userName(userId) {
      const row = await db
        .selectFrom('users')
        .select(['id', 'numeric_id', 'name'])
        .where('id', '=', userId)
        .executeTakeFirst();
      return row ? nameOf(row.id, row.numeric_id, row.name) : null;
    },
    async transfersOf(scope, { skip, limit }) {
      const rows = await within(db, named(db), scope)
        .orderBy('transfers.transfer_date', 'desc')
        .orderBy('transfers.id', 'desc')
        .limit(limit)
        .offset(skip)
        .execute();
      return rows.map(decoded);
    },
    async totalsOf(scope) {
      const row = await within(db, named(db), scope)
        .clearSelect()
        .select((sum) => [
          sum.fn.countAll<number>().as('count'),
          sum.fn.sum<number | null>('transfers.quantity').as('quantity'),
        ])
        .executeTakeFirst();
      return { count: Number(row?.count ?? 0), quantity: Number(row?.quantity ?? 0) };
    },
  };
}

/** Ponds and users are named also when they are deleted: what was moved stays moved. */
function named(db: Db) {
  return db
    .selectFrom('transfers')
    .innerJoin('batches', 'batches.id', 'transfers.batch_id')
    .innerJoin('ponds as source', 'source.id', 'transfers.source_pond_id')
    .innerJoin('ponds as destination', 'destination.id', 'transfers.destination_pond_id')
    .leftJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'transfers.created_by')
        .on(isKnownOn(sql.ref('users.id'), sql.ref('batches.farm_id'))),
    )
    .selectAll('transfers')
    .select([
      'batches.batch_code',
      'batches.numeric_id as batch_number',
      'source.cod as source_cod',
      'source.numeric_id as source_number',
      'destination.cod as destination_cod',
      'destination.numeric_id as destination_number',
      'users.name as user_name',
      'users.numeric_id as user_number',
    ])
    .where('transfers.hidden', '=', 0)
    .where('batches.hidden', '=', 0);
}

function within(db: Db, query: ReturnType<typeof named>, scope: TransferScope) {
  return scope.of === 'batch'
    ? query.where('transfers.batch_id', '=', scope.batchId)
    : query.where('batches.farm_id', 'in', farmIdsOf(db, scope.userId));
}

type NamedRow = Awaited<ReturnType<ReturnType<typeof named>['execute']>>[number];

function decoded(row: NamedRow): NamedTransfer {
  return {
    transfer: decodeRow(transfer, row),
    source: nameOf(row.source_pond_id, row.source_number, row.source_cod),
    destination: nameOf(row.destination_pond_id, row.destination_number, row.destination_cod),
    batch: nameOf(row.batch_id, row.batch_number, row.batch_code),
    creator:
      row.created_by === null || row.user_number === null || row.user_name === null
        ? null
        : nameOf(row.created_by, row.user_number, row.user_name),
  };
}

function nameOf(uuid: string, number: number, name: string): Named {
  return { id: Number(number), uuid, name };
}

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
