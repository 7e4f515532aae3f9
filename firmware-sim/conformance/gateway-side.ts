import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { bootTopic } from '#contract/mqtt/boot.ts';
import type { DeviceCommand, DeviceConfig, DeviceSchedule } from '#contract/mqtt/messages.ts';
import { commandTopic, deviceTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import { sealCredentials } from '../boot/seal-credentials.ts';
import type { Level, LevelHeard } from '../controller/state.ts';
import { FACTORY_CONFIG } from '../controller/state.ts';
import type { SimClock } from '../sim-clock.ts';
import type { Identity } from '../transport/transport.ts';
import { createBrokerSide } from './broker-side.ts';
import type { HttpSideDeps } from './http-side.ts';
import { answerRequest } from './http-side.ts';
import type { Observed, ObservedNow } from './observed.ts';
import { Unmet } from './report.ts';

// The simulator's gateway side: as much of a gateway as one controller needs to be judged by. It is driven by hand and
// remembers everything the controller did.

export type GatewaySide = {
  mqttUrl: string;
  httpBase: string;
  identity: Identity;
  clock: SimClock;
  observed: readonly Observed[];
  level(): Level;
  config(): DeviceConfig;
  /** It may end by itself: told to the second it is delivered. */
  setLevel(level: LevelHeard): void;
  /** Sends exactly this level without taking it for its own: what an old or confused gateway would send. */
  sendStrayLevel(level: Level): void;
  setConfig(change: Partial<DeviceConfig>): DeviceConfig;
  setSchedule(change: Partial<DeviceSchedule>): DeviceSchedule;
  /** Takes the retained level away: the controller returns and hears nothing. */
  forgetLevel(): void;
  publishTime(): void;
  command(correlation: string, op: DeviceCommand['op'], options?: { retain?: boolean }): void;
  forgetCommand(correlation: string): void;
  /** Sends it a new key; `refused`: one that it will not be let in with. */
  rotateKey(correlation: string, key: string, how: 'taken' | 'refused'): void;
  /** Whether boards without a key may come in. */
  setWindow(isOpen: boolean): void;
  /** Sends a board its identity, sealed with a claim code. */
  offer(to: { mac: string; nonce: string }, claim: string): void;
  publishRaw(path: string, text: string): void;
  /** Ends the controller's session. */
  kick(): void;
  /** Nobody answers any more: neither broker nor HTTP. */
  closeDoors(): Promise<void>;
  openDoors(): Promise<void>;
  /** HTTP answers this status instead; null: as it should. */
  failHttp(status: number | null): void;
  /** The first thing observed at or after `sinceMs` that passes the test, waited for until `withinS` from now. */
  until<T>(what: string, sinceMs: number, withinS: number, test: (seen: Observed) => T | null): Promise<T>;
  sleep(seconds: number): Promise<void>;
  stop(): Promise<void>;
};

export type GatewaySideOptions = {
  clock: SimClock;
  identity: Identity;
  host?: string;
  mqttPort?: number;
  httpPort?: number;
};

export async function startGatewaySide(options: GatewaySideOptions): Promise<GatewaySide> {
  const { clock, identity } = options;
  const host = options.host ?? '127.0.0.1';
  const observed: Observed[] = [];
  const watchers = new Set<(seen: Observed) => void>();
  const observe = (seen: ObservedNow) => {
    const timed: Observed = { atMs: clock.nowMs(), ...seen };
    observed.push(timed);
    for (const look of watchers) look(timed);
  };
  let level: LevelHeard = { epoch: 'conformance', version: 10, target: 'OFF' };
  let setAtMs = clock.nowMs();
  /** Without its end: levels that follow must not inherit it. */
  const plainLevel = (): Level => {
    const { ends: _ends, ...plain } = level;
    return plain;
  };
  const endFields = (): { until?: number; then?: 'ON' | 'OFF' } => {
    if (level.ends === undefined) return {};
    const leftS = level.ends.untilS - (clock.nowMs() - setAtMs) / 1000;
    return { until: Math.max(0, Math.ceil(leftS)), then: level.ends.then };
  };
  let config: DeviceConfig = {
    ...FACTORY_CONFIG,
    rev: 1,
    hash: 'c1',
    min_on_s: 0,
    min_off_s: 0,
    start_delay_s: 1,
  };
  let schedule = emptySchedule();
  let httpStatus: number | null = null;
  // Over HTTP a stray level is what the next answer carries.
  let stray: Level | null = null;
  const takeLevel = () => {
    const taken = stray === null ? { level: plainLevel(), end: endFields() } : { level: stray, end: {} };
    stray = null;
    return taken;
  };

  const broker = await createBrokerSide({ observe }, identity);
  const tcp = createTcpServer((socket) => broker.handle(socket));
  const httpSide: HttpSideDeps = {
    observe,
    clock,
    identity,
    httpStatus: () => httpStatus,
    takeLevel,
    config: () => config,
    schedule: () => schedule,
  };
  const http = createHttpServer((request, response) => answerRequest(httpSide, request, response));
  const doors = [
    openable(tcp, host, options.mqttPort ?? 0),
    openable(http, host, options.httpPort ?? 0),
  ] as const;
  await Promise.all(doors.map((door) => door.open()));

  const topic = (path: 'shadow/desired' | 'config/desired' | 'schedule/desired') =>
    deviceTopic(identity.mqtt_id, path);
  const publishLevel = () =>
    broker.publish(topic('shadow/desired'), { ...desiredBody(level), ...endFields() }, true);
  const desiredBody = (sent: Level) => ({
    epoch: sent.epoch,
    version: sent.version,
    target_status: sent.target,
    origin: 'LOCAL',
    issued_at: clock.unixMs() / 1000,
    config_rev: config.rev,
    schedule_rev: schedule.rev,
  });
  publishLevel();
  broker.publish(topic('config/desired'), config, true);
  broker.publish(topic('schedule/desired'), schedule, true);

  return {
    mqttUrl: `mqtt://${host}:${doors[0].port()}`,
    httpBase: `http://${host}:${doors[1].port()}`,
    identity,
    clock,
    observed,
    level: plainLevel,
    config: () => config,
    setLevel: (next) => {
      level = next;
      setAtMs = clock.nowMs();
      publishLevel();
    },
    sendStrayLevel: (sent) => {
      stray = sent;
      broker.publish(topic('shadow/desired'), desiredBody(sent), false);
    },
    setConfig: (change) => {
      const rev = config.rev + 1;
      config = { ...config, ...change, rev, hash: `c${rev}` };
      broker.publish(topic('config/desired'), config, true);
      return config;
    },
    setSchedule: (change) => {
      const rev = schedule.rev + 1;
      schedule = { ...schedule, ...change, rev, hash: `s${rev}` };
      broker.publish(topic('schedule/desired'), schedule, true);
      return schedule;
    },
    forgetLevel: () => broker.publish(topic('shadow/desired'), null, true),
    publishTime: () => broker.publish(TIME_TOPIC, { t: Math.floor(clock.unixMs() / 1000) }, false),
    command: (correlation, op, wish = {}) =>
      broker.publish(
        commandTopic(identity.mqtt_id, correlation),
        { op, expires_in_s: 60 },
        wish.retain === true,
      ),
    rotateKey: (correlation, key, how) => {
      broker.expectKey(key, how);
      const body = { op: 'rotate_key', expires_in_s: 60, key } satisfies DeviceCommand;
      broker.publish(commandTopic(identity.mqtt_id, correlation), body, false);
    },
    setWindow: broker.setWindow,
    offer: ({ mac, nonce }, claim) => {
      const topic = bootTopic(mac, 'credentials');
      const given = {
        ...identity,
        gw_host: host,
        gw_http: doors[1].port(),
        gw_mqtt: doors[0].port(),
        gw_mqtts: 0,
        gw_pin: null,
        cp: null,
        fail_safe: config.fail_safe,
      };
      broker.publish(topic, sealCredentials(given, { claim, nonce, topic }), false);
    },
    forgetCommand: (correlation) => broker.publish(commandTopic(identity.mqtt_id, correlation), null, true),
    publishRaw: (path, text) => broker.publishText(`sf/v1/d/${identity.mqtt_id}/${path}`, text, false),
    kick: broker.kick,
    closeDoors: async () => {
      await Promise.all(doors.map((door) => door.close()));
    },
    openDoors: async () => {
      await Promise.all(doors.map((door) => door.open()));
    },
    failHttp: (status) => {
      httpStatus = status;
    },
    until: (what, sinceMs, withinS, test) => {
      for (const seen of observed) {
        const found = seen.atMs >= sinceMs ? test(seen) : null;
        if (found !== null) return Promise.resolve(found);
      }
      return new Promise((resolve, reject) => {
        const limit = clock.at(clock.nowMs() + withinS * 1000, () => {
          stop();
          reject(new Unmet(`${what}: not within ${withinS} s`));
        });
        const stop = watch(watchers, (seen) => {
          const found = test(seen);
          if (found === null) return;
          stop();
          limit.cancel();
          resolve(found);
        });
      });
    },
    sleep: (seconds) =>
      new Promise((resolve) => {
        clock.at(clock.nowMs() + seconds * 1000, resolve);
      }),
    stop: async () => {
      await Promise.all(doors.map((door) => door.close()));
      await broker.stop();
    },
  };
}

function emptySchedule(): DeviceSchedule {
  return { rev: 1, hash: 's1', from: 0, to: 0, tr: [], weekly: [] };
}

function watch(watchers: Set<(seen: Observed) => void>, look: (seen: Observed) => void): () => void {
  watchers.add(look);
  return () => watchers.delete(look);
}

/** A listening server that can be shut with everybody in it, and opened again on the same port. */
function openable(server: Server, host: string, wantedPort: number) {
  let port = wantedPort;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return {
    port: () => port,
    open: () =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          const address = server.address();
          if (address !== null && typeof address === 'object') port = address.port;
          resolve();
        });
      }),
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        if (!server.listening) return resolve();
        server.close(() => resolve());
      }),
  };
}
