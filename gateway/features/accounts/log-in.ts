import type * as z from 'zod';
import { emailKeyOf, type loginInput, user } from '#contract/resources/users.ts';
import { type AttemptLimit, tooManyAttempts } from '#core/attempts.ts';
import { type Change, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type Issued, issueToken, type TokenDeps } from './issue-token.ts';
import type { Account, AccountQueries, Passwords } from './ports.ts';

export type LogInDeps = TokenDeps &
  Pick<Kernel, 'log'> & {
    queries: Pick<AccountQueries, 'accountByEmail'>;
    passwords: Pick<Passwords, 'verify' | 'hash' | 'isOutdated'>;
    /** Failures per email and source, existing or not: who guesses locks out nobody but himself. */
    loginFailures: AttemptLimit;
  };

const SHORT_S = 60 * 60;
const REMEMBERED_S = 43_200 * 60;

/**
 * Decides a token, and a new hash of the password where the old one was made with less work. An email that is unknown
 * and a password that is wrong are told in the same words and the same time: 401; after too many failures of this email
 * from this source 429.
 */
export async function logIn(
  deps: LogInDeps,
  input: z.infer<typeof loginInput>,
  source: string,
): Promise<Decision<Issued>> {
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
  return {
    answer: issueToken(deps, found, input.remember_me ? REMEMBERED_S : SHORT_S),
    changes: await strengthened(deps, found, input.password, source),
  };
}

/** The row as it was read is named: a password that was changed at this moment stays changed. */
async function strengthened(
  deps: LogInDeps,
  account: Account,
  password: string,
  source: string,
): Promise<Change[]> {
  if (!deps.passwords.isOutdated(account.password_hash)) return [];
  try {
    return [update(user, account, { password_hash: await deps.passwords.hash(password, source) })];
  } catch (error) {
    // the line is full: the next login will do
    deps.log.debug({ err: error }, 'a password keeps its old hash for now');
    return [];
  }
}

async function verified(deps: LogInDeps, emailKey: string, password: string, source: string) {
  const account = await deps.queries.accountByEmail(emailKey);
  const isRight = await deps.passwords.verify(account?.password_hash ?? null, password, source);
  return isRight && account?.is_active ? account : null;
}
