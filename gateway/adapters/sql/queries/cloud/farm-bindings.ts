import type { BindingQueries } from '#features/control/commands/gateway-links.ts';
import type { Db } from '../../database.ts';

export function bindingQueries(db: Db): BindingQueries {
  return {
    all: () => db.selectFrom('sync_farms').select(['id', 'stream_id']).execute(),
    async streamOf(farmId) {
      const row = await db
        .selectFrom('sync_farms')
        .select('stream_id')
        .where('id', '=', farmId)
        .executeTakeFirst();
      return row?.stream_id ?? null;
    },
  };
}
