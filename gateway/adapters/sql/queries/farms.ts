import { address } from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import type { FarmQueries } from '#features/farms/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';
import { addressQueries } from './addresses.ts';
import { createdAfter, inChunks } from './paging.ts';
import { farmIdsOf } from './visible-farms.ts';

export function farmQueries(db: Db): FarmQueries {
  return {
    async farmById(id) {
      const row = await db
        .selectFrom('farms')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(farm, row) : null;
    },
    farmsOf(userId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('farms')
          .selectAll()
          .where('hidden', '=', 0)
          .where('id', 'in', farmIdsOf(db, userId))
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(farm, row));
      });
    },
    async pondsOfFarm(farmId) {
      return db
        .selectFrom('ponds')
        .select(['id', 'cod', 'pond_type'])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },
    async idTaken(id) {
      return (
        (await db.selectFrom('farms').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      );
    },
    primaryAddressesOf: addressQueries(db).primaryAddressesOf,
    async addressById(id) {
      const row = await db
        .selectFrom('addresses')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(address, row) : null;
    },
    async userExists(id) {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
