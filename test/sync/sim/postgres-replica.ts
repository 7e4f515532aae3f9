import type pg from 'pg';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { createBreaker, PowerLost, type Replica } from './replica.ts';

// A database of a real PostgreSQL as the disk of a hosted instance. A copy of it takes a fraction of a second.

const CONNECTIONS = 4;

/** `fill` makes the template; the database begins as a copy of it. */
export async function createPostgresReplica(template: Parameters<typeof freshDatabase>[0]): Promise<Replica> {
  let disk: TestDatabase = await freshDatabase(template);
  let pool = connectPostgres(disk.url, CONNECTIONS);
  let endRun = () => undefined as unknown;
  const copies: TestDatabase[] = [];

  /** A copy needs the database for itself. */
  async function copyOf(source: TestDatabase): Promise<TestDatabase> {
    return freshDatabase({ name: nameOf(source.url), fill: async () => undefined });
  }

  return {
    start(stamping) {
      endRun();
      const breaker = createBreaker();
      endRun = breaker.breakable.dieNow;
      const database = openPostgres(
        breakable(() => pool, breaker),
        stamping,
        (error) => {
          throw error;
        },
      );
      return { database, breakable: breaker.breakable };
    },
    async read(sql) {
      return (await pool.query<Record<string, unknown>>(sql)).rows;
    },
    async execute(sql) {
      await pool.query(sql);
    },
    orphans: async () => [],
    async image() {
      await pool.end();
      const copy = await copyOf(disk);
      copies.push(copy);
      pool = connectPostgres(disk.url, CONNECTIONS);
      return async () => {
        endRun();
        await pool.end();
        copies.push(disk);
        disk = await copyOf(copy);
        pool = connectPostgres(disk.url, CONNECTIONS);
      };
    },
    async close() {
      endRun();
      await pool.end();
      for (const { drop } of [disk, ...copies]) await drop();
    },
  };
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

type Breaker = ReturnType<typeof createBreaker>;

/** What the program takes for its pool: the one that is there now, with the power that may go. */
function breakable(pool: () => pg.Pool, breaker: Breaker): pg.Pool {
  const check = (query: unknown) => {
    const sql = typeof query === 'string' ? query : String((query as { text?: string }).text ?? '');
    const next = breaker.next(sql);
    if (next === 'dies') throw new PowerLost();
    if (next === 'has no room') throw Object.assign(new Error('no space left on device'), { code: '53100' });
  };
  const guarded = (client: pg.PoolClient): pg.PoolClient =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target);
        return async (...params: unknown[]) => {
          check(params[0]);
          return Reflect.apply(value, target, params);
        };
      },
    });
  return new Proxy(pool(), {
    get(_, name) {
      const target = pool();
      if (name === 'connect') {
        return async () => {
          if (breaker.breakable.isDead()) throw new PowerLost();
          return guarded(await target.connect());
        };
      }
      if (name === 'query') {
        return async (...params: [string]) => {
          check(params[0]);
          return target.query(...params);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
