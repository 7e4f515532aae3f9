import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { measurementCreate } from '#contract/resources/water-quality.ts';
import { isoOf } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { recordMeasurement } from '#features/production/water-quality/record-measurement.ts';
import { composeHere } from '../in-process.ts';
import { answerCalls } from '../remote.ts';

// The use case that records a measurement, beside a plain insert of the same row, each on disk before the next begins.

type Gateway = Awaited<ReturnType<typeof composeHere>>;
type Recording = { data: string; ponds: readonly string[] };
type Wanted = { count: number; oxygen: number };

const COLUMNS =
  'id, pond_id, measurement_date, temperature, dissolved_oxygen, ph, salinity, alkalinity, ammonia, nitrite, nitrate, transparency, notes, source, created_by, clock_quality, created_at, updated_at, rev, hidden';

let open: { gateway: Gateway; ponds: readonly string[]; data: string } | null = null;
let recorded = 0;

const handlers = {
  async open({ data, ponds }: Recording): Promise<void> {
    open = { gateway: await composeHere(data), ponds, data };
  },

  /** Measurements per second through the use case. */
  async record({ count, oxygen }: Wanted): Promise<number> {
    const { gateway, ponds } = opened();
    const { kernel, database, alerts } = gateway;
    const scienceOf = scienceOfFarms(scienceSettingQueries(database.read));
    const deps = {
      ...kernel,
      queries: measurementQueries(database.read),
      alerting: alerts.alerting,
      scienceOf,
    };
    const startedAt = performance.now();
    for (let n = 0; n < count; n += 1) {
      const input = measurementCreate.parse(nextReading(ponds, oxygen));
      await perform(kernel, null, () => recordMeasurement(deps, { userId: null, language: 'pt-BR' }, input));
    }
    return (count * 1_000) / (performance.now() - startedAt);
  },

  /** CPU time of this process so far, µs. */
  async cpuUs(): Promise<number> {
    const { user, system } = process.cpuUsage();
    return user + system;
  },

  /** The same rows per second with a prepared statement. */
  async insert({ count, oxygen }: Wanted): Promise<number> {
    const { data, ponds } = opened();
    const connection = connectSqlite(join(data, 'farm.db'));
    connection.function('unit_is_open', () => 1);
    const marks = COLUMNS.split(', ').map(() => '?');
    const statement = connection.prepare(
      `insert into measurements (${COLUMNS}) values (${marks.join(', ')})`,
    );
    const startedAt = performance.now();
    for (let n = 0; n < count; n += 1) {
      const { pond_id, measurement_date, temperature, dissolved_oxygen, ph } = nextReading(ponds, oxygen);
      const nothing = Array.from({ length: 7 }, () => null);
      const values = [randomUUID(), pond_id, measurement_date, temperature, dissolved_oxygen, ph, ...nothing];
      statement.run([...values, 'manual', null, 'trusted', measurement_date, null, 1, 0]);
    }
    const perS = (count * 1_000) / (performance.now() - startedAt);
    connection.close();
    return perS;
  },

  async close(): Promise<void> {
    await opened().gateway.database.close();
    open = null;
  },
};
export type Recorder = typeof handlers;
answerCalls(handlers);

function opened() {
  if (open === null) throw new Error('nothing is open');
  return open;
}

/** Ponds in turn, each reading a little later than the last: news, not history. */
function nextReading(ponds: readonly string[], dissolved_oxygen: number) {
  recorded += 1;
  return {
    pond_id: ponds[recorded % ponds.length] ?? '',
    measurement_date: isoOf(Date.now() + recorded),
    temperature: 28.4,
    dissolved_oxygen,
    ph: 8,
  };
}
