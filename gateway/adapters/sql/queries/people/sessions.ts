import { accessToken } from '#contract/resources/access-tokens.ts';
import { passkey, secondFactor, session } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { isoOf } from '#core/kernel.ts';
import type { AccessTokenQueries, UsedToken } from '#features/people/access-tokens/ports.ts';
import type { SessionQueries } from '#features/people/accounts/ports.ts';
import { lastEndOf } from '#features/people/login-standing.ts';
import type { SecondFactorQueries } from '#features/people/second-factor/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';

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
    async pushesOf(userId) {
      const rows = await db
        .selectFrom('notification_channels')
        .selectAll()
        .where('user_id', '=', userId)
        .where('kind', '=', 'WEB_PUSH')
        .where('hidden', '=', 0)
        .execute();
      return rows.map((row) => decodeRow(notificationChannel, row));
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
