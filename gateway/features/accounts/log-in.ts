import type * as z from 'zod';
import { emailKeyOf, type loginInput } from '#contract/resources/users.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Issued, issueToken, type TokenDeps } from './issue-token.ts';
import type { AccountQueries, AttemptLimit, Passwords } from './ports.ts';

export type LogInDeps = TokenDeps &
  Pick<Kernel, 'log'> & {
    queries: Pick<AccountQueries, 'accountByEmail'>;
    passwords: Pick<Passwords, 'verify'>;
    /** Failures per email and source, existing or not: who guesses locks out nobody but himself. */
    loginFailures: AttemptLimit;
  };

const SHORT_S = 60 * 60;
const REMEMBERED_S = 43_200 * 60;

/**
 * Answers a token. An email that is unknown and a password that is wrong are told in the same words and the same
 * time: 401; after too many failures of this email from this source 429.
 */
export async function logIn(
  deps: LogInDeps,
  input: z.infer<typeof loginInput>,
  source: string,
): Promise<Issued> {
  const emailKey = emailKeyOf(input.email);
  const attempt = `${source} ${emailKey}`;
  // counted before the password is looked at, so that guesses at the same moment count too
  const waitMs = await deps.loginFailures.take(attempt);
  if (waitMs !== null) {
    deps.log.debug({ source }, 'too many failed logins for one account from one place');
    throw tooManyAttempts('Too many failed attempts to log in with this email', waitMs);
  }
  const found = await verified(deps, emailKey, input.password, source).catch(async (error: unknown) => {
    await deps.loginFailures.giveBack(attempt);
    throw error;
  });
  if (found === null) {
    throw new AppError(401, 'Incorrect email or password', {
      code: 'INCORRECT_CREDENTIALS',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  await deps.loginFailures.forget(attempt);
  return issueToken(deps, found, input.remember_me ? REMEMBERED_S : SHORT_S);
}

async function verified(deps: LogInDeps, emailKey: string, password: string, source: string) {
  const account = await deps.queries.accountByEmail(emailKey);
  const isRight = await deps.passwords.verify(account?.password_hash ?? null, password, source);
  return isRight && account?.is_active ? account : null;
}

export function tooManyAttempts(what: string, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(429, `${what}; try again in ${seconds} seconds`, {
    code: 'TOO_MANY_ATTEMPTS',
    headers: { 'Retry-After': String(seconds) },
  });
}
