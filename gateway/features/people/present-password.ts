import { AppError, invalidField } from '#core/errors.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Caller } from '#core/route.ts';
import { type AttemptLimit, tooManyAttempts } from './attempts.ts';

export type PresentPasswordDeps = {
  verifyPassword: (hash: string, password: string, source: string) => Promise<boolean>;
  /** Wrong passwords per account, wherever they are said: whoever holds a login for a moment must not try them out. */
  passwordTries: AttemptLimit;
};

export type AskAgainDeps = PresentPasswordDeps & {
  accountById: (id: string) => Promise<{ id: string; password_hash: string } | null>;
};

/** Throws 422 at `field` for a password that is not the present one, 429 after too many wrong ones. */
export async function requirePresentPassword(
  { verifyPassword, passwordTries }: PresentPasswordDeps,
  account: { id: string; password_hash: string },
  said: { field: string; password: string; source: string },
): Promise<void> {
  // counted before the password is looked at, so that guesses at the same moment count too
  const waitMs = await passwordTries.take(account.id);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong passwords', waitMs);
  const isRight = await verifyPassword(account.password_hash, said.password, said.source).catch(
    async (error: unknown) => {
      await passwordTries.giveBack(account.id);
      throw error;
    },
  );
  if (!isRight) throw invalidField(422, said.field, 'is not the present password', 'WRONG_PASSWORD');
  await passwordTries.forget(account.id);
}

const RECENT_MS = 10 * 60_000;

/** Throws 403 unless the password was said a moment ago: a phone left lying must not be enough to do `what`. */
export function requireRecentLogin(login: Caller['login'], what: string): void {
  if (login !== undefined && login.ageMs <= RECENT_MS) return;
  throw new AppError(403, `Say your present password (current_password), or log in again, to ${what}`, {
    code: 'RECENT_LOGIN_REQUIRED',
  });
}

/** Throws unless the caller has said the password a moment ago, or says it now; answers the account. */
export async function requireAgain<Account extends { id: string; password_hash: string }>(
  deps: PresentPasswordDeps & { accountById: (id: string) => Promise<Account | null> },
  { userId, login }: Pick<Caller, 'userId' | 'login'>,
  said: { password: string | undefined; source: string },
  what: string,
): Promise<Account> {
  const { password, source } = said;
  if (password === undefined) requireRecentLogin(login, what);
  const account = await deps.accountById(userId);
  if (account === null) throw invalidToken();
  if (password !== undefined)
    await requirePresentPassword(deps, account, { field: 'current_password', password, source });
  return account;
}
