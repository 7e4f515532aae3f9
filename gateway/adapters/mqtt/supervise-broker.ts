import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeviceLink, DeviceTalk, SendToRelay } from '#features/control/device-link.ts';
import { type Counters, createCounters } from './counters.ts';
import { type Broker, type BrokerDeps, createBroker } from './create-broker.ts';

export type SupervisorDeps = BrokerDeps & {
  /** Called after the broker was started anew, with how often that has happened. */
  restarted: (restarts: number) => void;
};

export type BrokerHealth = { ok: true } | { ok: false; detail: string };

export type SupervisedBroker = Pick<
  Broker,
  'listenTcp' | 'listenTls' | 'attachWebSocket' | 'publishTime' | 'stop'
> & {
  /** The same for the whole run, whichever broker stands behind it. */
  link: DeviceLink;
  talk: DeviceTalk;
  sendToRelay: SendToRelay;
  counters: Counters;
  clientCount: () => number;
  retainedCount: () => number;
  /** Looks whether messages still get through; called every few seconds. Starts a silent broker anew. */
  look: () => Promise<void>;
  health: () => BrokerHealth;
  restarts: () => number;
};

/** One failure may be a moment of load; the second means that nobody is served. */
const FAILURES_BEFORE_RESTART = 2;
/** A broker that is stuck may never say that it has stopped. Its ports are free at once, whatever it does. */
const STOP_WITHIN_MS = 1_000;

type Port = { port: number; host: string; how: 'listenTcp' | 'listenTls' };

/**
 * Owns the broker of this run. One that falls silent is replaced in place: same ports, levels read anew, and controllers
 * come back by themselves, while schedules, orders over HTTP and alerts go on.
 */
export async function superviseBroker(deps: SupervisorDeps): Promise<SupervisedBroker> {
  const { log } = deps;
  const counters = deps.counters ?? createCounters();
  const ports: Port[] = [];
  const webSockets: { server: HttpServer; path: string }[] = [];
  const state = { failures: 0, restarts: 0, isStopping: false, current: null as Broker | null };
  let looking: Promise<void> | null = null;
  state.current = await createBroker({ ...deps, counters });

  async function look(): Promise<void> {
    if (state.isStopping) return;
    const isWell = state.current !== null && (await state.current.selfCheck());
    state.failures = isWell ? 0 : state.failures + 1;
    if (state.failures >= FAILURES_BEFORE_RESTART && !state.isStopping) await restart();
  }

  async function restart(): Promise<void> {
    log.warn(
      { connected: state.current?.clientCount() ?? 0 },
      'the broker fell silent and is started anew; controllers come back by themselves',
    );
    const silent = state.current;
    state.current = null;
    if (silent !== null) await within(STOP_WITHIN_MS, silent.stop());
    try {
      await open();
    } catch (error) {
      log.error({ err: error }, 'the broker could not be started anew; it is tried again');
      return;
    }
    state.failures = 0;
    state.restarts += 1;
    deps.restarted(state.restarts);
  }

  async function open(): Promise<void> {
    const broker = await createBroker({ ...deps, counters });
    // from here on levels reach it: those that change while its ports open are not missed
    state.current = broker;
    try {
      for (const { server, path } of webSockets) broker.attachWebSocket(server, path);
      for (const { port, host, how } of ports) await broker[how](port, host);
    } catch (error) {
      state.current = null;
      await within(STOP_WITHIN_MS, broker.stop());
      throw error;
    }
  }

  async function listen(how: Port['how'], port: number, host: string): Promise<AddressInfo> {
    if (state.current === null) throw new Error('the broker is being started anew');
    const address = await state.current[how](port, host);
    ports.push({ port: address.port, host, how });
    return address;
  }

  return {
    counters,
    link: {
      publishShadow: (mqttId, level) => state.current?.link.publishShadow(mqttId, level),
      publishConfig: (mqttId, config) => state.current?.link.publishConfig(mqttId, config),
      publishSchedule: (mqttId, schedule) => state.current?.link.publishSchedule(mqttId, schedule),
      publishOta: (mqttId, level) => state.current?.link.publishOta(mqttId, level),
      forget: (mqttId) => state.current?.link.forget(mqttId),
      isConnected: (mqttId) => state.current?.link.isConnected(mqttId) ?? false,
    },
    talk: {
      sendCommand: (mqttId, correlation, command) =>
        state.current?.talk.sendCommand(mqttId, correlation, command) ?? false,
      sendCredentials: (mac, credentials) => state.current?.talk.sendCredentials(mac, credentials) ?? false,
      endGuests: (mac) => state.current?.talk.endGuests(mac),
    },
    sendToRelay: (topic, payload) => state.current?.sendToRelay(topic, payload),
    listenTcp: (port, host) => listen('listenTcp', port, host),
    listenTls: (port, host) => listen('listenTls', port, host),
    attachWebSocket(server, path = '/mqtt') {
      webSockets.push({ server, path });
      state.current?.attachWebSocket(server, path);
    },
    publishTime: () => state.current?.publishTime(),
    clientCount: () => state.current?.clientCount() ?? 0,
    retainedCount: () => state.current?.counters()['retained'] ?? 0,
    look: () =>
      (looking ??= look().finally(() => {
        looking = null;
      })),
    health: () =>
      state.failures === 0 ? { ok: true } : { ok: false, detail: 'messages do not get through the broker' },
    restarts: () => state.restarts,
    async stop() {
      state.isStopping = true;
      await looking;
      if (state.current !== null) await within(STOP_WITHIN_MS, state.current.stop());
    },
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, enough]);
  clearTimeout(timer);
}
