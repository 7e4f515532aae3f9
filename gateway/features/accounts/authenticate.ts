import { revokedToken } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { AccountQueries, Standing, Tokens } from './ports.ts';
import { remembered } from './remembered.ts';

export type AuthenticateDeps = Pick<Kernel, 'now'> & {
  monotonic: () => number;
  tokens: Pick<Tokens, 'read'>;
  queries: Pick<AccountQueries, 'standingOf' | 'isRevoked'>;
};

/** How long another process's logout or password change may go unseen. */
const TTL_MS = 5_000;
const KEPT = 10_000;

/**
 * `authenticate` answers who holds a token; throws 401 for one that is invalid, expired, logged out or of an older
 * password. `hear` keeps what it remembers true to the commits of this process.
 */
export function createAuthentication(deps: AuthenticateDeps): {
  authenticate: (bearer: string) => Promise<Caller>;
  hear: (committed: Committed) => void;
} {
  const memory = { monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT };
  const standings = remembered<Standing | null>(memory);
  const revocations = remembered<boolean>(memory);
  return {
    async authenticate(bearer) {
      const claims = deps.tokens.read(bearer, deps.now());
      if (claims === null) throw invalidToken();
      const [isRevoked, standing] = await Promise.all([
        revocations.get(claims.jti, deps.queries.isRevoked),
        standings.get(claims.sub, deps.queries.standingOf),
      ]);
      if (isRevoked || !standing?.is_active || standing.password_version !== claims.pwv) throw invalidToken();
      return {
        userId: claims.sub,
        role: standing.role,
        tokenId: claims.jti,
        tokenExpiresAt: claims.exp * 1000,
      };
    },
    hear(committed) {
      for (const { id } of rowsOf(committed, user)) standings.forget(id);
      for (const { id, hidden } of rowsOf(committed, revokedToken)) revocations.set(id, !hidden);
    },
  };
}

export function invalidToken(): AppError {
  return new AppError(401, 'Could not validate credentials', {
    code: 'INVALID_TOKEN',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}
