import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { describe } from 'vitest';
import type { Database, Stamping } from '#adapters/sql/database.ts';
import { bearPostgres } from '#adapters/sql/instance.ts';
import { migratePostgres, readMigrations } from '#adapters/sql/migrate.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { openSqlite } from '#adapters/sql/open-sqlite.ts';
import { connectMigrated } from './migrated-files.ts';
import { freshDatabase, type Template } from './postgres.ts';
import { whyNoPostgres } from './postgres-cluster.ts';

export type Engine = 'sqlite' | 'postgres';
export type TestDatabase = { database: Database; close: () => Promise<void> };

/** Runs the same facts on both engines; PostgreSQL is skipped, and counted as skipped, where it cannot run. */
export function onBothEngines(
  title: string,
  facts: (open: (stamping?: Partial<Stamping>) => Promise<TestDatabase>, engine: Engine) => void,
): void {
  describe.each(['sqlite', 'postgres'] as const)(`${title} (%s)`, (engine) => {
    const suite = engine === 'postgres' && whyNoPostgres() !== null ? describe.skip : describe;
    suite('', () => facts((stamping) => openTestDatabase(engine, stamping), engine));
  });
}

/** A fresh, migrated database of its own: SQLite in memory, or a real PostgreSQL database. */
export async function openTestDatabase(
  engine: Engine,
  stamping: Partial<Stamping> = {},
): Promise<TestDatabase> {
  const full: Stamping = {
    streams: 'own',
    now: () => Date.UTC(2026, 2, 1, 12),
    monotonic: () => 0,
    bootId: 'boot-1',
    node: randomBytes(4).toString('hex'),
    ...stamping,
  };
  const onError = (error: unknown) => {
    throw error;
  };
  if (engine === 'sqlite') {
    const connection = connectMigrated();
    const database = openSqlite(connection, full, onError);
    return { database, close: () => database.close() };
  }
  const fresh = await freshDatabase(MIGRATED);
  const database = openPostgres(connectPostgres(fresh.url, 5), full, onError);
  return {
    database,
    async close() {
      await database.close();
      await fresh.drop();
    },
  };
}

/** The whole schema, to begin as a copy of: an instance is born into it by whoever starts there. */
export const UNBORN: Template = { name: 'unborn', fill: (url) => onPool(url, migrate) };
/** An empty database with the whole schema, to begin as a copy of. */
export const MIGRATED: Template = {
  name: 'migrated',
  fill: (url) =>
    onPool(url, async (pool) => {
      await migrate(pool);
      await bearPostgres(pool);
    }),
};

const migrate = (pool: Pool) =>
  migratePostgres(pool, readMigrations('migrations/postgres'), '2026-03-01T00:00:00.000Z');

async function onPool(url: string, work: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pool = connectPostgres(url, 1);
  await work(pool);
  await pool.end();
}
