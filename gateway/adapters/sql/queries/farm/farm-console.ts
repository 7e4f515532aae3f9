import { farmConsole } from '#contract/resources/farm-console.ts';
import type { FarmConsoleQueries } from '#features/farm/farm-console/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function farmConsoleQueries(db: Db): FarmConsoleQueries {
  return {
    async farmConsole(farmId) {
      const row = await db
        .selectFrom('farm_console')
        .selectAll()
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : decodeRow(farmConsole, row);
    },
    async farmExists(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async pondIdsOf(farmId) {
      const rows = await db
        .selectFrom('ponds')
        .select('id')
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}
