import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SchemaRefused } from '#adapters/sql/migrate.ts';
import { aControlPoint, aFarmWith, type App, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { openDatabase } from '../../gateway/open-database.ts';

describe('a gateway whose disk', () => {
  let app: App;
  let token: string;
  let farmId: string;
  let point: MadeControlPoint;
  beforeEach(async () => {
    app = await startApp('sqlite');
    ({ token, farmId } = await aFarmWith(app));
    point = await aControlPoint(app, { token, farmId });
  });
  afterEach(() => app.close());

  const heartbeat = (status: string) =>
    app.call('POST', '/devices/heartbeat', { body: { device_id: point.device_id, current_status: status } });
  const turnOn = () =>
    app.call('POST', `/control-points/${point.id}/turn-on`, { token, body: { for_s: 3_600 } });
  const orders = async () => (await app.call('GET', `/control-points/${point.id}/orders`, { token })).body;
  const readiness = async () =>
    (await (await fetch(`${app.base}/readyz`)).json()) as { checks: Record<string, unknown> };

  /** Lets the database grow no further: what a full disk answers, SQLite answers then. */
  async function fill(): Promise<void> {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(app.database.read);
    await sql.raw(`pragma max_page_count = ${rows[0]?.page_count ?? 1}`).execute(app.database.read);
    // what is free inside the file is used up first
    for (let n = 0; n < 2_000; n += 1) {
      const made = await app.call('POST', '/ponds/', {
        token,
        body: { farm_id: farmId, cod: `V-${n}`, lat: '-3.7', lng: '-38.5', pond_type: 'FATTENING' },
      });
      if (made.status === 507) return;
    }
    throw new Error('the disk never was full');
  }
  const free = () => sql.raw('pragma max_page_count = 1000000').execute(app.database.read);

  it('is full goes on controlling from memory, says so, and saves when there is room again', async () => {
    await fill();
    const ponds = (await app.call('GET', '/ponds/', { token })).body as unknown[];
    const ordered = await turnOn();
    expect(ordered.status).toBe(200);
    expect(body(ordered)).toMatchObject({ target_status: 'ON', warnings: [{ code: 'NOT_SAVED' }] });
    expect(body(await heartbeat('OFF'))).toMatchObject({ target_status: 'ON' });
    expect((await heartbeat('ON')).status).toBe(200);
    expect(await orders()).toEqual([]);
    expect((await readiness()).checks['disk']).toMatchObject({ ok: false });
    expect((await app.call('GET', '/ponds/', { token })).body).toHaveLength(ponds.length);

    await free();
    app.clock.advance(6_000);
    await app.control.executor.tick();
    expect(await orders()).toMatchObject([
      { target_status: 'ON', origin: 'LOCAL', hold_until: expect.any(String) },
    ]);
    expect(body(await heartbeat('ON'))).toMatchObject({ target_status: 'ON' });
    expect((await readiness()).checks['disk']).toMatchObject({ ok: true });
  });

  it('is full still follows the schedules', async () => {
    const start_time = new Date(app.clock.now() + 60_000).toISOString();
    await app.call('POST', `/control-points/${point.id}/schedules`, {
      token,
      body: { action: 'ON', start_time },
    });
    await fill();
    app.clock.advance(61_000);
    await app.control.executor.tick();
    expect(body(await heartbeat('OFF'))).toMatchObject({ target_status: 'ON' });
  });

  it('is locked by another process answers 503 for records and goes on controlling', async () => {
    const other = new BetterSqlite(join(app.config.data, 'farm.db'));
    other.exec('begin immediate');
    try {
      const pond = await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } });
      expect(pond.status).toBe(503);
      expect(pond.headers.get('retry-after')).not.toBeNull();
      expect((await turnOn()).status).toBe(200);
      expect(body(await heartbeat('OFF'))).toMatchObject({ target_status: 'ON' });
    } finally {
      other.exec('rollback');
      other.close();
    }
    expect((await app.call('GET', '/ponds/', { token })).body).toEqual([]);
  });
});

describe('a database of a newer version', () => {
  it('is refused in one sentence and stays as it is', async () => {
    const data = mkdtempSync(join(tmpdir(), 'newer-'));
    const config = { role: 'gateway', data, databaseUrl: null } as const;
    const deps = {
      now: Date.now,
      monotonic: () => 0,
      bootId: 'b',
      node: '00010001',
      onListenerError: () => undefined,
    };
    await (await openDatabase(config, deps)).close();
    const file = join(data, 'farm.db');
    const other = new BetterSqlite(file);
    other
      .prepare("insert into schema_migrations values ('0999_from_the_future.sql', 'x', '2030-01-01')")
      .run();
    other.pragma('wal_checkpoint(truncate)');
    other.close();
    const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex');
    const before = hash();
    copyFileSync(file, `${file}.copy`);
    await expect(openDatabase(config, deps)).rejects.toThrow(SchemaRefused);
    await expect(openDatabase(config, deps)).rejects.toThrow(/newer version/);
    expect(hash()).toBe(before);
    rmSync(data, { recursive: true });
  });
});
