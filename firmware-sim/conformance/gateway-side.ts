import { createServer as createHttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { bootTopic } from '#contract/mqtt/boot.ts';
import type { DeviceCommand, DeviceConfig, DeviceSchedule } from '#contract/mqtt/messages.ts';
import type { OtaDesired } from '#contract/mqtt/ota.ts';
import type { DeviceLevel } from '#contract/mqtt/topics.ts';
import { commandTopic, deviceTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import type { SwitchState } from '#contract/words.ts';
import { sealCredentials } from '../boot/claim-identity.ts';
import type { Level } from '../controller/state.ts';
import { FACTORY_CONFIG } from '../controller/state.ts';
import type { SimClock } from '../sim-clock.ts';
import { createRealClock } from '../sim-clock.ts';
import type { Identity } from '../transport/http-transport.ts';
import { createBrokerSide } from './broker-side.ts';
import type { HttpSideDeps } from './http-side.ts';
import { answerRequest } from './http-side.ts';
import { describeSeen, type Observed, type ObservedNow, orLate, Unmet } from './report.ts';

// The simulator's gateway side: as much of a gateway as one controller needs to be judged by. It is driven by hand and
// remembers everything the controller did.

export type LevelEnd = { untilS: number; then: SwitchState };

export type GatewaySide = {
  mqttUrl: string;
  httpBase: string;
  identity: Identity;
  clock: SimClock;
  observed: readonly Observed[];
  level(): Level;
  config(): DeviceConfig;
  /** With an end it ends by itself: what is left of it is told to the second it is delivered. */
  setLevel(level: Level, end?: LevelEnd): void;
  /** Tells the level again, as one that ends. */
  setEnd(end: LevelEnd): void;
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
  /** The next level, on a topic that is none of the controller's. */
  pushForeign(topic: string, level: Level): void;
  /** Fields that the contract does not know, in all that is told from now on. */
  setExtra(extra: object): void;
  /** An update over the air, its image under its path; null: none is wanted. */
  offerFirmware(offered: { desired: OtaDesired; image: Buffer } | null): void;
  /** Ends the controller's session; throws Unmet when there is none. */
  kick(): void;
  hasSession(): boolean;
  /** Nobody is let in over MQTT, whatever the key. */
  setRefusing(isRefusing: boolean): void;
  /** Nobody answers any more: neither broker nor HTTP. */
  closeDoors(): Promise<void>;
  openDoors(): Promise<void>;
  /** HTTP answers this status instead; null: as it should. */
  failHttp(status: number | null): void;
  /** The place of what will be seen next: `until` looks at nothing before it. */
  mark(): number;
  /** The first thing from this place on that passes the test, waited for until `withinS` from now. */
  until<T>(what: string, since: number, withinS: number, test: (seen: Observed) => T | null): Promise<T>;
  sleep(seconds: number): Promise<void>;
  /** After a check, whatever became of it: a gateway that is there, in order, and asks for nothing special. */
  restore(): Promise<void>;
  stop(): Promise<void>;
};

const STOP_WITHIN_MS = 5_000;

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
    const timed: Observed = { atMs: clock.nowMs(), place: observed.length, ...seen };
    observed.push(timed);
    for (const look of watchers) look(timed);
  };
  const unixS = () => Math.floor(clock.unixMs() / 1000);
  let level: Required<Level> = { epoch: 'conformance', version: 10, target: 'OFF', issuedAtS: unixS() };
  const calm = { min_on_s: 0, min_off_s: 0, start_delay_s: 1, locked_out: false };
  let config: DeviceConfig = { ...FACTORY_CONFIG, rev: 1, hash: 'c1', ...calm };
  let ends: { atMs: number; then: SwitchState } | null = null;
  const endFields = () =>
    ends === null
      ? {}
      : { until: Math.max(0, Math.ceil((ends.atMs - clock.nowMs()) / 1000)), then: ends.then };
  let extra: object = {};
  let offered: { desired: OtaDesired; image: Buffer } | null = null;
  let isTold = true;
  let schedule = emptySchedule();
  let httpStatus: number | null = null;
  // Over HTTP a stray level is what the next answer carries.
  let stray: Level | null = null;
  const takeLevel = () => {
    const taken = stray === null ? { level, end: endFields() } : { level: stray, end: {} };
    stray = null;
    return taken;
  };

  const topic = (path: DeviceLevel) => deviceTopic(identity.mqtt_id, path);
  const refresh = (subscribed: string, done: () => void) => {
    if (ends === null || !isTold || subscribed !== topic('shadow/desired')) done();
    else publishLevel(done);
  };
  const broker = await createBrokerSide({ observe, unixS, refresh }, identity);
  const tcp = createTcpServer((socket) => broker.handle(socket));
  const httpSide: HttpSideDeps = {
    observe,
    clock,
    identity,
    httpStatus: () => httpStatus,
    takeLevel,
    config: () => config,
    schedule: () => schedule,
    extra: () => extra,
    imageAt: (path) =>
      offered !== null && offered.desired.job !== null && offered.desired.path === path
        ? offered.image
        : null,
  };
  const http = createHttpServer((request, response) => answerRequest(httpSide, request, response));
  const doors = [
    openable(tcp, host, options.mqttPort ?? 0),
    openable(http, host, options.httpPort ?? 0),
  ] as const;
  await Promise.all(doors.map((door) => door.open()));

  const publishLevel = (done?: () => void) => {
    isTold = true;
    broker.publish(topic('shadow/desired'), { ...desiredBody(level), ...endFields(), ...extra }, true, done);
  };
  const publishConfig = () => broker.publish(topic('config/desired'), { ...config, ...extra }, true);
  const publishSchedule = () => broker.publish(topic('schedule/desired'), { ...schedule, ...extra }, true);
  const endOf = (end: LevelEnd | undefined) =>
    end === undefined ? null : { atMs: clock.nowMs() + end.untilS * 1000, then: end.then };
  const setConfig = (change: Partial<DeviceConfig>) => {
    const rev = config.rev + 1;
    config = { ...config, ...change, rev, hash: `c${rev}` };
    publishConfig();
    return config;
  };
  const offerFirmware = (offer: { desired: OtaDesired; image: Buffer } | null) => {
    offered = offer;
    broker.publish(topic('ota/desired'), offer?.desired ?? { job: null }, true);
  };
  const desiredBody = (sent: Level) => ({
    epoch: sent.epoch,
    version: sent.version,
    target_status: sent.target,
    origin: 'LOCAL',
    issued_at: sent.issuedAtS ?? unixS(),
    config_rev: config.rev,
    schedule_rev: schedule.rev,
  });
  publishLevel();
  publishConfig();
  publishSchedule();

  return {
    mqttUrl: `mqtt://${host}:${doors[0].port()}`,
    httpBase: `http://${host}:${doors[1].port()}`,
    identity,
    clock,
    observed,
    level: () => level,
    config: () => config,
    setLevel: ({ epoch, version, target }, end) => {
      ends = endOf(end);
      const isSame = epoch === level.epoch && version === level.version && target === level.target;
      level = { epoch, version, target, issuedAtS: isSame ? level.issuedAtS : unixS() };
      publishLevel();
    },
    setEnd: (end) => {
      ends = endOf(end);
      publishLevel();
    },
    sendStrayLevel: (sent) => {
      stray = sent;
      broker.publish(topic('shadow/desired'), desiredBody(sent), false);
    },
    setConfig,
    setSchedule: (change) => {
      const rev = schedule.rev + 1;
      schedule = { ...schedule, ...change, rev, hash: `s${rev}` };
      publishSchedule();
      return schedule;
    },
    forgetLevel: () => {
      isTold = false;
      broker.publish(topic('shadow/desired'), null, true);
    },
    publishTime: () => broker.publish(TIME_TOPIC, { t: unixS() }, false),
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
    pushForeign: (foreign, sent) => broker.push(foreign, desiredBody(sent)),
    setExtra: (fields) => {
      extra = fields;
    },
    offerFirmware,
    kick: broker.kick,
    hasSession: broker.hasSession,
    setRefusing: broker.setRefusing,
    closeDoors: async () => {
      await Promise.all(doors.map((door) => door.close()));
    },
    openDoors: async () => {
      await Promise.all(doors.map((door) => door.open()));
    },
    failHttp: (status) => {
      httpStatus = status;
    },
    mark: () => observed.length,
    until: (what, since, withinS, test) => {
      for (const seen of observed.slice(since)) {
        const found = test(seen);
        if (found !== null) return Promise.resolve(found);
      }
      return new Promise((resolve, reject) => {
        const limit = clock.at(clock.nowMs() + withinS * 1000, () => {
          stop();
          const meanwhile = observed.slice(since);
          reject(new Unmet(`${what}: not within ${withinS} s; ${describeSeen(meanwhile)}`));
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
    restore: async () => {
      await Promise.all(doors.map((door) => door.open()));
      broker.setRefusing(false);
      httpStatus = null;
      stray = null;
      extra = {};
      if (offered !== null) offerFirmware(null);
      const { min_on_s, min_off_s, start_delay_s, locked_out } = config;
      if (!isDeepStrictEqual({ min_on_s, min_off_s, start_delay_s, locked_out }, calm)) setConfig(calm);
      if (!isTold) publishLevel();
    },
    stop: async () => {
      const closed = Promise.all(doors.map((door) => door.close())).then(broker.stop);
      // on the machine's own time: the clock of the checks may be one that is turned by hand
      const own = createRealClock();
      await orLate(own, closed, STOP_WITHIN_MS, () => undefined);
      own.stop();
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
        if (server.listening) return resolve();
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
