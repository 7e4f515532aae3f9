import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accountQueries } from '#adapters/sql/queries/accounts.ts';
import { secondFactorQueries } from '#adapters/sql/queries/second-factors.ts';
import { oneTimeCodes } from '#adapters/tokens/one-time-codes.ts';
import { recoveryCodes } from '#adapters/tokens/recovery-codes.ts';
import { textSeal } from '#adapters/tokens/seal-text.ts';
import type { ClockState } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { PresentPasswordDeps } from '#core/present-password.ts';
import type { Route } from '#core/route.ts';
import { createProving, type Proving } from '#features/second-factor/prove.ts';
import { secondFactorRoutes } from '#features/second-factor/routes.ts';
import type { Config } from './config.ts';

/** The second factors of this instance's accounts. */
export function wireSecondFactor(
  wiring: PresentPasswordDeps & {
    config: Pick<Config, 'role' | 'publicUrl'>;
    kernel: Kernel;
    database: Pick<Database, 'read'>;
    /** Of the instance: what seals secrets at rest is made of it. */
    secret: string;
    notify: Notify;
    clock: { state: () => ClockState };
    isNear: (source: string) => boolean;
    attempts: AttemptLimits;
  },
): Proving & { routes: Route[] } {
  const { config, kernel, database } = wiring;
  const deps = {
    ...kernel,
    queries: secondFactorQueries(database.read),
    codes: oneTimeCodes,
    recovery: recoveryCodes,
    seal: textSeal(wiring.secret, 'second factors'),
    notify: wiring.notify,
    clock: wiring.clock.state,
    isAtFarm: (source: string) => config.role === 'gateway' && wiring.isNear(source),
    wrongCodes: wiring.attempts({ name: 'second factor', attempts: 10, windowS: 15 * 60 }),
  };
  const proving = createProving(deps);
  const { accountById } = accountQueries(database.read);
  const { verifyPassword, passwordTries } = wiring;
  const routes = secondFactorRoutes({
    ...deps,
    proving,
    verifyPassword,
    passwordTries,
    accountById,
    issuer: issuerOf(config),
  });
  return { ...proving, routes };
}

/** Who has an account at the farm's box and on the hosted instance tells the two apart in the app. */
function issuerOf({ role, publicUrl }: Pick<Config, 'role' | 'publicUrl'>): string {
  if (publicUrl !== null) return new URL(publicUrl).host;
  return role === 'gateway' ? 'Shrimp farm (gateway)' : 'Shrimp farm (hosted)';
}
