import type { Kernel } from '#core/kernel.ts';
import type { Account, Tokens } from './ports.ts';

export type TokenDeps = Pick<Kernel, 'now' | 'newId'> & { tokens: Tokens };
export type Issued = { access_token: string; token_type: 'bearer'; expires_in: number };

/** A token of an account as it stands now. */
export function issueToken(
  deps: TokenDeps,
  account: Pick<Account, 'id' | 'role' | 'password_version'>,
  lifetimeS: number,
): Issued {
  const iat = Math.floor(deps.now() / 1000);
  const token = deps.tokens.sign({
    sub: account.id,
    jti: deps.newId(),
    iat,
    exp: iat + lifetimeS,
    role: account.role,
    pwv: account.password_version,
  });
  return { access_token: token, token_type: 'bearer', expires_in: lifetimeS };
}
