import type * as z from 'zod';
import type { passkeyLogin } from '#contract/resources/passkeys.ts';
import { emailKeyOf, type loginInput, user } from '#contract/resources/users.ts';
import { type Change, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '../attempts.ts';
import type { ProvePasskey, ProveSecondFactor } from '../second-factor.ts';
import { type Issued, issueToken, newLogin, type TokenDeps } from './issue-token.ts';
import type { Account, AccountQueries, Passwords, SessionQueries } from './ports.ts';
import type { From, SessionList } from './sessions.ts';

export type LogInDeps = TokenDeps &
  Pick<Kernel, 'log'> & {
    queries: Pick<AccountQueries, 'accountByEmail'>;
    logins: Pick<SessionQueries, 'generationOf'>;
    sessions: Pick<SessionList, 'begin'>;
    passwords: Pick<Passwords, 'verify' | 'hash' | 'isOutdated'>;
    /** A gateway's: whose account is the hosted instance's, and what that says to a password; null: there is none. */
    hosted: {
      isOfHosted: (userId: string) => Promise<boolean>;
      /** One with a salt of its own takes its place at the next login. */
      hasVerifierOfHosted: (userId: string) => Promise<boolean>;
      /** null: it says no, or cannot be asked now. Throws 401 when it asks for a second factor. */
      askHome: (said: {
        email: string;
        password: string;
        second_factor?: string;
        /** This instance asks for a second factor of its own. */
        asks_second_factor?: boolean;
      }) => Promise<{ user_id: string; password_version: number } | null>;
    } | null;
    /** Asked when the password was right. */
    secondFactor: { prove: ProveSecondFactor; isOn: (userId: string) => Promise<boolean> };
    /** Failures per email and source, existing or not: who guesses locks out nobody but himself. */
    loginFailures: AttemptLimit;
  };

const SHORT_S = 60 * 60;
const REMEMBERED_S = 43_200 * 60;

/**
 * Decides a token, and a new hash of the password where the old one was made with less work. At a gateway somebody of the
 * hosted instance has no password before the first login, which needs the internet once: what the hosted instance
 * vouches for is hashed anew there. Only a right password learns of a second factor. An email that is unknown
 * and a password that is wrong are told in the same words and the same time: 401; after too many failures of this email
 * from this source 429.
 */
export async function logIn(
  deps: LogInDeps,
  input: z.infer<typeof loginInput>,
  from: From & { origin?: string },
): Promise<Decision<LoggedIn> & { unsaved: () => void }> {
  const { source, origin } = from;
  const emailKey = emailKeyOf(input.email);
  const attempt = `${source} ${emailKey}`;
  // counted before the password is looked at, so that guesses at the same moment count too
  const waitMs = await deps.loginFailures.take(attempt);
  if (waitMs !== null) {
    deps.log.debug({ source }, 'too many failed logins for one account from one place');
    throw tooManyAttempts('Too many failed attempts to log in with this email', waitMs);
  }
  const code = input.second_factor ?? null;
  const said = { password: input.password, code, source };
  const found = await signedIn(deps, emailKey, said).catch(async (error: unknown) => {
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
  // codes that are wrong are counted by themselves
  const proved = await deps.secondFactor.prove(found.account, {
    code,
    passkey: input.passkey,
    source,
    ...(origin === undefined ? {} : { origin }),
  });
  const { isSpared, guards, unsaved } = proved;
  const begun = await beginLogin(deps, found.account, from, { isRemembered: input.remember_me, isSpared });
  return {
    answer: isSpared ? { ...begun.issued, warnings: [SPARED] } : begun.issued,
    changes: [...found.changes, ...proved.changes, ...begun.changes],
    guards,
    unsaved,
  };
}

/**
 * Decides a token for who signed with a passkey that verified its owner: as good as the password and a second factor, for it was
 * made by who had both. Throws 401 for one that opens nothing here.
 */
export async function logInByPasskey(
  deps: Pick<LogInDeps, 'now' | 'newId' | 'tokens' | 'logins' | 'sessions'> & {
    queries: Pick<AccountQueries, 'accountById'>;
    secondFactor: { provePasskey: ProvePasskey };
  },
  { passkey, remember_me }: z.infer<typeof passkeyLogin>,
  from: From & { origin: string },
): Promise<Decision<Issued>> {
  const { source, origin } = from;
  const { userId, changes, guards } = await deps.secondFactor.provePasskey({ passkey, source, origin });
  const account = await deps.queries.accountById(userId);
  if (!account?.is_active) throw invalidToken();
  const begun = await beginLogin(deps, account, from, { isRemembered: remember_me, isSpared: false });
  return { answer: begun.issued, changes: [...changes, ...begun.changes], guards };
}

async function beginLogin(
  deps: Pick<LogInDeps, 'now' | 'newId' | 'tokens' | 'logins' | 'sessions'>,
  account: SignedIn['account'],
  from: From,
  { isRemembered, isSpared }: { isRemembered: boolean; isSpared: boolean },
): Promise<{ issued: Issued; changes: Change[] }> {
  const lifetimeS = isRemembered && !isSpared ? REMEMBERED_S : SHORT_S;
  const login = newLogin(deps, await deps.logins.generationOf(account.id), isSpared);
  const issued = issueToken(deps, account, lifetimeS, login);
  return { issued, changes: await deps.sessions.begin(account, login, lifetimeS, from) };
}

const SPARED = {
  code: 'SECOND_FACTOR_SPARED',
  message:
    'The clock of this box is not to be trusted, so your second factor was not asked for: this login runs the farm for an hour, and nothing else; you were told of it',
};

type LoggedIn = Issued & { warnings?: (typeof SPARED)[] };

type SignedIn = { account: Pick<Account, 'id' | 'role' | 'password_version'>; changes: Change[] };

async function signedIn(
  deps: LogInDeps,
  emailKey: string,
  { password, code, source }: { password: string; code: string | null; source: string },
): Promise<SignedIn | null> {
  const account = await deps.queries.accountByEmail(emailKey);
  const isRight = await deps.passwords.verify(account?.password_hash ?? null, password, source);
  if (account === null || !account.is_active) return null;
  if (isRight) return { account, changes: await strengthened(deps, account, password, source) };
  if (deps.hosted === null || !(await deps.hosted.isOfHosted(account.id))) return null;
  const vouched = await deps.hosted.askHome({
    email: emailKey,
    password,
    ...(code === null ? {} : { second_factor: code }),
    // of two second factors the one of this instance is asked for
    ...((await deps.secondFactor.isOn(account.id)) ? { asks_second_factor: true } : {}),
  });
  if (vouched?.user_id !== account.id) return null;
  const set = {
    password_hash: await deps.passwords.hash(password, source),
    password_version: Math.max(account.password_version, vouched.password_version),
    updated_at: isoOf(deps.now()),
  };
  return { account: { ...account, ...set }, changes: [update(user, account, set)] };
}

/** The row as it was read is named: a password that was changed at this moment stays changed. */
async function strengthened(
  deps: LogInDeps,
  account: Account,
  password: string,
  source: string,
): Promise<Change[]> {
  const isForeign = (await deps.hosted?.hasVerifierOfHosted(account.id)) ?? false;
  if (!isForeign && !deps.passwords.isOutdated(account.password_hash)) return [];
  try {
    return [update(user, account, { password_hash: await deps.passwords.hash(password, source) })];
  } catch (error) {
    // the line is full: the next login will do
    deps.log.debug({ err: error }, 'a password keeps its old hash for now');
    return [];
  }
}
