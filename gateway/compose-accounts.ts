import { attemptLimit, isLoopback } from '#adapters/http/attempt-limit.ts';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { accountQueries } from '#adapters/sql/queries/accounts.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { jwtTokens } from '#adapters/tokens/jwt-tokens.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { insert } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { createAuthentication } from '#features/accounts/authenticate.ts';
import { accountRoutes } from '#features/accounts/routes.ts';
import { answersOf as farmAnswersOf } from '#features/farms/routes.ts';
import { firstSubscription } from '#features/subscriptions/first-subscription.ts';
import type { Config } from './config.ts';
import type { World } from './world.ts';

/** Who may come in: registration, login, tokens. */
export async function wireAccounts(config: Config, world: World, kernel: Kernel, database: Database) {
  const { read } = database;
  const queries = accountQueries(read);
  const secret = config.jwtSecret ?? (await instanceValue(read, 'jwt_secret'));
  const tokens = jwtTokens(secret);
  const { authenticate, hear } = createAuthentication({
    now: kernel.now,
    monotonic: world.monotonic,
    tokens,
    queries,
  });
  database.onCommit(hear);
  const isGateway = config.role === 'gateway';
  const plan = isGateway ? config.localPlan : 'FREE';
  const routes = accountRoutes({
    ...kernel,
    queries,
    tokens,
    authenticate,
    passwords: argon2Passwords(),
    loginFailures: attemptLimit({ attempts: 10, windowS: 15 * 60 }),
    registration: config.registration,
    registrations: attemptLimit({
      attempts: 300,
      windowS: 3600,
      // on the box itself; on a hosted instance it may be a proxy for the whole world
      ...(isGateway ? { isExempt: isLoopback } : {}),
    }),
    onCreate: ({ id }) => [insert(subscription, firstSubscription(kernel, id, plan))],
    farmsOf: (userId, page) => farmAnswersOf(farmQueries(read).farmsOf(userId, page)),
  });
  return { authenticate, routes, secret };
}
