import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { payloadsOf } from '#adapters/sync/bus-payloads.ts';
import { postgresCarrier } from '#adapters/sync/postgres-line.ts';
import { createProcessBus, type ProcessBus } from '#adapters/sync/process-bus.ts';
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
  const buses: ProcessBus[] = [];
  const heard: number[] = [];

  beforeAll(async () => {
    fresh = await freshDatabase();
    pool = new pg.Pool({ connectionString: fresh.url, max: 1 });
    for (let n = 0; n < 2; n += 1)
      buses.push(
        createProcessBus({
          carrier: postgresCarrier({
            url: fresh.url,
            elsewhere: (sql, params) => pool.query(sql, [...params]),
          }),
          log: silent,
          random: () => 0,
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
    await nextTurn();
    await nextTurn();
    // what a third process says now is heard first: the next ones were not said before it
    const [other] = payloadsOf('a third process', [{ is: 'command', streamId: 9 }]);
    await pool.query('select pg_notify($1, $2)', ['farm_bus', other]);
    await expect.poll(() => heard, { interval: 10 }).toEqual([1, 9]);
    vi.advanceTimersByTime(25);
    await expect.poll(() => heard, { interval: 10 }).toEqual([1, 9, 2, 3, 4]);
  });
});
