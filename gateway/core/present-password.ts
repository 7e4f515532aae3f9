import { type AttemptLimit, tooManyAttempts } from './attempts.ts';
import { AppError, invalidField } from './errors.ts';
import type { Caller } from './route.ts';

export type PresentPasswordDeps = {
  verifyPassword: (hash: string, password: string, source: string) => Promise<boolean>;
  /** Wrong passwords per account, wherever they are said: whoever holds a login for a moment must not try them out. */
  passwordTries: AttemptLimit;
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
