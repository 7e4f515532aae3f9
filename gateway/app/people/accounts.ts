import { type AttemptLimits, isLoopback } from '#adapters/http/attempt-limit.ts';
import type { ClientAddresses } from '#adapters/http/client-address.ts';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { accessTokenQueries, sessionQueries } from '#adapters/sql/queries/people/sessions.ts';
import { accessTokenText } from '#adapters/tokens/access-token-text.ts';
import { jwtTokens } from '#adapters/tokens/jwt-tokens.ts';
import { isSetUpCode, shownSetUpCode } from '#adapters/tokens/set-up-code.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { LetterSeal, Notify } from '#core/notifying.ts';
import { answersOf as farmAnswersOf } from '#features/farm/farms/routes.ts';
import { createTokenAuthentication } from '#features/people/access-tokens/create-token.ts';
import { type Authenticate, createAuthentication } from '#features/people/accounts/authenticate.ts';
import type { LogInDeps } from '#features/people/accounts/log-in.ts';
import { accountRoutes } from '#features/people/accounts/routes.ts';
import { createSessionList } from '#features/people/accounts/sessions.ts';
import { boxRightsOf } from '#operations/pairing/local-pairing.ts';
import type { Subscriptions } from '#operations/people/payments.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { hashBeside } from '#workers/hash/hash-process.ts';
import { boxNames, wireSecondFactor } from './second-factor.ts';

const DAY_S = 86_400;

/** Who may come in: registration, login, tokens of logins and of programs. */
export async function wireAccounts(wiring: {
  config: Config;
  world: World;
  kernel: Kernel;
  database: Database;
  subscriptions: Pick<Subscriptions, 'first'>;
  clients: Pick<ClientAddresses, 'isNear' | 'isProxy'>;
  attempts: AttemptLimits;
  notify: Notify;
  clock: { state: () => ClockState };
  /** null: this instance sends no mail. */
  letterSeal: Pick<LetterSeal, 'seal'> | null;
  /** A gateway's: people of the hosted instance, and whether it knows one by a password. */
  hosted?: NonNullable<LogInDeps['hosted']>;
}) {
  const { config, world, kernel, database, subscriptions, clients, attempts, notify } = wiring;
  const { read } = database;
  const queries = accountQueries(read);
  const secret = config.jwtSecret ?? (await instanceValue(read, 'jwt_secret'));
  const tokens = jwtTokens(secret);
  const logins = createAuthentication({
    ...kernel,
    monotonic: world.monotonic,
    tokens,
    queries,
    needsSecondFactor: (role) =>
      (role === 'ADMIN' && config.requireSecondFactor !== 'off') ||
      (role === 'OWNER' && config.requireSecondFactor === 'owners'),
  });
  const isGateway = config.role === 'gateway';
  const sessions = createSessionList({
    ...kernel,
    queries: sessionQueries(read),
    standingOf: queries.standingOf,
    // who comes through a proxy that names nobody may be anywhere
    networkOf: (source) =>
      !isGateway || clients.isProxy(source) ? null : clients.isNear(source) ? 'farm' : 'outside',
  });
  const programs = createTokenAuthentication({
    ...kernel,
    monotonic: world.monotonic,
    text: accessTokenText,
    queries: accessTokenQueries(read),
    standingOf: logins.standingOf,
  });
  for (const { hear } of [logins, sessions, programs]) database.onRows(hear);
  // a cheap hash is done before a process has started
  const beside = world.passwordCost === undefined ? hashBeside() : null;
  const passwords = argon2Passwords(world.passwordCost, {}, beside);
  const passwordTries = attempts({ name: 'password', attempts: 10, windowS: 15 * 60 });
  const loginFailures = attempts({ name: 'login', attempts: 10, windowS: 15 * 60 });
  const isAtBox = (source: string) => isLoopback(source) && clients.isNear(source);
  const plan = isGateway ? config.localPlan : 'FREE';
  const secondFactor = wireSecondFactor({
    ...wiring,
    names: await boxNames(config, world.network, database),
    secret,
    verifyPassword: passwords.verify,
    passwordTries,
    isNear: clients.isNear,
  });
  const routes = accountRoutes({
    ...kernel,
    secondFactor,
    queries,
    logins: sessionQueries(read),
    sessions,
    tokens,
    notify,
    letters: attempts({ name: 'account letter', attempts: 10, windowS: DAY_S }),
    letterSeal: wiring.letterSeal,
    // an access token invites nobody
    authenticate: logins.authenticate,
    passwords,
    passwordTries,
    hosted: wiring.hosted ?? null,
    loginFailures,
    registration: config.registration,
    box: isGateway
      ? {
          hasOwnerAccount: boxRightsOf(read, config.role).hasOwnerAccount,
          isAtBox,
          setUpCode: (typed: string) => isSetUpCode(secret, typed),
          wrongCodes: attempts({ name: 'set-up code', attempts: 10, windowS: 15 * 60 }),
        }
      : null,
    registrations: attempts({
      name: 'registration',
      attempts: 300,
      windowS: 3600,
      // on the box itself, but no proxy there for the whole world; on a hosted instance it may be one that nobody named
      ...(isGateway ? { isExempt: isAtBox } : {}),
    }),
    onCreate: (account) => subscriptions.first(account, plan),
    farmsOf: (userId, page) => farmAnswersOf(farmQueries(read).farmsOf(userId, page)),
    liveTokensOf: (userId) => accessTokenQueries(read).countLive(userId, isoOf(kernel.now())),
  });
  const authenticate: Authenticate = (bearer, route) =>
    accessTokenText.isOne(bearer) ? programs.authenticate(bearer) : logins.authenticate(bearer, route);
  return {
    /** The holder of a token of either sort. */
    authenticate,
    /** The same for what only a person who logged in may do. */
    authenticateSession: logins.authenticate,
    standsStill: logins.standsStill,
    noteLogin: sessions.noteUse,
    accessTokens: { isOne: accessTokenText.isOne, noteUse: programs.noteUse },
    passwords,
    passwordTries,
    loginFailures,
    /** The code that the first OWNER of a gateway says, while there is none. */
    openSetUpCode: async (): Promise<string | null> =>
      isGateway && !(await boxRightsOf(read, config.role).hasOwnerAccount()) ? shownSetUpCode(secret) : null,
    routes: [...routes, ...secondFactor.routes],
    proveSecondFactor: secondFactor.prove,
    secret,
  };
}
