import { randomBytes } from 'node:crypto';
import { instanceValue } from '#adapters/sql/instance.ts';
import { shownReasons } from '#adapters/sql/queries/cloud/merged-marks.ts';
import { controlPointQueries } from '#adapters/sql/queries/control/control-points.ts';
import { scheduleQueries } from '#adapters/sql/queries/control/schedules.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { oxygenQueries } from '#adapters/sql/queries/production/oxygen.ts';
import type { OtaDesired, OtaProgress } from '#contract/mqtt/ota.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { type Change, onTables, rowsOf } from '#core/changes.ts';
import { isSettling } from '#core/clock-trust.ts';
import type { Request } from '#core/route.ts';
import type { OxygenDemand } from '#features/control/aeration/oxygen-demand.ts';
import { createOxygenLoop } from '#features/control/aeration/oxygen-loop.ts';
import { giveOrder, type OrderRequest } from '#features/control/control-points/give-order.ts';
import { type OrderDeps, orderByPerson, orderRoutes } from '#features/control/control-points/order-routes.ts';
import { controlPointRoutes } from '#features/control/control-points/routes.ts';
import { traceOrders } from '#features/control/control-points/trace-orders.ts';
import type { ControlView, DeviceTrouble, OverridingReason } from '#features/control/control-view.ts';
import type { DeviceLink, DeviceTalk, Levels } from '#features/control/device-link.ts';
import { createConversation } from '#features/control/devices/conversation.ts';
import {
  createSeenDevices,
  type DeviceCallerDeps,
  deviceCaller,
} from '#features/control/devices/device-caller.ts';
import { createDeviceDoor } from '#features/control/devices/device-door.ts';
import { flushPresence, presenceItemOf } from '#features/control/devices/flush-presence.ts';
import { createReportFolding } from '#features/control/devices/fold-reports.ts';
import { followClockStep, keysFollowStep } from '#features/control/devices/follow-clock-step.ts';
import { giveNamesBack } from '#features/control/devices/give-names-back.ts';
import type { ReportDeps } from '#features/control/devices/on-report.ts';
import {
  createLevelPublisher,
  type LevelDeps,
  mqttIdOf,
  startDelayS,
} from '#features/control/devices/publish-levels.ts';
import { createKeyRotation, rotationRoutes } from '#features/control/devices/rotate-key.ts';
import { deviceRoutes } from '#features/control/devices/routes.ts';
import { shadowRoutes } from '#features/control/devices/shadow-routes.ts';
import { createFaultyTeller, setTrouble, tellSharedIdentity } from '#features/control/devices/tell-faulty.ts';
import { createWriteBudget } from '#features/control/devices/write-budget.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import { ruleFactsOf } from '#features/control/schedules/control-facts.ts';
import { createControlPlans } from '#features/control/schedules/control-plan.ts';
import { compileDeviceSchedule } from '#features/control/schedules/device-schedule.ts';
import {
  type LevelEndFacts,
  levelEnd,
  ordersEndedWith,
} from '#features/control/schedules/keep-what-holds.ts';
import { localHold } from '#features/control/schedules/person-hold.ts';
import { scheduleRoutes } from '#features/control/schedules/routes.ts';
import { timelineRoutes } from '#features/control/schedules/timeline-routes.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { followRows, keyTools, offsets, runExecutor } from '#operations/control/run-executor.ts';
import { openSirens } from '#operations/control/sirens.ts';
import { registerControlMetrics } from '#operations/doctor/box-figures.ts';
import type { RemoteFarms } from '#operations/hosted/run-farms.ts';
import type { Config } from '#runtime/config.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';
import { type ControlMemory, type Rollouts, sha256 } from './memory.ts';

export type ControllerNeeds = {
  memory: ControlMemory;
  people: Pick<People, 'authenticate'>;
  /** null: no firmware is brought to controllers from here. */
  rollouts: Rollouts | null;
  /** Hosted: farms that have a gateway. */
  remote: Pick<RemoteFarms, 'heardHere'> | null;
  gateways: FarmGateways;
};

export type Control = Awaited<ReturnType<typeof wireControllers>>;

/** Everything between a wish and a relay: the registry, orders, schedules, the border to the broker. */
export async function wireControllers(
  platform: Platform,
  { memory, people, rollouts, remote, gateways }: ControllerNeeds,
) {
  const { config, kernel, database, monotonic, pauses, run, signals, tellChanged } = platform;
  const { registry, keyUses, orderEnds, merged, ownViews } = memory;
  let link: DeviceLink | null = null;
  const levelDeps: LevelDeps = {
    now: kernel.now,
    sha256,
    heartbeatS: config.pollIntervalS,
    startStepS: config.startStepS,
    utcOffsetS: offsets(),
    compileSchedule: (view, from, rev) => {
      const { schedules, zone, base } = ruleFactsOf(view, kernel.now());
      return compileDeviceSchedule(
        { hash: (text) => sha256(text).slice(0, 16) },
        // a siren has none, whatever another instance has made of it
        { schedules: view.row.is_siren ? [] : schedules, zone, base, from, rev },
      );
    },
    endOf: (view) => levelEnd(view, levelEndFacts(view.row.id)),
  };
  const trace = traceOrders({ ...kernel, views: registry });
  const publisher = createLevelPublisher({ ...levelDeps, link: () => link });
  const levelsOf = (view: ControlView): Levels => {
    const ota = rollouts?.book.wantedOf(view.row.id) ?? null;
    return { ...publisher.levelsOf(view), ...(ota === null ? {} : { ota }) };
  };
  const presenceChanged = (id: string) => signals.tell('presence', id);
  const sendUnsaved = (id: string) => {
    const view = registry.byId(id);
    if (view === null) return;
    publisher.publish(view);
    signals.tell('unsaved', view);
    presenceChanged(id);
  };
  const oxygen = createOxygenLoop({
    ...kernel,
    monotonic,
    views: ownViews,
    queries: oxygenQueries(database.read),
    scienceOf: scienceOfFarms(scienceSettingQueries(database.read)),
    previousUntil: run.goodTime,
  });
  await oxygen.load();
  const sirens =
    config.role === 'gateway'
      ? await openSirens({
          kernel,
          monotonic,
          database,
          views: ownViews,
          onlineAfterMs: config.onlineAfterS * 1000,
          tellChanged,
        })
      : null;
  const safetyOf = (id: string) => sirens?.safetyOf(id) ?? oxygen.safetyOf(id);
  const plans = createControlPlans({
    ...kernel,
    safetyOf,
    isRunByGateway: gateways.isRunByGateway,
    untrustedSince: () => running.executor.untrustedSince(),
  });
  const { stamps, ...running } = runExecutor({
    config,
    kernel,
    monotonic,
    registry,
    ownViews,
    gateways,
    safetyOf,
    sendUnsaved,
    shownReasons: () => shownReasons(database.read),
    lookedAt: run.goodTime,
  });
  function levelEndFacts(id: string): LevelEndFacts {
    const untrustedSince = kernel.clockQuality() === 'trusted' ? null : running.executor.untrustedSince();
    return { now: kernel.now(), safety: () => safetyOf(id), untrustedSince };
  }
  await followRows({ ...platform, ...memory, publisher, trace, oxygen });
  const tellFaulty = createFaultyTeller({ ...kernel, monotonic, notify: platform.notify });
  const folding = createReportFolding({
    ...kernel,
    monotonic,
    views: registry,
    budget: createWriteBudget({ monotonic }),
    began: (view) => tellFaulty('folded', view),
  });
  const reportDeps: ReportDeps = {
    ...kernel,
    ...levelDeps,
    monotonic,
    views: registry,
    folding,
    versionRefused: (view, version) => tellFaulty('version', view, { version }),
    presenceChanged(id) {
      remote?.heardHere(id);
      presenceChanged(id);
    },
    levelEnded(id, version) {
      const view = registry.byId(id);
      if (view !== null) for (const orderId of ordersEndedWith(view, version)) orderEnds.end(orderId);
    },
  };
  const keyDeps = await keyTools(kernel, database);
  let talk: DeviceTalk | null = null;
  const keysChanged = (controlPointId: string) => {
    const farmId = registry.byId(controlPointId)?.row.farm_id;
    if (farmId !== undefined) tellChanged('device_keys', { farmId, who: 'operators' });
  };
  const rotation = createKeyRotation({
    ...kernel,
    ...keyDeps,
    monotonic,
    viewById: registry.byId,
    talk: () => talk,
    changed: keysChanged,
  });
  // after the registry, which knows the key by then
  database.onRows(rotation.follow);
  database.onRows(
    onTables([deviceKey], (committed) => {
      for (const { after } of rowsOf(committed, deviceKey)) keysChanged(after.control_point_id);
    }),
  );
  const conversation = createConversation({
    now: kernel.now,
    views: registry,
    changed(controlPointId) {
      const farmId = registry.byId(controlPointId)?.row.farm_id;
      if (farmId !== undefined) tellChanged('shadow', { farmId, who: 'operators' });
    },
  });
  const seen = createSeenDevices({
    now: kernel.now,
    changed: () => tellChanged('adoption', 'operators'),
  });
  const orderDeps: OrderDeps = {
    ...kernel,
    memory: registry,
    personOrigin: config.role === 'gateway' ? 'LOCAL' : 'REMOTE',
    emergencyOf: (id) => emergencyIn(oxygen.safetyOf(id)),
    sendUnsaved,
    gateways,
  };
  const schedules = scheduleQueries(database.read);
  const epoch = await instanceValue(database.read, 'target_epoch', () => randomBytes(4).toString('hex'));
  const callerDeps: DeviceCallerDeps = {
    ...reportDeps,
    ...keyDeps,
    seen,
    authenticate: people.authenticate,
    accessTo: platform.accessTo,
    unkeyedFrom: unkeyedFrom(config),
    allowsUnkeyed: keyUses.allowsUnkeyed,
    isNear: platform.clients.isNear,
  };
  const routes = [
    ...controlPointRoutes({
      ...kernel,
      sendUnsaved,
      queries: {
        ...controlPointQueries(database.read, config.role),
        ordersOf: controlPointQueries(database.readLong, config.role).ordersOf,
      },
      epoch,
      memory: registry,
      mqttIdOf: (deviceId) => mqttIdOf({ sha256 }, deviceId),
      onlineAfterMs: config.onlineAfterS * 1000,
      gateways,
      planOf: plans.planOf,
      // keys are where the controller is
      unkeyedOf: (view) =>
        gateways.isRunByGateway(view.row.farm_id) ? view.row.allow_unkeyed : keyUses.allowsUnkeyed(view),
    }),
    ...orderRoutes(orderDeps),
    ...deviceRoutes({
      ...callerDeps,
      onlineAfterMs: config.onlineAfterS * 1000,
      gateways,
      reported: conversation.heard,
      orderByUser: (id, target, { userId, requestId }) =>
        orderByPerson(orderDeps, id, { target, issuedBy: userId, reason: null, holdS: null, requestId }),
    }),
    ...rotationRoutes({ rotation, freshView: registry.refresh }),
    ...(sirens?.routes ?? []),
    // of several processes none has heard all that was said
    ...(config.role === 'gateway'
      ? shadowRoutes({
          ...levelDeps,
          freshView: registry.refresh,
          conversation,
          onlineAfterMs: config.onlineAfterS * 1000,
        })
      : []),
    ...scheduleRoutes({ ...kernel, ...schedules, gateways, freshView: registry.refresh }),
    ...timelineRoutes({ ...plans, views: registry, freshView: registry.refresh }),
  ];
  signals.on('farmBound', () => {
    oxygen
      .load()
      .catch((error: unknown) => kernel.log.error({ err: error }, 'oxygen readings could not be read'));
  });
  signals.on('clockStepped', (step) => {
    followClockStep(registry, step.steppedBy);
    oxygen.followClock();
    // where no executor runs the stamps are another's
    if (config.role !== 'gateway') return;
    sirens?.followClockStep(step);
    void stamps.follow(step.steppedBy);
    void keysFollowStep({ ...kernel, views: registry }, step);
  });
  registerControlMetrics(platform, registry);
  return {
    routes,
    /** Gateway: names that a merge took from devices without need. */
    async giveNamesBack(): Promise<void> {
      await giveNamesBack({
        ...kernel,
        views: registry,
        namedAt: controlPointQueries(database.read, config.role).namedAt,
      });
    },
    /** Gateway: tells viewers of sirens, every second. */
    tellSirens: () => sirens?.tell(),
    registry,
    /** How a controller is heard, as viewers see it; null: there is none of that id. */
    presenceOf: (id: string) =>
      presenceItemOf({ now: kernel.now, onlineAfterMs: config.onlineAfterS * 1000 }, registry.byId(id)),
    /** Whether calls without a key are taken for a control point. */
    allowsUnkeyed: keyUses.allowsUnkeyed,
    oxygen,
    /** Control points whose farm this instance runs itself. */
    ownViews,
    merged,
    ...running,
    localHold: (view: ControlView) => localHold(kernel, view),
    /** What goes before every order and hand at a control point now. */
    overridingReason: ({ row }: ControlView): OverridingReason | null => {
      if (row.locked_out) return 'LOCK_OUT';
      return emergencyIn(oxygen.safetyOf(row.id)) === null ? null : 'EMERGENCY_OXYGEN';
    },
    /** How long its own settings let a controller wait with a start or a stop. */
    motorLimits: (view: ControlView) => ({
      minOnMs: view.row.min_on_s * 1000,
      minOffMs: view.row.min_off_s * 1000,
      startDelayMs: startDelayS(levelDeps, view) * 1000,
    }),
    giveOrder: (view: ControlView, order: OrderRequest) => giveOrder(kernel, view, order),
    orderDeps,
    door: conversation.watching(
      createDeviceDoor({
        ...reportDeps,
        ...keyDeps,
        seen,
        repeatLevels: publisher.repeat,
        isSettling: () => isSettling(pauses.all(), monotonic()),
        rotation,
        tellContested: (view, takeovers) =>
          tellSharedIdentity({ ...kernel, notify: platform.notify }, view, takeovers),
        takeOtaProgress: (id, progress) => rollouts?.takeProgress(id, progress),
      }),
    ),
    firmware: { takeProgress: (id: string, progress: OtaProgress) => rollouts?.takeProgress(id, progress) },
    /** What keeps a controller from its target, by name. */
    setTrouble: (id: string, trouble: DeviceTrouble | null, more: { isStateUnknown: boolean }) =>
      setTrouble(reportDeps, id, trouble, more),
    publishOta: (mqttId: string, level: OtaDesired) => link?.publishOta(mqttId, level),
    /** Who calls for a controller; see deviceCaller. */
    deviceCaller: (
      deviceId: string,
      request: Pick<Request<unknown, unknown, unknown>, 'bearer' | 'source'>,
    ) => deviceCaller(callerDeps, deviceId, request),
    levels: () => [...registry.all()].map(levelsOf),
    levelsOf(mqttId: string) {
      const view = registry.byMqttId(mqttId);
      return view === null ? null : levelsOf(view);
    },
    /** For whoever gives devices their place. */
    adopting: { seen, keyDeps, mqttIdOf: (deviceId: string) => mqttIdOf({ sha256 }, deviceId) },
    epoch,
    talk: () => talk,
    /** From here on single messages go out, too. */
    attachTalk(broker: DeviceTalk) {
      talk = conversation.overhearing(broker);
    },
    /** From here on levels go out; called when the broker stands. */
    attach(broker: DeviceLink) {
      link = trace.following(conversation.following(broker));
      for (const view of registry.all()) publisher.publish(view);
    },
    /** Levels that change with time alone: the list of the days ahead, the farm's offset. */
    refreshLevels() {
      for (const view of registry.all()) publisher.publish(view);
    },
    /** What comes after levels that end by themselves, where it changed. */
    refreshEnds: () => publisher.publishEnds(registry.all()),
    async flushPresence(also: readonly Change[] = [], which: 'due' | 'all' = 'due') {
      const folded = folding.lines(which);
      await flushPresence({ ...kernel, views: registry }, [...also, ...folded.changes]);
      folded.stored();
    },
    /** Control points whose reports are folded now. */
    folded: folding.figures,
  };
}

/** A gateway serves its own network; an instance in the cloud has none, and serves whoever knows the name, if told to. */
function unkeyedFrom({ role, allowUnkeyedDevices }: Config): DeviceCallerDeps['unkeyedFrom'] {
  if (role === 'hosted') return allowUnkeyedDevices === true ? 'anywhere' : 'nowhere';
  return allowUnkeyedDevices === false ? 'nowhere' : 'near';
}

function emergencyIn(demands: readonly OxygenDemand[]): string | null {
  return demands.find(({ kind, target }) => kind === 'EMERGENCY_OXYGEN' && target === 'ON')?.reason ?? null;
}
