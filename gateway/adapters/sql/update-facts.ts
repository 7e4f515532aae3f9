import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';

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
  if (!existsSync(file)) return { applied: [], oxygenAlarms: [] };
  const connection = new BetterSqlite(file, { fileMustExist: true, readonly: true, timeout: 2_000 });
  try {
    const words = (sql: string) => connection.prepare(sql).pluck().all().map(String);
    return {
      applied: words('select name from schema_migrations order by name'),
      oxygenAlarms: words(ALARMS),
    };
  } finally {
    connection.close();
  }
}
