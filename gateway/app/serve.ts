import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fairTurns } from '#adapters/http/fair-turns.ts';
import { boundConnections, hardenServer, SERVER_OPTIONS } from '#adapters/http/harden-server.ts';
import { machineNetwork } from '#adapters/system/machine-facts.ts';
import { measuredDelays, watchEventLoop } from '#adapters/system/process-pauses.ts';
import { startTicks, type Tick } from '#adapters/timers/ticks.ts';
import { placeOf } from '#core/network.ts';
import { noteStart, type RunNote } from '#operations/doctor/run-file.ts';
import { vitalOf } from '#operations/staging/vital-signs.ts';
import type { Vital } from '#operations/update/health-gate.ts';
import type { Before } from '#operations/update/update-state.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { startAll, stopInTurn } from './area.ts';
import { compose, type Instance } from './compose.ts';
import { brokerTicks, connectBroker, openBroker } from './control/broker.ts';

export type Running = {
  http: string;
  /** null on a hosted instance: controllers on a farm have their gateway. */
  mqtt: string | null;
  /** null: switched off, or not to be opened now. */
  https: string | null;
  mqtts: string | null;
  /** How often the schedules were looked at, and when last, on the monotonic clock. */
  pulse: () => { ticks: number; at: number };
  /** What a version that is tried is judged by; `before`: as the farm stood before it. */
  vital: (before: Before | null) => Promise<Vital>;
  /** Notes what ends this process now, for the doctor of the next one. */
  fault: (error: unknown) => void;
  stop: () => Promise<void>;
};

const LAST_WORDS_MS = 500;

/** The program as it runs: ports open, controllers heard, schedules followed. Rejects when a port is taken. */
export async function serve(config: Config, world: World): Promise<Running> {
  const note = await noteStart(config, world);
  try {
    return await begin(config, world, note);
  } catch (error) {
    note.stopped();
    throw error;
  }
}

async function begin(config: Config, world: World, note: RunNote): Promise<Running> {
  const instance = await compose(config, world);
  const { areas, kernel } = instance;
  const refused = (reason: string, source: string) => instance.refusals.count('http', reason, source);
  const { of } = instance.clients;
  // at a farm all controllers may lie in one network, and none waits there for another
  const sourceOf = config.role === 'hosted' ? (request: IncomingMessage) => placeOf(of(request)) : of;
  const inTurns = fairTurns({ handle: instance.app, sourceOf, refused });
  const server = boundConnections(hardenServer(createServer(SERVER_OPTIONS, inTurns), refused), {
    isProxy: instance.clients.isProxy,
    refused,
  });
  const isGateway = config.role === 'gateway';
  const live = instance.sync?.attach(server) ?? null;
  // what came due meanwhile is decided before the first controller hears its level: an old one would stop its motor
  if (isGateway) {
    await instance.control.executor
      .tick()
      .catch((error: unknown) =>
        kernel.log.error(
          { err: error },
          'the first look at the schedules failed; the next one is in a second',
        ),
      );
  }
  const broker = isGateway ? await openBroker(config, instance, server) : null;
  let secured: Awaited<ReturnType<typeof instance.trust.openPorts>> | null = null;
  try {
    const mqttPort = (await broker?.listenTcp(config.mqttPort, config.host))?.port ?? null;
    const { port: httpPort } = await listen(server, config);
    const addressOf = (scheme: string, port: number) => `${scheme}://${shownHost(config.host)}:${port}`;
    const http = addressOf('http', httpPort);
    if (broker !== null && mqttPort !== null)
      connectBroker(instance, broker, {
        port: mqttPort,
        httpBase: http,
        mqttUrl: addressOf('mqtt', mqttPort),
      });
    // after the plain ports, which nothing about certificates may hold up
    const doors = await instance.trust.openPorts({ server, broker, http: httpPort, mqtt: mqttPort });
    secured = doors;
    const { https, mqtts } = doors.ports();
    const loop = watchLoop(instance);
    await startAll(areas, { note, address: http, ports: doors.ports, broker, p99Ms: loop.p99Ms });
    const pulse = { ticks: 0, at: world.monotonic() };
    const ticks = (world.startTicks ?? startTicks)(
      [
        ...instance.ticks.map((tick) => beating(tick, config.role, pulse, world.monotonic)),
        ...(broker === null ? [] : brokerTicks(broker)),
        { name: 'certificates', everyS: 5, run: doors.look },
        { name: 'event loop', everyS: 60, run: loop.look },
      ],
      (name, error) => {
        kernel.log.error({ err: error, tick: name }, 'a regular task failed; it is tried again');
      },
      kernel.now,
    );
    return {
      http,
      mqtt: mqttPort === null ? null : addressOf('mqtt', mqttPort),
      https: https === null ? null : addressOf('https', https),
      mqtts: mqtts === null ? null : addressOf('mqtts', mqtts),
      pulse: () => pulse,
      fault: note.fault,
      vital: (before) => vitalOf({ instance, broker, ticks: () => pulse.ticks, ports: doors.ports }, before),
      async stop() {
        await stopInTurn(areas, 'atOnce');
        await ticks.stop();
        await stopInTurn(areas, 'whileOpen');
        loop.stop();
        const closed = Promise.all([new Promise((resolve) => server.close(resolve)), doors.stop()]);
        instance.events.closeAll();
        live?.stop();
        // answers under way, and the farewell of the event streams, get a moment
        server.closeIdleConnections();
        await Promise.race([closed, world.pause(LAST_WORDS_MS)]);
        server.closeAllConnections();
        const grace = () => world.pause(LAST_WORDS_MS);
        await Promise.all([closed, broker?.stop(), ...areas.map(({ stop }) => stop?.withPorts?.(grace))]);
        await stopInTurn(areas, 'last');
        await instance.database.close();
        note.stopped();
      },
    };
  } catch (error) {
    live?.stop();
    await broker?.stop();
    server.close();
    await secured?.stop();
    await instance.database.close();
    throw error;
  }
}

/** The tick that everything else is for; a hosted instance has no schedules to follow. */
function beating(
  tick: Tick,
  role: Config['role'],
  pulse: { ticks: number; at: number },
  monotonic: () => number,
): Tick {
  if (tick.name !== (role === 'gateway' ? 'control' : 'episodes')) return tick;
  return {
    ...tick,
    async run() {
      await tick.run();
      pulse.ticks += 1;
      pulse.at = monotonic();
    },
  };
}

/** Watches the event loop of this process until it is stopped. */
function watchLoop({ kernel, metrics, checks }: Pick<Instance, 'kernel' | 'metrics' | 'checks'>) {
  const loop = watchEventLoop({ log: kernel.log, delays: measuredDelays() });
  metrics.gauge(
    'event_loop_delay_p99_seconds',
    'Delay of the event loop, p99 of the last whole minute',
    () => loop.p99Ms() / 1000,
  );
  checks.add('event_loop', loop.health);
  return loop;
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // a server that listens on a port has an address with one
    server.listen(config.httpPort, config.host, () => resolve(server.address() as AddressInfo));
  });
}

/** An address that can be called from this machine. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Addresses of this machine on the farm network, for people who must find it. */
export const lanAddresses = (): string[] =>
  machineNetwork().addresses.filter((address) => address.includes('.'));
