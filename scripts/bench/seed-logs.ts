import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';

/**
 * Writes so many audit entries of a control point, one a second, and what the change log keeps of each, straight into the
 * database of a gateway that is stopped: years of a farm, which through its own interface would take hours.
 */
export function seedLogs(
  data: string,
  of: { farmId: string; controlPointId: string; count: number },
): { megabytes: number } {
  const connection = new BetterSqlite(join(data, 'farm.db'), { fileMustExist: true });
  try {
    // the guards ask whether a unit is open
    connection.function('unit_is_open', () => 1);
    connection.transaction(() => {
      connection.prepare(ENTRIES).run(of);
      connection.prepare(CHANGES).run(of);
      connection.prepare('update sync_stream set history_seq = history_seq + @count').run(of);
    })();
    connection.pragma('wal_checkpoint(TRUNCATE)');
    const pages = Number(connection.pragma('page_count', { simple: true }));
    return { megabytes: (pages * Number(connection.pragma('page_size', { simple: true }))) / 1_000_000 };
  } finally {
    connection.close();
  }
}

const NUMBERS = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < @count)';

const ENTRIES = `${NUMBERS}
  insert into logs (id, farm_id, entity_type, entity_id, entity_name, action, user_id, origin, details, timestamp,
    clock_quality, rev, hidden)
  select printf('00000000-0000-7000-8000-%012x', i), @farmId, 'CONTROL_POINT', @controlPointId, 'CP-1',
    iif(i % 2, 'turn_on', 'turn_off'), null, 'SCHEDULE', '{"reason":"schedule","version":' || i || '}',
    strftime('%Y-%m-%dT%H:%M:%fZ', 1600000000 + i, 'unixepoch'), 'trusted', 1, 0
  from n`;

const CHANGES = `${NUMBERS}
  insert into sync_change (stream_id, lane, seq, tx, entity, id, op, cl, hlc, base_json, body_json, boot_id, monotonic_ms,
    actor, schema_version, chain)
  select s.stream_id, 'history', s.history_seq + i, i, 11, printf('00000000-0000-7000-8000-%012x', i), 4, 1,
    printf('%012x-0000-00000000', i), null,
    '{"entity_type":"CONTROL_POINT","entity_id":"' || @controlPointId || '","action":"turn_on","origin":"SCHEDULE"}',
    '0000000000000000', i * 1000, null, 1, printf('%032x', i)
  from n, (select stream_id, history_seq from sync_stream limit 1) s`;
