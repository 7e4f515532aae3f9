import type { Kernel } from '#core/kernel.ts';
import type { Account, Claims, Tokens } from './ports.ts';

export type TokenDeps = Pick<Kernel, 'now' | 'newId'> & { tokens: Tokens };
export type Issued = { access_token: string; token_type: 'bearer'; expires_in: number };

/** A login ends after a year, however often it is renewed: a screen on the wall is signed in to once a year. */
export const LOGIN_LASTS_S = 365 * 86_400;

/** A token of an account as it stands now; `of`: the login that it goes on with, absent: a new one. */
export function issueToken(
  deps: TokenDeps,
  account: Pick<Account, 'id' | 'role' | 'password_version'>,
  lifetimeS: number,
  of?: Partial<Pick<Claims, 'sid' | 'auth_time' | 'spared'>>,
): Issued {
  const iat = Math.floor(deps.now() / 1000);
  const jti = deps.newId();
  const token = deps.tokens.sign({
    sub: account.id,
    jti,
    sid: of?.sid ?? jti,
    auth_time: of?.auth_time ?? iat,
    iat,
    exp: iat + lifetimeS,
    role: account.role,
    pwv: account.password_version,
    ...(of?.spared ? { spared: true } : {}),
  });
  return { access_token: token, token_type: 'bearer', expires_in: lifetimeS };
}
