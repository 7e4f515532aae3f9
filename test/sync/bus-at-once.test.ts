import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createPostgresBus, type PostgresBus } from '#adapters/sync/postgres-bus.ts';
import { describeOnPostgres, freshDatabase } from '#test/postgres.ts';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

describeOnPostgres('a sentence to the other processes', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  const buses: PostgresBus[] = [];
  const heard: number[] = [];

  beforeAll(async () => {
    fresh = await freshDatabase();
    pool = new pg.Pool({ connectionString: fresh.url, max: 1 });
    for (let n = 0; n < 2; n += 1)
      buses.push(
        createPostgresBus({
          url: fresh.url,
          log: silent,
          random: () => 0,
          elsewhere: (sql, params) => pool.query(sql, [...params]),
          onError: () => undefined,
        }),
      );
    for (const bus of buses) await bus.ready;
    buses[1]?.hear((message) => {
      if (message.is === 'command') heard.push(message.streamId);
    });
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    for (const bus of buses) await bus.close();
    await pool.end();
    await fresh.drop();
  });

  const order = (streamId: number) => buses[0]?.tell({ is: 'command', streamId });

  test('waits for no company, and those that follow it at once go together', async () => {
    // time stands still until it is moved on
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    order(1);
    await expect.poll(() => heard, { interval: 10 }).toEqual([1]);
    for (const streamId of [2, 3, 4]) order(streamId);
    // a sentence there and back, and the next ones were not said before it
    await pool.query('select pg_sleep(0.2)');
    expect(heard).toEqual([1]);
    vi.advanceTimersByTime(25);
    await expect.poll(() => heard, { interval: 10 }).toEqual([1, 2, 3, 4]);
  });
});
