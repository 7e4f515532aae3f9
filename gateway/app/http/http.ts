import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '#adapters/http/app.ts';
import { ownRequestCounts, sharedRequestCounts } from '#adapters/http/attempt-limit.ts';
import { bodiesOnDisk } from '#adapters/http/body-on-disk.ts';
import { ownNamesOf } from '#adapters/http/client-address.ts';
import { eventTicketRoutes } from '#adapters/http/event-stream.ts';
import { mountPlatform } from '#adapters/http/platform.ts';
import {
  type Admit,
  ownOpenRequests,
  requestLimits,
  sharedOpenRequests,
} from '#adapters/http/request-limits.ts';
import { runStatement } from '#adapters/sql/database.ts';
import { recorderQuery } from '#adapters/sql/queries/access.ts';
import { idempotencyQueries } from '#adapters/sql/queries/idempotency.ts';
import { subscriptionQueries } from '#adapters/sql/queries/people/subscriptions.ts';
import { mountPackages } from '#adapters/sync/hosted-compare.ts';
import type { Route } from '#core/route.ts';
import { requireApiAccess } from '#features/people/access-tokens/create-token.ts';
import { rateOfCaller } from '#features/people/subscriptions/limit-creates.ts';
import { packagesOf } from '#operations/staging/running-updates.ts';
import type { Cloud } from '../cloud/cloud.ts';
import type { ControlArea } from '../control/control.ts';
import type { ControlMemory } from '../control/memory.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';
import type { System } from '../system/system.ts';
import { wireEvents } from './events.ts';

/** Made by scripts/build-console.mjs. */
const CONSOLE = fileURLToPath(new URL('../../../desktop/console/dist', import.meta.url));
/** Made by scripts/build-guide.mjs. */
const GUIDE = fileURLToPath(new URL('../../../desktop/guide/dist', import.meta.url));

type Needs = {
  people: People;
  control: ControlArea;
  cloud: Cloud;
  system: System;
  /** Gateway: farms that another one runs now. */
  moved: ControlMemory['moved'];
  /** Of all areas. */
  routes: readonly Route[];
};

/** What answers over HTTP: the routes behind their checks, the event stream, and the pages that stand beside them. */
export function wireHttp(platform: Platform, needs: Needs) {
  const { config, kernel, database, metrics, refusals, clients, accessTo, monotonic } = platform;
  const { people, cloud, system } = needs;
  const { fleet, pairing } = cloud;
  const events = wireEvents(platform, needs);
  const requestLimits = wireRequestLimits(platform);
  const allRoutes = [...needs.routes, ...eventTicketRoutes(events.tickets)];
  // what belongs to the hosted instance is not a paired gateway's to serve
  const routes = pairing?.guard(allRoutes) ?? allRoutes;
  const { moved } = needs;
  const app = createApp(
    {
      ...kernel,
      ...(requestLimits === null ? {} : { admit: requestLimits.admit }),
      writes: platform.writes,
      bodies: bodiesOnDisk(join(config.data, 'incoming'), kernel),
      ...idempotencyQueries(database.read),
      accessTo,
      recorderOf: recorderQuery(database.read),
      mayOnBox: people.mayOnBox,
      ...(moved === null ? {} : { isMoved: moved.has }),
      isHttpsOnly: config.role === 'hosted' && config.publicUrl?.startsWith('https:') === true,
      sourceOf: clients.of,
      authenticate: people.authenticate,
      noteLogin: people.noteLogin,
      accessTokens: {
        ...people.accessTokens,
        requirePlan: (userId) => requireApiAccess({ hasApiAccess: people.hasApiAccess }, userId),
      },
      timerOf: metrics.timerOf,
      ...(config.role === 'gateway' ? { ownNames: ownNamesOf(config) } : {}),
      refused: (reason, source) => refusals.count('http', reason, source),
      mountBeside: (express) => {
        fleet?.mount(express);
        cloud.sync?.mount(express);
        if (fleet !== null) mountPackages(express, packagesOf(config, fleet.gatewayByToken));
        mountPlatform(
          express,
          {
            monotonic,
            metrics,
            access: config.role === 'gateway' ? 'open' : 'guarded',
            metricsToken: config.metricsToken,
            authenticate: people.authenticateSession,
            events,
            paymentPages: people.payments.pages,
            authorities: system.trust.authorities,
            local: { ...system.doctor.local, hostedEntrance: system.update.hostedEntrance },
            consoleFolder: CONSOLE,
            guideFolder: GUIDE,
            readiness: platform.ready,
          },
          routes,
        );
      },
    },
    routes,
  );
  return {
    app,
    allRoutes: routes,
    requestLimits,
    events: events.hub,
    tellGateways: events.tellGateways,
    ticks: [
      { name: 'event streams', everyS: 5, run: events.hub.beat },
      ...(requestLimits === null
        ? []
        : [{ name: 'open requests', everyS: 20, run: requestLimits.renewOpen }]),
      ...(config.role === 'hosted'
        ? [{ name: 'gateways as viewers see them', everyS: 2, run: events.tellGateways }]
        : []),
    ],
  };
}

/** Requests per hour and at the same time, by plan; null where they are not limited (a gateway, by default). */
function wireRequestLimits({
  config,
  kernel,
  heard: database,
  monotonic,
}: Pick<Platform, 'config' | 'kernel' | 'heard' | 'monotonic'>): {
  admit: Admit;
  renewOpen: () => Promise<void>;
} | null {
  if (!(config.rateLimits ?? config.role === 'hosted')) return null;
  const { rateOf, hear } = rateOfCaller({
    ...kernel,
    monotonic,
    queries: subscriptionQueries(database.read),
  });
  database.onRows(hear);
  const run = runStatement(database.read);
  const shared =
    database.dialect === 'postgres' ? sharedOpenRequests({ run, process: kernel.newId() }) : null;
  return {
    admit: requestLimits({
      rateOf,
      counts: shared === null ? ownRequestCounts() : sharedRequestCounts(run),
      open: shared ?? ownOpenRequests(),
      pause: kernel.pause,
    }),
    renewOpen: shared?.renew ?? (async () => undefined),
  };
}
