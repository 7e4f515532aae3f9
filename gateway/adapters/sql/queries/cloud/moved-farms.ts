import type { MovedFarm } from '#contract/sync/wire.ts';
import { movedOf } from '#features/cloud/moved-farms.ts';
import type { BindingQueries } from '#features/control/commands/gateway-links.ts';
import { movedRange } from '#store/merge/tenancy.ts';
import type { Db } from '../../database.ts';

/** Farms that were taken off a gateway, see features/cloud/moved-farms.ts. */
export async function movedFarms(db: Db, of: number | 'here'): Promise<MovedFarm[]> {
  const [from, before] = movedRange(of);
  const rows = await db
    .selectFrom('instance_values')
    .select(['id', 'value'])
    .where('id', '>=', from)
    .where('id', '<', before)
    .orderBy('id')
    .execute();
  return rows.map(movedOf);
}

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
