import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { announce } from '#adapters/discovery/announce.ts';
import { hardenServer, SERVER_OPTIONS } from '#adapters/http/harden-server.ts';
import { isPrivateAddress } from '#adapters/http/private-address.ts';
import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import { underLease } from '#adapters/sql/lease.ts';
import { GOOD_TIME } from '#adapters/sql/queries/last-run.ts';
import { sweepExpired } from '#adapters/sql/sweep-expired.ts';
import { startTicks, type Tick } from '#adapters/timers/ticks.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { isoOf } from '#core/kernel.ts';

import { compose } from './compose.ts';
import type { RunJob } from './compose-backup.ts';
import { openBroker } from './compose-broker.ts';
import { watchProcess } from './compose-platform.ts';
import { openTimeServer } from './compose-time.ts';
import { type Config, isForThisMachine } from './config.ts';
import { createJobProcess } from './job-process.ts';
import type { Vital } from './update/health-gate.ts';
import type { World } from './world.ts';

export type Running = {
  http: string;
  /** null on a hosted instance: controllers on a farm have their gateway. */
  mqtt: string | null;
  /** null: switched off, or not to be opened now. */
  https: string | null;
  mqtts: string | null;
  /** How often the schedules were looked at, and when last, on the monotonic clock. */
  pulse: () => { ticks: number; at: number };
  vital: () => Promise<Vital>;
  /** Notes what ends this process now, for the doctor of the next one. */
  fault: (error: unknown) => void;
  stop: () => Promise<void>;
};

const LAST_WORDS_MS = 500;

/** The program as it runs: ports open, controllers heard, schedules followed. Rejects when a port is taken. */
export async function serve(config: Config, world: World): Promise<Running> {
  const instance = await compose(config, world);
  const { control, kernel } = instance;
  const server = hardenServer(createServer(SERVER_OPTIONS, instance.app), (reason, source) =>
    instance.refusals.count('http', reason, source),
  );
  const isGateway = config.role === 'gateway';
  const live = instance.sync?.attach(server) ?? null;
  // what came due meanwhile is decided before the first controller hears its level: an old one would stop its motor
  if (isGateway) {
    await control.executor
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
    const mqttAddress = broker === null ? null : await broker.listenTcp(config.mqttPort, config.host);
    const httpAddress = await listen(server, config);
    instance.relays?.attach(
      (topic, payload) => broker?.sendToRelay(topic, payload),
      mqttAddress?.port ?? null,
    );
    if (broker !== null) control.attach(instance.relays?.following(broker.link) ?? broker.link);
    if (broker !== null) control.attachTalk(broker.talk);
    // after the plain ports, which nothing about certificates may hold up
    const mqttPort = mqttAddress?.port ?? null;
    const doors = await instance.trust.openPorts({
      server,
      broker,
      http: httpAddress.port,
      mqtt: mqttPort,
    });
    secured = doors;
    const { https, mqtts } = doors.ports();
    // from the first second on a restart knows since when it missed what was due
    await keepTime(instance).catch((error: unknown) =>
      kernel.log.warn({ err: error }, 'the time was not kept'),
    );
    const loop = watchProcess(instance);
    const trust = { name: 'certificates', every: '*/5 * * * * *', run: doors.look };
    const timeServer = await openTimeServer(config, world, instance);
    await instance.doctor.attach({
      address: `http://${shownHost(config.host)}:${httpAddress.port}`,
      ports: doors.ports,
      broker,
      time: timeServer,
      p99Ms: loop.p99Ms,
    });
    const announcer = await announceOn(config, instance);
    const everyMinute = { name: 'event loop', every: '50 * * * * *', run: loop.look };
    await instance.delivery.start();
    await instance.gatewaySync?.start();
    const homeAssistant = await instance.homeAssistant?.start();
    await instance.probes?.watch
      .start()
      .catch((error: unknown) => kernel.log.error({ err: error }, 'the probes were not begun to be read'));
    const jobs = createJobProcess();
    const pulse = { ticks: 0, at: world.monotonic() };
    const backups = backupTicks(instance, jobs.run);
    const ticks = (world.startTicks ?? startTicks)(
      [
        ...ticksOf(config, instance, broker).map((tick) =>
          beating(tick, config.role, pulse, world.monotonic),
        ),
        ...backups,
        ...updateTicks(instance),
        trust,
        everyMinute,
      ],
      (name, error) => {
        kernel.log.error({ err: error, tick: name }, 'a regular task failed; it is tried again');
      },
    );
    return {
      http: `http://${shownHost(config.host)}:${httpAddress.port}`,
      mqtt: mqttPort === null ? null : `mqtt://${shownHost(config.host)}:${mqttPort}`,
      https: https === null ? null : `https://${shownHost(config.host)}:${https}`,
      mqtts: mqtts === null ? null : `mqtts://${shownHost(config.host)}:${mqtts}`,
      pulse: () => pulse,
      fault: instance.doctor.fault,
      async vital() {
        const { ready } = await instance.ready();
        return { isReady: ready, controlTicks: pulse.ticks, brokerOk: broker?.health().ok ?? true };
      },
      async stop() {
        // a copy under way would keep the stop waiting
        await instance.backup?.stop(jobs.stop);
        await ticks.stop();
        // a board under way is let go; a job that does not end by then ends with this process
        await Promise.race([instance.bench?.stop(), world.pause(LAST_WORDS_MS)]);
        await instance.hostedWork?.stop();
        await instance.probes?.stop();
        loop.stop();
        const closed = Promise.all([new Promise((resolve) => server.close(resolve)), doors.stop()]);
        instance.events.closeAll();
        live?.stop();
        // answers under way, and the farewell of the event streams, get a moment
        server.closeIdleConnections();
        await Promise.race([closed, world.pause(LAST_WORDS_MS)]);
        server.closeAllConnections();
        await Promise.all([
          closed,
          broker?.stop(),
          instance.delivery.stop(world.pause(LAST_WORDS_MS)),
          instance.gatewaySync?.stop(),
          homeAssistant?.stop(),
          announcer?.close(),
          timeServer?.close(),
        ]);
        await instance.relays
          ?.saveMeters()
          .catch((error: unknown) => kernel.log.warn({ err: error }, 'the meters of relays were not saved'));
        await keepTimeAndPresence(instance).catch((error: unknown) =>
          kernel.log.warn({ err: error }, 'the last heartbeats were not saved'),
        );
        await instance.database.close();
        instance.doctor.stopped();
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

type Instance = Awaited<ReturnType<typeof compose>>;

/** On the farm's network a gateway is found by itself; one that only this machine can call is not looked for. */
function announceOn(config: Config, { kernel, trust }: Instance) {
  if (config.role !== 'gateway' || config.discoveryPort === null || isForThisMachine(config.host))
    return null;
  return announce({ log: kernel.log, beacon: trust.beacon, port: config.discoveryPort, isPrivateAddress });
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

function ticksOf(config: Config, instance: Instance, broker: SupervisedBroker | null): Tick[] {
  const { clock, control, kernel } = instance;
  let known: Pick<ClockState, 'trust' | 'correction'> = clock.state();
  const everywhere: Tick[] = [
    { name: 'disk', every: '*/30 * * * * *', run: instance.storage.look },
    { name: 'event streams', every: '*/5 * * * * *', run: instance.events.beat },
    { name: 'episodes', every: '* * * * * *', run: instance.alerts.episodes.look },
    { name: 'refusals', every: '40 * * * * *', run: instance.refusals.tell },
    ...onceForAll(config, instance, [
      ...paymentTicks(instance),
      { name: 'deleted accounts', every: '47 23 * * * *', run: instance.people.eraseLeftovers },
      {
        name: 'sweep',
        every: '17 7 * * * *',
        async run() {
          await sweepExpired(instance.database, kernel);
          await instance.delivery.sweep();
          await instance.syncConflicts.sweep();
        },
      },
      { name: 'escalation', every: '*/5 * * * * *', run: instance.watches.escalation.tick },
      ...(instance.sync === null
        ? []
        : [{ name: 'feeds', every: '29 37 * * * *', run: instance.sync.forget }]),
    ]),
    { name: 'deliveries', every: '*/5 * * * * *', run: instance.delivery.look },
    { name: 'keep time and presence', every: '*/30 * * * * *', run: () => keepTimeAndPresence(instance) },
  ];
  if (instance.hostedWork !== null) return [...hostedTicks(instance.hostedWork, control), ...everywhere];
  const lookAtPairing = instance.pairing?.look;
  const lookAtHostedTime = instance.hostedTime?.look;
  return [
    {
      name: 'control',
      every: '* * * * * *',
      async run() {
        const stepMs = clock.look();
        await control.executor.tick();
        const { trust, correction } = clock.state();
        const isSet = trust !== known.trust || correction !== known.correction;
        known = { trust, correction };
        // what was wrong until now must not be what the next start goes by
        if (stepMs !== 0 || isSet) await keepTime(instance);
      },
    },
    {
      name: 'time to controllers',
      every: '0 * * * * *',
      run: () => broker?.publishTime(),
    },
    { name: 'home assistant', every: '* * * * * *', run: () => instance.homeAssistant?.look() },
    { name: 'relays', every: '* * * * * *', run: () => instance.relays?.tick() },
    { name: 'meters of relays', every: '15 */5 * * * *', run: () => instance.relays?.saveMeters() },
    { name: 'provisioning window', every: '*/2 * * * * *', run: () => instance.adoption?.look() },
    { name: 'broker', every: '*/3 * * * * *', run: () => broker?.look() },
    { name: 'oxygen at dawn', every: '20 * * * * *', run: instance.forecast.watch.look },
    { name: 'oxygen readings', every: '5 * * * * *', run: control.oxygen.look },
    ...probeTicks(instance),
    { name: 'rules from afar', every: '35 * * * * *', run: control.merged.catchUp },
    { name: 'alerts', every: '*/2 * * * * *', run: instance.watches.tick },
    ...(lookAtPairing === undefined ? [] : [{ name: 'pairing', every: '*/5 * * * * *', run: lookAtPairing }]),
    ...(lookAtHostedTime === undefined
      ? []
      : [{ name: 'hosted time', every: '*/15 * * * * *', run: lookAtHostedTime }]),
    { name: 'levels', every: '30 */5 * * * *', run: control.refreshLevels },
    ...(instance.delivery.modem === null
      ? []
      : [{ name: 'modem', every: '25 * * * * *', run: instance.delivery.modem.look }]),
    ...firmwareTicks(instance),
    ...syncTicks(instance),
    ...everywhere,
  ];
}

/** For farms without a gateway, and for those that have one. */
function hostedTicks(work: NonNullable<Instance['hostedWork']>, control: Instance['control']): Tick[] {
  return [
    { name: 'control', every: '* * * * * *', run: work.control },
    { name: 'alerts', every: '*/2 * * * * *', run: work.alerts },
    { name: 'orders from afar', every: '*/2 * * * * *', run: work.expireOrders },
    { name: 'links to gateways', every: '*/5 * * * * *', run: work.links },
    { name: 'silent gateways', every: '*/20 * * * * *', run: work.silence },
    { name: 'oxygen at dawn', every: '20 * * * * *', run: work.dawn },
    { name: 'oxygen readings', every: '5 * * * * *', run: control.oxygen.look },
  ];
}

/** Longer than between two of these tasks, so that one process goes on with them while it lives. */
const TASK_LEASE_MS = 60_000;

/** Tasks that one process of a hosted instance does for all; a gateway is one process. */
function onceForAll({ role }: Config, { processes: { leases } }: Instance, ticks: readonly Tick[]): Tick[] {
  if (role === 'gateway') return [...ticks];
  return ticks.map((tick) => ({
    ...tick,
    run: underLease(leases, { name: tick.name, ms: TASK_LEASE_MS, run: tick.run }),
  }));
}

function paymentTicks({ payments }: Instance): Tick[] {
  return payments.tick === null ? [] : [{ name: 'payments', every: '*/5 * * * * *', run: payments.tick }];
}

function probeTicks({ probes }: Instance): Tick[] {
  if (probes === null) return [];
  return [
    { name: 'probe windows', every: '*/5 * * * * *', run: probes.watch.look },
    { name: 'probes in trouble', every: '25 * * * * *', run: probes.tell },
  ];
}

function syncTicks({ gatewaySync }: Instance): Tick[] {
  if (gatewaySync === null) return [];
  return [
    { name: 'sync as viewers see it', every: '*/2 * * * * *', run: gatewaySync.tell },
    { name: 'sync report', every: '35 * * * * *', run: gatewaySync.report },
    { name: 'comparison', every: '*/30 * * * * *', run: gatewaySync.compare },
    { name: 'change log', every: '53 */10 * * * *', run: gatewaySync.sweep },
  ];
}

type Pulse = ReturnType<Running['pulse']>;

/** The tick that everything else is for; a hosted instance has no schedules to follow. */
function beating(tick: Tick, role: Config['role'], pulse: Pulse, monotonic: () => number): Tick {
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

function firmwareTicks({ firmware }: Instance): Tick[] {
  return firmware === null ? [] : [{ name: 'firmware', every: '*/2 * * * * *', run: firmware.look }];
}

function updateTicks({ update }: Instance): Tick[] {
  return update.look === null ? [] : [{ name: 'update', every: '*/2 * * * * *', run: update.look }];
}

function backupTicks({ backup }: Instance, run: RunJob): Tick[] {
  if (backup === null) return [];
  return [
    { name: 'backup', every: '23 * * * * *', run: () => backup.tick(run) },
    { name: 'last known good configuration', every: '*/5 * * * * *', run: backup.saveConfiguration },
  ];
}

/** When each controller was last heard, and the last good time: one commit, because each writes whole pages. */
function keepTimeAndPresence(instance: Instance): Promise<void> {
  return instance.control.flushPresence(goodTime(instance));
}

/** The last good time alone: a restart looks from there for what came due meanwhile. */
async function keepTime(instance: Instance): Promise<void> {
  const changes = goodTime(instance);
  if (changes.length > 0) await instance.kernel.commit({ changes, actor: null });
}

function goodTime({ control, kernel }: Instance): Change[] {
  if (kernel.clockQuality() !== 'trusted') return [];
  const value = isoOf(control.executor.lookedAt() ?? kernel.now());
  return [put(instanceValue, { id: GOOD_TIME, value })];
}
