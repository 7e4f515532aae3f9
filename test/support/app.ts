import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../gateway/config.ts';
import { compose } from '../../gateway/compose.ts';
import type { Engine } from './databases.ts';
import { freshDatabase } from './postgres.ts';

export type TestClock = { now: () => number; advance: (ms: number) => void; set: (ms: number) => void };

export function testClock(start = Date.UTC(2026, 2, 2, 12)): TestClock {
  let at = start;
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
    set: (ms) => {
      at = ms;
    },
  };
}

export type Reply = { status: number; body: unknown; headers: Headers };

const silent = () => undefined;

/**
 * The whole program over a real socket and a real database, with a clock of the test's own. Nothing ticks by itself:
 * tests call what a timer would.
 */
export async function startApp(engine: Engine = 'sqlite', args: readonly string[] = []) {
  const clock = testClock();
  const data = mkdtempSync(join(tmpdir(), 'farm-'));
  const postgres = engine === 'postgres' ? await freshDatabase() : null;
  const config = readConfig(
    ['--data', data, ...(postgres ? ['--database-url', postgres.url] : []), ...args],
    {},
  );
  const sentences: { level: string; fields: Record<string, unknown>; sentence: string }[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void sentences.push({ level, fields, sentence });
  const instance = await compose(config, {
    wallClock: clock.now,
    monotonic: clock.now,
    random: Math.random,
    pause: () => Promise.resolve(),
    log: { debug: silent, info: note('info'), warn: note('warn'), error: note('error') },
  });
  const server = createServer(instance.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function call(
    method: string,
    path: string,
    { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    };
  }

  return {
    ...instance,
    base,
    clock,
    config,
    sentences,
    call,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await instance.database.close();
      await postgres?.drop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
