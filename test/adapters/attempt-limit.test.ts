import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isLoopback, ownAttempts, sharedAttempts } from '#adapters/http/attempt-limit.ts';
import { runStatement } from '#adapters/sql/database.ts';
import { openTestDatabase } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';

describe('in one process', () => {
  // the library reads the clock of the machine by itself
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 2, 1, 12) }));
  afterEach(() => void vi.useRealTimers());

  test('attempts beyond the limit wait until the window has passed since the first', async () => {
    const limit = ownAttempts({ name: 'login', attempts: 2, windowS: 900 });
    expect([await limit.take('pair'), await limit.take('pair')]).toEqual([null, null]);
    vi.advanceTimersByTime(300_000);
    expect(await limit.take('pair')).toBe(600_000);
    expect(await limit.take('another pair')).toBeNull();
    vi.advanceTimersByTime(600_000);
    expect(await limit.take('pair')).toBeNull();
  });

  test('an attempt given back does not count, and a forgotten key begins anew', async () => {
    const limit = ownAttempts({ name: 'login', attempts: 1, windowS: 900 });
    await limit.take('pair');
    await limit.giveBack('pair');
    expect(await limit.take('pair')).toBeNull();
    expect(await limit.take('pair')).toBe(900_000);
    await limit.forget('pair');
    expect(await limit.take('pair')).toBeNull();
  });

  test('a clock set back by years makes nobody wait longer than the window', async () => {
    const limit = ownAttempts({ name: 'login', attempts: 1, windowS: 900 });
    await limit.take('pair');
    vi.setSystemTime(Date.UTC(2000, 0, 1));
    expect(await limit.take('pair')).toBe(900_000);
  });

  test('all of a network of the internet’s version 6 are one place; at a farm each address is one', async () => {
    const limit = ownAttempts({ name: 'login', attempts: 1, windowS: 900 });
    expect(await limit.take('2001:db8:0:7::1 ana@casa.test')).toBeNull();
    for (const same of ['2001:db8:0:7:ffff::9', '2001:0DB8:0000:0007:0:0:0:1', '2001:db8::7:0:0:0:1'])
      expect([same, await limit.take(`${same} ana@casa.test`)]).toEqual([same, 900_000]);
    for (const other of ['2001:db8:0:8::1', '2001:db8::7', 'fd00::1', 'fd00::2'])
      expect([other, await limit.take(`${other} ana@casa.test`)]).toEqual([other, null]);
    expect(await limit.take('2001:db8::198.51.100.7 ana@casa.test')).toBe(900_000);
    expect(await limit.take('2001:db8:0:7::1 rui@casa.test')).toBeNull();
  });

  test('exempt keys are never counted', async () => {
    const limit = ownAttempts({ name: 'login', attempts: 1, windowS: 900, isExempt: isLoopback });
    for (const source of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      expect([await limit.take(source), await limit.take(source)]).toEqual([null, null]);
    expect([await limit.take('192.168.1.5'), await limit.take('192.168.1.5')]).toEqual([null, 900_000]);
  });
});

describeOnPostgres('in all processes of an instance', () => {
  const BOUNDS = { name: 'login', attempts: 3, windowS: 900 };

  test('attempts are counted together, each limit for itself', async () => {
    const { database, close } = await openTestDatabase('postgres');
    const run = runStatement(database.read);
    const [here, there] = [sharedAttempts(run)(BOUNDS), sharedAttempts(run)(BOUNDS)];
    expect([await here.take('pair'), await there.take('pair'), await here.take('pair')]).toEqual([
      null,
      null,
      null,
    ]);
    for (const limit of [here, there]) {
      const waitMs = await limit.take('pair');
      expect(waitMs).toBeGreaterThan(800_000);
      expect(waitMs).toBeLessThanOrEqual(900_000);
    }
    expect(await there.take('another pair')).toBeNull();
    expect(await sharedAttempts(run)({ ...BOUNDS, name: 'password' }).take('pair')).toBeNull();
    // who got in begins anew everywhere
    await here.forget('pair');
    expect(await there.take('pair')).toBeNull();
    await there.giveBack('pair');
    expect([await here.take('pair'), await here.take('pair'), await here.take('pair')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(await there.take('pair')).not.toBeNull();
    await close();
  });

  test('a process whose database is away counts for itself', async () => {
    const limit = sharedAttempts(() => Promise.reject(new Error('the database is gone')))(BOUNDS);
    for (let n = 0; n < 3; n += 1) expect(await limit.take('pair')).toBeNull();
    expect(await limit.take('pair')).toBeGreaterThan(0);
    await limit.forget('pair');
    expect(await limit.take('pair')).toBeNull();
  });
});
