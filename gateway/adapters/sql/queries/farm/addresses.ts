import { address } from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import type { AddressQueries } from '#features/farm/addresses/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';

export function addressQueries(db: Db): AddressQueries {
  const visibleOf = (userId: string) =>
    db.selectFrom('addresses').selectAll().where('user_id', '=', userId).where('hidden', '=', 0);
  return {
    async addressOf(userId, id) {
      const row = await visibleOf(userId).where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(address, row) : null;
    },
    addressesOf(userId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await visibleOf(userId)
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(address, row));
      });
    },
    async primaryAddressesOf(userId) {
      const rows = await visibleOf(userId).where('is_primary', '=', 1).execute();
      return rows.map((row) => decodeRow(address, row));
    },
    async isIdTaken(id) {
      const row = await db.selectFrom('addresses').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async farmsAt(addressId) {
      const rows = await db
        .selectFrom('farms')
        .selectAll()
        .where('address_id', '=', addressId)
        .where('hidden', '=', 0)
        .execute();
      return rows.map((row) => decodeRow(farm, row));
    },
  };
}
