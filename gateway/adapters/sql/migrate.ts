import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { isExpandOnly } from './expand-only.ts';
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

/** `expands`: it took nothing away, so that the version before runs on. */
type Applied = { name: string; hash: string; expands: boolean };

/**
 * Which migrations are due. What a newer version only added is let be: an update that failed leaves the database to the
 * version before, with all that was written meanwhile. Throws SchemaRefused where a newer version took something away,
 * or for a changed history.
 */
export function dueMigrations(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const knownByName = new Map(known.map((migration) => [migration.name, migration]));
  for (const { name, hash, expands } of applied) {
    const migration = knownByName.get(name);
    if (migration === undefined) {
      if (expands) continue;
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
      connection.exec(EXPANSIONS_TABLE);
      for (const { name, sql, hash } of due) {
        connection.exec(sql);
        if (isExpandOnly(sql))
          connection.prepare('insert into schema_expansions (name) values (?)').run(name);
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
  const has = (table: string) =>
    connection.prepare('select 1 from sqlite_master where name = ?').get(table) !== undefined;
  if (!has('schema_migrations')) return dueMigrations(migrations, []);
  // their text columns
  const applied = connection.prepare('select name, hash from schema_migrations').all() as Omit<
    Applied,
    'expands'
  >[];
  const expansions = has('schema_expansions')
    ? connection.prepare('select name from schema_expansions').pluck().all()
    : [];
  return dueMigrations(migrations, withExpansions(applied, new Set(expansions)));
}

/** Which migrations only added something; versions before this table know none. */
const EXPANSIONS_TABLE = 'create table if not exists schema_expansions (name text primary key)';

const withExpansions = (applied: Omit<Applied, 'expands'>[], names: ReadonlySet<unknown>): Applied[] =>
  applied.map((migration) => ({ ...migration, expands: names.has(migration.name) }));

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
    const due = dueMigrations(migrations, await appliedPostgres(client));
    if (due.length > 0) {
      await client.query(
        'create table if not exists schema_migrations (name text primary key, hash text not null, applied_at text not null)',
      );
    }
    if (due.length > 0) await client.query(EXPANSIONS_TABLE);
    for (const { name, sql, hash } of due) {
      await client.query(sql);
      if (isExpandOnly(sql)) await client.query('insert into schema_expansions (name) values ($1)', [name]);
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

async function appliedPostgres(client: pg.PoolClient): Promise<Applied[]> {
  const has = async (table: string) => {
    const { rows } = await client.query<{ found: string | null }>('select to_regclass($1) as found', [table]);
    return rows[0]?.found != null;
  };
  if (!(await has('schema_migrations'))) return [];
  const { rows } = await client.query<Omit<Applied, 'expands'>>('select name, hash from schema_migrations');
  const expansions = (await has('schema_expansions'))
    ? (await client.query<{ name: string }>('select name from schema_expansions')).rows
    : [];
  return withExpansions(rows, new Set(expansions.map(({ name }) => name)));
}
