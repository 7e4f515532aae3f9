import { sql } from 'kysely';
import { transfer } from '#contract/resources/transfers.ts';
import type {
  Named,
  NamedTransfer,
  TransferQueries,
  TransferScope,
} from '#features/production/transfers/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf, isKnownOn } from '../farm/visible-farms.ts';
import { numericIdQueries } from '../numeric-ids.ts';
import { uuidOf } from '../uuid-of.ts';

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
