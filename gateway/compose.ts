import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createApp } from '#adapters/http/app.ts';
import { clientAddresses } from '#adapters/http/client-address.ts';
import { eventTicketRoutes } from '#adapters/http/event-tickets.ts';
import { createChecks } from '#adapters/http/health.ts';
import { createMetrics } from '#adapters/http/metrics.ts';
import { mountPlatform } from '#adapters/http/platform.ts';
import { createRefusals } from '#adapters/log/refusals.ts';
import { sparingLog } from '#adapters/log/sparing-log.ts';
import { accessQuery, guardQuery } from '#adapters/sql/queries/access.ts';
import { addressQueries } from '#adapters/sql/queries/addresses.ts';
import { aeratorQueries } from '#adapters/sql/queries/aerators.ts';
import { commandQueries } from '#adapters/sql/queries/commands.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { idempotencyQueries } from '#adapters/sql/queries/idempotency.ts';
import { lastRun } from '#adapters/sql/queries/last-run.ts';
import { logQueries } from '#adapters/sql/queries/logs.ts';
import { memberQueries } from '#adapters/sql/queries/members.ts';
import { notificationLists, notificationQueries } from '#adapters/sql/queries/notifications.ts';
import { pondQueries } from '#adapters/sql/queries/ponds.ts';
import { operatesAllControlQuery, operatesSomeFarmQuery } from '#adapters/sql/queries/schedules.ts';
import { mountPackages } from '#adapters/sync/hosted-packages.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { createStorageHealth } from '#adapters/system/storage-health.ts';
import type { Commit } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NO_GATEWAYS } from '#core/remote-order.ts';
import { nodeOf } from '#core/sync-node.ts';
import { requireReadScope } from '#core/token-scope.ts';
import { requireApiAccess } from '#features/access-tokens/create-token.ts';
import { addressRoutes } from '#features/addresses/routes.ts';
import { aeratorRoutes } from '#features/aerators/routes.ts';
import { commandRoutes } from '#features/commands/routes.ts';
import { orderByPerson } from '#features/control-points/order-routes.ts';
import { presenceItemOf } from '#features/devices/presence-item.ts';
import { farmRoutes } from '#features/farms/routes.ts';
import { logRoutes } from '#features/logs/routes.ts';
import { memberRoutes } from '#features/members/routes.ts';
import { notificationRoutes } from '#features/notifications/routes.ts';
import { pondRoutes } from '#features/ponds/routes.ts';
import { keepWhatHoldsOnFarm } from '#features/schedules/keep-what-holds.ts';
import { systemRoutes } from '#features/system/routes.ts';
import { bootDatabase } from './boot/climb.ts';
import { whileLocked } from './boot/while-locked.ts';
import { wireAccounts } from './compose-accounts.ts';
import { wireForecast } from './compose-aeration.ts';
import { wireAlerts, wireWatches } from './compose-alerts.ts';
import { wireBackup } from './compose-backup.ts';
import { wireBackupDesk } from './compose-backup-desk.ts';
import { wireGatewayCommands, wireRemoteFarms } from './compose-commands.ts';
import { wireControl } from './compose-control.ts';
import { wireDelivery } from './compose-delivery.ts';
import { syncFactsOf, wireDoctor } from './compose-doctor.ts';
import { wireFarmConsole } from './compose-farm-console.ts';
import { wireHostedTime } from './compose-hosted-time.ts';
import { wireHostedWork } from './compose-hosted-work.ts';
import { canSend, wireNotify } from './compose-news.ts';
import { wireLocalPairing } from './compose-pairing.ts';
import { wireHostedPairing } from './compose-pairing-hosted.ts';
import { wirePayments } from './compose-payments.ts';
import { wirePeople } from './compose-people.ts';
import { lateTeller, readiness, tellControl, wireEvents } from './compose-platform.ts';
import { wireProcesses } from './compose-processes.ts';
import { wireProduction } from './compose-production.ts';
import { wireRequestLimits, wireSubscriptions } from './compose-subscriptions.ts';
import { wireSyncConflicts } from './compose-sync-conflicts.ts';
import { wireGatewaySync } from './compose-sync-gateway.ts';
import { wireHostedSync } from './compose-sync-hosted.ts';
import { wireTechnicians } from './compose-technicians.ts';
import { wireTrust } from './compose-trust.ts';
import { packagesOf, wireUpdate } from './compose-update.ts';
import type { Config } from './config.ts';
import { growingIds, idOfCause, startClock, type World } from './world.ts';

/** Made by scripts/build-console.mjs. */
const CONSOLE = fileURLToPath(new URL('../desktop/console/dist', import.meta.url));

/** Wires everything for a role; the map of the program. */
export async function compose(config: Config, given: World) {
  const log = sparingLog(given.log, given.monotonic);
  const world: World = { ...given, log };
  // the time floor lies in the database, so until it is open the wall clock has to do
  let clock: DisciplinedClock | null = null;
  const now = () => clock?.now() ?? world.wallClock();
  const booted = await whileLocked(world, () =>
    bootDatabase(config, {
      log,
      now,
      monotonic: world.monotonic,
      bootId: randomBytes(8).toString('hex'),
      node: nodeOf(config.role, randomBytes(4).toString('hex')),
      onListenerError: (error) => log.error({ err: error }, 'a listener of committed changes failed'),
      onReaderDied: (error) =>
        log.warn(
          { err: error },
          'the reading thread died; long lists are read on the main thread for a while',
        ),
      ...(world.onMigrating === undefined ? {} : { onMigrating: world.onMigrating }),
    }),
  );
  const processes = await wireProcesses(config, { ...world, database: booted.database, now });
  // what comes from the other instance has consequences for control here, which are stored with it
  const following = { commit: processes.database.commit };
  const database = { ...processes.database, commit: ((unit) => following.commit(unit)) satisfies Commit };
  const { heard, attempts } = processes;
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
    idOf: idOfCause,
    random: world.random,
    pause: world.pause,
    commit: storage.commit,
    guard: guardQuery(database.read),
    log,
  };
  const run = await lastRun(database.read);
  const clockListeners = new Set<(steppedBy: number) => void>();
  clock = startClock({ config, world, log }, run.goodTime, (steppedBy) => {
    for (const listener of clockListeners) listener(steppedBy);
  });
  const notify = wireNotify(canSend(config), kernel, database);
  const subscriptions = wireSubscriptions(kernel, database, notify);
  const clients = clientAddresses(config.trustedProxies, tellOnceOfProxy(config, log));
  const { authenticate, ...accounts } = await wireAccounts({
    config,
    world,
    kernel,
    database: heard,
    subscriptions,
    clients,
    attempts,
  });
  const metrics = createMetrics();
  const refusals = createRefusals({ log }, ['mqtt', 'http']);
  metrics.counterBy('http_refused_total', 'Requests refused, by status and code', ['status', 'code'], () =>
    refusals.totals('http'),
  );
  const checks = createChecks();
  const accessTo = accessQuery(database.read);
  const remote =
    config.role === 'hosted'
      ? await wireRemoteFarms({ kernel, database, monotonic: world.monotonic, notify, processes })
      : null;
  const changed = lateTeller();
  const control = await wireControl({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    authenticate,
    accessTo,
    isNear: clients.isNear,
    operatesSomeFarm: operatesSomeFarmQuery(database.read),
    lookedAt: run.goodTime,
    others: processes.others,
    gateways: remote?.gateways ?? NO_GATEWAYS,
    heardHere: (id) => remote?.heardHere(id),
    notify,
    commitPlainly: processes.database.commit,
    tellChanged: changed.tell,
  });
  following.commit = control.merged.commit;
  remote?.attach(control);
  const commands =
    config.role === 'gateway'
      ? await wireGatewayCommands({ config, kernel, monotonic: world.monotonic, database, control })
      : null;
  const alerts = wireAlerts(kernel, database, notify);
  const watches = wireWatches({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    alerts,
    notify,
    views: control.ownViews,
    previousUntil: run.goodTime,
    conditions: () => ({
      clock: kernel.clockQuality() === 'trusted' ? 'trusted' : 'untrusted',
      disk: storage.disk() === 'ok' ? 'ok' : 'full',
    }),
    isSimulating: (id) => control.simulator.plays(id),
  });
  const onlineAfterMs = config.onlineAfterS * 1000;
  const presenceOf = (id: string) => presenceItemOf({ now, onlineAfterMs }, control.registry.byId(id));
  const events = wireEvents(config, kernel, heard, {
    authenticate: async (bearer) => requireReadScope(await authenticate(bearer)),
    secret: accounts.secret,
    metrics,
    presenceOf,
    gateways: remote?.gateways ?? NO_GATEWAYS,
  });
  changed.follow(events.hub.tellChanged);
  clockListeners.add(control.followClockStep);
  remote?.tellCommands(heard, events.hub);
  clockListeners.add(() =>
    events.hub.tellAll('clock', {
      quality: kernel.clockQuality(),
      server_time: isoOf(now()),
      detail: clock.state().reason,
    }),
  );
  tellControl(metrics, control.registry, { storage, quality: kernel.clockQuality });
  control.onPresence((id) => {
    // nearly always nobody looks, and a heartbeat is the most frequent thing there is
    if (events.hub.openStreams() === 0) return;
    const item = presenceOf(id);
    const farmId = control.registry.byId(id)?.row.farm_id;
    if (item !== null && farmId !== undefined) events.hub.tell(farmId, 'presence', item);
  });
  const production = wireProduction({
    kernel,
    database,
    alerting: alerts.alerting,
    heardUnsaved: control.oxygen.hear,
    limits: subscriptions.limits,
    hasFeature: subscriptions.hasFeature,
  });
  const forecast = wireForecast({
    kernel,
    monotonic: world.monotonic,
    database,
    alerting: remote === null ? alerts.alerting : remote.onlyOwnFarms(alerts.alerting),
    scienceOf: production.scienceOf,
  });
  const pairing =
    config.role === 'gateway'
      ? await wireLocalPairing({
          config,
          kernel,
          monotonic: world.monotonic,
          database,
          tellChanged: changed.tell,
        })
      : null;
  const hostedWork =
    remote === null
      ? null
      : wireHostedWork({
          kernel,
          monotonic: world.monotonic,
          database,
          leases: processes.leases,
          control,
          remote,
          watches,
          forecast: forecast.watch,
          alerting: alerts.alerting,
          notify,
        });
  const payments = await wirePayments({
    config,
    kernel,
    database,
    secret: accounts.secret,
    notify,
    subscriptionChanged: subscriptions.subscriptionChanged,
    ...(pairing === null ? {} : { deskInstead: pairing.deskInstead }),
  });
  const delivery = await wireDelivery({
    config,
    kernel,
    monotonic: world.monotonic,
    database,
    notify,
    metrics,
    attempts,
    tellChanged: changed.tell,
    leases: processes.leases,
  });
  clockListeners.add(delivery.followClockStep);
  const hostedTime =
    pairing === null
      ? null
      : wireHostedTime({ clock, monotonic: world.monotonic, log, paired: pairing.paired });
  const fleet =
    config.role === 'hosted'
      ? await wireHostedPairing({
          config,
          kernel,
          monotonic: world.monotonic,
          database: heard,
          notify,
          passwords: accounts.passwords,
          attempts,
          sendLetter: delivery.letters.send,
          metrics,
          sourceOf: clients.of,
          desk: payments.desk,
        })
      : null;
  const sync =
    fleet === null
      ? null
      : wireHostedSync({
          kernel,
          database,
          monotonic: world.monotonic,
          metrics,
          refused: (reason, source) => refusals.count('http', reason, source),
          sourceOf: clients.of,
          processes,
          gatewayByToken: fleet.gatewayByToken,
          ...(remote === null ? {} : { parts: remote.parts }),
        });
  const gatewaySync =
    pairing === null
      ? null
      : wireGatewaySync({
          config,
          kernel,
          monotonic: world.monotonic,
          database,
          metrics,
          events: events.hub,
          notify,
          pairing,
          live: commands?.parts ?? null,
          disk: storage.disk,
        });
  if (gatewaySync !== null) events.followSync(gatewaySync.asTold);
  const syncConflicts = wireSyncConflicts({ config, kernel, database, accessTo, notify });
  const hasApiAccess = (userId: string) => subscriptions.hasFeature(userId, 'api_access');
  const people = wirePeople({
    kernel,
    database,
    notify,
    passwords: accounts.passwords,
    passwordTries: accounts.passwordTries,
    attempts,
    batches: production.batches,
    limits: subscriptions.limits,
    hasApiAccess,
    letters: delivery.letters,
    endPayments: payments.endPayments,
  });
  const trust = await wireTrust({
    config,
    world,
    kernel,
    database,
    notify,
    checks,
    metrics,
    refusals,
    isNear: clients.isNear,
  });
  const update = wireUpdate({ config, kernel, database, notify, restart: world.restart, pairing });
  const doctor = wireDoctor({
    config,
    world,
    kernel,
    database,
    views: control.registry,
    clock,
    storage,
    keeper: trust.keeper,
    metrics,
    readiness: () => readiness({ database, checks }, storage, clock),
    lastGoodTime: async () => (await lastRun(database.read)).goodTime,
    backup: () => backup?.stand() ?? null,
    syncStatus: async () => (gatewaySync === null ? null : syncFactsOf(await gatewaySync.status())),
    hostedUrl: async () => (await pairing?.paired())?.hosted_url ?? null,
    probes: () => technicians?.probes.watch.probes() ?? null,
    modem: delivery.modem,
  });
  const technicians =
    config.role === 'gateway'
      ? await wireTechnicians({
          config,
          world,
          kernel,
          database,
          control,
          notify,
          accessTo,
          alerting: alerts.alerting,
          scienceOf: production.scienceOf,
          trust,
          tellChanged: changed.tell,
        })
      : null;
  const backup =
    config.role === 'gateway' && config.databaseUrl === null
      ? wireBackup({
          config,
          kernel,
          monotonic: world.monotonic,
          database,
          notify,
          boot: booted.report,
          checks,
          metrics,
        })
      : null;
  const backupDesk =
    backup === null
      ? null
      : wireBackupDesk({
          config,
          kernel,
          monotonic: world.monotonic,
          database,
          backup,
          tellChanged: changed.tell,
          verifyPassword: accounts.passwords.verify,
          passwordTries: accounts.passwordTries,
          restart: world.isSupervised === true ? (world.restart ?? null) : null,
        });
  const allRoutes = [
    ...(pairing?.routes ?? []),
    ...(fleet?.routes ?? []),
    ...(gatewaySync?.routes ?? []),
    ...syncConflicts.routes,
    ...accounts.routes,
    ...people.routes,
    ...subscriptions.routes,
    ...payments.routes,
    ...delivery.routes,
    ...addressRoutes({ ...kernel, queries: addressQueries(database.read) }),
    ...memberRoutes({ ...kernel, queries: memberQueries(database.read) }),
    ...farmRoutes({
      ...kernel,
      queries: farmQueries(database.read),
      defaultZone: config.timezone,
      onZoneChange: (farmId) => keepWhatHoldsOnFarm({ now }, control.ownViews.all(), farmId),
      onCreate: subscriptions.limits.farm,
    }),
    ...pondRoutes({
      ...kernel,
      queries: pondQueries(database.read),
      contents: production.pondContents,
      isOnline: (id) => presenceOf(id)?.is_online ?? null,
      activeBatchesIn: async (pondId) =>
        (await production.batches.activeTiedTo(pondId)).map(({ batch }) => batch.batch_code),
      onCreate: (created, { farm }) => subscriptions.limits.pond(created, farm.ownerId),
    }),
    ...aeratorRoutes({
      ...kernel,
      queries: aeratorQueries(database.read),
      orderControlPoint: ({ controlPointId, target, caller, reason, aeratorId, requestId }) =>
        orderByPerson(control.orderDeps, controlPointId, {
          target,
          issuedBy: caller.userId,
          reason,
          holdS: null,
          aeratorId,
          requestId,
        }),
    }),
    ...control.routes,
    ...(technicians?.routes ?? []),
    ...commandRoutes({ queries: commandQueries(database.readLong) }),
    ...alerts.routes,
    ...wireFarmConsole(kernel, database, changed.tell),
    ...logRoutes({ queries: logQueries(database.readLong) }),
    ...notificationRoutes({
      ...kernel,
      queries: { ...notificationQueries(database.read), ...notificationLists(database.readLong) },
    }),
    ...production.routes,
    ...forecast.routes,
    ...eventTicketRoutes(events.tickets),
    ...trust.routes,
    ...update.routes,
    ...(backupDesk?.routes ?? []),
    ...doctor.routes,
    ...systemRoutes({ ...kernel, clock, operatesAllControl: operatesAllControlQuery(database.read) }),
  ];
  // what belongs to the hosted instance is not a paired gateway's to serve
  const routes = pairing?.guard(allRoutes) ?? allRoutes;
  const requestLimits = wireRequestLimits(config, kernel, heard, world.monotonic);
  const app = createApp(
    {
      ...kernel,
      ...(requestLimits === null ? {} : { admit: requestLimits.admit }),
      ...idempotencyQueries(database.read),
      accessTo,
      sourceOf: clients.of,
      authenticate,
      accessTokens: {
        ...accounts.accessTokens,
        requirePlan: (userId) => requireApiAccess({ hasApiAccess }, userId),
      },
      timerOf: metrics.timerOf,
      refused: (reason, source) => refusals.count('http', reason, source),
      mountBeside: (express) => {
        fleet?.mount(express);
        sync?.mount(express);
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
            paymentPages: payments.pages,
            authorities: trust.authorities,
            local: { ...doctor.local, hostedEntrance: update.hostedEntrance },
            consoleFolder: CONSOLE,
            readiness: () => readiness({ database, checks }, storage, clock),
          },
          routes,
        );
      },
    },
    routes,
  );
  booted.freeze();
  return {
    app,
    clients,
    requestLimits,
    backup,
    backupDesk,
    routes,
    kernel,
    notify,
    delivery,
    payments,
    clock,
    database,
    processes,
    metrics,
    refusals,
    checks,
    events: events.hub,
    tellGateways: events.tellGateways,
    control,
    alerts,
    watches,
    remote,
    commands,
    hostedWork,
    forecast,
    people,
    pairing,
    fleet,
    sync,
    gatewaySync,
    syncConflicts,
    hostedTime,
    storage,
    trust,
    technicians,
    update,
    doctor,
    ready: () => readiness({ database, checks }, storage, clock),
  };
}

/** A hosted instance behind a proxy that nobody named takes all the world for one address, and its limits with it. */
function tellOnceOfProxy({ role }: Config, log: World['log']): (proxy: string) => void {
  let isTold = role !== 'hosted';
  return (proxy) => {
    if (isTold) return;
    isTold = true;
    log.warn(
      { proxy },
      'requests come through a proxy that is not trusted, so limits count all its people as one: see --trusted-proxies',
    );
  };
}

export type Instance = Awaited<ReturnType<typeof compose>>;
