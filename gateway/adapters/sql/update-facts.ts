import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { dueSqliteMigrations, type Migration, SchemaRefused } from './migrate.ts';
import type { SqliteConnection } from './open-sqlite.ts';

/** Animals are in danger while these are active; aeration must not pause, however shortly. */
const ALARMS = `select distinct type from alerts
  where hidden = 0 and status = 'ACTIVE'
    and (type in ('LOW_OXYGEN', 'POWER_FAILURE') or (type = 'LOW_OXYGEN_FORECAST' and severity = 'HIGH'))
    and (pond_id is null or exists (select 1 from ponds where ponds.id = alerts.pond_id and ponds.hidden = 0))
    and (control_point_id is null or exists
      (select 1 from control_points where control_points.id = alerts.control_point_id and control_points.hidden = 0))
  order by type`;

/** What an update asks of a database that others use meanwhile; nothing of one that is not there yet. */
export function updateFactsOf(file: string): { applied: string[]; oxygenAlarms: string[] } {
  return (
    onlyReading(file, (connection) => ({
      applied: words(connection, 'select name from schema_migrations order by name'),
      oxygenAlarms: words(connection, ALARMS),
    })) ?? { applied: [], oxygenAlarms: [] }
  );
}

/** Control points whose controllers were heard since then, at most that many. */
export function heardSince(file: string, sinceMs: number, most: number): string[] {
  const heard = 'select id from presence where heard_at_ms >= ? order by id limit ?';
  return onlyReading(file, (connection) => words(connection, heard, sinceMs, most)) ?? [];
}

/** Why these migrations cannot go on from a database, which stays as it is; null: they can. */
export function schemaTroubleOf(file: string, migrations: readonly Migration[]): string | null {
  try {
    onlyReading(file, (connection) => dueSqliteMigrations(connection, migrations));
    return null;
  } catch (error) {
    if (error instanceof SchemaRefused) return error.message;
    throw error;
  }
}

const words = (connection: SqliteConnection, sql: string, ...bound: number[]): string[] =>
  connection
    .prepare(sql)
    .pluck()
    .all(...bound)
    .map(String);

/** null: there is no such file. */
function onlyReading<Answer>(file: string, read: (connection: SqliteConnection) => Answer): Answer | null {
  if (!existsSync(file)) return null;
  const connection = new BetterSqlite(file, { fileMustExist: true, readonly: true, timeout: 2_000 });
  try {
    return read(connection);
  } finally {
    connection.close();
  }
}
