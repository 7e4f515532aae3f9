import type { Kernel } from '#core/kernel.ts';
import type { Account, Claims, Tokens } from './ports.ts';

export type TokenDeps = Pick<Kernel, 'now' | 'newId'> & { tokens: Tokens };
export type Issued = { access_token: string; token_type: 'bearer'; expires_in: number };

/** A login ends after a year, however often it is renewed: a screen on the wall is signed in to once a year. */
export const LOGIN_LASTS_S = 365 * 86_400;

/** What every token of a login carries of it. */
export type Login = Pick<Claims, 'sid' | 'auth_time' | 'gen' | 'spared'>;

/** @param isSpared it was let in without the second factor */
export function newLogin(deps: Pick<Kernel, 'now' | 'newId'>, gen: number, isSpared: boolean): Login {
  const auth_time = Math.floor(deps.now() / 1000);
  return { sid: deps.newId(), auth_time, gen, ...(isSpared ? { spared: true } : {}) };
}

/** A token of an account as it stands now, for the login that it belongs to. */
export function issueToken(
  deps: TokenDeps,
  account: Pick<Account, 'id' | 'role' | 'password_version'>,
  lifetimeS: number,
  { sid, auth_time, gen, spared }: Login,
): Issued {
  const iat = Math.floor(deps.now() / 1000);
  const token = deps.tokens.sign({
    sub: account.id,
    jti: deps.newId(),
    sid,
    auth_time,
    gen,
    iat,
    exp: iat + lifetimeS,
    role: account.role,
    pwv: account.password_version,
    ...(spared ? { spared: true } : {}),
  });
  return { access_token: token, token_type: 'bearer', expires_in: lifetimeS };
}
