import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { whileLocked } from '#operations/boot/new-history.ts';
import { testClock } from '#test/app.ts';
import { aFarmOn, newFolder, removeFolders, startBox } from './a-box.ts';

afterAll(removeFolders);

it('a gateway whose database another program holds starts as soon as it lets go, and says what it waits for', async () => {
  const clock = testClock(Date.UTC(2026, 2, 2, 12));
  const before = await startBox(newFolder(), clock);
  await aFarmOn(before, clock);
  await before.close();
  const tool = new BetterSqlite(join(before.data, 'farm.db'));
  tool.exec('begin exclusive');

  let waits = 0;
  const box = await startBox(before.data, clock, [], async () => {
    waits += 1;
    if (waits === 3) tool.exec('commit');
  });
  try {
    expect(waits).toBe(3);
    expect(box.sentences).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        sentence: 'another program holds the database; the start waits until it lets go',
      }),
    );
    expect([...box.control.registry.all()]).not.toEqual([]);
  } finally {
    tool.close();
    await box.close();
  }
});

it('a gateway whose database is never let go ends with a sentence for people', async () => {
  const file = join(newFolder(), 'farm.db');
  const tool = new BetterSqlite(file);
  tool.exec('create table t (x); begin exclusive');
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const open = async () => new BetterSqlite(file, { timeout: 10 }).pragma('journal_mode = WAL');
  try {
    await expect(whileLocked({ pause: () => Promise.resolve(), log }, open, 3)).rejects.toThrow(
      /another program holds the database/,
    );
  } finally {
    tool.close();
  }
});
