import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { GOOD_TIME } from '#adapters/sql/queries/control/last-run.ts';
import { compose } from '#app/compose.ts';
import {
  commandResult,
  deviceEvent,
  deviceState,
  mqttHeartbeat,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Commit, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Controller, DeviceDoor, DeviceLink, Levels } from '#features/control/device-link.ts';
import { readConfig } from '#runtime/config.ts';
import { createRunner, type Runner } from '#sim/controller-runner.ts';
import { type FaultInput, fault } from '#sim/fleet/faults.ts';
import { injectFault, type Member } from '#sim/fleet/inject.ts';
import { createManualClock, type ManualClock } from '#sim/sim-clock.ts';
import type { Incoming, Outgoing, Transport } from '#sim/transport/http-transport.ts';

// The simulator's controllers without a network: they speak to the gateway's door directly, on the same turned clock.

export type PastController = {
  device_id: string;
  mqtt_id: string;
  key: string;
  power_kw: number;
  feeder: string;
};

type PastFleet = {
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

function createPastFleet(deps: PastDeps): PastFleet {
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

// The real gateway in this process, with a clock turned by hand: a week of the farm passes in seconds, and every row
// of it was written by the use cases themselves.

export type PastGateway = {
  /** Address of its interface, on this machine only. */
  base: string;
  fleet: PastFleet;
  nowMs: () => number;
  /** For rows of a past that nobody lived through. */
  commit: Commit;
  /** Lets time pass: schedules fire, controllers report, alerts come and go. */
  passUntil: (unixMs: number) => Promise<void>;
  /** Closes the data folder as a stop of the gateway leaves it. */
  close: () => Promise<void>;
};

/** Between two looks while nothing happens: shorter than what makes a controller count as gone. */
const QUIET_STEP_MS = 30_000;
/** While motors start one after the other, and reports come back. */
const BUSY_STEP_MS = 5_000;
const LEVELS_EVERY_MS = 6 * 3_600_000;

export async function openPastGateway(data: string, startMs: number): Promise<PastGateway> {
  const clock = createManualClock({ unixMs: startMs });
  const nothing = () => undefined;
  const complain = (fields: Record<string, unknown>, sentence: string) => {
    throw new Error(sentence, { cause: fields['err'] });
  };
  const instance = await compose(
    readConfig(['--data', data, '--trust-clock', 'yes', '--local-plan', 'ENTERPRISE'], {}),
    {
      wallClock: clock.unixMs,
      monotonic: clock.nowMs,
      random: Math.random,
      pause: async () => undefined,
      clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
      log: { debug: nothing, info: nothing, warn: nothing, error: complain },
    },
  );
  const { control, kernel, watches, database } = instance;
  const fleet = createPastFleet({ clock, door: control.door, levelsOf: control.levelsOf });
  control.attach(fleet.link);
  const commits = { count: 0 };
  database.onCommit(() => {
    commits.count += 1;
  });
  const server = createServer(instance.app);
  const base = await listen(server);

  async function look(): Promise<void> {
    instance.clock.look();
    await control.executor.tick();
    await watches.tick();
    await fleet.settled();
    await setImmediate();
  }

  async function passUntil(unixMs: number): Promise<void> {
    let seen = -1;
    while (clock.unixMs() < unixMs) {
      const stepMs = commits.count === seen ? QUIET_STEP_MS : BUSY_STEP_MS;
      seen = commits.count;
      const before = clock.unixMs();
      clock.advance(Math.min(stepMs, unixMs - before));
      await fleet.settled();
      await look();
      if (Math.floor(before / LEVELS_EVERY_MS) === Math.floor(clock.unixMs() / LEVELS_EVERY_MS)) continue;
      fleet.tellTime();
      control.refreshLevels();
    }
  }

  return {
    base,
    fleet,
    nowMs: clock.unixMs,
    commit: kernel.commit,
    passUntil,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await control.flushPresence();
      const value = isoOf(kernel.now());
      await kernel.commit({ changes: [put(instanceValue, { id: GOOD_TIME, value })], actor: null });
      await database.close();
    },
  };
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`);
    });
  });
}
