import BetterSqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { Db } from './database.ts';
import type { SqliteConnection } from './open-sqlite.ts';
import { planOnceDialect } from './plan-once.ts';
import type { Tables } from './tables.ts';

/** A connection that changes nothing, for a look at the database of a program that runs or does not. */
export function openForReading(file: string): { db: Db; connection: SqliteConnection } {
  const connection = new BetterSqlite(file, { fileMustExist: true, readonly: true, timeout: 2_000 });
  const prepare = (text: string) => connection.prepare<unknown[]>(text);
  return {
    connection,
    db: new Kysely<Tables>({ dialect: planOnceDialect({ prepare, close: () => undefined }) }),
  };
}
