import { clientAddresses } from '#adapters/http/client-address.ts';
import { eventTicketRoutes } from '#adapters/http/event-tickets.ts';
import { createChecks } from '#adapters/http/health.ts';
import { createMetrics } from '#adapters/http/metrics.ts';
import { createRefusals } from '#adapters/log/refusals.ts';
import { accessQuery } from '#adapters/sql/queries/access.ts';
import { movedFarms } from '#adapters/sql/queries/cloud/moved-farms.ts';
import { controlPointEventOf } from '#contract/events/stream.ts';
import { isoOf } from '#core/kernel.ts';
import { NO_PAUSES } from '#core/process-pause.ts';
import { requireReadScope } from '#core/token-scope.ts';
import { createMovedFarms, gatewaysOfOwn } from '#features/cloud/moved-farms.ts';
import { knownState } from '#features/control/control-view.ts';
import { presenceItemOf } from '#features/control/devices/presence-item.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { systemRoutes } from '#features/system/system/routes.ts';
import { createDeliveries } from '#operations/delivery/deliveries.ts';
import { canSend, notifierOf } from '#operations/delivery/news.ts';
import { createRemoteFarms } from '#operations/hosted/remote-farms.ts';
import { createHostedWork } from '#operations/hosted/run-farms.ts';
import { boxRightsOf, foundBox, wireBoxRights } from '#operations/pairing/box-rights.ts';
import { openHostedPairing } from '#operations/pairing/hosted-pairing.ts';
import { createHostedTime } from '#operations/pairing/hosted-time.ts';
import { openLocalPairing } from '#operations/pairing/local-pairing.ts';
import { createGatewaySync } from '#operations/sync/gateway-sync.ts';
import { createHostedSync } from '#operations/sync/hosted-sync.ts';
import { createWatches } from '#operations/watch/watches.ts';
import type { Config } from '#runtime/config.ts';
import { busHealth } from '#runtime/processes.ts';
import type { World } from '#runtime/world.ts';
import { wireAlerts } from './alarms/alerts.ts';
import { wireSyncConflicts } from './cloud/sync-conflicts.ts';
import { wireForecast } from './control/aeration.ts';
import { wireControl } from './control/control.ts';
import { wireGatewayCommands } from './control/gateway-commands.ts';
import { wireRegisters } from './farm/farm.ts';
import { wireFarmConsole } from './farm/farm-console.ts';
import { lateTeller, readiness, tellControl, wireEvents } from './http/events.ts';
import { wireApp } from './http/http.ts';
import { wireKernel } from './kernel.ts';
import { wireAccounts } from './people/accounts.ts';
import { wirePayments } from './people/payments.ts';
import { wirePeople } from './people/people.ts';
import { wireRequestLimits, wireSubscriptions } from './people/subscriptions.ts';
import { wireProduction } from './production/production.ts';
import { wireBox } from './system/system.ts';

/** Wires everything for a role; the map of the program. */
export async function compose(config: Config, given: World) {
  const founded = await wireKernel(config, given);
  const { world, kernel, booted, run, clock, processes, database, storage } = founded;
  const { log, now } = kernel;
  const pauses = world.pauses ?? NO_PAUSES;
  /** For what comes from afar: a sleep of the machine that no beat has noticed yet is counted in. */
  const noticingSleep = () => {
    pauses.all();
    return world.monotonic();
  };
  const { heard, attempts } = processes;
  const notify = notifierOf(canSend(config), kernel, database);
  const subscriptions = wireSubscriptions(kernel, database, notify);
  const clients = clientAddresses(config.trustedProxies, tellOnceOfProxy(config, log));
  const changed = lateTeller();
  const boxRights = boxRightsOf(database.read, config.role);
  if (config.role === 'gateway') await foundBox(kernel, boxRights);
  const pairing =
    config.role === 'gateway'
      ? await openLocalPairing({
          config,
          kernel,
          monotonic: world.monotonic,
          database,
          tellChanged: changed.tell,
        })
      : null;
  const accounts = await wireAccounts({
    config,
    world,
    kernel,
    database: heard,
    subscriptions,
    clients,
    attempts,
    notify,
    clock,
    // wired below, and asked for long after that
    letterSeal: config.smtpUrl === null ? null : { seal: (id, what) => delivery.letters.seal.seal(id, what) },
    ...(pairing === null ? {} : { hosted: pairing }),
  });
  const metrics = createMetrics();
  const refusals = createRefusals({ log }, ['mqtt', 'http']);
  metrics.counterBy('http_refused_total', 'Requests refused, by status and code', ['status', 'code'], () =>
    refusals.totals('http'),
  );
  const checks = createChecks();
  if (config.databaseUrl !== null) checks.add('bus', () => busHealth(processes.bus));
  const accessTo = accessQuery(database.read);
  const remote =
    config.role === 'hosted'
      ? await createRemoteFarms({ kernel, database, monotonic: world.monotonic, notify, processes })
      : null;
  const moved = config.role === 'gateway' ? createMovedFarms(await movedFarms(database.read, 'here')) : null;
  if (moved !== null) database.onRows(moved.follow);
  const gateways = remote?.gateways ?? (moved === null ? NO_GATEWAYS : gatewaysOfOwn(NO_GATEWAYS, moved));
  const control = await wireControl({
    config,
    kernel,
    monotonic: world.monotonic,
    pauses,
    database,
    authenticate: accounts.authenticate,
    accessTo,
    isNear: clients.isNear,
    lookedAt: run.goodTime,
    shownTime: run.shownTime,
    others: processes.others,
    gateways,
    heardHere: (id) => remote?.heardHere(id),
    notify,
    commitPlainly: processes.database.commit,
    clearWay: founded.clearWay,
    tellChanged: changed.tell,
  });
  founded.commitBy(control.merged.commit);
  remote?.attach(control);
  const commands =
    config.role === 'gateway'
      ? await wireGatewayCommands({ config, kernel, monotonic: noticingSleep, database, control })
      : null;
  const alerts = wireAlerts(kernel, database, notify);
  const watches = createWatches({
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
      disk: storage.told() === 'ok' ? 'ok' : 'full',
    }),
    isSimulating: (id) => control.simulator.plays(id),
    pauses,
    isRunHere: (farmId) => !gateways.isRunByGateway(farmId),
    limitsOf: control.motorLimits,
    // wired below, and asked for long after that
    activeInPonds: (pondIds) => production.batches.activeInPonds(pondIds),
    scienceOf: (farmId) => production.scienceOf(farmId),
  });
  const onlineAfterMs = config.onlineAfterS * 1000;
  const presenceOf = (id: string) => presenceItemOf({ now, onlineAfterMs }, control.registry.byId(id));
  const events = wireEvents(config, kernel, heard, {
    monotonic: world.monotonic,
    authenticate: async (bearer) => requireReadScope(await accounts.authenticate(bearer)),
    secret: accounts.secret,
    metrics,
    presenceOf,
    gateways: remote?.gateways ?? NO_GATEWAYS,
    asKnown: (point) => ({ ...point, ...knownState(control.registry.byId(point.id)) }),
    disk: storage.told,
  });
  changed.follow(events.hub.tellChanged);
  founded.onClockStep(control.followClockStep);
  // on a hosted instance several processes would, each by its own clock
  if (config.role === 'gateway') founded.onClockStep(alerts.followClockStep);
  remote?.tellCommands(heard, events.hub);
  founded.onClockStep(() =>
    events.hub.tellAll('clock', {
      quality: kernel.clockQuality(),
      server_time: isoOf(now()),
      detail: clock.state().reason,
    }),
  );
  founded.onDisk((state) => {
    if (state !== 'full') void database.storeUnsaved(kernel.commit).catch(() => undefined);
  });
  founded.onDisk((state) => events.hub.tellAll('disk', { state, server_time: isoOf(now()) }));
  control.onUnsaved((view) =>
    events.hub.tell(
      view.row.farm_id,
      'control_point',
      controlPointEventOf({ ...view.row, ...knownState(view) }, { rev: view.row.rev, deleted: false }),
    ),
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
  const hostedWork =
    remote === null
      ? null
      : createHostedWork({
          kernel,
          monotonic: world.monotonic,
          pauses,
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
  });
  const delivery = await createDeliveries({
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
  founded.onClockStep(({ steppedBy }) => delivery.followClockStep(steppedBy));
  const hostedTime =
    pairing === null
      ? null
      : createHostedTime({ clock, monotonic: world.monotonic, log, paired: pairing.paired });
  const fleet =
    config.role === 'hosted'
      ? await openHostedPairing({
          config,
          kernel,
          monotonic: world.monotonic,
          database: heard,
          notify,
          passwords: accounts.passwords,
          proveSecondFactor: accounts.proveSecondFactor,
          attempts,
          sendLetter: delivery.letters.send,
          metrics,
          sourceOf: clients.of,
        })
      : null;
  const sync =
    fleet === null
      ? null
      : createHostedSync({
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
  await sync?.returnStamps();
  const gatewaySync =
    pairing === null
      ? null
      : createGatewaySync({
          config,
          kernel,
          monotonic: noticingSleep,
          database,
          metrics,
          events: events.hub,
          notify,
          pairing,
          others: processes.others,
          live: commands?.parts ?? null,
          moved: () => moved?.all() ?? [],
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
    loginFailures: accounts.loginFailures,
    attempts,
    batches: production.batches,
    limits: subscriptions.limits,
    hasApiAccess,
    letters: delivery.letters,
    provesAddresses: config.role === 'hosted',
    consoleUrl: config.publicUrl,
    hosted:
      pairing === null
        ? null
        : { isOfHosted: pairing.isOfHosted, url: async () => (await pairing.paired())?.hosted_url ?? null },
    endPayments: payments.endPayments,
    isPaired: async () => pairing !== null && (await pairing.paired()) !== null,
  });
  const box = await wireBox({
    ...founded,
    config,
    checks,
    metrics,
    refusals,
    clients,
    accounts,
    accessTo,
    notify,
    control,
    alerts,
    production,
    delivery,
    pairing,
    gatewaySync,
    tellChanged: changed.tell,
  });
  const registers = wireRegisters({
    gateways: remote?.gateways ?? NO_GATEWAYS,
    config,
    kernel,
    database,
    control,
    production,
    subscriptions,
    presenceOf,
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
    ...registers,
    ...control.routes,
    ...alerts.routes,
    ...wireFarmConsole(kernel, database, changed.tell),
    ...production.routes,
    ...forecast.routes,
    ...eventTicketRoutes(events.tickets),
    ...box.routes,
    ...systemRoutes({ ...kernel, clock }),
    ...(config.role === 'gateway' ? wireBoxRights({ kernel, database, rights: boxRights, accounts }) : []),
  ];
  // what belongs to the hosted instance is not a paired gateway's to serve
  const routes = pairing?.guard(allRoutes) ?? allRoutes;
  const requestLimits = wireRequestLimits(config, kernel, heard, world.monotonic);
  const app = wireApp({
    ...founded,
    config,
    checks,
    metrics,
    refusals,
    clients,
    accounts,
    accessTo,
    mayOnBox: boxRights.mayOnBox,
    ...(moved === null ? {} : { isMoved: moved.has }),
    hasApiAccess,
    requestLimits,
    fleet,
    sync,
    events,
    payments,
    box,
    routes,
  });
  booted.freeze();
  return {
    ...box,
    openSetUpCode: accounts.openSetUpCode,
    app,
    clients,
    requestLimits,
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
