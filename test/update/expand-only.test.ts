import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isExpandOnly, migrateSqlite, SchemaRefused } from '#adapters/sql/migrate.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { prepareSqlite, sqliteMigrations } from '#runtime/open-database.ts';
import { farmClock, startGatewayProcess } from '#test/gateway-process.ts';

const migration = (name: string) => readFileSync(`migrations/sqlite/${name}.sql`, 'utf8');

describe('a migration after which the version before still runs', () => {
  test.each([
    [
      'a new table with its indexes',
      'create table siphons (id TEXT primary key);\ncreate unique index s on siphons (id);',
    ],
    ['a new table that a crash may empty', 'create unlogged table counts (id TEXT primary key);'],
    ['a column that may stay empty', 'ALTER TABLE ponds ADD COLUMN siphon TEXT;'],
    ['a column with a default', 'alter table ponds add column depth_m REAL not null default 1.5;'],
    ['an index that finds', 'create index ponds_depth on ponds (depth_m);'],
    [
      'a guard on the new table',
      "create table s (id TEXT);\ncreate trigger g before insert on s when unit_is_open() = 0 begin select raise(abort, 'no'); end;",
    ],
    ['rows in the new table', "create table s (id TEXT);\ninsert into s (id) values ('a');"],
    ['words about drop table', '-- drop table ponds;\ncreate table s (id TEXT); /* delete from ponds; */'],
    ['that of plans and payments', migration('0005_accounts')],
    [
      'a trigger that keeps the new table',
      'create table s (id TEXT);\ncreate trigger k after insert on ponds when new.hidden = 0 begin insert into s (id) values (new.id) on conflict (id) do update set id = excluded.id; end;',
    ],
    ['sums of measurements', migration('0041_measurement_sums')],
    [
      'sums of measurements on PostgreSQL',
      readFileSync('migrations/postgres/0041_measurement_sums.sql', 'utf8'),
    ],
  ])('%s', (_what, sql) => {
    expect(isExpandOnly(sql)).toBe(true);
  });
});

describe('a migration after which it may not', () => {
  test.each([
    ['a table that goes', 'create table a (id TEXT);\ndrop table ponds;'],
    ['a column that must be filled', 'alter table ponds add column depth_m REAL not null;'],
    ['a column with another name', 'alter table ponds rename column area to area_m2;'],
    ['a rule over what was there', 'create unique index ponds_name on ponds (name);'],
    [
      'a guard on what was there',
      "create trigger g before insert on ponds begin select raise(abort, 'no'); end;",
    ],
    [
      'a trigger that changes what was there',
      'create table s (id TEXT);\ncreate trigger k after insert on ponds begin update ponds set name = upper(name); end;',
    ],
    [
      'a trigger that refuses afterwards',
      "create table s (id TEXT);\ncreate trigger k after insert on ponds begin select raise(abort, 'no'); end;",
    ],
    [
      'a trigger whose function is not of here',
      'create table s (id TEXT);\ncreate trigger k after insert on ponds for each row execute function other();',
    ],
    ['other rows', 'update ponds set name = upper(name);'],
    ['a table made anew', migration('0003_narrow_presence')],
  ])('%s', (_what, sql) => {
    expect(isExpandOnly(sql)).toBe(false);
  });
});

const newer = (name: string, sql: string) => ({ name, sql, hash: 'of a newer version' });
const GROWN = newer(
  '9000_siphons.sql',
  'create table siphons (id TEXT primary key) strict;\nalter table farms add column siphon TEXT;\nalter table ponds add column depth_cm INTEGER not null default 0;',
);

test('this version runs on a database that a newer one only added to, and keeps all that is written', async () => {
  const gateway = await startGatewayProcess(farmClock(Date.UTC(2026, 2, 2, 12), 1));
  try {
    const email = `${randomUUID()}@farm.test`;
    const person = { email, name: 'Ana', password: 'camarao-123', role: 'OWNER' };
    await gateway.call('POST', '/auth/register', { body: person });
    await gateway.stop();
    const connection = connectSqlite(join(gateway.data, 'farm.db'));
    migrateSqlite(connection, [...sqliteMigrations(), GROWN], '2026-03-02T12:00:00.000Z');
    connection.close();

    await gateway.start();
    const login = await gateway.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } });
    const token = (login.body as { access_token: string }).access_token;
    const farm = await gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
    const farmId = (farm.body as { id: string }).id;
    const pond = await gateway.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: 'V1', name: 'V1', type: 'NURSERY', area: 100 },
    });
    const renamed = await gateway.call('PUT', `/farms/${farmId}`, { token, body: { name: 'Sul' } });
    expect([login.status, farm.status, pond.status, renamed.status]).toEqual([200, 201, 201, 200]);
    const ready = (await (await fetch(`${gateway.http()}/readyz`)).json()) as {
      checks: { boot: { rung: string } };
    };
    expect(ready.checks.boot.rung).toMatch(/normal|wal/);
  } finally {
    await gateway.close();
  }
});

test('this version refuses a database from which a newer one took something away', () => {
  const data = mkdtempSync(join(tmpdir(), 'farm-'));
  const connection = connectSqlite(join(data, 'farm.db'));
  prepareSqlite(connection, Date.UTC(2026, 2, 2, 12));
  migrateSqlite(
    connection,
    [...sqliteMigrations(), newer('9000_less.sql', 'drop table addresses;')],
    '2026-03-02T12:00:00.000Z',
  );
  expect(() => prepareSqlite(connection, Date.UTC(2026, 2, 2, 12))).toThrow(SchemaRefused);
  connection.close();
  rmSync(data, { recursive: true, force: true });
});
