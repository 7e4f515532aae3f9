import { randomBytes } from 'node:crypto';
import { v5, v7 } from 'uuid';
import { createApp } from '#adapters/http/app.ts';
import { attemptLimit, isLoopback } from '#adapters/http/attempt-limit.ts';
import { createEventHub } from '#adapters/http/event-hub.ts';
import { eventSnapshot } from '#adapters/http/event-snapshot.ts';
import { createEventTickets, eventTicketRoutes } from '#adapters/http/event-tickets.ts';
import { checked } from '#adapters/http/health.ts';
import { createMetrics, type Metrics } from '#adapters/http/metrics.ts';
import { mountPlatform } from '#adapters/http/platform.ts';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import { createStorageHealth, type StorageHealth } from '#adapters/system/storage-health.ts';
import { createClock, type DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { operatesSomeFarmQuery } from '#adapters/sql/queries/schedules.ts';
import { lastRun } from '#adapters/sql/queries/last-run.ts';
import { accessQuery, guardQuery } from '#adapters/sql/queries/access.ts';
import { accountQueries } from '#adapters/sql/queries/accounts.ts';
import { addressQueries } from '#adapters/sql/queries/addresses.ts';
import { aeratorQueries } from '#adapters/sql/queries/aerators.ts';
import { dashboardQueries } from '#adapters/sql/queries/dashboard.ts';
import { eventQueries } from '#adapters/sql/queries/event-snapshot.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { idempotencyQueries } from '#adapters/sql/queries/idempotency.ts';
import { memberQueries } from '#adapters/sql/queries/members.ts';
import { logQueries } from '#adapters/sql/queries/logs.ts';
import { notificationQueries } from '#adapters/sql/queries/notifications.ts';
import { pondQueries } from '#adapters/sql/queries/ponds.ts';
import { jwtTokens } from '#adapters/tokens/jwt-tokens.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { insert } from '#core/changes.ts';
import type { ClockEvidence } from '#core/clock-trust.ts';
import { isoOf, type Kernel, type Log } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import { createAuthentication } from '#features/accounts/authenticate.ts';
import { accountRoutes } from '#features/accounts/routes.ts';
import { addressRoutes } from '#features/addresses/routes.ts';
import { aeratorRoutes } from '#features/aerators/routes.ts';
import { dashboardRoutes } from '#features/dashboard/routes.ts';
import { answersOf as farmAnswersOf, farmRoutes } from '#features/farms/routes.ts';
import { logRoutes } from '#features/logs/routes.ts';
import { notificationRoutes } from '#features/notifications/routes.ts';
import { emptyPonds } from '#features/ponds/pond-cards.ts';
import { pondRoutes } from '#features/ponds/routes.ts';
import { memberRoutes } from '#features/members/routes.ts';
import { firstSubscription } from '#features/subscriptions/first-subscription.ts';
import { orderByPerson } from '#features/control-points/order-routes.ts';
import { keepWhatHoldsOnFarm } from '#features/schedules/keep-what-holds.ts';
import { presenceItemOf } from '#features/devices/presence-item.ts';
import type { PresenceItem } from '#contract/events/stream.ts';
import { wireAlerts, wireWatches } from './compose-alerts.ts';
import { wireControl } from './compose-control.ts';
import type { Config } from './config.ts';
import { openDatabase } from './open-database.ts';

/** What the world gives the program; tests give their own. */
export type World = {
  /** Wall clock of the machine, ms since 1970. */
  wallClock: () => number;
  /** Milliseconds that only grow while this process lives. */
  monotonic: () => number;
  random: () => number;
  pause: (ms: number) => Promise<void>;
  log: Log;
  /** What speaks for the wall clock, as last asked. */
  clockEvidence: () => ClockEvidence;
};

/** Name space of ids that are derived from a cause (UUID v5). */
const CAUSES = '6f1f5c0e-8e0b-5d6e-9a7e-0b8a5a2b7d11';

/** Wires everything for a role; the map of the program. */
export async function compose(config: Config, world: World) {
  const { log } = world;
  // the time floor lies in the database, so until it is open the wall clock has to do
  let clock: DisciplinedClock | null = null;
  const now = () => clock?.now() ?? world.wallClock();
  const database: Database = await openDatabase(config, {
    now,
    monotonic: world.monotonic,
    bootId: randomBytes(8).toString('hex'),
    node: randomBytes(4).toString('hex'),
    onListenerError: (error) => log.error({ err: error }, 'a listener of committed changes failed'),
  });
  const storage = createStorageHealth({
    commit: database.commit,
    folder: config.databaseUrl === null ? config.data : null,
    changed: (disk) =>
      log.warn(
        { disk },
        disk === 'ok' ? 'the disk takes writes again' : 'the disk is full or nearly so; control goes on',
      ),
  });
  const kernel: Kernel = {
    now,
    clockQuality: () => clock?.quality() ?? 'estimated',
    newId: growingIds(now),
    idOf: (cause) => v5(cause, CAUSES),
    random: world.random,
    pause: world.pause,
    commit: storage.commit,
    guard: guardQuery(database.read),
    log,
  };
  const run = await lastRun(database.read);
  clock = startClock(config, world, run.goodTime, log);
  const { authenticate, ...accounts } = await wireAccounts(config, world, kernel, database);
  const metrics = createMetrics();
  const accessTo = accessQuery(database.read);
  const control = await wireControl({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    authenticate,
    accessTo,
    operatesSomeFarm: operatesSomeFarmQuery(database.read),
    lookedAt: run.goodTime,
  });
  const alerts = wireAlerts(kernel, database);
  const watches = wireWatches({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    alerts,
    views: control.registry,
    previousUntil: run.goodTime,
    conditions: () => ({
      clock: kernel.clockQuality() === 'trusted' ? 'trusted' : 'untrusted',
      disk: storage.disk() === 'ok' ? 'ok' : 'full',
    }),
  });
  const onlineAfterMs = config.onlineAfterS * 1000;
  const presenceOf = (id: string) => presenceItemOf({ now, onlineAfterMs }, control.registry.byId(id));
  const events = wireEvents(config, kernel, database, {
    authenticate,
    secret: accounts.secret,
    metrics,
    presenceOf,
  });
  control.onPresence((id) => {
    const item = presenceOf(id);
    const farmId = control.registry.byId(id)?.row.farm_id;
    if (item !== null && farmId !== undefined) events.hub.tell(farmId, 'presence', item);
  });
  const routes = [
    ...accounts.routes,
    ...addressRoutes({ ...kernel, queries: addressQueries(database.read) }),
    ...memberRoutes({ ...kernel, queries: memberQueries(database.read) }),
    ...farmRoutes({
      ...kernel,
      queries: farmQueries(database.read),
      defaultZone: config.timezone,
      onZoneChange: (farmId) => keepWhatHoldsOnFarm({ now }, control.registry.all(), farmId),
      onCreate: async () => ({}),
    }),
    ...pondRoutes({
      ...kernel,
      queries: pondQueries(database.read),
      contents: emptyPonds,
      isOnline: (id) => presenceOf(id)?.is_online ?? null,
      onCreate: async () => ({}),
    }),
    ...aeratorRoutes({
      ...kernel,
      queries: aeratorQueries(database.read),
      orderControlPoint: ({ controlPointId, target, caller, reason }) =>
        orderByPerson(control.orderDeps, controlPointId, {
          target,
          issuedBy: caller.userId,
          reason,
          holdUntil: null,
        }),
    }),
    ...control.routes,
    ...alerts.routes,
    ...dashboardRoutes({ queries: dashboardQueries(database.read), countActiveBatches: async () => 0 }),
    ...logRoutes({ queries: logQueries(database.read) }),
    ...notificationRoutes({ ...kernel, queries: notificationQueries(database.read) }),
    ...eventTicketRoutes(events.tickets),
  ];
  const app = createApp(
    {
      ...kernel,
      ...idempotencyQueries(database.read),
      accessTo,
      authenticate,
      timerOf: metrics.timerOf,
      mountBeside: (express) =>
        mountPlatform(
          express,
          {
            monotonic: world.monotonic,
            metrics,
            access: config.role === 'gateway' ? 'open' : 'guarded',
            metricsToken: config.metricsToken,
            authenticate,
            events,
            readiness: () => readiness(database, storage, clock),
          },
          routes,
        ),
    },
    routes,
  );
  return {
    app,
    routes,
    kernel,
    clock,
    database,
    metrics,
    events: events.hub,
    control,
    alerts,
    watches,
    storage,
  };
}

/** Control goes on with a doubtful clock and a full disk, so they are told here without making the instance unready. */
async function readiness(database: Database, storage: StorageHealth, clock: DisciplinedClock) {
  const answers = await checked(database.ping);
  const disk = storage.disk();
  const { trust, reason } = clock.state();
  return {
    ready: answers.ok,
    checks: {
      database: answers,
      disk: disk === 'ok' ? { ok: true } : { ok: false, detail: disk },
      clock: { ok: trust === 'trusted', detail: reason },
    },
  };
}

/** UUID v7 that grow within this process, also inside one millisecond: rows made together keep their order. */
function growingIds(now: () => number): () => string {
  let last = { ms: 0, seq: 0 };
  return () => {
    const ms = now();
    last = ms > last.ms ? { ms, seq: 0 } : { ms: last.ms, seq: last.seq + 1 };
    return v7({ msecs: last.ms, seq: last.seq });
  };
}

/** No clock before this program was written is right. */
const WRITTEN = Date.UTC(2026, 0, 1);

function startClock(config: Config, world: World, goodTime: number | null, log: Log): DisciplinedClock {
  const clock = createClock(
    {
      wall: world.wallClock,
      monotonic: world.monotonic,
      evidence: world.clockEvidence,
      changed: (state, before) => {
        const { trust, reason } = state;
        log.warn({ trust, reason, before: before.trust }, 'the clock stepped or its trust changed');
      },
    },
    { mode: config.trustClock, notBefore: WRITTEN },
    goodTime,
  );
  const { trust, reason } = clock.state();
  if (trust === 'untrusted') {
    log.warn(
      { reason, time: isoOf(clock.now()) },
      'the clock is not to be trusted; fail-safes decide until it is',
    );
  }
  return clock;
}

function wireEvents(
  config: Config,
  kernel: Kernel,
  database: Database,
  deps: {
    authenticate: (bearer: string) => Promise<Caller>;
    secret: string;
    metrics: Metrics;
    presenceOf: (controlPointId: string) => PresenceItem | null;
  },
) {
  const queries = eventQueries(database.read);
  const snapshot = {
    ...kernel,
    storedSnapshot: queries.snapshotFor,
    presenceOf: deps.presenceOf,
    onlineAfterMs: config.onlineAfterS * 1000,
  };
  const hub = createEventHub({
    ...queries,
    onCommit: database.onCommit,
    authenticate: deps.authenticate,
    snapshotFor: (userId, farmIds) => eventSnapshot(snapshot, userId, farmIds),
    now: kernel.now,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    onError: (error) => kernel.log.error({ err: error }, 'an event stream could not be served'),
  });
  deps.metrics.gauge('event_streams_open', 'Event streams that are open', hub.openStreams);
  deps.metrics.counter(
    'event_streams_dropped_total',
    'Streams cut because the client was too slow',
    hub.droppedStreams,
  );
  return { hub, tickets: createEventTickets({ ...kernel, secret: deps.secret }) };
}

async function wireAccounts(config: Config, world: World, kernel: Kernel, database: Database) {
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
