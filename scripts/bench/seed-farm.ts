import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { growFarm } from '../farm-data/grow-farm.ts';
import type { FarmSize } from '../farm-data/places.ts';
import { probeReadings } from '../farm-data/pond-round.ts';
import { writeToSqlite } from '../farm-data/write-rows.ts';
import type { ProvisionedOwner } from './provision.ts';

export type BenchFarmSize = {
  farm: 'small' | 'large';
  years: number;
  /** Heartbeating on farms of their own. */
  controllers: number;
  times: number;
  rounds: number;
};
export type FarmUnderTest = {
  data: string;
  owner: ProvisionedOwner;
  farm: SeededFarm;
  size: BenchFarmSize;
};

export type SeededFarm = {
  farmId: string;
  ponds: string[];
  /** With a year of a probe's readings besides. */
  probePond: string;
  /** A finished batch of the last year, with all its weighings. */
  batch: string;
  rows: number;
  seconds: number;
  megabytes: number;
};

const SEED = 20_260_715;
const YEAR_DAYS = 365;

/** Years of a farm, straight into the database of a gateway that is stopped; it belongs to the owner found there. */
export function seedFarm(data: string, of: { size: FarmSize; years: number; until: string }): SeededFarm {
  const connection = new BetterSqlite(join(data, 'farm.db'), { fileMustExist: true });
  try {
    const ownerId = textOf(connection, 'select owner_id from farms limit 1');
    const startedAt = performance.now();
    const { size, ...span } = of;
    const grown = growFarm({ seed: SEED, ...span, on: { size, ownerId } });
    const counts = Object.values(writeToSqlite(connection, grown));
    const farmId = textOf(connection, 'select farm_id from batches limit 1');
    const ponds = connection
      .prepare('select id from ponds where farm_id = ? order by created_at, id')
      .pluck()
      .all(farmId)
      .map(String);
    const probePond = ponds.at(-1) ?? '';
    const days = Math.min(YEAR_DAYS, of.years * YEAR_DAYS);
    const probe = probeReadings({ seed: SEED, pondId: probePond, days, until: of.until });
    counts.push(...Object.values(writeToSqlite(connection, probe)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const pages = Number(connection.pragma('page_count', { simple: true }));
    return {
      farmId,
      ponds,
      probePond,
      batch: textOf(
        connection,
        "select id from batches order by (status = 'FINISHED') desc, start_date desc limit 1",
      ),
      rows: counts.reduce((sum, count) => sum + count, 0),
      seconds,
      megabytes: (pages * Number(connection.pragma('page_size', { simple: true }))) / 1_000_000,
    };
  } finally {
    connection.close();
  }
}

function textOf(connection: BetterSqlite.Database, sql: string): string {
  return String(connection.prepare(sql).pluck().get());
}

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
