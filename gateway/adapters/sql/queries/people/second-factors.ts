import { passkey, secondFactor } from '#contract/resources/local-tables.ts';
import type { SecondFactorQueries } from '#features/people/second-factor/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** What people prove themselves with besides a password, on this instance. */
export function secondFactorQueries(db: Db): SecondFactorQueries {
  return {
    async factorOf(userId) {
      const row = await db
        .selectFrom('second_factors')
        .selectAll()
        .where('id', '=', userId)
        .executeTakeFirst();
      return row ? decodeRow(secondFactor, row) : null;
    },
    async passkeysOf(userId) {
      const rows = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(passkey, row));
    },
    async passkeyByCredential(credentialId) {
      const row = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('credential_id', '=', credentialId)
        .executeTakeFirst();
      return row ? decodeRow(passkey, row) : null;
    },
    async standingOf(userId) {
      const row = await db
        .selectFrom('users')
        .select('password_version')
        .where('id', '=', userId)
        .where('hidden', '=', 0)
        .where('is_active', '=', 1)
        .executeTakeFirst();
      return row === undefined ? null : { password_version: Number(row.password_version) };
    },
  };
}
