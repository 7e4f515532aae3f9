import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hardenServer, SERVER_OPTIONS } from '#adapters/http/harden-server.ts';
import { type Broker, createBroker } from '#adapters/mqtt/create-broker.ts';
import { GOOD_TIME } from '#adapters/sql/queries/last-run.ts';
import { sweepExpired } from '#adapters/sql/sweep-expired.ts';
import { startTicks, type Tick } from '#adapters/timers/ticks.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import type { World } from './world.ts';

export type Running = {
  http: string;
  /** null on a hosted instance: controllers on a farm have their gateway. */
  mqtt: string | null;
  stop: () => Promise<void>;
};

const LAST_WORDS_MS = 500;

/** The program as it runs: ports open, controllers heard, schedules followed. Rejects when a port is taken. */
export async function serve(config: Config, world: World): Promise<Running> {
  const instance = await compose(config, world);
  const { control, kernel } = instance;
  const server = hardenServer(createServer(SERVER_OPTIONS, instance.app));
  const isGateway = config.role === 'gateway';
  const broker = isGateway ? await openBroker(config, instance, server) : null;
  try {
    const mqttAddress = broker === null ? null : await broker.listenTcp(config.mqttPort, config.host);
    const httpAddress = await listen(server, config);
    if (broker !== null) control.attach(broker.link);
    // from the first second on a restart knows since when it missed what was due
    await keepTime(instance).catch((error: unknown) =>
      kernel.log.warn({ err: error }, 'the time was not kept'),
    );
    const ticks = startTicks(ticksOf(config, instance, broker), (name, error) => {
      kernel.log.error({ err: error, tick: name }, 'a regular task failed; it is tried again');
    });
    return {
      http: `http://${shownHost(config.host)}:${httpAddress.port}`,
      mqtt: mqttAddress === null ? null : `mqtt://${shownHost(config.host)}:${mqttAddress.port}`,
      async stop() {
        await ticks.stop();
        const closed = new Promise((resolve) => server.close(resolve));
        instance.events.closeAll();
        // answers under way, and the farewell of the event streams, get a moment
        server.closeIdleConnections();
        await Promise.race([closed, world.pause(LAST_WORDS_MS)]);
        server.closeAllConnections();
        await Promise.all([closed, broker?.stop()]);
        await keepTime(instance).catch((error: unknown) =>
          kernel.log.warn({ err: error }, 'the last heartbeats were not saved'),
        );
        await instance.database.close();
      },
    };
  } catch (error) {
    await broker?.stop();
    server.close();
    await instance.database.close();
    throw error;
  }
}

type Instance = Awaited<ReturnType<typeof compose>>;

function openBroker(config: Config, { control, kernel, metrics }: Instance, server: Server): Promise<Broker> {
  return createBroker({
    door: control.door,
    levels: control.levels,
    levelsOf: control.levelsOf,
    log: kernel.log,
    now: kernel.now,
    isTimeTrusted: () => kernel.clockQuality() === 'trusted',
    bounds: {
      maxClients: config.maxMqttClients,
      messagesPerS: config.mqttMessagesPerS,
      connectsPerMinutePerAddress: config.mqttConnectsPerMinute,
    },
  }).then((broker) => {
    broker.attachWebSocket(server, '/mqtt');
    metrics.gauge('mqtt_clients', 'Controllers connected over MQTT', broker.clientCount);
    metrics.gaugeBy('mqtt_events', 'What the broker counted since its start', 'event', broker.counters);
    return broker;
  });
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
export function lanAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

function ticksOf(config: Config, instance: Instance, broker: Broker | null): Tick[] {
  const { clock, control, kernel } = instance;
  const everywhere: Tick[] = [
    { name: 'keep time and presence', every: '*/30 * * * * *', run: () => keepTime(instance) },
    { name: 'disk', every: '*/30 * * * * *', run: instance.storage.look },
    { name: 'event streams', every: '*/5 * * * * *', run: instance.events.beat },
    { name: 'sweep', every: '17 7 * * * *', run: () => sweepExpired(instance.database, kernel) },
  ];
  if (config.role !== 'gateway') return everywhere;
  return [
    {
      name: 'control',
      every: '* * * * * *',
      async run() {
        clock.look();
        await control.executor.tick();
      },
    },
    {
      name: 'time to controllers',
      every: '0 * * * * *',
      run: () => broker?.publishTime(),
    },
    { name: 'alerts', every: '*/2 * * * * *', run: instance.watches.tick },
    { name: 'levels', every: '30 */5 * * * *', run: control.refreshLevels },
    ...everywhere,
  ];
}

/** What a restart needs to know: when each controller was last heard, and the last good time. */
async function keepTime({ control, kernel }: Instance): Promise<void> {
  await control.flushPresence();
  if (kernel.clockQuality() !== 'trusted') return;
  const value = isoOf(control.executor.lookedAt() ?? kernel.now());
  await kernel.commit({ changes: [put(instanceValue, { id: GOOD_TIME, value })], actor: null });
}
