import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { bearSqlite } from '#adapters/sql/instance.ts';
import { migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { connectSqlite, type SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { fastFolder } from './fast-folder.ts';

// Hundreds of tests begin with an empty farm: the schema is made once in a process and copied, because making it costs
// more than all else a gateway does to start. Tests of the first start itself let the program make it.

let made: Buffer | undefined;

/** An empty database with the whole schema, as a file holds it. */
function migratedBytes(): Buffer {
  made ??= make();
  return made;
}

function make(): Buffer {
  const folder = mkdtempSync(join(fastFolder(), 'schema-'));
  try {
    const file = join(folder, 'farm.db');
    const connection = connectSqlite(file);
    migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
    bearSqlite(connection);
    connection.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts an empty farm there, an instance of its own. */
export function putMigrated(file: string): void {
  writeFileSync(file, migratedBytes());
  const connection = connectSqlite(file);
  becomeAnother(connection);
  connection.close();
}

/** Where the header of a file says how its log is kept: 2 is a log beside it, 1 is none. */
const LOG_KINDS = [18, 19];

/** An empty farm in memory, an instance of its own. */
export function connectMigrated(): SqliteConnection {
  const bytes = Buffer.from(migratedBytes());
  // in memory there is no place for a log
  for (const at of LOG_KINDS) bytes[at] = 1;
  const connection = new BetterSqlite(bytes);
  connection.pragma('foreign_keys = ON');
  becomeAnother(connection);
  return connection;
}

const becomeAnother = (connection: SqliteConnection) =>
  connection.prepare('update sync_stream set gateway_id = ?').run(randomUUID());
