import { TOKEN_SCOPES } from '#contract/resources/access-tokens.ts';
import { revokedToken, secondFactor, sessionGeneration } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import type { UserRole } from '#contract/words.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { remembered } from '#core/newest-map.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Caller, Route } from '#core/route.ts';
import { setUpFirst } from '#core/token-scope.ts';
import { isOfLiveGeneration } from '../login-standing.ts';
import { LOGIN_LASTS_S } from './issue-token.ts';
import type { AccountQueries, Claims, Standing, Tokens } from './ports.ts';

export type AuthenticateDeps = Pick<Kernel, 'now' | 'elapsedSince'> & {
  monotonic: () => number;
  tokens: Pick<Tokens, 'read'>;
  queries: Pick<AccountQueries, 'standingOf' | 'isRevoked'>;
  /** Whose logins reach nothing before there is a second factor. */
  needsSecondFactor: (role: UserRole) => boolean;
};

/** Who holds the token of a login. `route`: what is asked for, where it may be open to who has to set up a second factor first. */
export type Authenticate = (bearer: string, route?: Pick<Route, 'isOpenToSetUp'>) => Promise<Caller>;

/**
 * Whether who signed in once may still do what needs no token of the login: the account and its password stand, and the
 * login was not ended. One that ran out by itself was not: a phone in a pocket renews nothing.
 */
export type StandsStill = (
  userId: string,
  login: { id: string; passwordVersion: number },
) => Promise<boolean>;

/** How long another process's logout or password change may go unseen. */
const TTL_MS = 5_000;
const KEPT = 10_000;

/**
 * `authenticate` answers who holds the token of a login; throws 401 for one that is invalid, expired, logged out or of
 * an older password, 403 for one of who has to set up a second factor first. `standingOf` is what decides of an account, as remembered. `hear` keeps what it remembers true to
 * the commits of this process.
 */
export function createAuthentication(deps: AuthenticateDeps): {
  authenticate: Authenticate;
  standingOf: (userId: string) => Promise<Standing | null>;
  standsStill: StandsStill;
  hear: RowListener;
} {
  const memory = { monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT };
  const standings = remembered<Standing | null>(memory);
  const revocations = remembered<boolean>(memory);
  const standingOf = (userId: string) => standings.get(userId, deps.queries.standingOf);
  const freshStanding = (userId: string) => {
    standings.forget(userId);
    return standingOf(userId);
  };
  const lacksFactor = (now: Standing) => deps.needsSecondFactor(now.role) && !now.has_second_factor;
  return {
    standingOf,
    async standsStill(userId, { id, passwordVersion }) {
      // asked seldom, and by what must not outlive its person: never as remembered
      const [standing, isEnded] = await Promise.all([
        deps.queries.standingOf(userId),
        deps.queries.isRevoked(id),
      ]);
      if (standing === null || isEnded || lacksFactor(standing)) return false;
      return standing.is_active && standing.password_version === passwordVersion;
    },
    async authenticate(bearer, route) {
      const claims = deps.tokens.read(bearer, deps.elapsedSince);
      if (claims === null) throw invalidToken();
      const [isRevoked, isLoggedOut, known] = await Promise.all([
        revocations.get(claims.jti, deps.queries.isRevoked),
        revocations.get(claims.sid, deps.queries.isRevoked),
        standingOf(claims.sub),
      ]);
      // who was switched on again, given a new password or kept alone elsewhere a moment ago is not told that the token is none
      const standing = isGood(known, claims) ? known : await freshStanding(claims.sub);
      if (isRevoked || isLoggedOut || !isGood(standing, claims)) throw invalidToken();
      if (route?.isOpenToSetUp !== true && lacksFactor(standing)) {
        // one that was set up in another process a moment ago counts
        const fresh = await freshStanding(claims.sub);
        if (fresh === null || lacksFactor(fresh)) throw setUpFirst();
      }
      return {
        userId: claims.sub,
        role: standing.role,
        tokenId: claims.jti,
        login: loginOf(deps, claims),
        tokenExpiresAt: deps.now() + (claims.exp - claims.iat) * 1000 - deps.elapsedSince(claims.iat * 1000),
        scopes: claims.spared ? TOKEN_SCOPES : null,
      };
    },
    hear: onTables([user, sessionGeneration, revokedToken, secondFactor], (committed) => {
      for (const { id } of rowsOf(committed, secondFactor)) standings.forget(id);
      for (const { id } of rowsOf(committed, user)) standings.forget(id);
      for (const { id } of rowsOf(committed, sessionGeneration)) standings.forget(id);
      for (const { id, hidden } of rowsOf(committed, revokedToken)) revocations.set(id, !hidden);
    }),
  };
}

function loginOf(
  deps: Pick<Kernel, 'now' | 'elapsedSince'>,
  { sid, auth_time, iat, exp, gen, pwv }: Claims,
): NonNullable<Caller['login']> {
  const now = deps.now();
  const ageMs = deps.elapsedSince(auth_time * 1000);
  // each renewal lives as long as the token before it
  const tokensEndAt = now + (exp - iat) * 1000;
  return {
    id: sid,
    generation: gen,
    passwordVersion: pwv,
    ageMs,
    endsAt: now + LOGIN_LASTS_S * 1000 - ageMs,
    tokensEndAt,
  };
}

function isGood(
  standing: Standing | null,
  { sid, gen, pwv }: Pick<Claims, 'sid' | 'gen' | 'pwv'>,
): standing is Standing {
  if (standing === null || !standing.is_active || standing.password_version !== pwv) return false;
  return isOfLiveGeneration({ id: sid, generation: gen }, standing);
}
