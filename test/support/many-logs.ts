import BetterSqlite from 'better-sqlite3';

/**
 * Writes so many audit entries of a control point straight into a gateway's database, newest last, one a second. A real
 * journal of this size comes together in years; through `commit` it would take minutes.
 */
export function writeManyLogs(
  file: string,
  { farmId, controlPointId, count }: { farmId: string; controlPointId: string; count: number },
): void {
  const connection = new BetterSqlite(file);
  try {
    // the guards ask whether a unit is open
    connection.function('unit_is_open', () => 1);
    connection
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < @count)
         insert into logs (id, farm_id, entity_type, entity_id, entity_name, action, user_id, origin, details, timestamp,
           clock_quality, rev, hidden)
         select printf('00000000-0000-7000-8000-%012x', i), @farmId, 'CONTROL_POINT', @controlPointId, 'CP-1',
           iif(i % 2, 'turn_on', 'turn_off'), null, 'SCHEDULE', '{"reason":"schedule","version":' || i || '}',
           strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + i, 'unixepoch'), 'trusted', 1, 0
         from n`,
      )
      .run({ farmId, controlPointId, count });
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
}
