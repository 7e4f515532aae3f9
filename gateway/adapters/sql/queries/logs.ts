import type { ExpressionBuilder } from 'kysely';
import { logEntry } from '#contract/resources/logs.ts';
import type { LogQueries, LogScope } from '#features/logs/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow, type Tables } from '../tables.ts';
import { inChunks } from './paging.ts';

export function logQueries(db: Db): LogQueries {
  return {
    logsOf: (scope, page) =>
      inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('logs')
          .selectAll()
          .where('hidden', '=', 0)
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
          .orderBy('timestamp', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(logEntry, row));
      }),
    async countLogs(scope) {
      const row = await db
        .selectFrom('logs')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('hidden', '=', 0)
        .where(within(scope))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
  };
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
