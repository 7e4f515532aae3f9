import type * as z from 'zod';
import { emailKeyOf, isStandInEmail, user, type userUpdate } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type PresentPasswordDeps, requirePresentPassword } from '#core/present-password.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { emailTaken } from './create-user.ts';
import type { Account, AccountQueries, Passwords } from './ports.ts';

export type ChangeAccountDeps = Pick<Kernel, 'now'> &
  Pick<PresentPasswordDeps, 'passwordTries'> & {
    queries: Pick<AccountQueries, 'accountByEmail'>;
    passwords: Passwords;
  };

/**
 * Decides new values of an account; fields left out stay, an empty body changes nothing. A new password makes every
 * older token worthless. E-mail, phone and password change with the present one, or within ten minutes of a
 * login: 403 else. Throws 400 when the email is another's, 422 when a given `current_password` is wrong, 429 after too
 * many of those.
 */
export async function changeAccount(
  deps: ChangeAccountDeps,
  current: Account,
  input: z.infer<typeof userUpdate>,
  { source, login }: { source: string; login: Caller['login'] },
): Promise<Decision<Account>> {
  if (input.current_password === undefined && opensTheAccount(current, input)) requireRecent(login);
  if (input.current_password !== undefined) {
    const { passwords, passwordTries } = deps;
    await requirePresentPassword({ verifyPassword: passwords.verify, passwordTries }, current, {
      field: 'current_password',
      password: input.current_password,
      source,
    });
  }
  const set: Partial<Account> = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.phone_number === undefined ? {} : { phone_number: input.phone_number }),
    ...(input.language === undefined ? {} : { language: input.language }),
    ...(input.email === undefined ? {} : await newEmail(deps, current, input.email)),
    ...(input.password === undefined ? {} : await newPassword(deps, current, input.password, source)),
  };
  if (Object.keys(set).length === 0) return { answer: current };
  const stamped = { ...set, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [update(user, current, stamped)],
  };
}

/** What a forgotten password could be asked for with, or is one: a phone left lying must not be enough to change it. */
function opensTheAccount(
  current: Account,
  { email, phone_number, password }: z.infer<typeof userUpdate>,
): boolean {
  return (
    password !== undefined ||
    (email !== undefined && emailKeyOf(email) !== current.email_key) ||
    (phone_number !== undefined && phone_number !== current.phone_number)
  );
}

const RECENT_MS = 10 * 60_000;

function requireRecent(login: Caller['login']): void {
  if (login !== undefined && login.ageMs <= RECENT_MS) return;
  throw new AppError(
    403,
    'Say your present password (current_password), or log in again, to change e-mail, phone or password',
    { code: 'RECENT_LOGIN_REQUIRED' },
  );
}

/** The fields of a new password: the version denies all tokens of the one before. */
export async function newPassword(
  deps: { passwords: Pick<Passwords, 'hash'> },
  current: Pick<Account, 'password_version'>,
  password: string,
  source: string,
): Promise<Pick<Account, 'password_hash' | 'password_version'>> {
  return {
    password_hash: await deps.passwords.hash(password, source),
    password_version: current.password_version + 1,
  };
}

async function newEmail(deps: ChangeAccountDeps, current: Account, email: string) {
  const emailKey = emailKeyOf(email);
  const known = await deps.queries.accountByEmail(emailKey);
  if (isStandInEmail(emailKey) || (known !== null && known.id !== current.id)) throw emailTaken();
  return { email, email_key: emailKey };
}
