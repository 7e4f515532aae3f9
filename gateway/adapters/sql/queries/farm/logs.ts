import { type ExpressionBuilder, sql } from 'kysely';
import { logEntry } from '#contract/resources/logs.ts';
import type { LogQueries, LogScope } from '#features/farm/logs/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { inChunks } from '../paging.ts';
import { isKnownOn } from './farms.ts';

/** Entries are never deleted, so none is hidden: what is skipped and counted is read from the index alone. */
export function logQueries(db: Db): LogQueries {
  return {
    logsOf: (scope, page) =>
      inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('logs')
          .selectAll()
          .where(within(scope))
          .$if(after !== null, (query) =>
            query.where((tuple) =>
              tuple(
                tuple.refTuple('timestamp', 'id'),
                '<',
                tuple.tuple(after?.timestamp ?? '', after?.id ?? ''),
              ),
            ),
          )
          .$if(offset > 0, (query) => query.where((row) => fromOffset(row, scope, offset)))
          .orderBy('timestamp', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute();
        return rows.map((row) => decodeRow(logEntry, row));
      }),
    async userName(farmId, id) {
      const row = await db
        .selectFrom('users')
        .select('name')
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .where(isKnownOn(sql.ref('users.id'), sql.val(farmId)))
        .executeTakeFirst();
      return row?.name ?? null;
    },
    async countLogs(scope) {
      const row = await db
        .selectFrom('logs')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where(within(scope))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
  };
}

/** From the entry that stands at this place: found in the index alone, while an offset would read all entries before. */
function fromOffset(where: ExpressionBuilder<Tables, 'logs'>, scope: LogScope, offset: number) {
  return where(
    where.refTuple('timestamp', 'id'),
    '<=',
    where
      .selectFrom('logs')
      .select(['timestamp', 'id'])
      .where(within(scope))
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(offset)
      .$asTuple('timestamp', 'id'),
  );
}

/** Few entries are of one thing, and millions of a farm: their index is that of the thing. */
const alsoOfFarm = sql<string>`coalesce(farm_id, '')`;

function within(scope: LogScope) {
  return (where: ExpressionBuilder<Tables, 'logs'>) => {
    switch (scope.of) {
      case 'control points':
        return where.and([where('farm_id', '=', scope.farmId), where('entity_type', '=', 'CONTROL_POINT')]);
      case 'farm':
        return where('farm_id', '=', scope.farmId);
      case 'entity':
        return where.and([where(alsoOfFarm, '=', scope.farmId), where('entity_id', '=', scope.entityId)]);
      case 'pond':
        return where.and([
          where(alsoOfFarm, '=', scope.farmId),
          where('entity_id', 'in', thingsOf(where, scope.pondId)),
        ]);
    }
  };
}

type Where = ExpressionBuilder<Tables, 'logs'>;

/**
 * What belongs to a pond, also what was deleted since. Of its measurements only the deleted ones, which an index finds
 * among millions: a corrected one tells of that itself.
 */
function thingsOf(where: Where, pondId: string) {
  const pond = where.val(pondId);
  return where
    .selectFrom('ponds')
    .select('id')
    .where('id', '=', pond)
    .union(
      where
        .selectFrom('ponds')
        .innerJoin('control_points', 'control_points.id', 'ponds.control_point_id')
        .select('control_points.id')
        .where('ponds.id', '=', pond),
    )
    .union(where.selectFrom('aerators').select('id').where('pond_id', '=', pond))
    .union(where.selectFrom('measurements').select('id').where('pond_id', '=', pond).where('hidden', '=', 1))
    .union(where.selectFrom('farm_records').select('id').where('pond_id', '=', pond))
    .union(batchesOf(where, pondId))
    .union(recordsOf(where, 'transfers', pondId))
    .union(recordsOf(where, 'harvests', pondId))
    .union(recordsOf(where, 'survival_changes', pondId))
    .union(recordsOf(where, 'biometries', pondId))
    .union(recordsOf(where, 'feeding_records', pondId));
}

const recordsOf = (
  where: Where,
  table: 'transfers' | 'harvests' | 'survival_changes' | 'biometries' | 'feeding_records',
  pondId: string,
) => where.selectFrom(table).select('id').where('batch_id', 'in', batchesOf(where, pondId));

/** Batches that were stocked here, came here, or left from here. */
function batchesOf(where: Where, pondId: string) {
  const pond = where.val(pondId);
  return where
    .selectFrom('batches')
    .select('id')
    .where('pond_id', '=', pond)
    .union(where.selectFrom('transfers').select('batch_id as id').where('source_pond_id', '=', pond))
    .union(where.selectFrom('transfers').select('batch_id as id').where('destination_pond_id', '=', pond));
}
