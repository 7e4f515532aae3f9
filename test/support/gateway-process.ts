import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { childFile } from '../../scripts/built-program.ts';
import { lastingPort } from './lasting-port.ts';

export type FarmClock = { now: () => number; environment: string };

/** A clock shared by processes: farm time runs `speed` times faster from `start` on. */
export function farmClock(start: number, speed: number): FarmClock {
  const realStart = Date.now();
  return {
    now: () => start + (Date.now() - realStart) * speed,
    environment: `${realStart} ${start} ${speed}`,
  };
}

/** A gateway in a process of its own that can be killed and started again on the same data and ports. */
export async function startGatewayProcess(clock: FarmClock, args: readonly string[] = []) {
  const data = mkdtempSync(join(tmpdir(), 'gateway-'));
  const lines: string[] = [];
  let child: ChildProcess | null = null;
  const ports = { http: String(await lastingPort()), mqtt: String(await lastingPort()) };

  async function start(): Promise<void> {
    const started = spawn(
      process.execPath,
      [
        childFile('test/support/gateway-child.ts'),
        '--data',
        data,
        '--host',
        '127.0.0.1',
        '--http-port',
        ports.http,
        '--mqtt-port',
        ports.mqtt,
        // tests have many owners on one box
        '--registration',
        'open',
        ...args,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TEST_CLOCK: clock.environment } },
    );
    child = started;
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: started.stdout })
        .on('line', (line) => {
          lines.push(line);
          if (line.includes('"msg":"ready"')) resolve();
        })
        .once('close', () => reject(new Error(`the gateway did not start: ${lines.join('\n')}`)));
    });
  }

  /** Answers the exit code; null when the signal itself ended it. */
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child === null || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  async function call(
    method: string,
    path: string,
    { token, body }: { token?: string; body?: unknown } = {},
  ) {
    const response = await fetch(`http://127.0.0.1:${ports.http}/api/v1${path}`, {
      method,
      headers: {
        // none is left over from before a kill
        Connection: 'close',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  await start();
  return {
    call,
    lines,
    http: () => `http://127.0.0.1:${ports.http}`,
    mqtt: () => `mqtt://127.0.0.1:${ports.mqtt}`,
    data,
    /** Asked to end, as a supervisor does; answers its exit code. */
    stop: () => end('SIGTERM'),
    /** The power of the box is cut. */
    kill: () => end('SIGKILL'),
    start,
    async close() {
      await end('SIGTERM');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Asks until the answer fits; fails with the last answer when it never does. */
export async function until<Answer>(
  ask: () => Promise<Answer> | Answer,
  fits: (answer: Answer) => boolean,
  withinMs = 60_000,
): Promise<Answer> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch((error: unknown) => error as Answer);
    if (!(answer instanceof Error) && fits(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`never came: ${JSON.stringify(answer)?.slice(0, 2_000) ?? String(answer)}`);
    await pause(50);
  }
}
