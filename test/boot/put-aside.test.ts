import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { moveAside } from '#adapters/backup/safe-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'aside-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a database that is put aside shows what was written last to whoever opens it', async () => {
  const file = join(folder, 'farm.db');
  const running = new BetterSqlite(join(folder, 'running.db'));
  running.pragma('journal_mode = WAL');
  running.exec('create table feedings (kg real); pragma wal_checkpoint; insert into feedings values (12.5)');
  // as the power leaves it: the feeding is in the log alone
  for (const part of ['', '-wal']) copyFileSync(`${running.name}${part}`, `${file}${part}`);
  running.close();
  const [kept = ''] = await moveAside(file, 'broken-20260302T120000Z');
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([false, false]);
  const opened = new BetterSqlite(kept, { fileMustExist: true });
  expect(opened.prepare('select kg from feedings').pluck().all()).toEqual([12.5]);
  opened.close();
});
