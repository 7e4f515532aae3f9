import { session } from '#contract/resources/local-tables.ts';
import { isoOf } from '#core/kernel.ts';
import type { SessionQueries } from '#features/people/accounts/ports.ts';
import { lastEndOf } from '#features/people/login-standing.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function sessionQueries(db: Db): SessionQueries {
  return {
    async sessionsOf(userId) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('revoked_tokens').select('id').whereRef('revoked_tokens.id', '=', 'sessions.id'),
            ),
          ),
        )
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => decodeRow(session, row));
    },
    async isNoted(id) {
      const row = await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async generationOf(userId) {
      const row = await db
        .selectFrom('session_generations')
        .select('generation')
        .where('id', '=', userId)
        .executeTakeFirst();
      return row?.generation ?? 0;
    },
    async noteUse(id, { at, source, network }, everyMs) {
      const row = await db
        .selectFrom('sessions')
        .select(['last_used_at', 'lifetime_s'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return;
      const last = Date.parse(row.last_used_at);
      // another process noted it; a clock that was set back makes it due
      if (at >= last && at - last < everyMs) return;
      await db
        .updateTable('sessions')
        .set({
          last_used_at: isoOf(at),
          source,
          network,
          expires_at: isoOf(lastEndOf(at, row.lifetime_s)),
        })
        .where('id', '=', id)
        .where('last_used_at', '=', row.last_used_at)
        .execute();
    },
  };
}
