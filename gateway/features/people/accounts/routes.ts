import { pageQuery } from '#contract/fields.ts';
import { type FarmAnswer, farmAnswer } from '#contract/resources/farms.ts';
import { passkeyLogin } from '#contract/resources/passkeys.ts';
import {
  loginInput,
  messageAnswer,
  registerInput,
  tokenAnswer,
  type UserAnswer,
  userAnswer,
  userUpdate,
} from '#contract/resources/users.ts';
import type { Kernel } from '#core/kernel.ts';
import { invalidToken, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { ProvePasskey } from '../second-factor.ts';
import { type ChangeAccountDeps, changeAccount } from './change-account.ts';
import { issueToken } from './issue-token.ts';
import { type LogInDeps, logIn, logInByPasskey } from './log-in.ts';
import type { Account, AccountQueries, AddressOfAccount, SessionQueries } from './ports.ts';
import { type RegisterDeps, register } from './register.ts';
import { logOut, type SessionList, sessionRoutes } from './sessions.ts';

export type AccountDeps = Omit<RegisterDeps & LogInDeps & ChangeAccountDeps, 'queries'> & {
  elapsedSince: Kernel['elapsedSince'];
  queries: AccountQueries;
  secondFactor: LogInDeps['secondFactor'] & { provePasskey: ProvePasskey };
  logins: SessionQueries;
  sessions: SessionList;
  authenticate: (bearer: string) => Promise<Caller>;
  farmsOf: (userId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<FarmAnswer>;
  /** Access tokens of the user that are neither revoked nor expired. */
  liveTokensOf: (userId: string) => Promise<number>;
};

export function accountRoutes(deps: AccountDeps): Route[] {
  const verifyPassword = deps.passwords.verify;
  return [...loginRoutes(deps), ...sessionRoutes({ ...deps, verifyPassword }), ...userRoutes(deps)];
}

function loginRoutes(deps: AccountDeps): Route[] {
  const tag = 'Auth';
  return [
    route({
      method: 'POST',
      path: '/auth/register',
      tag,
      summary: 'Make an account',
      access: { who: 'anyone' },
      body: registerInput,
      answers: { 201: { schema: userAnswer } },
      async handle({ body, bearer, source }) {
        // a token is needed where registration is by invitation; an outdated one does not hinder
        const inviter = bearer === null ? null : await deps.authenticate(bearer).catch(() => null);
        const made = await register(deps, body, { source, inviter });
        return { ...made, answer: { status: 201, body: toAnswer(made.answer, []), rev: 1 } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/login',
      answersSecret: true,
      tag,
      summary: 'Get a token: 60 minutes, or 30 days with remember_me',
      access: { who: 'anyone' },
      body: loginInput,
      answers: { 200: { schema: tokenAnswer } },
      async handle({ body, source, userAgent, origin }) {
        const { unsaved, answer, ...decided } = await logIn(deps, body, { source, userAgent, origin });
        const reply = { status: 200, body: answer };
        return {
          ...decided,
          answer: reply,
          // the token is good with the old hash of the password, and without a row in the list, too
          whenStorageFails: () => {
            unsaved();
            return reply;
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/passkey',
      answersSecret: true,
      tag,
      summary: 'Get a token with a passkey alone, signed for the options of POST /auth/passkey/options',
      access: { who: 'anyone' },
      body: passkeyLogin,
      answers: { 200: { schema: tokenAnswer } },
      async handle({ body, source, userAgent, origin }) {
        const { answer, ...decided } = await logInByPasskey(deps, body, { source, userAgent, origin });
        const reply = { status: 200, body: answer };
        // the challenge is used up all the same
        return { ...decided, answer: reply, whenStorageFails: () => reply };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/logout',
      tag,
      summary: 'Invalidate the token that is sent',
      access: { who: 'account' },
      isOpenWithoutSecondFactor: true,
      isOpenToSetUp: true,
      answers: { 200: { schema: messageAnswer } },
      async handle(request) {
        const done = await logOut(deps, signedIn(request));
        return { ...done, answer: { status: 200, body: { message: 'Successfully logged out' } } };
      },
    }),
    route({
      method: 'POST',
      path: '/auth/renew',
      answersSecret: true,
      tag,
      summary:
        'Get a new token that lives as long as the one sent did; that one stays valid until it expires',
      access: { who: 'account' },
      answers: { 200: { schema: tokenAnswer } },
      async handle(request) {
        const claims = deps.tokens.read(request.bearer ?? '', deps.elapsedSince);
        const account = await deps.queries.accountById(signedIn(request).userId);
        const { login } = signedIn(request);
        if (claims === null || account === null || login === undefined) throw invalidToken();
        const leftS = Math.floor((login.endsAt - deps.now()) / 1000);
        if (leftS <= 0) throw invalidToken();
        const lifetimeS = Math.min(claims.exp - claims.iat, leftS);
        const reply = { status: 200, body: issueToken(deps, account, lifetimeS, claims) };
        // of before the list, or of while the disk was full
        const changes = (await deps.logins.isNoted(login.id))
          ? []
          : await deps.sessions.begin(account, claims, lifetimeS, request);
        return { answer: reply, changes, whenStorageFails: () => reply };
      },
    }),
  ];
}

function userRoutes(deps: AccountDeps): Route[] {
  const tag = 'Users';
  /** The answer shows the addresses too, so they count in its version. */
  async function ownAccount({ userId }: Caller) {
    const addressRev = await deps.queries.addressRevision(userId);
    const addresses = await deps.queries.addressesOf(userId);
    const account = await deps.queries.accountById(userId);
    if (account === null) throw invalidToken();
    return { account, addresses, addressRev };
  }
  /** Programs go on working when their owner changes the password; that they do must not be overlooked. */
  async function tokensThatStay(userId: string) {
    const live = await deps.liveTokensOf(userId);
    if (live === 0) return [];
    const which = live === 1 ? '1 access token stays' : `${live} access tokens stay`;
    const message = `${which} valid; revoke what you no longer trust under /access-tokens`;
    return [{ code: 'ACCESS_TOKENS_STAY', message }];
  }
  return [
    route({
      method: 'GET',
      path: '/users/me',
      tag,
      summary: 'The account of the caller',
      access: { who: 'account' },
      isOpenToSetUp: true,
      answers: { 200: { schema: userAnswer } },
      async handle(request) {
        const { account, addresses, addressRev } = await ownAccount(signedIn(request));
        const body = toAnswer(account, addresses);
        return { answer: { status: 200, body, rev: account.rev + addressRev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/users/me',
      tag,
      summary: 'Change the account of the caller; a new password ends all sessions, access tokens stay',
      access: { who: 'account' },
      body: userUpdate,
      answers: { 200: { schema: userAnswer } },
      async handle(request) {
        const { account, addresses, addressRev } = await ownAccount(signedIn(request));
        requireMatch(request, { rev: account.rev + addressRev });
        const by = { source: request.source, login: signedIn(request).login };
        const changed = await changeAccount(deps, account, request.body, by);
        const warnings = request.body.password === undefined ? [] : await tokensThatStay(account.id);
        const body = {
          ...toAnswer(changed.answer, addresses),
          ...(warnings.length === 0 ? {} : { warnings }),
        };
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev + addressRev } };
      },
    }),
    route({
      method: 'GET',
      path: '/users/me/farms',
      tag,
      summary: 'Farms the caller owns or is a member of',
      access: { who: 'account' },
      query: pageQuery,
      answers: { 200: { schema: farmAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        return {
          answer: { status: 200, rows: deps.farmsOf(signedIn(request).userId, { skip, limit }) },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/users/all',
      tag,
      summary: 'All accounts',
      access: { who: 'admin' },
      query: pageQuery,
      answers: { 200: { schema: userAnswer, list: true } },
      async handle({ query: { skip, limit } }) {
        return { answer: { status: 200, rows: answersOf(deps.queries.accounts({ skip, limit })) } };
      },
    }),
  ];
}

function toAnswer(account: Omit<Account, 'rev'>, addresses: AddressOfAccount[]): UserAnswer {
  const { id, numeric_id, email, name, phone_number, role, is_active, language } = account;
  const { created_at, updated_at } = account;
  return {
    id,
    numeric_id,
    email,
    name,
    phone_number,
    role,
    is_active,
    language,
    created_at,
    updated_at,
    addresses,
  };
}

async function* answersOf(accounts: ReturnType<AccountQueries['accounts']>): AsyncIterable<UserAnswer> {
  for await (const account of accounts) yield toAnswer(account, account.addresses);
}
