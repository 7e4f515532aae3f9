import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SchemaRefused } from '#adapters/sql/migrate.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { StaleError, StorageUnavailable } from '#core/errors.ts';
import { openDatabase } from '#runtime/open-database.ts';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { fastFolder } from '#test/fast-folder.ts';
import { putMigrated } from '#test/migrated-files.ts';

it('one row on a damaged page is refused, and takes none of those with it that are written beside it', async () => {
  const folder = mkdtempSync(join(fastFolder(), 'damaged-'));
  const file = join(folder, 'farm.db');
  putMigrated(file);
  const stamping = {
    streams: 'own',
    now: () => Date.UTC(2026, 2, 1),
    monotonic: () => 0,
    bootId: 'b',
    node: '01234567',
  } as const;
  const fail = (error: unknown) => {
    throw error;
  };
  const keys = Array.from({ length: 400 }, (_, n) => `key-${String(n).padStart(3, '0')}`);
  const row = (id: string, value: string) => ({ changes: [put(instanceValue, { id, value })], actor: null });
  const before = openSqlite(connectSqlite(file), stamping, fail);
  await Promise.all(keys.map((id) => before.commit(row(id, 'x'.repeat(100)))));
  await before.close();
  damageOnePage(file, 'instance_values');
  const connection = connectSqlite(file);
  const isSound = (id: string) => {
    try {
      return connection.prepare('select value from instance_values where id = ?').get(id) !== undefined;
    } catch {
      return false;
    }
  };
  const [damaged = '', sound] = [keys.find((id) => !isSound(id)), keys.filter(isSound).slice(0, 20)];
  expect([damaged, sound.length]).toEqual([expect.stringMatching(/^key-/), 20]);
  const database = openSqlite(connection, stamping, fail);
  // decided on what has changed meanwhile: they fail by themselves, and that says nothing of the disk
  const late = Array.from({ length: 12 }, (_, n) => ({
    ...row(`late-${n}`, 'x'),
    guards: [{ entity: 'farm', id: 'norte', n: 7 }],
  }));
  const [refused, ...rest] = await Promise.allSettled(
    [row(damaged, 'new'), ...late, ...sound.map((id) => row(id, 'new'))].map(database.commit),
  );
  expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailable) as unknown });
  const others = rest.splice(late.length);
  for (const one of rest)
    expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StaleError) as unknown });
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
  const stored = await database.read
    .selectFrom('instance_values')
    .select('value')
    .where('id', 'in', sound)
    .execute();
  expect(new Set(stored.map(({ value }) => value))).toEqual(new Set(['new']));
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

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
    expect(await orders()).toMatchObject([{ target_status: 'ON', origin: 'LOCAL', is_saved: false }]);
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

  it('is full hears of low oxygen all the same, and starts the motor', async () => {
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: 'V-01', control_point_id: point.id },
    });
    await app.call('PUT', `/control-points/${point.id}/settings`, { token, body: { do_on: 4, do_off: 5 } });
    await fill();
    const measured = await app.call('POST', '/water-quality/', {
      token,
      body: { pond_id: body(pond)['id'], dissolved_oxygen: 3.1 },
    });
    expect(measured.status).toBe(507);
    await app.control.executor.tick();
    expect(body(await heartbeat('OFF'))).toMatchObject({ target_status: 'ON' });
    await free();
    app.clock.advance(6_000);
    await app.control.executor.tick();
    expect(await orders()).toMatchObject([{ target_status: 'ON', origin: 'SAFETY' }]);
  });

  it('is full locks a motor out for whoever stands in it, lifts it again, and stores both when there is room', async () => {
    const lock = `/control-points/${point.id}/lock-out`;
    const shown = async () => body(await app.call('GET', `/control-points/${point.id}`, { token }));
    const entries = async () => {
      const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
      const all = logs.body as { action: string; details: object }[];
      return all.filter(({ action }) => action === 'lock_out').map(({ details }) => details);
    };
    await turnOn();
    await fill();
    const locked = await app.call('POST', lock, { token, body: { reason: 'impeller' } });
    expect(locked).toMatchObject({ status: 200, body: { warnings: [{ code: 'NOT_SAVED' }] } });
    expect(await shown()).toMatchObject({ locked_out: true, target_status: 'OFF' });
    expect(body(await heartbeat('ON'))).toMatchObject({ target_status: 'OFF' });
    expect((await turnOn()).status).toBe(409);
    await app.control.executor.tick();
    expect(await shown()).toMatchObject({ locked_out: true, target_status: 'OFF' });

    await free();
    app.clock.advance(6_000);
    await app.control.executor.tick();
    expect(await entries()).toMatchObject([{ reason: 'impeller', saved_late: true }]);
    await fill();
    expect((await app.call('DELETE', lock, { token })).status).toBe(204);
    expect(await shown()).toMatchObject({ locked_out: false });
    expect((await turnOn()).status).toBe(200);
    await free();
    app.clock.advance(6_000);
    await app.control.executor.tick();
    expect(await shown()).toMatchObject({ locked_out: false, target_status: 'ON' });
    expect(await entries()).toMatchObject([{ lifted: true, saved_late: true }, { reason: 'impeller' }]);
    const row = await app.database.read
      .selectFrom('control_points')
      .select(['locked_out', 'lock_out_reason', 'target_status'])
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ locked_out: 0, lock_out_reason: null, target_status: 'ON' });
  });

  it('is full saves every order given meanwhile when there is room again, as it was given', async () => {
    await fill();
    const order = (what: string, body: object) =>
      app.call('POST', `/control-points/${point.id}/${what}`, { token, body });
    const given = [
      await order('turn-on', { reason: 'oxygen is low' }),
      await order('turn-off', { reason: 'no, wait', for_s: 60 }),
    ];
    const issued = given.map((reply) => body(reply)['last_command_at']);
    await free();
    app.clock.advance(6_000);
    await app.control.executor.tick();
    const me = body(await app.call('GET', '/users/me', { token }))['id'];
    expect(await orders()).toMatchObject([
      { target_status: 'OFF', reason: 'no, wait', issued_by: me, issued_at: issued[1], state: 'SENT' },
      {
        target_status: 'ON',
        reason: 'oxygen is low',
        issued_by: me,
        issued_at: issued[0],
        state: 'SUPERSEDED',
      },
    ]);
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    const turns = (logs.body as { action: string }[]).filter(({ action }) => action.startsWith('turn_'));
    const late = { saved_late_at: expect.any(String) };
    expect(turns).toMatchObject([
      { action: 'turn_off', user_id: me, details: { reason: 'no, wait', ...late } },
      { action: 'turn_on', user_id: me, details: { reason: 'oxygen is low', ...late } },
    ]);
    // the versions were told already: nothing is sent anew, and the first order holds again after the second
    const shown = async () => body(await app.call('GET', `/control-points/${point.id}`, { token }));
    expect(await shown()).toMatchObject({ target_status: 'OFF', version: expect.any(Number) });
    app.clock.advance(60_000);
    await app.control.executor.tick();
    expect(await shown()).toMatchObject({ target_status: 'ON' });
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

  it('does not take a change of status leaves it unacknowledged, and stores the next report of it', async () => {
    const controller = {
      controlPointId: point.id,
      deviceId: point.device_id,
      mqttId: point.mqtt_id,
      keyId: '',
    };
    const hear = (current_status: 'ON' | 'OFF') => app.control.door.heartbeat(controller, { current_status });
    await hear('OFF');
    const report = { epoch: point.epoch, version: 1, current_status: 'ON', ack: 'applied' } as const;
    const other = new BetterSqlite(join(app.config.data, 'farm.db'));
    other.exec('begin immediate');
    try {
      await expect(hear('ON')).rejects.toThrow(StorageUnavailable);
      await expect(app.control.door.reported(controller, report)).rejects.toThrow(StorageUnavailable);
      // a controller that polls needs its answer, and is told
      expect(body(await heartbeat('ON'))).toMatchObject({
        target_status: 'OFF',
        warnings: [{ code: 'NOT_SAVED' }],
      });
      // an unchanged one has nothing to store
      expect(hear('OFF')).toBeUndefined();
    } finally {
      other.exec('rollback');
      other.close();
    }
    await hear('ON');
    expect(body(await heartbeat('ON'))).not.toHaveProperty('warnings');
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    const changes = (logs.body as { action: string }[]).filter(({ action }) => action === 'status_changed');
    expect(changes).toMatchObject([{ details: { to: 'ON' } }, { details: { to: 'OFF' } }]);
    expect(app.sentences.map(({ sentence }) => sentence)).toContain(
      'a report could not be saved; control goes on from memory',
    );
  });

  it('did not take the story of a schedule gets it when it takes writes again', async () => {
    const start_time = new Date(app.clock.now() + 60_000).toISOString();
    await app.call('POST', `/control-points/${point.id}/schedules`, {
      token,
      body: { action: 'ON', start_time },
    });
    // already as the schedule wants it: there is nothing to order, only to tell
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    await app.control.executor.tick();
    const other = new BetterSqlite(join(app.config.data, 'farm.db'));
    other.exec('begin immediate');
    try {
      app.clock.advance(61_000);
      await app.control.executor.tick();
    } finally {
      other.exec('rollback');
      other.close();
    }
    app.clock.advance(6_000);
    await app.control.executor.tick();
    await app.control.executor.tick();
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    const told = (logs.body as { action: string }[]).filter(({ action }) => action === 'schedule_trigger');
    expect(told).toMatchObject([{ details: { due_at: start_time } }]);
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

/** Overwrites the last leaf of a table with bytes that are none. */
function damageOnePage(databaseFile: string, table: string): void {
  const db = new BetterSqlite(databaseFile);
  db.pragma('wal_checkpoint(truncate)');
  const page = db
    .prepare("select max(pageno) from dbstat where name = ? and pagetype = 'leaf'")
    .pluck()
    .get(table);
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  const file = openSync(databaseFile, 'r+');
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(page) - 1) * size);
  closeSync(file);
}
