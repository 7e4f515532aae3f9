import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { secondFactorQueries } from '#adapters/sql/queries/people/sessions.ts';
import { trustQueries } from '#adapters/sql/queries/system/trust.ts';
import { machineNetwork } from '#adapters/system/machine-facts.ts';
import { NOTED_S, passkeyChallenges, passkeyReader } from '#adapters/tokens/passkeys.ts';
import { textSeal } from '#adapters/tokens/seal-text.ts';
import { oneTimeCodes, recoveryCodes } from '#adapters/tokens/second-factor-codes.ts';
import { hostsOf } from '#contract/discovery.ts';
import type { ClockState } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Route } from '#core/route.ts';
import type { PresentPasswordDeps } from '#features/people/present-password.ts';
import { passkeyRoutes } from '#features/people/second-factor/passkey-routes.ts';
import { createPasskeys } from '#features/people/second-factor/passkeys.ts';
import { createProving, type Proving } from '#features/people/second-factor/prove.ts';
import { relyingPartyAt } from '#features/people/second-factor/relying-party.ts';
import { secondFactorRoutes } from '#features/people/second-factor/routes.ts';
import type { ProvePasskey } from '#features/people/second-factor.ts';
import { namesOf } from '#features/system/trust/trust-rules.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';

const QUARTER_S = 15 * 60;
const DAY_S = 86_400;
/**
 * Wrong one-time codes of an account in a day, from all sources together. Three of a million are right at any time: whoever
 * has the password and a thousand addresses is let in with 6 of 100,000 a day, and the person is told on the first.
 */
const GUESSES_A_DAY = 20;
/** Sign-ins of a place behind one address. */
const CHALLENGES = 300;

/** The second factors and passkeys of this instance's accounts. */
export function wireSecondFactor(
  wiring: PresentPasswordDeps & {
    config: Pick<Config, 'role' | 'publicUrl' | 'tlsNames' | 'httpsPort'>;
    /** Of the box, see boxNames; absent: it has none that passkeys could be made for. */
    names?: () => readonly string[];
    kernel: Kernel;
    database: Pick<Database, 'read' | 'dialect'>;
    /** Of the instance: what seals secrets at rest is made of it. */
    secret: string;
    notify: Notify;
    clock: { state: () => ClockState };
    isNear: (source: string) => boolean;
    attempts: AttemptLimits;
  },
): Proving & { provePasskey: ProvePasskey; routes: Route[] } {
  const { config, kernel, database, attempts } = wiring;
  const names = wiring.names ?? (() => []);
  const deps = {
    ...kernel,
    queries: secondFactorQueries(database.read),
    codes: oneTimeCodes,
    recovery: recoveryCodes,
    seal: textSeal(wiring.secret, 'second factors'),
    notify: wiring.notify,
    clock: wiring.clock.state,
    isAtFarm: (source: string) => config.role === 'gateway' && wiring.isNear(source),
    wrongCodes: attempts({ name: 'second factor', attempts: 10, windowS: QUARTER_S }),
    guesses: attempts({ name: 'second factor guesses', attempts: GUESSES_A_DAY, windowS: DAY_S }),
    reader: passkeyReader,
    challenges: passkeyChallenges({
      ...kernel,
      // what processes share they note in their database; what one process notes ends with it
      secret: database.dialect === 'postgres' ? wiring.secret : null,
      once: attempts({ name: 'passkey challenge', attempts: 1, windowS: NOTED_S }),
    }),
    challengesFrom: attempts({ name: 'passkey challenges', attempts: CHALLENGES, windowS: QUARTER_S }),
    partyAt: (origin: string | null) => relyingPartyAt({ ...config, names }, origin),
  };
  const passkeys = createPasskeys(deps);
  const proving = createProving({ ...deps, passkeys });
  const { accountById } = accountQueries(database.read);
  const { verifyPassword, passwordTries } = wiring;
  const routeDeps = {
    ...deps,
    passkeys,
    proving,
    verifyPassword,
    passwordTries,
    accountById,
    issuer: issuerOf(config),
  };
  const routes = [...secondFactorRoutes(routeDeps), ...passkeyRoutes(routeDeps)];
  return { ...proving, provePasskey: passkeys.prove, routes };
}

/** Names under which the certificate of the box is good, the one that no other box has first; none of a hosted instance. */
export async function boxNames(
  { role, tlsNames }: Pick<Config, 'role' | 'tlsNames'>,
  network: World['network'],
  database: Pick<Database, 'read'>,
): Promise<() => string[]> {
  if (role !== 'gateway') return () => [];
  const own = hostsOf(await trustQueries(database.read, OWN_STREAM).gatewayId());
  const isName = (name: string) => !name.includes(':') && !/^[\d.]+$/.test(name);
  return () => {
    const known = namesOf((network ?? machineNetwork)(), [...own, ...tlsNames]);
    return [...new Set([own[0], ...known])].filter(isName);
  };
}

/** Who has an account at the farm's box and on the hosted instance tells the two apart in the app. */
function issuerOf({ role, publicUrl }: Pick<Config, 'role' | 'publicUrl'>): string {
  if (publicUrl !== null) return new URL(publicUrl).host;
  return role === 'gateway' ? 'Shrimp farm (gateway)' : 'Shrimp farm (hosted)';
}
