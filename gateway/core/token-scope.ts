import { TOKEN_SCOPES, type TokenScope } from '#contract/resources/access-tokens.ts';
import { AppError } from './errors.ts';
import type { Caller, Route } from './route.ts';

type ScopedRoute = Pick<Route, 'method' | 'access' | 'token' | 'isOpenWithoutSecondFactor'>;

/**
 * The scope an access token needs for a route; null: only a person who logged in may do this. A route that changes
 * something of an account and says nothing itself is closed to tokens, so that a new one is closed until it is thought of.
 */
export function scopeFor({ method, access, token }: ScopedRoute): TokenScope | null {
  if (token !== undefined) return token === 'never' ? null : token;
  const isSafe = method === 'GET';
  switch (access.who) {
    case 'anyone':
    case 'admin':
      return null;
    case 'account':
    case 'box':
      return isSafe ? 'read' : null;
    case 'device':
      return isSafe ? 'read' : 'control';
    case 'farm':
      // members, invitations, billing, the end of a farm
      if (access.right === 'own') return null;
      if (isSafe) return 'read';
      return access.right === 'operate' || access.right === 'attend' ? 'control' : 'record';
  }
}

/** 403 when the caller came with an access token, or a login without its second factor, that does not reach this route. */
export function requireScope(caller: Pick<Caller, 'scopes' | 'login'>, route: ScopedRoute): void {
  if (caller.scopes === null) return;
  const needed = scopeFor(route);
  if (needed === null && caller.login !== undefined) {
    if (route.isOpenWithoutSecondFactor) return;
    throw new AppError(
      403,
      'You signed in without your second factor, which is enough to run the farm, not for this; sign in again with a recovery code, or when the clock is right',
      { code: 'SECOND_FACTOR_REQUIRED' },
    );
  }
  if (needed === null) {
    throw new AppError(403, 'An access token cannot do this; log in with your password', {
      code: 'LOGIN_REQUIRED',
    });
  }
  if (!caller.scopes.includes(needed)) throw scopeMissing(needed);
}

/** 403 for a login that reaches nothing until its person has a second factor, which this instance asks of the role. */
export const setUpFirst = (): AppError =>
  new AppError(
    403,
    'This instance asks people with your role for a second factor: set one up first, an app (POST /auth/second-factor) or a passkey (POST /auth/passkeys/begin)',
    { code: 'SECOND_FACTOR_SET_UP' },
  );

/** For what is not in the route table. */
export function requireReadScope(caller: Caller): Caller {
  if (caller.scopes !== null && !caller.scopes.includes('read')) throw scopeMissing('read');
  return caller;
}

function scopeMissing(needed: TokenScope): AppError {
  return new AppError(
    403,
    `This access token lacks the scope ${needed}; make one that has it (scopes: ${TOKEN_SCOPES.join(', ')})`,
    { code: 'SCOPE_MISSING' },
  );
}
