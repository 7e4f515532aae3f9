import { type AttemptLimit, tooManyAttempts } from './attempts.ts';
import { invalidField } from './errors.ts';

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
