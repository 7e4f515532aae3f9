import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { SqliteConnection } from './open-sqlite.ts';

// A migration that only adds leaves the version before able to run: what an update must be able to go back to. Judged by
// a short list of what is harmless, never by a list of what is not.

const NAME = String.raw`"?[a-z_][a-z0-9_]*"?`;

/**
 * Whether every statement adds something that a program which does not know it never touches: tables and indexes of
 * their own, and columns that may stay empty or have a default. A trigger or a unique index on a table that was there
 * before may refuse what the version before writes; a trigger that runs afterwards, refuses nothing and writes only tables
 * made here keeps them whatever version runs.
 */
export function isExpandOnly(sql: string): boolean {
  const statements = statementsOf(sql);
  const made = new Set<string>();
  const keepers = new Set<string>();
  return statements.every((statement) => {
    const table = new RegExp(`^create (?:unlogged )?table (?:if not exists )?(${NAME})`).exec(statement)?.[1];
    if (table !== undefined) {
      made.add(table);
      return true;
    }
    const index = new RegExp(
      `^create (unique )?index (?:concurrently )?(?:if not exists )?${NAME} on (${NAME})`,
    ).exec(statement);
    if (index !== null) return index[1] === undefined || made.has(index[2] ?? '');
    const trigger = new RegExp(`^create trigger (?:if not exists )?${NAME} .*? on (${NAME}) `).exec(
      statement,
    );
    if (trigger !== null) return made.has(trigger[1] ?? '') || isKeeper(statement, made, keepers);
    const keeper = new RegExp(`^create function (${NAME})\\(\\) returns trigger `).exec(statement)?.[1];
    if (keeper !== undefined) {
      if (!writesOnly(statement, made)) return false;
      keepers.add(keeper);
      return true;
    }
    const target = new RegExp(`^(?:insert into|delete from|update) (${NAME})`).exec(statement)?.[1];
    if (target !== undefined) return made.has(target);
    const column = new RegExp(`^alter table ${NAME} add (?:column )?(?:if not exists )?${NAME} (.*)$`).exec(
      statement,
    );
    if (column === null) return false;
    const rest = column[1] ?? '';
    const mayStayAway = !/\bnot null\b/.test(rest) || /\bdefault\b/.test(rest);
    // several at once are read no further
    return (
      mayStayAway && !/\b(?:unique|primary key|check)\b/.test(rest) && !/, (?:add|drop|alter)\b/.test(rest)
    );
  });
}

/** A trigger that runs after a change and only follows it. */
function isKeeper(trigger: string, made: ReadonlySet<string>, keepers: ReadonlySet<string>): boolean {
  const [head = '', body] = trigger.split(/ begin (.*)/s);
  if (!new RegExp(`^create trigger (?:if not exists )?${NAME} after `).test(head)) return false;
  if (body !== undefined) return writesOnly(body, made);
  const follows = new RegExp(` execute function (${NAME})\\(\\)$`).exec(head)?.[1];
  return follows !== undefined && keepers.has(follows);
}

/** Whether a body writes these tables and no other, and does nothing else that others would feel. */
function writesOnly(body: string, tables: ReadonlySet<string>): boolean {
  if (/\b(?:raise|execute|perform|call|truncate|drop|alter|create table|lock)\b/.test(body)) return false;
  const written = body.matchAll(
    new RegExp(`\\b(?:insert into|delete from|update(?! set\\b)) (${NAME})`, 'g'),
  );
  return [...written].every(([, table]) => tables.has(table ?? ''));
}

/** Statements in small letters and single spaces, without comments; a trigger with its body is one. */
function statementsOf(sql: string): string[] {
  const plain = sql
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ');
  const statements: string[] = [];
  let open = '';
  for (const part of plain.split(';')) {
    open = open === '' ? part.trim() : `${open};${part}`;
    const isBody = /^create (?:or replace )?(?:trigger|function)\b/.test(open);
    // of a trigger of SQLite the last word is its end; of one of PostgreSQL it ends here
    const isWhole = !isBody || !/\bbegin\b/.test(open) || /\bend\s*$|\bend \$\$/.test(open);
    if (!isWhole) continue;
    if (open !== '') statements.push(open);
    open = '';
  }
  if (open.trim() !== '') statements.push(open);
  return statements;
}

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
function dueMigrations(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
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
