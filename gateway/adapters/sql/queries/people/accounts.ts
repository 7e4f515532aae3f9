import { address } from '#contract/resources/addresses.ts';
import { user } from '#contract/resources/users.ts';
import type { AccountQueries, AddressOfAccount } from '#features/people/accounts/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { numericIdQueries } from '../numeric-ids.ts';
import { createdAfter, inChunks } from '../paging.ts';

export function accountQueries(db: Db): AccountQueries {
  return {
    async accountById(id) {
      const row = await users(db).where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(user, row) : null;
    },
    async accountByEmail(emailKey) {
      const row = await users(db).where('email_key', '=', emailKey).executeTakeFirst();
      return row ? decodeRow(user, row) : null;
    },
    async addressesOf(userId) {
      return (await addressesByUser(db, [userId])).get(userId) ?? [];
    },
    async addressRevision(userId) {
      const found = await db
        .selectFrom('addresses')
        .select(({ fn }) => fn.sum<number>('rev').as('revision'))
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return Number(found?.revision ?? 0);
    },
    accounts(page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await users(db)
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        const addresses = await addressesByUser(
          db,
          rows.map(({ id }) => id),
        );
        return rows.map((row) => ({ ...decodeRow(user, row), addresses: addresses.get(row.id) ?? [] }));
      });
    },
    async standingOf(userId) {
      const row = await db
        .selectFrom('users')
        .leftJoin('session_generations', 'session_generations.id', 'users.id')
        .select(['role', 'is_active', 'password_version', 'generation', 'kept_session'])
        .where('users.id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? { ...row, is_active: row.is_active === 1, generation: row.generation ?? 0 } : null;
    },
    async isRevoked(tokenId) {
      const row = await db
        .selectFrom('revoked_tokens')
        .select('id')
        .where('id', '=', tokenId)
        .executeTakeFirst();
      return row !== undefined;
    },
    ...numericIdQueries(db),
  };
}

const users = (db: Db) => db.selectFrom('users').selectAll().where('hidden', '=', 0);

async function addressesByUser(db: Db, userIds: readonly string[]): Promise<Map<string, AddressOfAccount[]>> {
  const byUser = new Map<string, AddressOfAccount[]>();
  if (userIds.length === 0) return byUser;
  const rows = await db
    .selectFrom('addresses')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  for (const row of rows) {
    const { id, street, number, city, state, zip_code, country, is_primary } = decodeRow(address, row);
    const known = byUser.get(row.user_id) ?? [];
    byUser.set(row.user_id, [...known, { id, street, number, city, state, zip_code, country, is_primary }]);
  }
  return byUser;
}
