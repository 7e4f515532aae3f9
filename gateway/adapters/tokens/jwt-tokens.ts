import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { USER_ROLES } from '#contract/words.ts';
import type { Claims, Tokens } from '#features/accounts/ports.ts';

/** Longer than any token of ours: what is longer need not be hashed to be refused. */
const MAX_LENGTH = 2_000;

/** JSON web tokens, HS256; any other algorithm is refused. */
export function jwtTokens(secret: string): Tokens {
  const key = createSecretKey(secret, 'utf8');
  return {
    sign: (claims) => jwt.sign(claims, key, { algorithm: 'HS256' }),
    read(token, nowMs) {
      if (token.length > MAX_LENGTH) return null;
      try {
        return claimsOf(
          jwt.verify(token, key, { algorithms: ['HS256'], clockTimestamp: Math.floor(nowMs / 1000) }),
        );
      } catch {
        // the library throws for whatever is wrong with a token; the caller is told one thing only
        return null;
      }
    },
  };
}

function claimsOf(payload: string | jwt.JwtPayload): Claims | null {
  if (typeof payload === 'string') return null;
  const { sub, jti, iat, exp } = payload;
  const role = USER_ROLES.find((word) => word === payload['role']);
  const pwv: unknown = payload['pwv'];
  if (sub === undefined || jti === undefined || iat === undefined || exp === undefined) return null;
  if (role === undefined || typeof pwv !== 'number') return null;
  return { sub, jti, iat, exp, role, pwv };
}
