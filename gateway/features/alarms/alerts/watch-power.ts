import type { AlertCause } from '#core/alerting.ts';
import type { OpenAlerts } from './alerting.ts';
import { powerFailureCause } from './device-alert-causes.ts';
import { graceMs } from './device-alert-rules.ts';
import type { Clock, DeviceFacts } from './ports.ts';
import {
  explainsOrder,
  isJustOver,
  type PowerFailure,
  powerAfter,
  rebuiltFailure,
  type Watched,
} from './power-failure-rules.ts';
import type { Act, Moment } from './watch-acts.ts';

type FarmPower = { failure: PowerFailure; cause: AlertCause | null; isStored: boolean; membersTold: number };

/** The power failures of all farms, and what is to be done about them. */
export type PowerWatch = {
  actsFor: (farmId: string, devices: readonly Watched[], at: Moment) => Act[];
  /** Control points whose silence a power failure explains, or its end a moment ago. */
  coveredOn: (farmId: string, clock: Clock) => ReadonlySet<string> | null;
  /** Whether a power failure is why a controller does not do what it was ordered. */
  explains: (facts: DeviceFacts) => boolean;
  /** Whether a power failure, or its end a moment ago, is why a controller has not done what it was ordered. */
  excuses: (facts: DeviceFacts, clock: Clock) => boolean;
  /** To be told when acts of a farm are on disk. */
  done: (farmId: string, act: Act) => void;
};

export function createPowerWatch(deps: {
  open: OpenAlerts;
  idOf: (cause: string) => string;
  /** These falls are accounted for: only new ones make a new failure. */
  forgetFalls: (controlPointIds: Iterable<string>) => void;
}): PowerWatch {
  const powerByFarm = new Map<string, FarmPower>();
  /** Members of a failure that ended just now: they start in their slots, and call one after the other. */
  const returningByFarm = new Map<string, { members: ReadonlySet<string>; until: number }>();

  function forget(farmId: string, { members }: PowerFailure): void {
    powerByFarm.delete(farmId);
    deps.forgetFalls(members);
  }

  function known(farmId: string, devices: readonly Watched[], at: Moment): FarmPower | null {
    const stored = deps.open.of('POWER_FAILURE', farmId);
    const power = powerByFarm.get(farmId) ?? null;
    if (power === null && stored !== null) {
      const failure = rebuiltFailure(Date.parse(stored.triggered_at), devices, at);
      return { failure, cause: null, isStored: true, membersTold: failure.members.size };
    }
    if (power?.isStored && stored === null) {
      // a person resolved it: what goes on is each controller's own matter again
      forget(farmId, power.failure);
      return null;
    }
    return power;
  }

  /** What it is the cause of; never what the water of a pond says. */
  function foldActs(failure: PowerFailure, devices: readonly Watched[], into: string): Act[] {
    return devices.flatMap(({ facts }) => {
      const id = facts.controlPointId;
      const effects = [
        failure.members.has(id) ? deps.open.of('DEVICE_OFFLINE', id) : null,
        explainsOrder(failure, facts) ? deps.open.of('COMMAND_NOT_CONFIRMED', id) : null,
      ];
      return effects.flatMap((alert) => (alert ? [{ do: 'fold' as const, alertId: alert.id, into }] : []));
    });
  }

  function returning(farmId: string, clock: Clock): ReadonlySet<string> | null {
    const back = returningByFarm.get(farmId);
    return back !== undefined && clock.monotonic < back.until ? back.members : null;
  }

  function explains(facts: DeviceFacts): boolean {
    const failure = powerByFarm.get(facts.farmId)?.failure;
    return failure !== undefined && explainsOrder(failure, facts);
  }

  return {
    explains,
    actsFor(farmId, devices, at) {
      const before = known(farmId, devices, at);
      const { failure, isOver } = powerAfter(before?.failure ?? null, devices, at.clock);
      if (failure === null) return [];
      const stored = deps.open.of('POWER_FAILURE', farmId);
      if (isOver && isJustOver(failure, at.clock)) {
        const until = at.clock.monotonic + graceMs(at.listening);
        for (const [id, back] of returningByFarm)
          if (at.clock.monotonic >= back.until) returningByFarm.delete(id);
        returningByFarm.set(farmId, { members: failure.members, until });
      }
      if (isOver && stored === null) {
        forget(farmId, failure);
        return [];
      }
      if (isOver) return [{ do: 'resolve', which: { type: 'POWER_FAILURE', farm_id: farmId } }];
      const now = powerFailureCause(farmId, failure, devices);
      // named once: its members may grow, its start does not
      const cause = before?.cause && now ? { ...now, cause: before.cause.cause } : now;
      const { isStored = false, membersTold = 0 } = before ?? {};
      powerByFarm.set(farmId, { failure, cause, isStored, membersTold });
      if (cause === null) return [];
      if (stored === null)
        return [{ do: 'raise', cause, reason: null }, ...foldActs(failure, devices, deps.idOf(cause.cause))];
      if (failure.members.size <= membersTold) return [];
      return [{ do: 'reword', alertId: stored.id, cause }, ...foldActs(failure, devices, stored.id)];
    },
    coveredOn(farmId, clock) {
      return powerByFarm.get(farmId)?.failure.members ?? returning(farmId, clock);
    },
    excuses(facts, clock) {
      if (powerByFarm.has(facts.farmId)) return explains(facts);
      return returning(facts.farmId, clock)?.has(facts.controlPointId) === true;
    },
    done(farmId, act) {
      const power = powerByFarm.get(farmId);
      if (!power) return;
      if (act.do === 'resolve' && act.which.type === 'POWER_FAILURE') forget(farmId, power.failure);
      if ((act.do === 'raise' || act.do === 'reword') && act.cause.type === 'POWER_FAILURE') {
        powerByFarm.set(farmId, { ...power, isStored: true, membersTold: power.failure.members.size });
      }
    },
  };
}
