import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { childFile } from '../built-program.ts';
import type { FarmTime, MachineClock } from './farm-time.ts';
import { RIGHT_CLOCK } from './farm-time.ts';
import type { FromChild, ToChild } from './gateway-child.ts';

// The box: a gateway in a process of its own that loses its power and gets it back. While one runs, the next has
// loaded its program and waits, so that a restart costs what opening the farm costs.

export type HostOptions = {
  data: string;
  time: FarmTime;
  args: readonly string[];
  /** More for the environment of the process, for example a library that makes fsync fail. */
  environment?: Readonly<Record<string, string>>;
  /** A line of the program's log. */
  onLine: (line: LogLine) => void;
};

export type LogLine = { level: number; msg: string; text: string };

export type GatewayHost = {
  start: (clock?: MachineClock) => Promise<number>;
  kill: () => Promise<void>;
  stopGracefully: () => Promise<number>;
  isRunning: () => boolean;
  setClock: (clock: MachineClock) => void;
  limitDisk: (spare: number | null) => void;
  pid: () => number;
  http: () => string;
  mqtt: () => string;
  /** Times the process ended without being told to. */
  ownEnds: () => number;
  close: () => Promise<void>;
};

const CHILD = childFile('scripts/soak/gateway-child.ts');
const START_AGAIN_MS = 250;
const START_PATIENCE_MS = 60_000;

export function createHost(options: HostOptions): GatewayHost {
  const ports = { http: '0', mqtt: '0' };
  const ended = { byItself: 0 };
  const alive = new Set<ChildProcess>();
  const killAll = () => {
    for (const each of alive) each.kill('SIGKILL');
  };
  process.once('exit', killAll);
  let clock = RIGHT_CLOCK;
  let standby: ChildProcess | null = null;
  let child: ChildProcess | null = null;
  let isExpected = false;

  function load(): ChildProcess {
    const loaded = fork(CHILD, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'farm-soak-compile-cache'),
        ...options.environment,
      },
    });
    for (const stream of [loaded.stdout, loaded.stderr]) {
      if (stream !== null)
        createInterface({ input: stream }).on('line', (text) => options.onLine(lineOf(text)));
    }
    alive.add(loaded);
    loaded.once('exit', () => alive.delete(loaded));
    return loaded;
  }

  /** As a supervisor does it: a program that fails to start is started again. Answers how long it took, real ms. */
  async function start(at: MachineClock = RIGHT_CLOCK): Promise<number> {
    clock = at;
    const since = performance.now();
    for (;;) {
      const why = await tryToStart();
      if (why === null) return performance.now() - since;
      options.onLine({ level: 40, msg: 'soak: the gateway did not start', text: why });
      if (performance.now() - since > START_PATIENCE_MS)
        throw new Error(`the gateway does not start: ${why}`);
      await pause(START_AGAIN_MS);
    }
  }

  async function tryToStart(): Promise<string | null> {
    const next = standby ?? load();
    standby = null;
    const answer = once(next, 'exit').then(() => 'it ended before it was ready');
    const told = new Promise<FromChild>((resolve) => {
      next.on('message', (message) => {
        // only our own child writes to this channel
        const { is } = message as FromChild;
        if (is !== 'waiting') resolve(message as FromChild);
      });
    });
    const { data, time, args } = options;
    send(next, { do: 'go', args: [...argsFor(data, ports), ...args], time, clock });
    const reply = await Promise.race([answer, told]);
    if (typeof reply === 'string') return reply;
    if (reply.is !== 'ready') return reply.is === 'failed' ? reply.why : 'it never started';
    ports.http = new URL(reply.http).port;
    ports.mqtt = new URL(reply.mqtt).port;
    child = next;
    isExpected = false;
    next.once('exit', () => {
      if (!isExpected) ended.byItself += 1;
      if (child === next) child = null;
    });
    standby = load();
    return null;
  }

  async function end(ask: (running: ChildProcess) => void): Promise<number> {
    if (child === null) return 0;
    const since = performance.now();
    isExpected = true;
    const gone = once(child, 'exit');
    ask(child);
    await gone;
    return performance.now() - since;
  }

  return {
    start,
    kill: async () => void (await end((running) => running.kill('SIGKILL'))),
    stopGracefully: () => end((running) => send(running, { do: 'stop' })),
    isRunning: () => child !== null,
    setClock(next) {
      clock = next;
      if (child !== null) send(child, { do: 'clock', clock });
    },
    limitDisk(spare) {
      if (child !== null) send(child, { do: 'disk', spare });
    },
    pid: () => child?.pid ?? 0,
    http: () => `http://127.0.0.1:${ports.http}`,
    mqtt: () => `mqtt://127.0.0.1:${ports.mqtt}`,
    ownEnds: () => ended.byItself,
    async close() {
      await end((running) => send(running, { do: 'stop' }));
      killAll();
      standby = null;
      process.off('exit', killAll);
    },
  };
}

function argsFor(data: string, ports: { http: string; mqtt: string }): string[] {
  const flags = {
    data,
    host: '127.0.0.1',
    'http-port': ports.http,
    'mqtt-port': ports.mqtt,
    'https-port': '0',
    'mqtts-port': '0',
    // the whole farm calls from one address
    'mqtt-connects-per-minute': '0',
    'mqtt-messages-per-s': '0',
    'local-plan': 'ENTERPRISE',
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}

function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message);
}

function lineOf(text: string): LogLine {
  try {
    // pino's own shape
    const { level, msg } = JSON.parse(text) as { level: number; msg: string };
    return { level, msg, text };
  } catch {
    // not of the log: a warning of Node, or the stack of a crash
    return { level: 50, msg: 'not a log line', text };
  }
}
