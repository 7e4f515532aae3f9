import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createApp } from '#adapters/http/app.ts';
import type { ClientAddresses } from '#adapters/http/client-address.ts';
import type { Checks } from '#adapters/http/health.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import { mountPlatform } from '#adapters/http/platform.ts';
import type { Refusals } from '#adapters/log/refusals.ts';
import { type accessQuery, recorderQuery } from '#adapters/sql/queries/access.ts';
import { idempotencyQueries } from '#adapters/sql/queries/idempotency.ts';
import { mountPackages } from '#adapters/sync/hosted-packages.ts';
import type { Route } from '#core/route.ts';
import { requireApiAccess } from '#features/people/access-tokens/create-token.ts';
import type { MayOnBox } from '#features/people/box-rights.ts';
import type { HostedPairing } from '#operations/pairing/hosted-pairing.ts';
import { packagesOf } from '#operations/staging/running-updates.ts';
import type { HostedSync } from '#operations/sync/hosted-sync.ts';
import type { Config } from '#runtime/config.ts';
import type { Founded } from '../kernel.ts';
import type { Accounts } from '../people/accounts.ts';
import type { Payments } from '../people/payments.ts';
import type { wireRequestLimits } from '../people/subscriptions.ts';
import type { Box } from '../system/system.ts';
import { type Events, readiness } from './events.ts';

/** Made by scripts/build-console.mjs. */
const CONSOLE = fileURLToPath(new URL('../../../desktop/console/dist', import.meta.url));
/** Made by scripts/build-guide.mjs. */
const GUIDE = fileURLToPath(new URL('../../../desktop/guide/dist', import.meta.url));

export type AppWiring = Pick<Founded, 'world' | 'kernel' | 'database' | 'storage' | 'clock' | 'writes'> & {
  config: Config;
  checks: Checks;
  metrics: Metrics;
  refusals: Refusals;
  clients: Pick<ClientAddresses, 'of'>;
  accounts: Accounts;
  accessTo: ReturnType<typeof accessQuery>;
  mayOnBox: MayOnBox;
  isMoved?: (farmId: string) => boolean;
  hasApiAccess: (userId: string) => Promise<boolean>;
  requestLimits: ReturnType<typeof wireRequestLimits>;
  /** null: this is no hosted instance. */
  fleet: HostedPairing | null;
  sync: HostedSync | null;
  events: Events;
  payments: Payments;
  box: Pick<Box, 'trust' | 'doctor' | 'update'>;
  routes: readonly Route[];
};

/** Names of the box beside those that every network has. */
const ownNamesOf = ({ tlsNames, publicUrl }: Config): string[] => [
  hostname(),
  ...tlsNames,
  ...(publicUrl === null ? [] : [new URL(publicUrl).hostname]),
];

/** What answers over HTTP: the routes behind their checks, and the pages that stand beside them. */
export function wireApp(wiring: AppWiring) {
  const { config, world, kernel, database, metrics, accounts, events, fleet, box, routes } = wiring;
  const { accessTo, mayOnBox, clients, refusals, requestLimits, hasApiAccess } = wiring;
  return createApp(
    {
      ...kernel,
      ...(requestLimits === null ? {} : { admit: requestLimits.admit }),
      writes: wiring.writes,
      ...idempotencyQueries(database.read),
      accessTo,
      recorderOf: recorderQuery(database.read),
      mayOnBox,
      ...(wiring.isMoved === undefined ? {} : { isMoved: wiring.isMoved }),
      isHttpsOnly: config.role === 'hosted' && config.publicUrl?.startsWith('https:') === true,
      sourceOf: clients.of,
      authenticate: accounts.authenticate,
      noteLogin: accounts.noteLogin,
      accessTokens: {
        ...accounts.accessTokens,
        requirePlan: (userId) => requireApiAccess({ hasApiAccess }, userId),
      },
      timerOf: metrics.timerOf,
      ...(config.role === 'gateway' ? { ownNames: ownNamesOf(config) } : {}),
      refused: (reason, source) => refusals.count('http', reason, source),
      mountBeside: (express) => {
        fleet?.mount(express);
        wiring.sync?.mount(express);
        if (fleet !== null) mountPackages(express, packagesOf(config, fleet.gatewayByToken));
        mountPlatform(
          express,
          {
            monotonic: world.monotonic,
            metrics,
            access: config.role === 'gateway' ? 'open' : 'guarded',
            metricsToken: config.metricsToken,
            authenticate: accounts.authenticateSession,
            events,
            paymentPages: wiring.payments.pages,
            authorities: box.trust.authorities,
            local: { ...box.doctor.local, hostedEntrance: box.update.hostedEntrance },
            consoleFolder: CONSOLE,
            guideFolder: GUIDE,
            readiness: () => readiness(wiring, wiring.storage, wiring.clock),
          },
          routes,
        );
      },
    },
    routes,
  );
}
