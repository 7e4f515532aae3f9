import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { levelHeard } from '#sim/controller/level-end.ts';
import { createFleet, type Fleet } from '#sim/fleet/fleet.ts';
import { type FarmTime, farmNow } from './farm-time.ts';
import { createHost, type GatewayHost, type LogLine } from './gateway-host.ts';
import type { Point, Publish, Sight, Write } from './history.ts';
import {
  answerOf,
  type Call,
  callAt,
  type Farm,
  LOGIN,
  type Load,
  makeFarm,
  startLoad,
} from './make-farm.ts';
import { type Probes, startProbes } from './probes.ts';

type FleetWatch = {
  sights: Sight[];
  /** What moves in here is forced: the power is cut under it. */
  forced: <Answer>(run: () => Answer) => Answer;
  /** Lines stopped carrying, or the disk is spoilt, and nobody is told. */
  mark: (kind: 'break' | 'spoilt') => void;
};

/** Told in whole seconds, and on its way for a moment. */
const END_TOLD_MS = 3_000;

/** What happened and what became of it; the tag names it. */
export type Noted = { tag: string; write: Write } | { tag: string; publish: Publish };

// All that lives during a campaign: the box, the controllers, the people, and what they noted.

export type World = {
  data: string;
  file: string;
  time: FarmTime;
  now: () => number;
  /** Waits farm seconds. */
  wait: (farmS: number) => Promise<void>;
  host: GatewayHost;
  call: Call;
  token: () => string;
  signIn: () => Promise<void>;
  farm: Farm;
  fleet: Fleet;
  watch: FleetWatch;
  load: Load;
  probes: Probes;
  writes: Write[];
  publishes: Publish[];
  logLines: Map<string, number>;
  close: () => Promise<void>;
};

export type WorldOptions = {
  data: string;
  seed: number;
  controllers: number;
  time: FarmTime;
  environment?: Readonly<Record<string, string>>;
  /** Hears of every write and publish before it is sent and when it was answered. */
  journal: (noted: Noted) => void;
};

export type EarlierLife = { farm: Farm; writes: Write[]; publishes: Publish[] };

const ONLINE_WITHIN_MS = 60_000;

/** Opens the farm; with an earlier life it goes on where that one stopped, with new controllers of the same names. */
export async function openWorld(options: WorldOptions, earlier: EarlierLife | null): Promise<World> {
  const { data, seed, time } = options;
  const now = () => farmNow(time);
  const logLines = new Map<string, number>();
  const host = createHost({
    data,
    time,
    args: [],
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    onLine: (line) => countLine(logLines, line),
  });
  try {
    await host.start();
    const call = callAt(host.http);
    const made = earlier === null ? await makeFarm({ call, now }, options.controllers) : null;
    const farm = made ?? earlier?.farm;
    if (farm === undefined) throw new Error('a farm is made or known');
    const session = { token: made?.token ?? '' };
    const signIn = async () => {
      const reply = await call('POST', '/auth/login', { body: LOGIN });
      if (reply?.status === 200) session.token = String(answerOf(reply, 'signing in')['access_token']);
    };
    if (made === null) await signIn();
    const writes = earlier?.writes ?? [];
    const publishes = earlier?.publishes ?? [];
    const fleet = openFleet(host, farm.points, { seed, speed: time.speed });
    const watch = watchFleet(fleet);
    fleet.start();
    const driven = farm.points.filter(({ isProbe }) => !isProbe);
    await allConnected(fleet, driven.length);
    const journalWrite = (write: Write) => options.journal({ tag: write.tag, write });
    const load = startLoad(
      {
        call,
        now,
        token: () => session.token,
        signIn,
        seed,
        farmId: farm.farmId,
        points: driven,
        begin: journalWrite,
        note: (write) => {
          writes.push(write);
          journalWrite(write);
        },
      },
      { count: writes.length },
    );
    const probes = startProbes({
      points: farm.points,
      url: host.mqtt,
      now,
      begin: (tag, publish) => {
        publishes.push(publish);
        options.journal({ tag, publish });
      },
      acknowledged: (tag, publish) => options.journal({ tag, publish }),
      run: `r${Math.round(now() / 1000)}`,
    });
    return {
      data,
      file: join(data, 'farm.db'),
      time,
      now,
      wait: (farmS) => pause((farmS * 1000) / time.speed),
      host,
      call,
      token: () => session.token,
      signIn,
      farm,
      fleet,
      watch,
      load,
      probes,
      writes,
      publishes,
      logLines,
      async close() {
        probes.stop();
        await host.close();
        await fleet.stop();
      },
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

function openFleet(
  host: GatewayHost,
  points: readonly Point[],
  options: { seed: number; speed: number },
): Fleet {
  return createFleet({
    controllers: points
      .filter(({ isProbe }) => !isProbe)
      .map(({ device_id, mqtt_id, key, transport, feeder }) => ({
        device_id,
        mqtt_id,
        key,
        transport,
        feeder,
      })),
    httpBase: host.http(),
    mqttUrl: host.mqtt(),
    ...options,
  });
}

async function allConnected(fleet: Fleet, count: number): Promise<void> {
  const deadline = Date.now() + ONLINE_WITHIN_MS;
  for (;;) {
    const connected = fleet.states().filter(({ is_connected }) => is_connected).length;
    if (connected === count) return;
    if (Date.now() > deadline) throw new Error(`only ${connected} of ${count} controllers came`);
    await pause(50);
  }
}

/** Counts what the program says, from warnings on. */
function countLine(lines: Map<string, number>, { level, msg, text }: LogLine): void {
  if (level < 40) return;
  const name = `${level >= 50 ? 'error' : 'warn'}: ${msg === 'not a log line' ? text.slice(0, 120) : msg}`;
  lines.set(name, (lines.get(name) ?? 0) + 1);
}

/** Notes what each controller was told, when its relay moved, and when it lost the gateway. */
function watchFleet(fleet: Fleet): FleetWatch {
  const sights: Sight[] = [];
  const lastLevels = new Map<string, string>();
  let isForced = false;
  fleet.listen((event) => {
    const at = { device: event.device_id, ms: event.atMs };
    if (event.kind === 'effect') {
      if (event.effect.kind === 'relay') sights.push({ ...at, kind: 'relay', to: event.effect.to, isForced });
      // without power, and with a new start before it: alone as without a line
      if (event.effect.kind === 'disconnect') sights.push({ ...at, kind: 'break' });
      return;
    }
    const { message } = event;
    if (message.kind === 'disconnected' || message.kind === 'http_failed') {
      sights.push({ ...at, kind: 'break' });
      lastLevels.delete(event.device_id);
      return;
    }
    const level =
      message.kind === 'desired'
        ? message.level
        : message.kind === 'http_answer'
          ? levelHeard(message.answer)
          : null;
    if (level === null) return;
    const { epoch, version, target } = level;
    const ends =
      level.ends === undefined
        ? {}
        : { ends: { atMs: event.atMs + level.ends.untilS * 1000, next: level.ends.then } };
    // a step of the clock brings the end of a schedule's level nearer
    const end = ends.ends === undefined ? '' : Math.round(ends.ends.atMs / END_TOLD_MS);
    const name = `${epoch} ${version} ${target} ${level.ends?.then ?? ''} ${end}`;
    // the same level again, as every poll tells it
    if (lastLevels.get(event.device_id) === name) return;
    lastLevels.set(event.device_id, name);
    sights.push({ ...at, kind: 'level', epoch, version, target, ...ends });
  });
  return {
    sights,
    forced(run) {
      isForced = true;
      try {
        return run();
      } finally {
        isForced = false;
      }
    },
    mark(kind) {
      const ms = fleet.clock.nowMs();
      for (const { device_id } of fleet.states()) sights.push({ device: device_id, ms, kind });
      lastLevels.clear();
    },
  };
}
