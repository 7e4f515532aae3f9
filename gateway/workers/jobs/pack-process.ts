import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '#core/errors.ts';
import type { Pack, PackPart } from '#core/packed-file.ts';

/** One line for the process. `whole`: nothing follows. */
export type PackLine = PackPart | { whole: true };

const FILE = fileURLToPath(new URL('./pack-child.ts', import.meta.url));
const FLAGS = [
  '--max-semi-space-size=4',
  '--max-old-space-size=128',
  '--import',
  new URL('../../../scripts/require-node.mjs', import.meta.url).href,
];
/** Each is a process of some 100 MB. */
const MOST_AT_ONCE = 2;
const MOST_WAITING = 10;
/** Who takes nothing for so long has gone, and keeps others waiting. */
const UNREAD_MS = 120_000;
/** Between two pieces: it may take its time, and the processor is free for control most of it. */
const ROOM_MS = 5;

/**
 * Packs in processes of their own, which end with the file: compressing a year of a probe takes seconds that control does
 * not have. What is read, written and sent waits for each other, so that none of it piles up.
 */
export function createPacker({
  mostAtOnce = MOST_AT_ONCE,
  mostWaiting = MOST_WAITING,
  unreadMs = UNREAD_MS,
}: {
  mostAtOnce?: number;
  mostWaiting?: number;
  unreadMs?: number;
} = {}): { pack: Pack; requireRoom: () => void } {
  let running = 0;
  const waiting: (() => void)[] = [];
  function requireRoom(): void {
    if (running < mostAtOnce || waiting.length < mostWaiting) return;
    throw new AppError(503, 'Other workbooks and archives are being made: ask again in a moment', {
      code: 'EXPORTS_BUSY',
      headers: { 'Retry-After': '10' },
    });
  }
  async function begin(): Promise<void> {
    requireRoom();
    if (running < mostAtOnce) running += 1;
    // whoever ends hands on the place
    else await new Promise<void>((resolve) => void waiting.push(resolve));
  }
  function end(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
  async function* pack(parts: AsyncIterable<PackPart>): AsyncIterable<Uint8Array> {
    await begin();
    const child = spawn(process.execPath, [...FLAGS, FILE], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    // one that cannot be started says so before anybody waits for it
    ended.catch(() => undefined);
    let failure: Error | null = null;
    void handOver(parts, child.stdin).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
      child.kill('SIGKILL');
    });
    try {
      for await (const piece of child.stdout) {
        const unread = setTimeout(() => child.kill('SIGKILL'), unreadMs);
        try {
          yield piece as Uint8Array;
        } finally {
          clearTimeout(unread);
        }
      }
      const [code, signal] = (await ended) as [number | null, string | null];
      // set by what is handed over meanwhile
      if (failure !== null) throw failure as Error;
      if (code !== 0) throw new Error(`the file was cut off (${signal ?? `exit code ${code}`})`);
    } finally {
      child.stdin.destroy();
      child.kill('SIGKILL');
      end();
    }
  }
  return { pack, requireRoom };
}

/** Writes the parts as the process takes them; ends early where that has gone. */
async function handOver(parts: AsyncIterable<PackPart>, to: Writable): Promise<void> {
  // its exit tells what happened
  to.on('error', () => undefined);
  for await (const part of parts) {
    if (to.destroyed) return;
    if (!to.write(`${JSON.stringify(part)}\n`)) await untilTaken(to);
    await pause(ROOM_MS);
  }
  to.end(`${JSON.stringify({ whole: true } satisfies PackLine)}\n`);
}

function untilTaken(to: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const go = () => {
    to.off('drain', go);
    to.off('close', go);
    resolve();
  };
  to.once('drain', go);
  to.once('close', go);
  return promise;
}
