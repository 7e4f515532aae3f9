import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import { addressProof } from '#contract/resources/local-tables.ts';
import {
  addressCodeInput,
  addressStateAnswer,
  messageAnswer,
  type UnverifiedAnswer,
  unverifiedAnswer,
} from '#contract/resources/users.ts';
import { audit } from '#core/audit.ts';
import { put } from '#core/changes.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type LetterKind, type LetterSeal, letterChange } from '#core/notifying.ts';
import { invalidToken, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, takeMessageFrom, tooManyAttempts } from '../attempts.ts';
import { addressLetterOf } from './account-news.ts';
import type { Account, AccountQueries, ProofQueries, ResetCodes } from './ports.ts';

// On a hosted instance anybody may register any address. It counts as somebody's (invitations come to it) only once a
// letter to it was answered, or, where no letters are sent, an administrator confirmed it. Another address is proved anew.

type VerifyAddressDeps = Pick<Kernel, 'now' | 'elapsedSince' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<AccountQueries, 'accountById'> & ProofQueries;
  codes: ResetCodes;
  /** null: this instance sends no mail. */
  letterSeal: Pick<LetterSeal, 'seal'> | null;
  /** Codes sent per account, and per address: nobody's mailbox is filled from here. */
  codesSent: AttemptLimit;
  /** Letters per network. */
  messagesFrom: Pick<AttemptLimit, 'take'>;
  /** Wrong codes per account. */
  wrongCodes: AttemptLimit;
};

const CODE_LASTS_MS = 24 * 3_600_000;

async function addressState(
  deps: Pick<VerifyAddressDeps, 'queries' | 'letterSeal'>,
  userId: string,
): Promise<{ email: string; is_verified: boolean; by_mail: boolean }> {
  const { email } = await accountOf(deps, userId);
  return { email, is_verified: await deps.queries.isProved(userId), by_mail: deps.letterSeal !== null };
}

/** Decides that a code goes to the address of the account; the newest one counts. Throws 409 where there is no need or no way. */
async function sendAddressCode(
  deps: VerifyAddressDeps,
  userId: string,
  { language, source }: { language: string; source: string },
): Promise<Decision<void>> {
  const account = await accountOf(deps, userId);
  if (await deps.queries.isProved(userId))
    throw conflict('This address is confirmed already', 'EMAIL_CONFIRMED');
  if (deps.letterSeal === null)
    throw conflict('This instance sends no mail; ask its administrator to confirm the address', 'NO_MAIL');
  for (const key of [userId, account.email_key]) {
    const waitMs = await deps.codesSent.take(key);
    if (waitMs !== null) throw tooManyAttempts('Too many codes were sent', waitMs);
  }
  await takeMessageFrom(deps, source);
  const at = isoOf(deps.now());
  const code = deps.codes.make();
  const proof = {
    id: userId,
    email_key: account.email_key,
    code_hash: deps.codes.hashOf(code),
    asked_at: at,
    verified_at: null,
    verified_by: null,
  };
  const letter = {
    id: deps.newId(),
    kind: 'ADDRESS_CODE',
    to: account.email,
    code: deps.codes.shown(code),
    language: account.language ?? language,
    at,
  } as const;
  return { answer: undefined, changes: [put(addressProof, proof), letterChange(deps.letterSeal, letter)] };
}

/** How the letter with the code is written. */
export const addressLetters: LetterKind = {
  triedForMs: CODE_LASTS_MS,
  task: async () => ({
    write: async (what, language) => addressLetterOf(language, what),
    onGivenUp: async () => [],
  }),
};

/** Decides that the address is the caller's, for the code of the letter. Throws 404 for a code that is none, 429 after ten. */
async function confirmAddress(
  deps: VerifyAddressDeps,
  userId: string,
  typed: string,
): Promise<Decision<void>> {
  const waitMs = await deps.wrongCodes.take(userId);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const account = await accountOf(deps, userId);
  const proof = await deps.queries.proofOf(userId);
  const code = deps.codes.normal(typed);
  const isRight =
    code !== null &&
    proof !== null &&
    proof.code_hash !== null &&
    proof.asked_at !== null &&
    proof.email_key === account.email_key &&
    deps.elapsedSince(Date.parse(proof.asked_at)) < CODE_LASTS_MS &&
    deps.codes.isOf(code, proof.code_hash);
  if (!isRight)
    throw new AppError(404, 'This code is not valid, or not any more; have a new one sent', {
      code: 'EMAIL_CODE_INVALID',
    });
  await deps.wrongCodes.giveBack(userId);
  return { answer: undefined, changes: [provedChange(deps, account, null)] };
}

/** Decides that an ADMIN, who knows the person, answers for the address. Throws 404 for an account that is not there. */
async function confirmForAnother(
  deps: VerifyAddressDeps,
  userId: string,
  adminId: string,
): Promise<Decision<UnverifiedAnswer>> {
  const account = await deps.queries.accountById(userId);
  if (account === null || !account.is_active) throw notFound('User');
  const { id, name, email, role, created_at } = account;
  const answer = { id, name, email, role, created_at };
  if (await deps.queries.isProved(userId)) return { answer };
  const entry = audit(deps, {
    farm_id: null,
    entity_type: 'SYSTEM',
    entity_id: userId,
    entity_name: 'account',
    action: 'email_confirmed',
    user_id: adminId,
  });
  return { answer, changes: [provedChange(deps, account, adminId), entry] };
}

/** The change that proves the present address of an account; `by` null: its letter was answered. */
export function provedChange(
  deps: Pick<Kernel, 'now'>,
  { id, email_key }: Pick<Account, 'id' | 'email_key'>,
  by: string | null,
) {
  const verified = { verified_at: isoOf(deps.now()), verified_by: by };
  return put(addressProof, { id, email_key, code_hash: null, asked_at: null, ...verified });
}

async function accountOf({ queries }: Pick<VerifyAddressDeps, 'queries'>, userId: string): Promise<Account> {
  const account = await queries.accountById(userId);
  if (account === null) throw invalidToken();
  return account;
}

// what opens an account is for people, not for programs
const own = { tag: 'Users', access: { who: 'account' }, token: 'never' } as const;
const admin = { tag: 'Users', access: { who: 'admin' }, token: 'never' } as const;

/** A hosted instance's: whose e-mail address is whose. */
export function addressRoutes(deps: VerifyAddressDeps): Route[] {
  return [
    route({
      ...own,
      method: 'GET',
      path: '/users/me/email',
      summary: 'Whether the address of the caller is confirmed, and how it can be',
      answers: { 200: { schema: addressStateAnswer } },
      async handle(request) {
        return { answer: { status: 200, body: await addressState(deps, signedIn(request).userId) } };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/users/me/email/code',
      summary: 'Have a code sent to the address of the caller; the newest one counts',
      answers: { 202: { schema: messageAnswer } },
      async handle(request) {
        const decided = await sendAddressCode(deps, signedIn(request).userId, request);
        return { ...decided, answer: { status: 202, body: { message: 'A code is on its way' } } };
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/users/me/email/confirm',
      summary: 'Confirm the address of the caller with the code of the letter',
      body: addressCodeInput,
      answers: { 200: { schema: messageAnswer } },
      async handle(request) {
        const decided = await confirmAddress(deps, signedIn(request).userId, request.body.code);
        return { ...decided, answer: { status: 200, body: { message: 'The address is confirmed' } } };
      },
    }),
    route({
      ...admin,
      method: 'GET',
      path: '/users/unverified',
      summary: 'Accounts whose e-mail address nobody confirmed yet, oldest first',
      query: pageQuery,
      answers: { 200: { schema: unverifiedAnswer, list: true } },
      async handle({ query: { skip, limit } }) {
        return { answer: { status: 200, rows: deps.queries.unverified({ skip, limit }) } };
      },
    }),
    route({
      ...admin,
      method: 'POST',
      path: '/users/{user_id}/confirm-email',
      summary: 'Confirm the e-mail address of an account, for a person one knows',
      params: z.object({ user_id: idInput }),
      answers: { 200: { schema: unverifiedAnswer } },
      async handle(request) {
        const decided = await confirmForAnother(deps, request.params.user_id, signedIn(request).userId);
        return { ...decided, answer: { status: 200, body: decided.answer } };
      },
    }),
  ];
}
