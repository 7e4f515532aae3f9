import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as z from 'zod';

// A server in a process of its own: it tells its addresses in a JSON line `ready` on its standard output.

export type RunningServer = {
  pid: number;
  http: string;
  mqtt: string;
  /** Empty where the broker speaks no TLS. */
  mqtts: string;
  /** Resolves when the process has ended, however it ended. */
  ended: Promise<void>;
  /** Asks it to stop, and waits for the end. */
  stop: () => Promise<void>;
};

export type ServerOptions = {
  /** Program and its arguments, for the Node that runs this. */
  args: readonly string[];
  /** What it writes besides `ready`. */
  onLine?: (line: string) => void;
};

const readyLine = z.object({
  msg: z.literal('ready'),
  http: z.string().nullish(),
  mqtt: z.string().nullish(),
  mqtts: z.string().nullish(),
});

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 12_000;

/** It was not ready in time, or ended before; the message ends with what it wrote. */
export class ServerFailed extends Error {}

/** Starts a server and waits until it is ready. Rejects with ServerFailed. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // in the session of those who load it: what Linux gives to each session is shared out before any priority counts, and
  // the controllers of a farm are machines of their own
  const child = spawn(process.execPath, [...options.args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  void ended.then(() => process.off('exit', killWithUs));
  const ready = await waitForReady(child, options.onLine ?? (() => undefined)).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    pid: child.pid ?? 0,
    http: ready.http ?? '',
    mqtt: ready.mqtt ?? '',
    mqtts: ready.mqtts ?? '',
    ended,
    async stop() {
      child.kill('SIGTERM');
      const cut = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(cut);
    },
  };
}

function waitForReady(
  child: ChildProcess,
  onLine: (line: string) => void,
): Promise<z.infer<typeof readyLine>> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (why: string) =>
      reject(new ServerFailed([`the server ${why}`, ...said.slice(-20)].join('\n')));
    const deadline = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
    const hear = (line: string) => {
      const ready = readyLine.safeParse(parseJson(line));
      if (ready.success) {
        clearTimeout(deadline);
        resolve(ready.data);
        return;
      }
      said.push(line);
      onLine(line);
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', hear);
    }
    child.once('error', reject);
    child.once('exit', (code, signal) => fail(`ended before it was ready (${code ?? signal})`));
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a line for people
    return undefined;
  }
}

/** Where a load finds its HTTP, and the process whose time counts. */
export function httpAddressOf({ http, pid }: RunningServer): {
  host: string;
  port: number;
  serverPid: number;
} {
  const { hostname, port } = new URL(http);
  return { host: hostname, port: Number(port), serverPid: pid };
}
