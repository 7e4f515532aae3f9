import BetterSqlite from 'better-sqlite3';
import { bearSqlite } from '#adapters/sql/instance.ts';
import { migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import type { SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { GATEWAY_ID } from './paired-farm.ts';
import { createBreaker, PowerLost, type Replica } from './replica.ts';

// A disk with real SQLite on it, in memory.

export type SqliteReplica = Replica & {
  /** The bytes of the disk, for a second box with the same card. */
  bytes(): Buffer;
};

/** A migrated database without rows, but with the stream it is born with. */
export function freshImage(): Buffer {
  const connection = new BetterSqlite(':memory:');
  // a hundred tables of a few rows each, copied after every step: in pages of 4 kB most of a copy would be empty
  connection.pragma('page_size = 512');
  migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
  bearSqlite(connection);
  connection.prepare('update sync_stream set gateway_id = ?').run(GATEWAY_ID);
  const image = connection.serialize();
  connection.close();
  return image;
}

export function createSqliteReplica(first: Buffer): SqliteReplica {
  let real = open(first);
  let reading = new Map<string, BetterSqlite.Statement<unknown[]>>();
  let endRun = () => undefined as unknown;

  return {
    start(stamping, openSqlite) {
      endRun();
      if (real.inTransaction) real.exec('rollback');
      forgetMemory(real);
      const { connection, breaker } = breakable(real);
      endRun = breaker.breakable.dieNow;
      const database = openSqlite(connection, stamping, (error) => {
        throw error;
      });
      return { database, breakable: breaker.breakable };
    },
    async read(sql) {
      const statement = reading.get(sql) ?? real.prepare<unknown[]>(sql);
      reading.set(sql, statement);
      // rows of tables, read by column name
      return statement.all() as Record<string, unknown>[];
    },
    async execute(sql) {
      real.exec(sql);
    },
    orphans: async () => real.pragma('foreign_key_check') as Record<string, unknown>[],
    async image() {
      const bytes = real.serialize();
      return async () => {
        endRun();
        real.close();
        real = open(bytes);
        reading = new Map();
      };
    },
    bytes: () => real.serialize(),
    async close() {
      endRun();
      real.close();
    },
  };
}

/** What a program kept in memory while its disk took nothing goes with it, as with the connection of a process. */
function forgetMemory(connection: SqliteConnection): void {
  const kept = connection
    .prepare(`select type, name from sqlite_temp_master where type in ('view', 'table')`)
    .all();
  // rows of SQLite's own table, the views before what they read
  for (const { type, name } of (kept as { type: string; name: string }[]).toSorted((a, b) =>
    a.type < b.type ? 1 : -1,
  ))
    connection.exec(`drop ${type} temp.${name}`);
}

function open(image: Buffer): SqliteConnection {
  const connection = new BetterSqlite(image);
  connection.pragma('foreign_keys = ON');
  return connection;
}

/** A connection whose process can lose its power before any statement, and whose disk can be full. */
export function breakable(real: SqliteConnection) {
  const breaker = createBreaker();

  function before(sql: string): void {
    const next = breaker.next(sql);
    if (next === 'goes on') return;
    // what was not committed is gone after a start; and a full disk makes SQLite give up the whole transaction
    if (real.open && real.inTransaction) real.exec('rollback');
    if (next === 'dies') throw new PowerLost();
    throw new BetterSqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
  }

  const connection = new Proxy(real, {
    get(target, name) {
      if (name === 'prepare') {
        return (sql: string) => guarded(target.prepare<unknown[]>(sql), () => before(sql));
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { connection, breaker };
}

type Statement = BetterSqlite.Statement<unknown[]>;

const RUNS = new Set(['run', 'get', 'all', 'iterate']);

function guarded(statement: Statement, before: () => void): Statement {
  return new Proxy(statement, {
    get(target, name, proxy) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...params: unknown[]) => {
        if (typeof name === 'string' && RUNS.has(name)) before();
        const answer: unknown = Reflect.apply(value, target, params);
        // `pluck` and its like answer the statement itself
        return answer === target ? proxy : answer;
      };
    },
  });
}
