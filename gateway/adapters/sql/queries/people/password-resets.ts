import { passwordReset } from '#contract/resources/local-tables.ts';
import type { ResetQueries } from '#features/people/accounts/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf } from '../farm/visible-farms.ts';

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
