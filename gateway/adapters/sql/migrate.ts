import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { SqliteConnection } from './open-sqlite.ts';

export type Migration = { name: string; sql: string; hash: string };

/** Reads the numbered files of one engine, in order. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name), 'utf8');
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') };
    });
}

/** The database cannot be used by this version; nothing was changed. */
export class SchemaRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaRefused';
  }
}

type Applied = { name: string; hash: string };

/** Which migrations are due. Throws SchemaRefused for a database of a newer version or a changed history. */
export function dueMigrations(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const knownByName = new Map(known.map((migration) => [migration.name, migration]));
  for (const { name, hash } of applied) {
    const migration = knownByName.get(name);
    if (migration === undefined) {
      throw new SchemaRefused(
        `the database was written by a newer version of this program (it knows ${name}); start that version, or restore a backup of this one`,
      );
    }
    if (migration.hash !== hash) {
      throw new SchemaRefused(`migration ${name} differs from the one this database was made with`);
    }
  }
  const done = new Set(applied.map(({ name }) => name));
  return known.filter(({ name }) => !done.has(name));
}

export function migrateSqlite(
  connection: SqliteConnection,
  migrations: readonly Migration[],
  now: string,
): string[] {
  const due = dueSqliteMigrations(connection, migrations);
  if (due.length === 0) return [];
  connection
    .transaction(() => {
      connection.exec(
        'create table if not exists schema_migrations (name TEXT primary key, hash TEXT not null, applied_at TEXT not null) strict',
      );
      for (const { name, sql, hash } of due) {
        connection.exec(sql);
        connection
          .prepare('insert into schema_migrations (name, hash, applied_at) values (?, ?, ?)')
          .run(name, hash, now);
      }
    })
    .immediate();
  return due.map(({ name }) => name);
}

/** What is due on this database, without touching it. Throws SchemaRefused as `dueMigrations` does. */
export function dueSqliteMigrations(
  connection: SqliteConnection,
  migrations: readonly Migration[],
): Migration[] {
  const hasTable =
    connection.prepare("select 1 from sqlite_master where name = 'schema_migrations'").get() !== undefined;
  const applied = hasTable
    ? // the table's two text columns
      (connection.prepare('select name, hash from schema_migrations').all() as Applied[])
    : [];
  return dueMigrations(migrations, applied);
}

const MIGRATION_LOCK = 727_361;

export async function migratePostgres(
  pool: pg.Pool,
  migrations: readonly Migration[],
  now: string,
): Promise<string[]> {
  const client = await pool.connect();
  try {
    // several processes start at once: one migrates, the others wait and find nothing due
    await client.query("set lock_timeout = '60s'; set statement_timeout = 0");
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const table = await client.query<{ found: string | null }>(
      "select to_regclass('schema_migrations') as found",
    );
    const applied =
      table.rows[0]?.found == null
        ? []
        : (await client.query<Applied>('select name, hash from schema_migrations')).rows;
    const due = dueMigrations(migrations, applied);
    if (due.length > 0) {
      await client.query(
        'create table if not exists schema_migrations (name text primary key, hash text not null, applied_at text not null)',
      );
    }
    for (const { name, sql, hash } of due) {
      await client.query(sql);
      await client.query('insert into schema_migrations (name, hash, applied_at) values ($1, $2, $3)', [
        name,
        hash,
        now,
      ]);
    }
    await client.query('commit');
    return due.map(({ name }) => name);
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    // its session settings must not leak into the pool
    client.release(true);
  }
}
