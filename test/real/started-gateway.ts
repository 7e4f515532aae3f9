import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { TODAY, type VersionPackage } from '../../scripts/versions/version-package.ts';
import { heldUpMs } from '../support/held-up.ts';
import { lastingPort } from '../support/lasting-port.ts';

// The built program as a process, as `npm start` runs it: its own database on disk, its own ports, the operating
// system's clock. Nothing of the program is loaded into the test.

const FAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file));

/** Whether the clock of a process can be moved here (Debian's package faketime). Without it such tests are skipped. */
export const canMoveClocks: boolean = FAKETIME !== undefined;

export type Answer = { status: number; body: unknown; headers: Headers };
export type StartedGateway = Awaited<ReturnType<typeof startGateway>>;

export type GatewayOptions = {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Folder of the data; absent: a new one, removed at the end. */
  data?: string;
  /** How far the clock of the process stands beside that of the machine, seconds. */
  clockAheadS?: number;
  /** Another version than today's. */
  version?: Pick<VersionPackage, 'main' | 'ports'>;
  /** All its clocks, the monotonic one too, run so many times faster; `stepClock` cannot be used then. */
  speed?: number;
};

const opened = new Set<() => Promise<void>>();

/** Ends those that a file left, by a fault before it held them: one that runs on slows everything after it. */
export async function closeLeftRunning(): Promise<void> {
  for (const close of opened) await close();
}

/** Starts the program and waits until it says that it is ready. */
export async function startGateway(options: GatewayOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'real-'));
  const data = options.data ?? join(folder, 'data');
  const clockFile = join(folder, 'clock');
  const ports = { http: await lastingPort(), mqtt: await lastingPort() };
  const lines: string[] = [];
  let child: ChildProcess | null = null;
  let heldUpInEarlierLivesMs = 0;
  let { speed, version = TODAY } = options;
  let fastSince = performance.now();
  let aheadS = options.clockAheadS ?? 0;
  writeClock();

  /** The library reads the file at every look; it must never see half of it. */
  function writeClock(): void {
    writeFileSync(`${clockFile}.new`, `${aheadS < 0 ? '' : '+'}${aheadS}`);
    renameSync(`${clockFile}.new`, clockFile);
  }

  function clockEnvironment(): Record<string, string> {
    if (FAKETIME === undefined) return {};
    // its time goes on while it is dead, as fast as before
    const fasterBy = ((performance.now() - fastSince) / 1000) * ((speed ?? 1) - 1);
    if (speed !== undefined) return { LD_PRELOAD: FAKETIME, FAKETIME: `+${fasterBy.toFixed(3)} x${speed}` };
    return {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  async function start(args: readonly string[] = []): Promise<void> {
    const started = spawn(
      process.execPath,
      [
        '--max-semi-space-size=4',
        '--max-old-space-size=512',
        version.main,
        '--data',
        data,
        '--host',
        '127.0.0.1',
        '--http-port',
        `${ports.http}`,
        '--mqtt-port',
        `${ports.mqtt}`,
        ...version.ports.flatMap((name) => [`--${name}-port`, 'off']),
        ...(options.args ?? []),
        ...args,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ...options.env,
          ...clockEnvironment(),
        },
      },
    );
    child = started;
    createInterface({ input: started.stderr }).on('line', (line) => void lines.push(line));
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: started.stdout })
        .on('line', (line) => {
          lines.push(line);
          if (line.includes('"msg":"ready"')) resolve();
        })
        .once('close', () => reject(new Error(`the gateway did not start:\n${lines.slice(-20).join('\n')}`)));
    });
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child === null || isOver(child)) return child?.exitCode ?? null;
    heldUpInEarlierLivesMs += heldUpMs(child.pid);
    const exited = once(child, 'exit');
    // one that was stopped hears nothing else
    if (signal !== 'SIGKILL') child.kill('SIGCONT');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  async function close(): Promise<void> {
    opened.delete(close);
    await end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }

  /** One request; `path` below /api/v1 unless it names one of the few outside. Ends after `withinMs`. */
  async function call(
    method: string,
    path: string,
    given: { token?: string; body?: unknown; withinMs?: number; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    // a machine that is busy elsewhere is late, not wrong
    const { token, body, withinMs = 120_000, headers = {} } = given;
    const base = `http://127.0.0.1:${ports.http}`;
    const response = await fetchUnlessClosed(
      /^\/(healthz|readyz|metrics)/.test(path) ? base + path : `${base}/api/v1${path}`,
      {
        method,
        signal: AbortSignal.timeout(withinMs),
        headers: {
          // none is left over from before a kill
          Connection: 'close',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
    );
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      body: text === '' ? null : isJson ? (JSON.parse(text) as unknown) : text,
      headers: response.headers,
    };
  }

  opened.add(close);
  await start();
  return {
    data,
    lines,
    ports,
    http: `http://127.0.0.1:${ports.http}`,
    mqtt: `mqtt://127.0.0.1:${ports.mqtt}`,
    call,
    start,
    pid: () => child?.pid ?? 0,
    /** From the next start on. */
    upgradeTo(newer: VersionPackage): void {
      version = newer;
    },
    /** From the next start on. */
    quicken(by: number): void {
      speed = by;
      fastSince = performance.now();
    },
    /** Moves the wall clock of the running program, as `date -s` does; the monotonic clock goes on. */
    stepClock(byS: number): void {
      aheadS += byS;
      writeClock();
    },
    /** What the wall clock of the program shows, ms since 1970. */
    wallMs: () => Date.now() + aheadS * 1000,
    /** Processor time the program has used so far, ms. */
    cpuMs(): number {
      const fields = readFileSync(`/proc/${child?.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    /** How long the program was ready to run so far and got no processor, ms. */
    heldUpMs: () => heldUpInEarlierLivesMs + (isOver(child) ? 0 : heldUpMs(child?.pid)),
    /** The power of the box is cut. */
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    /** The machine sleeps, or its card hangs: the process stands still until `thaw`. */
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    close,
  };
}

const isOver = (child: ChildProcess | null) =>
  child === null || child.exitCode !== null || child.signalCode !== null;

/**
 * Where the clocks of the program run faster, its patience with a connection is shorter too, and a busy machine may be
 * slower than that: one that was closed before a byte of the answer came was not heard, and is asked again.
 */
async function fetchUnlessClosed(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fetch(url, init);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : null;
      const isUnheard =
        cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET' && attempt < 10;
      if (!isUnheard) throw error;
      await pause(50 * attempt);
    }
  }
}

/** Asks every 50 ms until the answer fits; fails with the last answer when it never does. */
export async function until<Value>(
  ask: () => Promise<Value> | Value,
  fits: (answer: Value) => boolean,
  withinMs = 60_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (fits(answer)) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(
        `never came: ${last instanceof Error ? last.message : (JSON.stringify(last)?.slice(0, 2_000) ?? '')}`,
      );
    await pause(50);
  }
}
