import { closeSync, cpSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { compose } from '#app/compose.ts';
import { readConfig } from '#runtime/config.ts';
import type { TestClock } from '#test/app.ts';

// A gateway on a folder that outlives it: stopped, killed (its files copied as they lie), damaged, started again.

export type Sentence = { level: string; fields: Record<string, unknown>; sentence: string };
export type Box = Awaited<ReturnType<typeof startBox>>;

const folders: string[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'box-'));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export async function startBox(
  data: string,
  clock: TestClock,
  args: readonly string[] = [],
  pause: () => Promise<void> = () => Promise.resolve(),
  restart?: () => void,
) {
  const sentences: Sentence[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void sentences.push({ level, fields, sentence });
  const instance = await compose(readConfig(['--data', data, '--registration', 'open', ...args], {}), {
    wallClock: clock.now,
    monotonic: clock.now,
    random: Math.random,
    clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
    pause,
    ...(restart === undefined ? {} : { restart, isSupervised: true }),
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
  });
  const server = createServer(instance.app);
  // a test process that stood still for a while must not find its idle connections closed
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...instance,
    data,
    base,
    sentences,
    async call(method: string, path: string, { token, body }: { token?: string; body?: unknown } = {}) {
      const isFile = body instanceof Blob;
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          ...(body === undefined || isFile ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') ?? false;
      // what the interface answers, or the text of /metrics
      return {
        status: response.status,
        body: (isJson && text !== '' ? JSON.parse(text) : { text }) as Record<string, unknown>,
      };
    },
    async checks() {
      const { checks } = (await (await fetch(`${base}/readyz`)).json()) as {
        checks: Record<string, Record<string, unknown>>;
      };
      return checks;
    },
    /** What the program would do in time: configuration saved, schedules followed. */
    async settle() {
      clock.advance(1_200_000);
      await instance.backup?.saveConfiguration();
    },
    /** The files as a cut of the power would leave them, in a folder of their own. */
    killed(): string {
      const folder = newFolder();
      cpSync(data, folder, { recursive: true });
      return folder;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await instance.database.close();
    },
  };
}

const LOGIN = { email: 'ana@fazenda.example', password: 'camarao-do-norte' };

export async function logIn(box: Box): Promise<string> {
  const login = await box.call('POST', '/api/v1/auth/login', { body: LOGIN });
  return String(login.body['access_token']);
}

export type Settled = {
  token: string;
  farmId: string;
  points: { id: string; device_id: string; key: string }[];
};

/** A farm with three control points: one with a schedule ON, one ordered ON, one left OFF; each with a key. */
export async function aFarmOn(box: Box, clock: TestClock): Promise<Settled> {
  await box.call('POST', '/api/v1/auth/register', { body: { ...LOGIN, name: 'Ana', role: 'OWNER' } });
  const token = await logIn(box);
  const farm = await box.call('POST', '/api/v1/farms/', { token, body: { name: 'Norte' } });
  const farmId = String(farm.body['id']);
  const points = [];
  for (const n of [1, 2, 3]) {
    const made = await box.call('POST', '/api/v1/control-points/', {
      token,
      body: { farm_id: farmId, cod: `CP-${n}`, device_id: `aer-${n}`, target_status: 'OFF' },
    });
    const id = String(made.body['id']);
    const { key } = (await box.call('POST', `/api/v1/control-points/${id}/device-key`, { token })).body;
    points.push({ id, device_id: `aer-${n}`, key: String(key) });
  }
  const start_time = new Date(clock.now() + 20_000).toISOString();
  await box.call('POST', `/api/v1/control-points/${points[0]?.id}/schedules`, {
    token,
    body: { action: 'ON', start_time, repeat_pattern: 'DAILY' },
  });
  await box.call('POST', `/api/v1/control-points/${points[1]?.id}/turn-on`, { token });
  return { token, farmId, points };
}

/** What each controller is told, by its name. */
export function targets(box: Box): Record<string, string> {
  return Object.fromEntries(
    [...box.control.registry.all()].map(({ row }) => [row.device_id, row.target_status] as const),
  );
}

/** Lets the schedules act as often as motors need to start one after the other. */
export async function follow(box: Box, clock: TestClock): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    clock.advance(6_000);
    await box.control.executor.tick();
  }
}

/** Overwrites pages of a table with bytes that are none. */
export function damageTable(databaseFile: string, table: string): void {
  const db = new BetterSqlite(databaseFile);
  db.pragma('wal_checkpoint(truncate)');
  const pages = db.prepare('select pageno from dbstat where name = ?').pluck().all(table).map(Number);
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  const file = openSync(databaseFile, 'r+');
  for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

/** The database alone, with all of its log in it. */
export function withoutLog(databaseFile: string): void {
  const db = new BetterSqlite(databaseFile);
  db.pragma('journal_mode = delete');
  db.pragma('journal_mode = wal');
  db.close();
}

export const broken = (data: string): string[] =>
  readdirSync(data).filter((name) => name.includes('.broken-'));
