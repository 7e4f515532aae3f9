import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Tick } from '#adapters/timers/ticks.ts';
import { type Running, serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';
import { flagsFor } from '../gateway.ts';
import { provision } from '../provision.ts';
import { answerCalls } from '../remote.ts';
import { meterWal, type PageWrites, type WalMeter } from '../wal-meter.ts';
import { addressOfBroker, connectSocket, heartbeatPacket } from './mqtt-socket.ts';

// A whole gateway in this process, whose clock runs as fast as the work of each second lets it.

export type QuietFarm = { data: string; controllers: number };
export type Lived = {
  byTable: [string, PageWrites][];
  /** All this process had written to disks, by the kernel's count; null where it does not tell. */
  diskBytes: number | null;
  heartbeats: number;
  warnings: string[];
};

type Farm = {
  running: Running;
  meter: WalMeter;
  pulse: ReturnType<typeof createPulse>;
  controllers: { socket: Socket; packet: Buffer }[];
  acknowledged: { count: number };
  warnings: string[];
};

const HEARTBEAT_S = 30;
const PUBACK_BYTES = 4;
const START = Date.UTC(2027, 0, 4, 3);
const HOUR_S = 3_600;

const clock = { ms: START };
const farms = new Map<'quiet', Farm>();

const handlers = {
  async start({ data, controllers: count }: QuietFarm): Promise<void> {
    const pulse = createPulse();
    const warnings: string[] = [];
    const note = (_fields: Record<string, unknown>, sentence: string) => void warnings.push(sentence);
    const running = await serve(readConfig(flagsFor(data), {}), {
      wallClock: () => clock.ms,
      monotonic: () => clock.ms - START,
      random: Math.random,
      pause: () => turn(),
      log: { debug: () => undefined, info: () => undefined, warn: note, error: note },
      clockEvidence: () => ({ isSynchronised: true, hasBatteryClock: true }),
      startTicks: pulse.startTicks,
    });
    const owner = count === 0 ? null : await provision(running.http, { count, prefix: 'quiet' });
    const acknowledged = { count: 0 };
    const controllers: Farm['controllers'] = [];
    for (const who of owner?.controllers ?? []) {
      const socket = await connectSocket(addressOfBroker(running.mqtt ?? ''), who);
      socket.on('data', (bytes) => {
        acknowledged.count += bytes.length / PUBACK_BYTES;
      });
      controllers.push({ socket, packet: heartbeatPacket(who.mqtt_id, 1) });
    }
    const meter = meterWal(join(data, 'farm.db'));
    farms.set('quiet', { running, meter, pulse, controllers, acknowledged, warnings });
    // the first reports, and what follows from them, are not the quiet day
    await live(2 * HEARTBEAT_S);
  },

  async day({ seconds }: { seconds: number }): Promise<Lived> {
    const farm = quietFarm();
    const heartbeats = farm.acknowledged.count;
    const before = bytesOf(farm.meter);
    const disk = writtenToDisk();
    await live(seconds);
    const byTable = [...bytesOf(farm.meter)].map(([name, { log, database }]): [string, PageWrites] => {
      const known = before.get(name) ?? { log: 0, database: 0 };
      return [name, { log: log - known.log, database: database - known.database }];
    });
    const after = writtenToDisk();
    return {
      byTable,
      diskBytes: disk === null || after === null ? null : after - disk,
      heartbeats: farm.acknowledged.count - heartbeats,
      warnings: farm.warnings,
    };
  },

  async stop(): Promise<void> {
    const farm = quietFarm();
    farm.meter.close();
    for (const { socket } of farm.controllers) socket.destroy();
    await farm.running.stop();
  },
};
export type QuietFarmLoad = typeof handlers;
answerCalls(handlers);

function quietFarm(): Farm {
  const farm = farms.get('quiet');
  if (farm === undefined) throw new Error('no farm was started');
  return farm;
}

/** Second by second: the heartbeats of those whose turn it is, then what the gateway does of itself. */
async function live(seconds: number): Promise<void> {
  const farm = quietFarm();
  for (let second = 1; second <= seconds; second += 1) {
    clock.ms += 1_000;
    const inSlot = farm.controllers.filter((_each, n) => n % HEARTBEAT_S === second % HEARTBEAT_S);
    const wanted = farm.acknowledged.count + inSlot.length;
    for (const { socket, packet } of inSlot) socket.write(packet);
    while (farm.acknowledged.count < wanted) await turn();
    await farm.pulse.at(clock.ms);
    farm.meter.look();
    if (second % HOUR_S === 0) farm.meter.learnTables();
  }
}

function bytesOf(meter: WalMeter): Map<string, PageWrites> {
  meter.look();
  meter.learnTables();
  return meter.bytesByTable();
}

function writtenToDisk(): number | null {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN);
  } catch {
    return null;
  }
}

/** The regular tasks of a program whose time is simulated: each runs when its second comes, one after the other. */
function createPulse(): {
  startTicks: (
    ticks: readonly Tick[],
    onError: (name: string, error: unknown) => void,
  ) => { stop: () => Promise<void> };
  /** Runs what is due at this time and waits until it is done. */
  at: (ms: number) => Promise<void>;
} {
  let tasks: { isDue: (atMs: number) => boolean; run: () => Promise<void> }[] = [];
  return {
    startTicks(ticks, onError) {
      tasks = ticks
        // it watches the broker by the machine's own time, and writes nothing
        .filter(({ name }) => name !== 'broker')
        .map((tick) => ({
          isDue: matcher(tick),
          run: async () => {
            try {
              await tick.run();
            } catch (error) {
              onError(tick.name, error);
            }
          },
        }));
      return {
        async stop() {
          tasks = [];
        },
      };
    },
    async at(ms) {
      for (const task of tasks) if (task.isDue(ms)) await task.run();
    },
  };
}

/** True at the seconds of a rate, and in the first second of an hour for what is meant by the calendar. */
function matcher(tick: Tick): (atMs: number) => boolean {
  const everyS = 'everyS' in tick ? tick.everyS : 3_600;
  return (atMs) => Math.floor(atMs / 1000) % everyS === 0;
}
