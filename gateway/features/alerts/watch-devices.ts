import { alert } from '#contract/resources/alerts.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { asParent, type Change, type Committed, update } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { noCurrentCause, offlineCause, unconfirmedCause } from './device-alert-causes.ts';
import {
  type DeviceMemory,
  hasCurrentAgain,
  hasNoCurrent,
  hasReturned,
  isOffline,
  isUnconfirmed,
  observed,
  silentMs,
} from './device-alert-rules.ts';
import { createOpenAlerts } from './open-alerts.ts';
import type { AlertQueries, DeviceFacts, Listening } from './ports.ts';
import type { Watched } from './power-failure-rules.ts';
import { type Act, DEVICE_TYPES, type DeviceType, type Moment } from './watch-acts.ts';
import { createPowerWatch } from './watch-power.ts';

export type DeviceWatchDeps = Pick<
  Kernel,
  'now' | 'commit' | 'pause' | 'random' | 'guard' | 'idOf' | 'log'
> & {
  monotonic: () => number;
  devices: () => Iterable<DeviceFacts>;
  listening: () => Listening;
  alerting: Alerting;
  queries: Pick<AlertQueries, 'openOfTypes'>;
};

/** Controllers of a farm. `resting`: of a simulator that does not run. */
type OnFarm = { real: Watched[]; simulated: Watched[]; resting: DeviceFacts[] };

export type DeviceWatch = {
  /** One look at every controller; stores what follows. To be called every few seconds; never throws. */
  tick: () => Promise<void>;
  /** To be told of every committed unit. */
  follow: (committed: Committed) => void;
};

/** Bounds of one look, so that a thousand troubles at once are stored in slices and control goes first. */
const MOST_FARMS_A_TICK = 20;
const MOST_ACTS_A_FARM = 50;

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
  const power = createPowerWatch({ open, idOf: deps.idOf, forgetFalls });
  const state = { heardSince: Number.NaN, isStorageDown: false };

  async function look(): Promise<void> {
    await open.load();
    const at = { listening: deps.listening(), clock: { now: deps.now(), monotonic: deps.monotonic() } };
    // what was not heard while nobody listened is no fall
    if (state.heardSince !== at.listening.sinceMonotonic) memories.clear();
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
    const byFarm = new Map<string, OnFarm>();
    const seen = new Set<string>();
    for (const facts of deps.devices()) {
      const devices = byFarm.get(facts.farmId) ?? { real: [], simulated: [], resting: [] };
      byFarm.set(facts.farmId, devices);
      if (facts.simulator === 'rests') {
        devices.resting.push(facts);
        continue;
      }
      const memory = observed(memories.get(facts.controlPointId), facts, at);
      memories.set(facts.controlPointId, memory);
      seen.add(facts.controlPointId);
      (facts.simulator === null ? devices.real : devices.simulated).push({ facts, memory });
    }
    for (const id of memories.keys()) {
      if (seen.has(id)) continue;
      memories.delete(id);
      toldCauses.delete(id);
    }
    return byFarm;
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
        ...turn('DEVICE_OFFLINE', facts, {
          cause: isSilent ? offlineCause(facts, silentMs(facts, listening, clock) ?? 0) : null,
          isOver: hasReturned(facts, listening, clock),
        }),
        ...turn('COMMAND_NOT_CONFIRMED', facts, {
          cause:
            isUnconfirmed(memory, facts, clock) && !power.excuses(facts, clock)
              ? unconfirmedCause(facts)
              : null,
          isOver: facts.current === facts.target,
        }),
        ...turn('NO_CURRENT', facts, {
          cause: hasNoCurrent(memory, clock) ? noCurrentCause(facts, memory) : null,
          isOver: hasCurrentAgain(facts),
        }),
      ];
    });
  }

  /** The simulator was stopped: nothing is wrong with what is not there. */
  const endActs = (facts: DeviceFacts): Act[] =>
    (['DEVICE_OFFLINE', 'COMMAND_NOT_CONFIRMED', 'NO_CURRENT'] as const).flatMap((type) =>
      turn(type, facts, { cause: null, isOver: true }),
    );

  function turn(
    type: DeviceType,
    { controlPointId }: DeviceFacts,
    { cause, isOver }: { cause: AlertCause | null; isOver: boolean },
  ): Act[] {
    if (open.of(type, controlPointId) !== null) {
      return isOver ? [{ do: 'resolve', which: { type, control_point_id: controlPointId } }] : [];
    }
    if (cause === null || toldCauses.get(controlPointId)?.get(type) === cause.cause) return [];
    return [{ do: 'raise', cause }];
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
      if (act.do === 'raise') remember(act.cause);
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
      case 'reword': {
        const { message, value = null } = act.cause;
        return [update(alert, act.alertId, { message, value, updated_at })];
      }
    }
  }

  function remember({ control_point_id, type, cause }: AlertCause): void {
    const device = DEVICE_TYPES.find((known) => known === type);
    if (control_point_id === null || device === undefined) return;
    const told = toldCauses.get(control_point_id) ?? new Map<DeviceType, string>();
    toldCauses.set(control_point_id, told.set(device, cause));
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
