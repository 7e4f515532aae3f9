import type BetterSqlite from 'better-sqlite3';
import type pg from 'pg';
import type { Resource } from '#contract/resource.ts';
import { allResources } from '#contract/resources/all.ts';
import { type Commit, insert } from '#core/changes.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Grown } from './grown.ts';

export type RowCounts = Record<string, number>;

const COMMIT_ROWS = 500;
const POSTGRES_PARAMETERS = 60_000;
const CACHE_MB = 256;

/**
 * Writes a farm straight into a database whose gateway is stopped, all or nothing: years that through the interface
 * would take hours. Nothing of it comes into the change log.
 */
export function writeToSqlite(connection: BetterSqlite.Database, rows: Iterable<Grown>): RowCounts {
  const counts: RowCounts = {};
  const foreignKeys = connection.pragma('foreign_keys', { simple: true });
  // the guards ask whether a unit is open
  connection.function('unit_is_open', () => 1);
  connection.pragma('foreign_keys = OFF');
  connection.pragma(`cache_size = -${CACHE_MB * 1_000}`);
  try {
    const statements = new Map<string, { run: (values: unknown[]) => unknown; columns: string[] }>();
    connection.transaction(() => {
      for (const { resource, row } of rows) {
        const statement = statements.get(resource.name) ?? prepare(connection, resource);
        statements.set(resource.name, statement);
        statement.run(valuesOf(row, statement.columns));
        counts[resource.name] = (counts[resource.name] ?? 0) + 1;
      }
    })();
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.pragma(`foreign_keys = ${foreignKeys}`);
  }
  return counts;
}

function prepare(connection: BetterSqlite.Database, resource: Resource) {
  const columns = columnsOf(resource);
  const marks = columns.map(() => '?').join(', ');
  const statement = connection.prepare(
    `insert into ${resource.name} (${columns.join(', ')}) values (${marks})`,
  );
  return { run: (values: unknown[]) => statement.run(values), columns };
}

/** The same on PostgreSQL, many rows a statement, in one transaction. */
export async function writeToPostgres(client: pg.ClientBase, rows: Iterable<Grown>): Promise<RowCounts> {
  const counts: RowCounts = {};
  const waiting = new Map<Resource, Grown['row'][]>();
  const flush = async (resource: Resource, batch: Grown['row'][]) => {
    const columns = columnsOf(resource);
    const tuples = batch.map(
      (_row, index) =>
        `(${columns.map((_column, place) => `$${index * columns.length + place + 1}`).join(', ')})`,
    );
    await client.query(
      `insert into ${resource.name} (${columns.join(', ')}) values ${tuples.join(', ')}`,
      batch.flatMap((row) => valuesOf(row, columns)),
    );
    waiting.set(resource, []);
  };
  await client.query("begin; select set_config('farm.unit_is_open', '1', true)");
  for (const { resource, row } of rows) {
    const batch = waiting.get(resource) ?? [];
    waiting.set(resource, batch);
    batch.push(row);
    counts[resource.name] = (counts[resource.name] ?? 0) + 1;
    if ((batch.length + 1) * columnsOf(resource).length > POSTGRES_PARAMETERS) await flush(resource, batch);
  }
  for (const [resource, batch] of waiting) if (batch.length > 0) await flush(resource, batch);
  await client.query('commit');
  return counts;
}

/** Through `commit`, with everything sync needs to know: slow, for a gateway that goes on living with them. */
export async function commitRows(commit: Commit, rows: Iterable<Grown>): Promise<RowCounts> {
  const counts: RowCounts = {};
  // parents before children, each unit for itself
  const order = ['users', 'farms', 'control_points', ...allResources.map(({ name }) => name)];
  const sorted = [...rows].sort((a, b) => order.indexOf(a.resource.name) - order.indexOf(b.resource.name));
  for (let from = 0; from < sorted.length; from += COMMIT_ROWS) {
    const unit = sorted.slice(from, from + COMMIT_ROWS);
    await commit({ actor: null, changes: unit.map(({ resource, row }) => insert(resource, row)) });
    for (const { resource } of unit) counts[resource.name] = (counts[resource.name] ?? 0) + 1;
  }
  return counts;
}

function columnsOf(resource: Resource): string[] {
  const { columns } = codecOf(resource);
  return resource.sync === 'local' ? [...columns] : [...columns, 'rev', 'hidden'];
}

function valuesOf(row: Grown['row'], columns: readonly string[]): unknown[] {
  return columns.map((column) => {
    if (column === 'rev') return 1;
    if (column === 'hidden') return 0;
    const value = row[column];
    if (typeof value === 'boolean') return value ? 1 : 0;
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });
}
