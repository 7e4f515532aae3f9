import type { ExpressionBuilder } from 'kysely';
import { logEntry } from '#contract/resources/logs.ts';
import type { LogQueries, LogScope } from '#features/logs/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow, type Tables } from '../tables.ts';
import { inChunks } from './paging.ts';

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
    async userName(id) {
      const row = await db
        .selectFrom('users')
        .select('name')
        .where('id', '=', id)
        .where('hidden', '=', 0)
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

function within(scope: LogScope) {
  return (where: ExpressionBuilder<Tables, 'logs'>) => {
    switch (scope.of) {
      case 'control points':
        return where.and([where('farm_id', '=', scope.farmId), where('entity_type', '=', 'CONTROL_POINT')]);
      case 'farm':
        return where('farm_id', '=', scope.farmId);
      case 'entity':
        return where('entity_id', '=', scope.entityId);
    }
  };
}
