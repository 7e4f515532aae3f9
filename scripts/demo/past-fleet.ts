import {
  commandResult,
  deviceEvent,
  deviceState,
  mqttHeartbeat,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import type { Controller, DeviceDoor, DeviceLink, Levels } from '#features/control/device-link.ts';
import { createRunner, type Runner } from '#sim/controller-runner.ts';
import { type FaultInput, fault } from '#sim/fleet/faults.ts';
import { injectFault, type Member } from '#sim/fleet/inject.ts';
import type { ManualClock } from '#sim/sim-clock.ts';
import type { Incoming, Outgoing, Transport } from '#sim/transport/transport.ts';

// The simulator's controllers without a network: they speak to the gateway's door directly, on the same turned clock.

export type PastController = {
  device_id: string;
  mqtt_id: string;
  key: string;
  power_kw: number;
  feeder: string;
};

export type PastFleet = {
  link: DeviceLink;
  add: (controller: PastController) => void;
  inject: (what: FaultInput) => void;
  /** As the broker does every minute; a controller without time has no schedule of its own. */
  tellTime: () => void;
  /** Resolves when the gateway has taken every message. */
  settled: () => Promise<void>;
};

type PastDeps = {
  clock: ManualClock;
  door: DeviceDoor;
  levelsOf: (mqttId: string) => Levels | null;
};

const SEED = 7;

export function createPastFleet(deps: PastDeps): PastFleet {
  const { clock } = deps;
  const members: Member[] = [];
  const sessions = new Map<string, (message: Incoming) => void>();
  const pending = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown> | undefined) => {
    if (work === undefined) return;
    pending.add(work);
    const forget = () => pending.delete(work);
    work.then(forget, forget);
  };
  const tell = (mqttId: string, message: Incoming) => sessions.get(mqttId)?.(message);
  const time = (): Incoming => ({ kind: 'time', unixMs: clock.unixMs() });

  function transportOf(who: PastController, hear: (message: Incoming) => void): Transport {
    let controller: Controller | null = null;
    return {
      connect() {
        controller = deps.door.identify(who.mqtt_id, who.key);
        if (controller === null) throw new Error(`${who.mqtt_id} was refused`);
        deps.door.connected(controller, { source: '192.168.10.20', since: clock.unixMs() });
        sessions.set(who.mqtt_id, hear);
        hear({ kind: 'connected' });
        hear(time());
        const levels = deps.levelsOf(who.mqtt_id);
        if (levels !== null) for (const message of messagesOf(levels)) hear(message);
      },
      send(message) {
        if (controller !== null) track(deliver(deps.door, controller, message));
      },
      close(how) {
        sessions.delete(who.mqtt_id);
        if (controller !== null)
          deps.door.disconnected(controller, { clean: how === 'bye', takenOver: false });
        controller = null;
      },
      rekey: () => undefined,
      setHalfOpen: () => undefined,
    };
  }

  return {
    link: {
      publishShadow: (mqttId, shadow) => tell(mqttId, desired(shadow)),
      publishConfig: (mqttId, config) => tell(mqttId, { kind: 'config', config }),
      publishSchedule: (mqttId, schedule) => tell(mqttId, { kind: 'schedule', schedule }),
      publishOta: () => undefined,
      forget: (mqttId) => void sessions.delete(mqttId),
      isConnected: (mqttId) => sessions.has(mqttId),
    },
    add(controller) {
      const runner: Runner = createRunner(
        { clock, makeTransport: (hear) => transportOf(controller, hear), notice: () => undefined },
        {
          deviceId: controller.device_id,
          seed: SEED,
          powerKw: controller.power_kw,
          profile: { transport: 'mqtt', meterEveryS: 0 },
        },
      );
      members.push({ deviceId: controller.device_id, feeder: controller.feeder, runner });
      runner.dispatch({ kind: 'power_on' });
    },
    inject: (what) => injectFault({ clock, seed: SEED }, members, fault.parse(what)),
    tellTime() {
      for (const hear of sessions.values()) hear(time());
    },
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

const desired = ({ epoch, version, target_status: target }: Levels['shadow']): Incoming => ({
  kind: 'desired',
  level: { epoch, version, target },
});

function messagesOf({ shadow, config, schedule }: Levels): Incoming[] {
  return [{ kind: 'config', config }, { kind: 'schedule', schedule }, desired(shadow)];
}

/** What the broker makes of a message of a controller. */
function deliver(door: DeviceDoor, who: Controller, message: Outgoing): Promise<void> | undefined {
  if (message.kind === 'result') {
    door.commandResult(who, message.correlation, commandResult.parse(message.body));
    return undefined;
  }
  if (message.kind !== 'publish') throw new Error(`${message.kind} over MQTT`);
  const { path, body } = message;
  switch (path) {
    case 'hb':
      return door.heartbeat(who, mqttHeartbeat.parse(body));
    case 'shadow/reported':
      return door.reported(who, shadowReported.parse(body));
    case 'event':
      return door.event(who, deviceEvent.parse(body));
    case 'state':
      door.stateChanged(who, deviceState.parse(body));
      return undefined;
    case 'config/reported':
      door.revisionReported(who, 'config', revisionReported.parse(body).rev);
      return undefined;
    case 'schedule/reported':
      door.revisionReported(who, 'schedule', revisionReported.parse(body).rev);
      return undefined;
    default:
      return undefined;
  }
}
