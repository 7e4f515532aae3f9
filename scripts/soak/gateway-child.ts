import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { createJsonLog } from '#adapters/log/json-log.ts';
import { watchPauses } from '#adapters/system/process-pauses.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import { type Running, serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';
import { type FarmTime, farmNow, type MachineClock, RIGHT_CLOCK } from './farm-time.ts';

// The program as `npm start` runs it, in a farm that lives faster, on a machine whose clock and disk may fail. It loads
// everything and then waits for the word to start: a box that restarts often does not read its program again.

export type ToChild =
  | { do: 'go'; args: readonly string[]; time: FarmTime; clock: MachineClock }
  | { do: 'clock'; clock: MachineClock }
  /** Pages the database may grow by; null: as many as it likes. */
  | { do: 'disk'; spare: number | null }
  | { do: 'stop' };
export type FromChild =
  | { is: 'waiting' }
  | { is: 'ready'; http: string; mqtt: string }
  | { is: 'failed'; why: string };

const log = createJsonLog('info');
const tell = (message: FromChild) => process.send?.(message);
let running: Running | null = null;
let clock = RIGHT_CLOCK;

// The program keeps its connection to itself; the disk under it is ours.
let connection: BetterSqlite.Database | null = null;
const { prepare } = BetterSqlite.prototype;
BetterSqlite.prototype.prepare = function capture(this: BetterSqlite.Database, source: string) {
  keep(this);
  return prepare.call(this, source);
} as typeof prepare;

function keep(opened: BetterSqlite.Database): void {
  if (!opened.readonly) connection = opened;
}

process.on('message', (message) => {
  // only the campaign writes to this channel
  const order = message as ToChild;
  if (order.do === 'go') void go(order);
  else if (order.do === 'clock') clock = order.clock;
  else if (order.do === 'disk') limitDisk(order.spare);
  else void running?.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
tell({ is: 'waiting' });

async function go({ args, time, clock: first }: Extract<ToChild, { do: 'go' }>): Promise<void> {
  clock = first;
  const now = () => farmNow(time);
  try {
    running = await serve(readConfig(args, {}), {
      wallClock: () => now() + clock.aheadMs,
      monotonic: now,
      random: Math.random,
      pauses: watchPauses({ monotonic: now, uptimeMs: now, log, beatMs: 1_000 / time.speed }),
      pause: (ms) => pause(ms),
      log,
      clockEvidence: () => ({ isSynchronised: clock.isSynchronised, hasBatteryClock: null }),
      startTicks: (ticks, onError) => startFastTicks(ticks, onError, time.speed),
    });
  } catch (error) {
    tell({ is: 'failed', why: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    process.disconnect();
    return;
  }
  tell({ is: 'ready', http: running.http, mqtt: running.mqtt ?? '' });
}

function limitDisk(spare: number | null): void {
  const used = connection?.pragma('page_count', { simple: true });
  const most = spare === null || typeof used !== 'number' ? 1_073_741_823 : used + spare;
  connection?.pragma(`max_page_count = ${most}`);
}

const LEAST_PULSE_MS = 100;

/** The regular tasks in farm time, one run at a time. */
function startFastTicks(
  ticks: readonly Tick[],
  onError: (name: string, error: unknown) => void,
  speed: number,
): { stop: () => Promise<void> } {
  const running = new Map<string, Promise<void>>();
  const timers = ticks.map((tick) => {
    const { name, run } = tick;
    return setInterval(
      () => {
        if (running.has(name)) return;
        const done = Promise.resolve()
          .then(run)
          .catch((error: unknown) => onError(name, error))
          .finally(() => running.delete(name));
        running.set(name, done);
      },
      Math.max(LEAST_PULSE_MS, (periodS(tick) * 1000) / speed),
    );
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}

/** How often a task of the program comes; the place within the hour does not matter here. */
function periodS(tick: Tick): number {
  return 'everyS' in tick ? tick.everyS : 3_600;
}
