import type * as z from 'zod';
import { called } from '#contract/commands.ts';
import { passwordReset } from '#contract/resources/local-tables.ts';
import {
  emailKeyOf,
  forgotPasswordAnswer,
  forgotPasswordInput,
  isStandInEmail,
  messageAnswer,
  NO_PASSWORD,
  resetPasswordInput,
  user,
} from '#contract/resources/users.ts';
import { purge, put, update } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type LetterKind, type LetterSeal, languageOf, letterChange, type Notify } from '#core/notifying.ts';
import { type Route, route } from '#core/route.ts';
import { requireUncommon } from '#core/uncommon-password.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '../attempts.ts';
import {
  elsewhereLetterOf,
  passwordChangedNews,
  passwordReplacedLetter,
  resetLetterOf,
} from './account-news.ts';
import { newPassword } from './change-account.ts';
import type { Account, AccountQueries, Passwords, ResetCodes, ResetQueries } from './ports.ts';
import { provedChange } from './verify-address.ts';

// Whoever forgot a password has no token: the address and then the code of the letter are all there is.
const open = { tag: 'Auth', access: { who: 'anyone' } } as const;

export function forgottenPasswordRoutes(deps: ForgottenPasswordDeps): Route[] {
  return [
    route({
      ...open,
      method: 'GET',
      path: '/auth/forgot-password',
      summary: 'How somebody who forgot a password gets a new one here',
      answers: { 200: { schema: forgotPasswordAnswer } },
      async handle() {
        const hosted_url = (await deps.hosted?.url()) ?? null;
        return { answer: { status: 200, body: { by_mail: deps.letterSeal !== null, hosted_url } } };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/auth/forgot-password',
      summary:
        'Have a code for a new password sent to this address; the answer is the same whether it has an account or not',
      body: forgotPasswordInput,
      answers: { 202: { schema: messageAnswer } },
      async handle({ body, source, language }) {
        const decided = await askForReset(deps, body.email, { source, language });
        const message = 'If there is an account with this address, a letter with a code is on its way';
        return { ...decided, answer: { status: 202, body: { message } } };
      },
    }),
    route({
      ...open,
      method: 'POST',
      path: '/auth/reset-password',
      summary: 'Choose a new password with the code of the letter; all sessions end, access tokens stay',
      body: resetPasswordInput,
      answers: { 200: { schema: messageAnswer } },
      async handle({ body, source }) {
        const decided = await resetPassword(deps, body, { source });
        const message = 'The password is set and all sessions have ended; you can log in now';
        return { ...decided, answer: { status: 200, body: { message } } };
      },
    }),
  ];
}

// Whoever forgot a password asks with nothing but an address, so nothing that is answered may depend on whether it has an
// account: each request does the same (it puts a letter in line) and says the same. Who gets a letter, and which, is
// looked up only when the letter is sent.

export type ForgottenPasswordDeps = Pick<
  Kernel,
  'now' | 'elapsedSince' | 'newId' | 'idOf' | 'commit' | 'log'
> & {
  queries: Pick<AccountQueries, 'accountByEmail' | 'accountById'> & ResetQueries;
  codes: ResetCodes;
  passwords: Pick<Passwords, 'hash'>;
  notify: Notify;
  /** null: this instance sends no mail. */
  letterSeal: Pick<LetterSeal, 'seal'> | null;
  /** Hosted: whoever answers the letter has its address. */
  provesAddresses: boolean;
  /** Where people open the console; null: nobody said, then a letter has a code and no link. */
  consoleUrl: string | null;
  /** A gateway's: whose account is the hosted instance's, and where that is; null: not paired. */
  hosted: { isOfHosted: (userId: string) => Promise<boolean>; url: () => Promise<string | null> } | null;
  /** Letters asked for per address, and per source: nobody's mailbox is filled from here. */
  askedFor: AttemptLimit;
  askedFrom: AttemptLimit;
  /** Codes that are none, per source. */
  wrongCodes: AttemptLimit;
  /** Failed logins per source and address: whoever proved to have the address begins anew. */
  loginFailures: Pick<AttemptLimit, 'forget'>;
};

const RESET_LASTS_MS = 30 * 60_000;
const CHANGED_TRIED_FOR_MS = 24 * 3_600_000;

/** What is said where no letter can be sent: the same to everybody. */
async function noMail({ hosted }: ForgottenPasswordDeps): Promise<AppError> {
  const url = (await hosted?.url()) ?? null;
  const elsewhere = url === null ? '' : `; an account of the cloud gets one at ${url}`;
  return conflict(
    `This instance sends no mail. Ask its administrator to set a new password: ${called('admin reset-password')}${elsewhere}`,
    'NO_MAIL',
  );
}

/**
 * Decides that a letter with a code goes to this address, if an account has it. Throws 409 where no mail is sent, 429 after
 * too many requests, for addresses with and without an account.
 */
async function askForReset(
  deps: ForgottenPasswordDeps,
  email: string,
  { source, language }: { source: string; language: string },
): Promise<Decision<void>> {
  if (deps.letterSeal === null) throw await noMail(deps);
  for (const [limit, key] of [
    [deps.askedFrom, source],
    [deps.askedFor, emailKeyOf(email)],
  ] as const) {
    const waitMs = await limit.take(key);
    if (waitMs !== null) throw tooManyAttempts('A new password was asked for too often', waitMs);
  }
  const at = isoOf(deps.now());
  const code = deps.codes.make();
  const letter = { id: deps.newId(), kind: 'PASSWORD_RESET', to: email, code, language, at } as const;
  return { answer: undefined, changes: [letterChange(deps.letterSeal, letter)] };
}

/** How the letter with the code is written: the code counts from then on, and none before it. */
export function resetLetters(deps: ForgottenPasswordDeps): LetterKind {
  return {
    triedForMs: RESET_LASTS_MS,
    async task(letter) {
      if (deps.elapsedSince(Date.parse(letter.created_at)) >= RESET_LASTS_MS) return null;
      return {
        async write({ to, code }, asked) {
          const emailKey = emailKeyOf(to);
          const account = isStandInEmail(emailKey) ? null : await deps.queries.accountByEmail(emailKey);
          if (account === null || !account.is_active) return null;
          const language = account.language === null ? asked : languageOf(account.language);
          if (deps.hosted !== null && (await deps.hosted.isOfHosted(account.id)))
            return elsewhereLetterOf(language, { to: account.email, url: await deps.hosted.url() });
          // adopted from a gateway: the first password is chosen with the code of the adoption
          if (account.password_hash === NO_PASSWORD) return null;
          const newest = await deps.queries.resetOf(account.id);
          if (newest !== null && newest.asked_at > letter.created_at) return null;
          const reset = {
            id: account.id,
            code_hash: deps.codes.hashOf(code),
            email_key: account.email_key,
            password_version: account.password_version,
            asked_at: letter.created_at,
          };
          await deps.commit({ changes: [put(passwordReset, reset)], actor: null });
          const shown = deps.codes.shown(code);
          const link = deps.consoleUrl === null ? null : linkOf(deps.consoleUrl, shown);
          return resetLetterOf(language, { to: account.email, code: shown, link });
        },
        onGivenUp: async () => [],
      };
    },
  };
}

/** The code stands behind the #: browsers send it to no server, and no log has it. */
const linkOf = (consoleUrl: string, code: string): string =>
  `${consoleUrl.replace(/\/+$/, '')}/nova-senha#${code}`;

/** How the letter that says that a password was changed is written. */
export const changedLetters: LetterKind = {
  triedForMs: CHANGED_TRIED_FOR_MS,
  task: async () => ({
    write: async ({ to }, language) => passwordReplacedLetter(language, { to }),
    onGivenUp: async () => [],
  }),
};

/**
 * Decides a new password for whoever has the code of the letter; all sessions end, access tokens stay. Throws 404 for a
 * code that is none (any more), 422 for a password that is guessed first, 429 after too many wrong codes.
 */
async function resetPassword(
  deps: ForgottenPasswordDeps,
  input: z.infer<typeof resetPasswordInput>,
  { source }: { source: string },
): Promise<Decision<Account>> {
  const waitMs = await deps.wrongCodes.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const account = await accountBehind(deps, input.token);
  await deps.wrongCodes.giveBack(source);
  const names = [account.name, ...(await deps.queries.farmNamesOf(account.id))];
  await requireUncommon(input.password, { email: account.email, names });
  const at = isoOf(deps.now());
  const set = { ...(await newPassword(deps, account, input.password, source)), updated_at: at };
  await deps.loginFailures.forget(`${source} ${account.email_key}`);
  const news = passwordChangedNews(account.id, set.password_version, 'letter');
  const told = await deps.notify({ userIds: [account.id] }, news);
  const letter =
    deps.letterSeal === null
      ? []
      : [
          letterChange(deps.letterSeal, {
            id: deps.newId(),
            kind: 'PASSWORD_CHANGED',
            to: account.email,
            code: '',
            language: languageOf(account.language),
            at,
          }),
        ];
  return {
    answer: { ...account, ...set },
    changes: [
      update(user, account, set),
      purge(passwordReset, account.id),
      ...(deps.provesAddresses ? [provedChange(deps, account, null)] : []),
      ...told,
      ...letter,
    ],
  };
}

async function accountBehind(deps: ForgottenPasswordDeps, typed: string): Promise<Account> {
  const code = deps.codes.normal(typed);
  const reset = code === null ? null : await deps.queries.resetByCode(deps.codes.hashOf(code));
  if (reset === null || deps.elapsedSince(Date.parse(reset.asked_at)) >= RESET_LASTS_MS) throw noSuchCode();
  const account = await deps.queries.accountById(reset.id);
  const isOpen =
    account?.is_active === true &&
    account.email_key === reset.email_key &&
    account.password_version === reset.password_version;
  if (!isOpen) throw noSuchCode();
  return account;
}

const noSuchCode = () =>
  new AppError(404, 'This code is not valid, or not any more; ask for a new one', {
    code: 'RESET_CODE_INVALID',
  });
