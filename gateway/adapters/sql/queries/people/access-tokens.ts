import { accessToken } from '#contract/resources/access-tokens.ts';
import type { AccessTokenQueries, UsedToken } from '#features/people/access-tokens/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';

export function accessTokenQueries(db: Db): AccessTokenQueries {
  const tokens = () =>
    db
      .selectFrom('access_tokens')
      .leftJoin('token_uses', 'token_uses.id', 'access_tokens.id')
      .selectAll('access_tokens')
      .select(['token_uses.used_at', 'token_uses.source as used_from'])
      .where('access_tokens.hidden', '=', 0);
  return {
    async tokenByHash(hash) {
      const row = await tokens().where('access_tokens.token_hash', '=', hash).executeTakeFirst();
      return row ? usedToken(row) : null;
    },
    async tokenOf(userId, id) {
      const row = await tokens()
        .where('access_tokens.id', '=', id)
        .where('access_tokens.user_id', '=', userId)
        .executeTakeFirst();
      return row ? usedToken(row) : null;
    },
    tokensOf(userId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await tokens()
          .where('access_tokens.user_id', '=', userId)
          .where(createdAfter(after, 'access_tokens'))
          .orderBy('access_tokens.created_at')
          .orderBy('access_tokens.id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(usedToken);
      });
    },
    async countLive(userId, at) {
      const found = await db
        .selectFrom('access_tokens')
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .where('revoked_at', 'is', null)
        .where((either) => either.or([either('expires_at', 'is', null), either('expires_at', '>', at)]))
        .executeTakeFirst();
      return Number(found?.live ?? 0);
    },
  };
}

type Row = Record<string, unknown> & { used_at: string | null; used_from: string | null };

function usedToken(row: Row): UsedToken {
  return { ...decodeRow(accessToken, row), used_at: row.used_at, used_from: row.used_from };
}
