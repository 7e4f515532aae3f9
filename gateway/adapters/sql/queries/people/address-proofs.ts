import type { ExpressionBuilder } from 'kysely';
import { addressProof } from '#contract/resources/local-tables.ts';
import { STAND_IN_DOMAIN } from '#contract/resources/users.ts';
import type { ProofQueries } from '#features/people/accounts/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';

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
