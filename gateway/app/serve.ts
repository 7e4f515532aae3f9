import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { announce } from '#adapters/discovery/announce.ts';
import { boundUnproved } from '#adapters/http/connection-places.ts';
import { fairTurns } from '#adapters/http/fair-turns.ts';
import { hardenServer, SERVER_OPTIONS } from '#adapters/http/harden-server.ts';
import { isPrivateAddress } from '#adapters/http/private-address.ts';
import { startTicks } from '#adapters/timers/ticks.ts';
import { noteStart } from '#operations/doctor/note-start.ts';
import type { RunNote } from '#operations/doctor/run-file.ts';
import { farmNow, vitalOf } from '#operations/staging/vital-signs.ts';
import type { Vital } from '#operations/update/health-gate.ts';
import type { Before } from '#operations/update/update-state.ts';
import { type Config, isForThisMachine } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { createJobProcess } from '#workers/jobs/job-process.ts';
import { compose, type Instance } from './compose.ts';
import { openBroker } from './control/broker.ts';
import { watchProcess } from './http/events.ts';
import {
  backupTicks,
  beating,
  keepTime,
  keepTimeAndPresence,
  ticksOf,
  updateTicks,
} from './scheduled-tasks.ts';
import { openTimeServer } from './system/sntp.ts';

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
  const { control, kernel } = instance;
  const refused = (reason: string, source: string) => instance.refusals.count('http', reason, source);
  const inTurns = fairTurns({ handle: instance.app, sourceOf: instance.clients.of, refused });
  const server = boundUnproved(hardenServer(createServer(SERVER_OPTIONS, inTurns), refused), {
    isProxy: instance.clients.isProxy,
    refused,
  });
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
    instance.technicians?.relays.attach(
      (topic, payload) => broker?.sendToRelay(topic, payload),
      mqttAddress?.port ?? null,
    );
    if (mqttAddress !== null) {
      const host = shownHost(config.host);
      instance.technicians?.simulator.attach({
        httpBase: `http://${host}:${httpAddress.port}`,
        mqttUrl: `mqtt://${host}:${mqttAddress.port}`,
      });
    }
    if (broker !== null) control.attach(instance.technicians?.relays.following(broker.link) ?? broker.link);
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
    const trust = { name: 'certificates', everyS: 5, run: doors.look };
    const timeServer = await openTimeServer(config, world, instance);
    instance.doctor.attach({
      note,
      address: `http://${shownHost(config.host)}:${httpAddress.port}`,
      ports: doors.ports,
      broker,
      time: timeServer,
      p99Ms: loop.p99Ms,
    });
    const setUpCode = await instance.openSetUpCode().catch(() => null);
    if (setUpCode !== null)
      kernel.log.info(
        {},
        `nobody owns this box yet; whoever makes the first account from another machine is asked for its set-up code: ${setUpCode}`,
      );
    const announcer = await announceOn(config, instance);
    const everyMinute = { name: 'event loop', everyS: 60, run: loop.look };
    await instance.delivery.start();
    await instance.gatewaySync?.start();
    const homeAssistant = await instance.technicians?.homeAssistant.start();
    await instance.technicians?.probes.watch
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
        ...updateTicks(instance, () => farmNow(instance, config, doors.ports())),
        trust,
        everyMinute,
      ],
      (name, error) => {
        kernel.log.error({ err: error, tick: name }, 'a regular task failed; it is tried again');
      },
      kernel.now,
    );
    return {
      http: `http://${shownHost(config.host)}:${httpAddress.port}`,
      mqtt: mqttPort === null ? null : `mqtt://${shownHost(config.host)}:${mqttPort}`,
      https: https === null ? null : `https://${shownHost(config.host)}:${https}`,
      mqtts: mqtts === null ? null : `mqtts://${shownHost(config.host)}:${mqtts}`,
      pulse: () => pulse,
      fault: note.fault,
      vital: (before) => vitalOf({ instance, broker, ticks: () => pulse.ticks, ports: doors.ports }, before),
      async stop() {
        // a copy under way would keep the stop waiting
        await instance.backup?.stop(jobs.stop);
        await ticks.stop();
        // a board under way is let go; a job that does not end by then ends with this process
        await Promise.race([
          Promise.all([instance.technicians?.bench.stop(), instance.technicians?.simulator.stop()]),
          world.pause(LAST_WORDS_MS),
        ]);
        await instance.hostedWork?.stop();
        await instance.technicians?.probes.stop();
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
        await instance.technicians?.relays
          .saveMeters()
          .catch((error: unknown) => kernel.log.warn({ err: error }, 'the meters of relays were not saved'));
        await keepTimeAndPresence(instance, 'all').catch((error: unknown) =>
          kernel.log.warn({ err: error }, 'the last heartbeats were not saved'),
        );
        await instance.database
          .storeUnsaved(kernel.commit)
          .catch((error: unknown) =>
            kernel.log.warn({ err: error }, 'messages were not stored, and are lost'),
          );
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
