import * as z from 'zod';
import type {
  adoptedAnswer,
  adoptInput,
  firstPasswordInput,
  LocalUserAnswer,
} from '#contract/resources/gateways.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { localUser } from '#contract/resources/sync-tables.ts';
import { emailKeyOf, NO_PASSWORD, user } from '#contract/resources/users.ts';
import type { signInAnswer, signInRequest } from '#contract/sync/wire.ts';
import { type Change, purge, put, update } from '#core/changes.ts';
import { AppError, conflict, notFound, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { languageOf } from '#core/notifying.ts';
import type { Caller } from '#core/route.ts';
import { requireUncommon } from '#core/uncommon-password.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '#features/people/attempts.ts';
import type { ProveSecondFactor } from '#features/people/second-factor.ts';
import type { Account, PairingQueries } from './ports.ts';

// Accounts that were made on a gateway stay there: here a stand-in keeps their records whole, with which nobody can log
// in. Only the owner of the gateway makes one of them an account here, never the equality of two addresses: who gives
// an account on the farm somebody else's address must not get into that person's account.

export type AdoptDeps = Pick<Kernel, 'now' | 'guard' | 'newId' | 'log'> & {
  queries: Pick<
    PairingQueries,
    'localUsers' | 'localUser' | 'accountByEmail' | 'takenEmails' | 'person' | 'instanceValue'
  >;
  codes: { make: () => string; shown: (code: string) => string; normal: (typed: string) => string | null };
  codeHash: (code: string, source: string) => Promise<string>;
  hashPassword: (password: string, source: string) => Promise<string>;
  /** Rows that every new account begins with, as far as it lacks them. */
  firstRows: (userId: string) => Promise<Change[]>;
  /** null: this instance sends no mail. */
  sendLetter:
    | ((letter: {
        id: string;
        to: string;
        subject: string;
        text: string;
      }) => Promise<{ is: 'sent' } | { is: string; why: string }>)
    | null;
  /** Names of farms that the person owns or works on. */
  farmNamesOf: (userId: string) => Promise<string[]>;
  /** Wrong codes per source. */
  wrongPasswordCodes: AttemptLimit;
};

/** More often nobody changed a password on a farm. */
const FAR_ABOVE = 1_000_000;
const CODE_LIFE_MS = 7 * 24 * 3600 * 1000;

const waitingCode = z.object({ user_id: z.string(), version: z.int(), expires_at: z.string() });
const idOfCode = (hash: string) => `first_password:${hash}`;

export async function localUserAnswers(
  deps: Pick<AdoptDeps, 'queries'>,
  ownerId: string,
): Promise<LocalUserAnswer[]> {
  const rows = await deps.queries.localUsers(ownerId);
  const takenKeys = await deps.queries.takenEmails(rows.map(({ email }) => emailKeyOf(email)));
  return rows.map(({ id, name, email, state, seen_at }) => ({
    id,
    name,
    email,
    state,
    email_taken: state === 'local' && takenKeys.has(emailKeyOf(email)),
    seen_at,
  }));
}

/**
 * Decides that a person of a gateway gets an account here. The password stays what nobody knows until the person
 * chooses one with the code: the gateway's verifier is never taken, for whoever holds the gateway could have made it.
 * Asked again before that, it gives another code. Throws 404 for who is not on a gateway of the caller, 400 when the
 * address has an account here, 409 for one that has chosen a password already.
 */
export async function adoptLocalUser(
  deps: AdoptDeps,
  { caller, source }: { caller: Caller; source: string },
  { id, role }: { id: string } & z.infer<typeof adoptInput>,
): Promise<Decision<z.infer<typeof adoptedAnswer>>> {
  const guard = await deps.guard('account', id);
  const found = await deps.queries.localUser(id);
  const standIn = await deps.queries.person(id);
  if (found === null || standIn === null || found.ownerId !== caller.userId) throw notFound('Local user');
  if (found.row.state === 'adopted' && standIn.password_hash !== NO_PASSWORD)
    throw conflict('This person has an account here already', 'ALREADY_ADOPTED');
  const { email } = found.row;
  const changes =
    found.row.state === 'adopted' ? [] : await becomeAccount(deps, { ...found.row, role }, standIn);
  const { told, change } = await firstPasswordCode(deps, { ...standIn, email }, source);
  return { answer: { id, email, ...told }, changes: [...changes, change], guards: [guard] };
}

/** With it the person chooses a password, as long as the account has none; it is shown this once, and mailed. */
export async function firstPasswordCode(
  deps: Pick<AdoptDeps, 'now' | 'codes' | 'codeHash' | 'sendLetter' | 'newId' | 'log'>,
  account: Pick<Account, 'id' | 'email' | 'language' | 'password_version'>,
  source: string,
): Promise<{ told: { code: string; expires_at: string; emailed: boolean }; change: Change }> {
  const made = deps.codes.make();
  const expires_at = isoOf(deps.now() + CODE_LIFE_MS);
  const value = { user_id: account.id, version: account.password_version, expires_at };
  const hash = await deps.codeHash(made, source);
  const code = deps.codes.shown(made);
  const emailed = await mailed(deps, { email: account.email, code, language: account.language });
  return {
    told: { code, expires_at, emailed },
    change: put(instanceValue, { id: idOfCode(hash), value: JSON.stringify(value) }),
  };
}

async function becomeAccount(
  deps: AdoptDeps,
  person: { id: string; email: string; role: Account['role'] },
  standIn: Account,
): Promise<Change[]> {
  return [
    ...(await openedAccount(deps, person, standIn)),
    update(localUser, person.id, { state: 'adopted' }),
  ];
}

/** The stand-in becomes the account of that address. Throws 400 when another account here has it. */
export async function openedAccount(
  deps: Pick<AdoptDeps, 'now' | 'firstRows'> & { queries: Pick<PairingQueries, 'accountByEmail'> },
  { id, email, role }: { id: string; email: string; role: Account['role'] },
  standIn: Account,
): Promise<Change[]> {
  const emailKey = emailKeyOf(email);
  if ((await deps.queries.accountByEmail(emailKey)) !== null)
    throw taken('email', `${email} has an account here already; invite that account to the farm instead`);
  const at = isoOf(deps.now());
  const set = { email, email_key: emailKey, role, is_active: true, updated_at: at };
  return [update(user, standIn, set), ...(await deps.firstRows(id))];
}

/** The letter leaves before the commit; a code of a commit that failed opens nothing. */
async function mailed(
  deps: Pick<AdoptDeps, 'sendLetter' | 'newId' | 'log'>,
  { email, code, language }: { email: string; code: string; language: string | null },
): Promise<boolean> {
  if (deps.sendLetter === null) return false;
  const letter = {
    'pt-BR': {
      to: email,
      subject: 'Sua conta está pronta',
      text: `Sua conta da fazenda agora também vale aqui.\n\nSeu código: ${code}\n\nEscolha uma senha com ele em sete dias. Se você não sabe do que se trata, não faça nada.\n`,
    },
    en: {
      to: email,
      subject: 'Your account is ready',
      text: `Your account of the farm now opens here, too.\n\nYour code: ${code}\n\nChoose a password with it within seven days. If you do not know of this, do nothing.\n`,
    },
    es: {
      to: email,
      subject: 'Su cuenta está lista',
      text: `Su cuenta de la camaronera ahora también vale aquí.\n\nSu código: ${code}\n\nElija con él una contraseña en siete días. Si usted no sabe de qué se trata, no haga nada.\n`,
    },
  }[languageOf(language)];
  const outcome = await deps.sendLetter({ id: deps.newId(), ...letter });
  if ('why' in outcome)
    deps.log.warn({ why: outcome.why }, 'the code of an adopted account was not mailed; its owner has it');
  return outcome.is === 'sent';
}

/**
 * Decides the first password of an adopted account. Throws 404 for a code that is none (any more),
 * 422 for a password that is guessed first, 429 after ten.
 */
export async function setFirstPassword(
  deps: AdoptDeps,
  input: z.infer<typeof firstPasswordInput>,
  source: string,
): Promise<Decision<void>> {
  const waitMs = await deps.wrongPasswordCodes.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const code = deps.codes.normal(input.code);
  const id = code === null ? null : idOfCode(await deps.codeHash(code, source));
  const text = id === null ? null : await deps.queries.instanceValue(id);
  if (id === null || text === null) throw notFound('Code');
  await deps.wrongPasswordCodes.giveBack(source);
  const { user_id: userId, version, expires_at: expiresAt } = waitingCode.parse(JSON.parse(text));
  const account = await deps.queries.person(userId);
  const isOpen = account?.password_version === version && account.password_hash === NO_PASSWORD;
  if (account === null || !isOpen || deps.now() >= Date.parse(expiresAt)) throw notFound('Code');
  const names = [account.name, ...(await deps.farmNamesOf(userId))];
  await requireUncommon(input.password, { email: account.email, names });
  const set = {
    password_hash: await deps.hashPassword(input.password, source),
    // above any that the gateway gave: no older token of the farm comes back to life
    password_version: version + FAR_ABOVE,
    updated_at: isoOf(deps.now()),
  };
  return { answer: undefined, changes: [update(user, account, set), purge(instanceValue, id)] };
}

type SignInAtBoxDeps = {
  queries: Pick<PairingQueries, 'accountByEmail' | 'isOnStream' | 'openLost'>;
  verifyPassword: (hash: string | null, password: string, source: string) => Promise<boolean>;
  /** Per gateway and address: a stolen box guesses no faster than anybody else. */
  wrongSignIns: AttemptLimit;
  proveSecondFactor: ProveSecondFactor;
};

/**
 * Says whether that is the password of somebody of the gateway's farms. Nobody else is known to it, and no ADMIN: their
 * accounts open nothing at a farm. A second factor that the person has here is asked for here, unless the gateway asks for
 * its own: a password alone would open at a box what it does not open here. Throws 401 in one time and in the same words,
 * 429 after ten wrong ones.
 */
export async function signInAtBox(
  { queries, verifyPassword, wrongSignIns, proveSecondFactor }: SignInAtBoxDeps,
  { streamId, source }: { streamId: number; source: string },
  { email, password, second_factor: code, asks_second_factor = false }: z.infer<typeof signInRequest>,
): Promise<Decision<z.infer<typeof signInAnswer>>> {
  const emailKey = emailKeyOf(email);
  const attempt = `${streamId} ${emailKey}`;
  const waitMs = await wrongSignIns.take(attempt);
  if (waitMs !== null) throw tooManyAttempts('Too many failed attempts to log in with this email', waitMs);
  const account = await queries.accountByEmail(emailKey);
  const isTheirs =
    account !== null &&
    account.role !== 'ADMIN' &&
    (await queries.isOnStream(account.id, streamId)) &&
    // that gateway knows of a later password, which this instance lost
    !(await queries.openLost(account.id, 'password')).some((lost) => lost.stream_id === streamId);
  const isRight = await verifyPassword(isTheirs ? account.password_hash : null, password, source).catch(
    async (error: unknown) => {
      await wrongSignIns.giveBack(attempt);
      throw error;
    },
  );
  if (!isTheirs || !isRight)
    throw new AppError(401, 'Incorrect email or password', { code: 'INCORRECT_CREDENTIALS' });
  await wrongSignIns.forget(attempt);
  const answer = { user_id: account.id, password_version: account.password_version };
  if (asks_second_factor) return { answer };
  const { changes, guards } = await proveSecondFactor(account, { code: code ?? null, source: attempt });
  return { answer, changes, guards };
}
