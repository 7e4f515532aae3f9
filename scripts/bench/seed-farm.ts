import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { growFarm } from '../farm-data/grow-farm.ts';
import type { FarmSize } from '../farm-data/places.ts';
import { probeReadings } from '../farm-data/probe-readings.ts';
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
