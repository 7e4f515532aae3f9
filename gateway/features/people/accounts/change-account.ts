import type * as z from 'zod';
import { emailKeyOf, isStandInEmail, user, type userUpdate } from '#contract/resources/users.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type LetterKind, type LetterSeal, languageOf, letterChange, type Notify } from '#core/notifying.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { AttemptLimit } from '../attempts.ts';
import { type PresentPasswordDeps, requirePresentPassword, requireRecentLogin } from '../present-password.ts';
import { addressLeftLetter, emailChangedNews, passwordChangedNews } from './account-news.ts';
import type { Account, AccountQueries, Passwords } from './ports.ts';
import { emailTaken } from './register.ts';

export type ChangeAccountDeps = Pick<Kernel, 'now' | 'newId' | 'log'> &
  Pick<PresentPasswordDeps, 'passwordTries'> & {
    queries: Pick<AccountQueries, 'accountByEmail'>;
    passwords: Passwords;
    notify: Notify;
    /** Letters to addresses that were changed, per account. */
    letters: AttemptLimit;
    /** null: this instance sends no mail. */
    letterSeal: Pick<LetterSeal, 'seal'> | null;
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
  if (input.current_password === undefined && opensTheAccount(current, input))
    requireRecentLogin(login, 'change e-mail, phone or password');
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
    changes: [update(user, current, stamped), ...(await noticesOf(deps, current, stamped))],
  };
}

/** What the person is told, also where the change was somebody else's: in the list, and at the address until now. */
async function noticesOf(
  deps: ChangeAccountDeps,
  current: Account,
  set: Partial<Account> & { updated_at: string },
): Promise<Change[]> {
  const to = { userIds: [current.id] };
  const isMoved = set.email_key !== undefined && set.email_key !== current.email_key;
  return [
    ...(set.password_version === undefined
      ? []
      : await deps.notify(to, passwordChangedNews(current.id, set.password_version, 'person'))),
    ...(isMoved ? await deps.notify(to, emailChangedNews(current.id, set.email ?? '', set.updated_at)) : []),
    ...(isMoved ? await letterTo(deps, current, set) : []),
  ];
}

/** To the address that the account had; in the commit of the change, so that a kill between the two loses none. */
async function letterTo(
  deps: ChangeAccountDeps,
  { id, email, language }: Account,
  set: { language?: string | null; updated_at: string },
): Promise<Change[]> {
  if (deps.letterSeal === null || isStandInEmail(emailKeyOf(email))) return [];
  // nobody's account is a mail cannon
  if ((await deps.letters.take(id)) !== null) {
    deps.log.warn({ userId: id }, 'no letter to the address until now: too many were changed today');
    return [];
  }
  const words = languageOf(set.language ?? language);
  const letter = { id: deps.newId(), kind: 'EMAIL_CHANGED', to: email, code: '', language: words } as const;
  return [letterChange(deps.letterSeal, { ...letter, at: set.updated_at })];
}

/** How that letter is written. Of one that is given up nobody hears: the notification is there. */
export const addressLeftLetters: LetterKind = {
  triedForMs: 24 * 3_600_000,
  task: async ({ created_at }) => ({
    write: async ({ to }, language) => addressLeftLetter(language, to, created_at),
    onGivenUp: async () => [],
  }),
};

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
