import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { meterWal } from '../../scripts/bench/wal-meter.ts';

const folder = mkdtempSync(join(tmpdir(), 'farm-wal-'));
const file = join(folder, 'farm.db');
const PAGE = 4096;
const FRAME = PAGE + 24;

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('tells what each table wrote to the log, and once more to the database when the log begins anew', () => {
  const connection = new BetterSqlite(file);
  connection.pragma('journal_mode = WAL');
  connection.exec('create table presence (id text primary key, at text) without rowid');
  connection.exec('create table logs (id text primary key) without rowid');
  connection.pragma('wal_checkpoint(TRUNCATE)');
  const put = connection.prepare('insert or replace into presence values (?, ?)');
  put.run('CP-1', 'now');
  const meter = meterWal(file);
  meter.look();
  put.run('CP-1', 'later');
  connection.prepare('insert into logs values (?)').run('entry');
  meter.look();
  meter.learnTables();
  const inLog = [...meter.bytesByTable()].filter(([name]) => name !== 'log header');
  expect(inLog).toEqual([
    ['presence', { log: 2 * FRAME, database: PAGE }],
    ['logs', { log: FRAME, database: PAGE }],
  ]);
  expect(statSync(`${file}-wal`).size).toBe(32 + 3 * FRAME);

  connection.pragma('wal_checkpoint(RESTART)');
  put.run('CP-1', 'after the checkpoint');
  meter.look();
  expect(meter.bytesByTable().get('presence')).toEqual({ log: 3 * FRAME, database: 2 * PAGE });
  expect(meter.bytesByTable().get('logs')).toEqual({ log: FRAME, database: PAGE });
  meter.close();
  connection.close();
});
