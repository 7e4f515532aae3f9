import { createSecretKey, hash, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { USER_ROLES } from '#contract/words.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Claims, Tokens } from '#features/people/accounts/ports.ts';

/** Longer than any token of ours: what is longer need not be hashed to be refused. */
const MAX_LENGTH = 2_000;

/** Tokens in use at one time; one that falls out is verified once more. */
const MOST_KEPT = 2_000;

/** JSON web tokens, HS256; any other algorithm is refused. */
export function jwtTokens(secret: string): Tokens {
  const key = createSecretKey(secret, 'utf8');
  // What a good signature says stays true. Whether the token still counts (its end, a sign-out, a new password) is asked each time.
  const signed = new NewestMap<string, Claims>(MOST_KEPT);
  function verified(token: string): Claims | null {
    // no token stands in memory
    const digest = hash('sha256', token, 'base64');
    const known = signed.get(digest);
    if (known !== undefined) return known;
    const claims = verify(token, key);
    if (claims !== null) signed.set(digest, claims);
    return claims;
  }
  return {
    sign: (claims) => jwt.sign(claims, key, { algorithm: 'HS256' }),
    read(token, ageMs) {
      if (token.length > MAX_LENGTH) return null;
      const claims = verified(token);
      // its end is judged by its age, not by a clock that may have been set since
      if (claims === null || ageMs(claims.iat * 1000) >= (claims.exp - claims.iat) * 1000) return null;
      return claims;
    },
  };
}

function verify(token: string, key: KeyObject): Claims | null {
  try {
    return claimsOf(jwt.verify(token, key, { algorithms: ['HS256'], ignoreExpiration: true }));
  } catch {
    // the library throws for whatever is wrong with a token; the caller is told one thing only
    return null;
  }
}

function claimsOf(payload: string | jwt.JwtPayload): Claims | null {
  if (typeof payload === 'string') return null;
  const { sub, jti, iat, exp } = payload;
  const role = USER_ROLES.find((word) => word === payload['role']);
  const pwv: unknown = payload['pwv'];
  if (sub === undefined || jti === undefined || iat === undefined || exp === undefined) return null;
  if (role === undefined || typeof pwv !== 'number') return null;
  // tokens of before these had names are logins of their own
  const sid: unknown = payload['sid'] ?? jti;
  const auth_time: unknown = payload['auth_time'] ?? iat;
  const gen: unknown = payload['gen'] ?? 0;
  if (typeof sid !== 'string' || typeof auth_time !== 'number' || typeof gen !== 'number') return null;
  const spared = payload['spared'] === true ? { spared: true as const } : {};
  return { sub, jti, sid, auth_time, iat, exp, role, pwv, gen, ...spared };
}
