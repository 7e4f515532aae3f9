import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database, Stamping } from '#adapters/sql/database.ts';
import { bearPostgres, bearSqlite } from '#adapters/sql/instance.ts';
import {
  dueSqliteMigrations,
  migratePostgres,
  migrateSqlite,
  readMigrations,
} from '#adapters/sql/migrate.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { connectSqlite, openSqlite, type SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { type Config, databaseFile } from './config.ts';

const folder = (engine: string) => fileURLToPath(new URL(`../../migrations/${engine}`, import.meta.url));

export type OpenDatabaseDeps = Omit<Stamping, 'streams'> & {
  onListenerError: (error: unknown) => void;
  /** The thread that reads long lists ended by itself. */
  onReaderDied?: (error: unknown) => void;
  /** Before the schema of a SQLite database is brought forward, which nothing interrupts, and afterwards. */
  onMigrating?: (isMigrating: boolean) => void;
};

/**
 * Opens the instance's database and brings its schema up to date. Throws SchemaRefused, leaving the database as it
 * was, when a newer version wrote it.
 */
export async function openDatabase(
  config: Pick<Config, 'role' | 'data' | 'databaseUrl'>,
  deps: OpenDatabaseDeps,
): Promise<Database> {
  const stamping: Stamping = { ...deps, streams: config.role === 'gateway' ? 'own' : 'by scope' };
  const now = new Date(deps.now()).toISOString();
  if (config.databaseUrl !== null) {
    const pool = connectPostgres(config.databaseUrl);
    try {
      await migratePostgres(pool, readMigrations(folder('postgres')), now);
      await bearPostgres(pool);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return openPostgres(pool, stamping, deps.onListenerError);
  }
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const connection = connectSqlite(databaseFile(config));
  return openConnection(connection, stamping, deps);
}

/** Brings a connected SQLite database up to date and opens it; closes the connection when it cannot. */
export function openConnection(
  connection: SqliteConnection,
  stamping: Stamping,
  deps: Pick<OpenDatabaseDeps, 'onListenerError' | 'onReaderDied' | 'onMigrating'>,
): Database {
  try {
    const migrations = sqliteMigrations();
    const isDue = dueSqliteMigrations(connection, migrations).length > 0;
    if (isDue) deps.onMigrating?.(true);
    prepareSqlite(connection, stamping.now(), migrations);
    if (isDue) deps.onMigrating?.(false);
  } catch (error) {
    connection.close();
    throw error;
  }
  return openSqlite(connection, stamping, deps.onListenerError, deps.onReaderDied);
}

/** Schema and birth values. */
export function prepareSqlite(
  connection: SqliteConnection,
  nowMs: number,
  migrations = sqliteMigrations(),
): void {
  migrateSqlite(connection, migrations, new Date(nowMs).toISOString());
  bearSqlite(connection);
}

export const sqliteMigrations = () => readMigrations(folder('sqlite'));
