import type { ExpressionBuilder } from 'kysely';
import { address } from '#contract/resources/addresses.ts';
import { addressProof, passwordReset } from '#contract/resources/local-tables.ts';
import { STAND_IN_DOMAIN, user } from '#contract/resources/users.ts';
import type {
  AccountQueries,
  AddressOfAccount,
  ProofQueries,
  ResetQueries,
} from '#features/people/accounts/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { createdAfter, inChunks, numericIdQueries } from '../paging.ts';

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
        .leftJoin('second_factors', 'second_factors.id', 'users.id')
        .select([
          'role',
          'is_active',
          'password_version',
          'generation',
          'kept_session',
          'second_factors.state',
        ])
        .where('users.id', '=', userId)
        .where('users.hidden', '=', 0)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { state, is_active, generation, ...standing } = row;
      return {
        ...standing,
        is_active: is_active === 1,
        generation: generation ?? 0,
        has_second_factor: state === 'ON',
      };
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

/** Whether the address that the account of the row has now was proved. */
const proved = (when: ExpressionBuilder<Tables, 'users'>) =>
  when.exists(
    when
      .selectFrom('address_proofs')
      .select('address_proofs.id')
      .whereRef('address_proofs.id', '=', 'users.id')
      .whereRef('address_proofs.email_key', '=', 'users.email_key')
      .where('address_proofs.verified_at', 'is not', null),
  );

export function proofQueries(db: Db): ProofQueries {
  return {
    async proofOf(userId) {
      const row = await db
        .selectFrom('address_proofs')
        .selectAll()
        .where('id', '=', userId)
        .executeTakeFirst();
      return row ? decodeRow(addressProof, row) : null;
    },
    async isProved(userId) {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .where(proved)
        .executeTakeFirst();
      return row !== undefined;
    },
    unverified(page) {
      return inChunks(page, async (after, { limit, offset }) =>
        db
          .selectFrom('users')
          .select(['id', 'name', 'email', 'role', 'created_at'])
          .where('hidden', '=', 0)
          .where('is_active', '=', 1)
          .where('email_key', 'not like', `%@${STAND_IN_DOMAIN}`)
          .where((when) => when.not(proved(when)))
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute(),
      );
    },
  };
}

const MOST_NAMES = 50;

export function resetQueries(db: Db): ResetQueries {
  const rows = () => db.selectFrom('password_resets').selectAll();
  return {
    async resetOf(userId) {
      const row = await rows().where('id', '=', userId).executeTakeFirst();
      return row ? decodeRow(passwordReset, row) : null;
    },
    async resetByCode(codeHash) {
      const row = await rows().where('code_hash', '=', codeHash).executeTakeFirst();
      return row ? decodeRow(passwordReset, row) : null;
    },
    farmNamesOf: (userId) => farmNamesOf(db, userId),
  };
}

/** Names of farms that the person owns or works on: whoever guesses a password tries them. */
export async function farmNamesOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('farms')
    .select('name')
    .where('hidden', '=', 0)
    .where('id', 'in', farmIdsOf(db, userId))
    .limit(MOST_NAMES)
    .execute();
  return rows.map(({ name }) => name);
}
