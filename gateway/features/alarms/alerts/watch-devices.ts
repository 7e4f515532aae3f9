import { alert } from '#contract/resources/alerts.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, type RowListener, update } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { type ControlView, currentOf, targetOf } from '#features/control/control-view.ts';
import { createOpenAlerts } from './alerting.ts';
import { isConfirmed, isRefused, isUnconfirmed, whyUnconfirmed } from './confirm-rules.ts';
import { noCurrentCause, offlineCause, unconfirmedCause, unstableCause } from './device-alert-causes.ts';
import {
  type DeviceMemory,
  hasCurrentAgain,
  hasNoCurrent,
  hasReturned,
  isOffline,
  isSteadyAgain,
  mainsDips,
  mayBeBlamed,
  observed,
  resumed,
  silentMs,
} from './device-alert-rules.ts';
import { createHeartbeatLog, type StoredSilence, silenceAfter } from './heartbeat-log.ts';
import type { AlertQueries, Clock, DeviceFacts, Listening, MotorLimits } from './ports.ts';
import type { Watched } from './power-failure-rules.ts';
import { type Act, DEVICE_TYPES, type DeviceType, type Moment } from './watch-acts.ts';
import { createPowerWatch } from './watch-power.ts';

type DeviceWatchDeps = Pick<
  Kernel,
  'now' | 'newId' | 'commit' | 'pause' | 'random' | 'guard' | 'idOf' | 'clockQuality' | 'log'
> & {
  monotonic: () => number;
  devices: () => Iterable<DeviceFacts>;
  listening: () => Listening;
  alerting: Alerting;
  queries: Pick<AlertQueries, 'openOfTypes'>;
  /** Silences that the log tells of, as they are stored. */
  silences: () => Promise<readonly StoredSilence[]>;
};

/** Controllers of a farm. `resting`: of a simulator that does not run. */
type OnFarm = { real: Watched[]; simulated: Watched[]; resting: DeviceFacts[] };

type DeviceWatch = {
  /** One look at every controller; stores what follows. To be called every few seconds; never throws. */
  tick: () => Promise<void>;
  /** To be told of every committed unit. */
  follow: RowListener;
};

/** Bounds of one look, so that a thousand troubles at once are stored in slices and control goes first. */
const MOST_FARMS_A_TICK = 20;
const MOST_ACTS_A_FARM = 50;
/** The reason of a trouble may change from report to report. */
const RESTATE_AFTER_MS = 60_000;
/** Who did not look for so long is a process that just took over. */
const LOOKED_LATELY_MS = 60_000;

/** What is to be said of a controller: `reason` tells when a trouble goes on for another one; null: it has but one. */
type Finding = { cause: AlertCause; reason: string | null };
type Said = { alertId: string; reason: string; at: number };

/**
 * Raises and resolves the alerts of controllers from what stands in memory. It looks at levels, not at events: what a
 * stop, a full disk or a slow look missed is seen by the next one.
 */
export function createDeviceWatch(deps: DeviceWatchDeps): DeviceWatch {
  const open = createOpenAlerts({
    queries: deps.queries,
    types: DEVICE_TYPES,
    thingOf: (row) => (row.type === 'POWER_FAILURE' ? row.farm_id : row.control_point_id),
  });
  const memories = new Map<string, DeviceMemory>();
  /** The last cause stored per control point and type: a person who resolved it is not told again. */
  const toldCauses = new Map<string, Map<DeviceType, string>>();
  /** What the alert that stands says, and since when, per control point and type. */
  const saidByPoint = new Map<string, Map<DeviceType, Said>>();
  const heartbeats = createHeartbeatLog();
  const power = createPowerWatch({ open, idOf: deps.idOf, forgetFalls });
  const state = { heardSince: Number.NaN, isStorageDown: false, lookedAt: Number.NEGATIVE_INFINITY };

  async function look(): Promise<void> {
    await open.load();
    const at = { listening: deps.listening(), clock: { now: deps.now(), monotonic: deps.monotonic() } };
    if (at.clock.monotonic - state.lookedAt > LOOKED_LATELY_MS)
      heartbeats.load(await deps.silences(), at.clock);
    state.lookedAt = at.clock.monotonic;
    if (state.heardSince !== at.listening.sinceMonotonic) {
      for (const [id, memory] of memories) memories.set(id, resumed(memory, at.clock.monotonic));
    }
    state.heardSince = at.listening.sinceMonotonic;
    const plans: [farmId: string, acts: Act[]][] = [];
    for (const [farmId, { real, simulated, resting }] of watchedByFarm(at)) {
      // simulated ones take no part in what the real ones say of the farm's power, on neither side of the half
      const feeding = real.length > 0 ? real : simulated;
      // alone: they touch the same rows as the acts of single controllers, which follow at the next look
      const powerActs = power.actsFor(farmId, feeding, at);
      const acts =
        powerActs.length > 0
          ? powerActs
          : [...deviceActs(farmId, [...real, ...simulated], at), ...resting.flatMap(endActs)];
      if (acts.length > 0) plans.push([farmId, acts.slice(0, MOST_ACTS_A_FARM)]);
    }
    for (const [farmId, acts] of plans.slice(0, MOST_FARMS_A_TICK)) {
      const isStored = await carryOut(farmId, acts).then(() => true, failed);
      if (!isStored && state.isStorageDown) return;
    }
    if (plans.length > 0) state.isStorageDown = false;
  }

  function watchedByFarm(at: Moment): Map<string, OnFarm> {
    const watched = new Map<string, OnFarm>();
    const seen = new Set<string>();
    for (const [farmId, all] of Map.groupBy(deps.devices(), (facts) => facts.farmId)) {
      const {
        real = [],
        simulated = [],
        resting = [],
      } = Object.groupBy(all, ({ simulator }) =>
        simulator === null ? 'real' : simulator === 'runs' ? 'simulated' : 'resting',
      );
      const dips = mainsDips(real);
      const remembering = (facts: DeviceFacts): Watched => {
        const id = facts.controlPointId;
        seen.add(id);
        const isCovered = power.coveredOn(farmId, at.clock)?.has(id) === true;
        const look = { ...at, isExcused: power.explains(facts), isCovered, dips };
        const memory = observed(memories.get(id), facts, look);
        memories.set(id, memory);
        return { facts, memory };
      };
      watched.set(farmId, { real: real.map(remembering), simulated: simulated.map(remembering), resting });
    }
    for (const id of memories.keys()) {
      if (seen.has(id)) continue;
      memories.delete(id);
      toldCauses.delete(id);
      saidByPoint.delete(id);
      heartbeats.forget(id);
    }
    return watched;
  }

  function forgetFalls(controlPointIds: Iterable<string>): void {
    for (const id of controlPointIds) {
      const memory = memories.get(id);
      if (memory) memories.set(id, { ...memory, fellAt: null });
    }
  }

  function deviceActs(farmId: string, devices: readonly Watched[], { clock, listening }: Moment): Act[] {
    const covered = power.coveredOn(farmId, clock);
    return devices.flatMap(({ facts, memory }) => {
      const isSilent = !covered?.has(facts.controlPointId) && isOffline(facts, listening, clock);
      return [
        ...turn('DEVICE_OFFLINE', facts, clock, {
          finding: isSilent ? only(offlineCause(facts, silentMs(facts, listening, clock) ?? 0)) : null,
          isOver: hasReturned(facts, listening, clock),
        }),
        ...turn('COMMAND_NOT_CONFIRMED', facts, clock, {
          finding: power.excuses(facts, clock) ? null : unconfirmed({ facts, memory }, { clock, listening }),
          isOver: isConfirmed(memory.confirmation, clock.monotonic),
        }),
        ...turn('UNSTABLE', facts, clock, {
          finding: covered?.has(facts.controlPointId) === true ? null : unstable({ facts, memory }),
          isOver:
            memory.unsteadyAt === null && isSteadyAgain(facts, memory.confirmation, { clock, listening }),
        }),
        ...turn('NO_CURRENT', facts, clock, {
          finding: hasNoCurrent(memory, clock) ? only(noCurrentCause(facts, memory)) : null,
          isOver: hasCurrentAgain(facts),
        }),
        ...heartbeats.due({ facts, memory }, clock).map((entry): Act => ({ do: 'log', entry })),
      ];
    });
  }

  function unconfirmed({ facts, memory }: Watched, { clock, listening }: Moment): Finding | null {
    const { confirmation } = memory;
    if (isConfirmed(confirmation, clock.monotonic)) return null;
    const stands = open.of('COMMAND_NOT_CONFIRMED', facts.controlPointId) !== null;
    const isTooLong = isUnconfirmed(confirmation) && mayBeBlamed(facts, listening, clock);
    // what it refuses it will not do in any time
    if (!isRefused(facts) && !isTooLong && !(stands && confirmation.metSince === null)) return null;
    const cause = unconfirmedCause(facts, memory);
    const why = whyUnconfirmed(confirmation, facts);
    const { target, activity, trouble } = facts;
    const reason = [why, target, cause.severity, activity.refusal?.reason, trouble?.code].join(' ');
    return { cause, reason };
  }

  /** The simulator was stopped: nothing is wrong with what is not there. */
  const endActs = (facts: DeviceFacts): Act[] =>
    (['DEVICE_OFFLINE', 'COMMAND_NOT_CONFIRMED', 'UNSTABLE', 'NO_CURRENT'] as const).flatMap((type) =>
      turn(type, facts, { now: 0, monotonic: 0 }, { finding: null, isOver: true }),
    );

  function turn(
    type: DeviceType,
    { controlPointId }: DeviceFacts,
    { monotonic }: Clock,
    { finding, isOver }: { finding: Finding | null; isOver: boolean },
  ): Act[] {
    const standing = open.of(type, controlPointId);
    if (standing !== null && isOver)
      return [{ do: 'resolve', which: { type, control_point_id: controlPointId } }];
    if (finding === null) return [];
    const { cause, reason } = finding;
    if (standing === null)
      return toldCauses.get(controlPointId)?.get(type) === cause.cause
        ? []
        : [{ do: 'raise', cause, reason }];
    return reason === null || isSaid(controlPointId, type, { alertId: standing.id, reason, at: monotonic })
      ? []
      : [{ do: 'restate', alertId: standing.id, cause }];
  }

  /** Whether the alert that stands says so; what it is to say from now on is remembered. */
  function isSaid(controlPointId: string, type: DeviceType, now: Said): boolean {
    const before = saidByPoint.get(controlPointId)?.get(type);
    if (before?.alertId === now.alertId) {
      if (before.reason === now.reason || now.at - before.at < RESTATE_AFTER_MS) return true;
    }
    setSaid(controlPointId, type, now);
    return false;
  }

  function setSaid(controlPointId: string, type: DeviceType, said: Said): void {
    const saidByType = saidByPoint.get(controlPointId) ?? new Map<DeviceType, Said>();
    saidByPoint.set(controlPointId, saidByType.set(type, said));
  }

  async function carryOut(farmId: string, acts: readonly Act[]): Promise<void> {
    const raisedOn = new Set(
      acts.flatMap((act) => (act.do === 'raise' ? [act.cause.control_point_id ?? ''] : [])),
    );
    const { committed } = await perform(deps, null, async () => {
      const guards = raisedOn.size === 0 ? [] : [asParent(await deps.guard('farm', farmId))];
      for (const id of raisedOn) guards.push(asParent(await deps.guard('control_point', id)));
      const changes: Change[] = [];
      for (const act of acts) changes.push(...(await changesOf(act)));
      return { answer: null, changes, guards };
    });
    open.follow(committed);
    for (const act of acts) {
      power.done(farmId, act);
      if (act.do === 'raise') remember(act);
      if (act.do === 'log') heartbeats.done(act.entry, deps.monotonic());
    }
  }

  async function changesOf(act: Act): Promise<Change[]> {
    const updated_at = isoOf(deps.now());
    switch (act.do) {
      case 'raise':
        return deps.alerting.raise(act.cause);
      case 'resolve':
        return deps.alerting.resolve(act.which);
      case 'fold':
        return [update(alert, act.alertId, { folded_into: act.into, updated_at })];
      case 'log':
        return [audit(deps, act.entry.facts), silenceAfter(act.entry)];
      case 'restate':
        return deps.alerting.restate(act.alertId, act.cause);
      case 'reword': {
        const { message, value = null } = act.cause;
        return [update(alert, act.alertId, { message, value, updated_at })];
      }
    }
  }

  function remember({ cause, reason }: Extract<Act, { do: 'raise' }>): void {
    const { control_point_id, type } = cause;
    const device = DEVICE_TYPES.find((known) => known === type);
    if (control_point_id === null || device === undefined) return;
    const told = toldCauses.get(control_point_id) ?? new Map<DeviceType, string>();
    toldCauses.set(control_point_id, told.set(device, cause.cause));
    if (reason !== null)
      setSaid(control_point_id, device, { alertId: deps.idOf(cause.cause), reason, at: deps.monotonic() });
  }

  function failed(error: unknown): false {
    // the next look sees the same levels and tries again; saying so once is enough
    const isSaid = error instanceof StorageUnavailable && state.isStorageDown;
    if (!isSaid) deps.log.error({ err: error }, 'alerts of controllers could not be stored');
    state.isStorageDown = error instanceof StorageUnavailable;
    return false;
  }

  return { tick: oneAtATime(() => look().catch(failed)), follow: open.follow };
}

const only = (cause: AlertCause): Finding => ({ cause, reason: null });

function unstable({ facts, memory: { unsteady, unsteadyAt } }: Watched): Finding | null {
  if (unsteady.length === 0 || unsteadyAt === null) return null;
  const cause = unstableCause(facts, unsteady, unsteadyAt);
  return { cause, reason: unsteady.map(({ kind }) => kind).join(',') };
}

/** A look that takes longer than the pause between two is not doubled. */
export function oneAtATime(look: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= look().then(() => {
      running = null;
    });
    return running;
  };
}

/** What the watch looks at, from the registry of control points. */
export function* deviceFacts(views: Iterable<ControlView>, at: LookedAt): Iterable<DeviceFacts> {
  for (const view of views) yield factsOf(view, at);
}

type LookedAt = {
  monotonic: number;
  onlineAfterMs: number;
  /** Whether the simulator plays this control point now. */
  isSimulating: (controlPointId: string) => boolean;
  limitsOf: (view: ControlView) => MotorLimits;
  isStocked: (pondIds: readonly string[]) => boolean;
};

function factsOf(view: ControlView, at: LookedAt): DeviceFacts {
  const { monotonic, onlineAfterMs, isSimulating } = at;
  const { row, presence, ponds } = view;
  const target = targetOf(view);
  const { current_since: since } = currentOf(view);
  const { lastReportMonotonic, isLost } = presence;
  return {
    controlPointId: row.id,
    farmId: row.farm_id,
    cod: row.cod,
    ponds,
    simulator: row.is_simulated ? (isSimulating(row.id) ? 'runs' : 'rests') : null,
    target: target.target_status,
    current: presence.current,
    currentSince: since === null ? null : Date.parse(since),
    version: target.version,
    epoch: target.epoch,
    lastReportAt: presence.lastReportAt,
    lastReportMonotonic,
    // not by the wall clock: its step would silence the whole farm at once
    isOnline: lastReportMonotonic !== null && !isLost && monotonic - lastReportMonotonic <= onlineAfterMs,
    via: presence.via,
    powerOk: presence.powerOk,
    // a siren draws less than an idle motor
    motorCurrentMa: row.is_siren ? null : presence.motorCurrentMa,
    activity: presence.activity,
    // asked for only where it is needed: nearly all do as they should
    limits: presence.current === target.target_status ? NO_LIMITS : at.limitsOf(view),
    orderedBy: target.target_origin,
    wasOrdered: target.last_command_at !== null,
    orderState: orderStateOf(view),
    hasKey: view.keys.length > 0,
    isStocked: presence.current === null && at.isStocked(ponds.map(({ id }) => id)),
    trouble: presence.trouble ?? null,
  };
}

const NO_LIMITS: MotorLimits = { minOnMs: 0, minOffMs: 0, startDelayMs: 0 };

/** An order of the present target that is open was never confirmed; one that is closed was, unless it was refused. */
function orderStateOf({ unsaved, openOrder, manualOrders, row }: ControlView): DeviceFacts['orderState'] {
  if (unsaved !== null || row.last_command_at === null) return null;
  if (openOrder?.version === row.version) return 'open';
  const own = manualOrders.find(({ version }) => version === row.version);
  return own === undefined || own.state === 'APPLIED' ? 'applied' : null;
}
