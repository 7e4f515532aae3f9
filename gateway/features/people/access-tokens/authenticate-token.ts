import { accessToken } from '#contract/resources/access-tokens.ts';
import { tokenUse } from '#contract/resources/local-tables.ts';
import { onTables, put, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap, remembered } from '#core/newest-map.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Caller } from '#core/route.ts';
import type { AccessTokenQueries, StandingOf, TokenText, UsedToken } from './ports.ts';

export type AuthenticateTokenDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  monotonic: () => number;
  text: Pick<TokenText, 'isWhole' | 'hashOf'>;
  queries: Pick<AccessTokenQueries, 'tokenByHash'>;
  standingOf: StandingOf;
};

/** How long another process's revocation may go unseen. */
const TTL_MS = 5_000;
const KEPT = 10_000;
const NOTED_EVERY_MS = 10 * 60 * 1000;

/**
 * `authenticate` answers who holds an access token; throws 401 for one that is unknown, revoked, expired or of an account
 * that is gone or switched off, in the same words. A token is found by its hash, which nobody can steer, so the time of
 * the search tells nothing. `hear` keeps what it remembers true to the commits of this process.
 */
export function createTokenAuthentication(deps: AuthenticateTokenDeps) {
  const tokens = remembered<UsedToken | null>({ monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT });
  const notedAt = new NewestMap<string, number>(KEPT);

  return {
    async authenticate(bearer: string): Promise<Caller> {
      if (!deps.text.isWhole(bearer)) throw invalidToken();
      const found = await tokens.get(deps.text.hashOf(bearer), deps.queries.tokenByHash);
      if (found === null || !isLive(found, deps.now())) throw invalidToken();
      const standing = await deps.standingOf(found.user_id);
      if (!standing?.is_active) throw invalidToken();
      if (found.used_at !== null && !notedAt.has(found.id)) notedAt.set(found.id, Date.parse(found.used_at));
      return {
        userId: found.user_id,
        role: standing.role,
        tokenId: found.id,
        tokenExpiresAt: endOf(found),
        scopes: found.scopes,
      };
    },
    /** Notes the use at most every ten minutes; nobody waits for it, and a full disk does not hinder the caller. */
    noteUse({ tokenId }: Pick<Caller, 'tokenId'>, source: string): void {
      const now = deps.now();
      const last = notedAt.get(tokenId);
      // a clock that was set back makes it due
      if (last !== undefined && now >= last && now - last < NOTED_EVERY_MS) return;
      notedAt.set(tokenId, now);
      const use = put(tokenUse, { id: tokenId, used_at: isoOf(now), source });
      deps.commit({ changes: [use], actor: null }).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the use of an access token was not noted');
      });
    },
    hear: onTables([accessToken], (committed) => {
      for (const { after } of rowsOf(committed, accessToken)) tokens.forget(after.token_hash);
    }),
  };
}

const endOf = ({ expires_at }: Pick<UsedToken, 'expires_at'>): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

function isLive(token: UsedToken, now: number): boolean {
  return token.revoked_at === null && now < endOf(token);
}
