import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '#adapters/sql/database.ts';
import { comparedRows } from '#adapters/sync/compared-rows.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { waysToCompare } from '#store/merge/digest.ts';
import { openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { whyNoPostgres } from '#test/postgres-cluster.ts';

// Two farms of twelve ponds with a reading every half hour, for a quarter of a year.

const STREAM = 2;
const [PONDS, A_DAY, DAYS] = [12, 48, 90];
const QUARTER = { from: '2025-11-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
const WEEK = { from: '2026-02-22T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };

const suite = whyNoPostgres() === null && process.platform === 'linux' ? describe : describe.skip;
suite('what a comparison costs the hosted database', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await openTestDatabase('postgres', { streams: 'by scope' });
    await db.database.read.connection().execute(fill);
    await sql`vacuum analyze`.execute(db.database.read);
  });
  afterAll(() => db.close());

  /** Processor time of the connection on which `work` asks, ms. */
  const cpuOf = (work: (read: Db) => Promise<unknown>): Promise<number> =>
    db.database.read.connection().execute(async (read) => {
      // what another process of the server does would not be counted
      await sql`set max_parallel_workers_per_gather = 0`.execute(read);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(read);
      const used = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      const before = used();
      await work(read);
      return used() - before;
    });
  const sums = (read: Db, window: typeof WEEK, dialect: 'postgres' | 'sqlite' = 'postgres') =>
    comparedRows({ read, dialect }, STREAM).sums(window, (table) =>
      waysToCompare(table, SYNC_SCHEMA).slice(0, 1),
    );
  const bare = (read: Db) =>
    sql`select * from measurements where pond_id in (select id from ponds where farm_id = ${idOf(STREAM, 0)})`.execute(
      read,
    );

  test('a quarter of readings costs little more than a bare question for them, a week a part of it', async () => {
    // the first of each fills caches
    for (const work of [bare, (read: Db) => sums(read, QUARTER)]) await cpuOf(work);
    const [asked, quarter, week] = [
      await cpuOf(bare),
      await cpuOf((read) => sums(read, QUARTER)),
      await cpuOf((read) => sums(read, WEEK)),
    ];
    const told = `bare ${asked.toFixed(0)} ms, sums ${quarter.toFixed(0)} ms, of a week ${week.toFixed(0)} ms`;
    expect(quarter / asked, told).toBeLessThan(3);
    expect(week / quarter, told).toBeLessThan(0.5);
  });

  test('and the sums are those of the rows looked up by their keys, wherever the window begins and ends', async () => {
    const { read } = db.database;
    for (const window of [WEEK, { from: '2026-02-20T06:12:00.000Z', to: '2026-02-23T17:30:00.000Z' }]) {
      const byTime = await sums(read, window);
      expect(byTime.get('measurements')?.[0]?.some((sum) => sum !== 0n)).toBe(true);
      expect(byTime).toEqual(await sums(read, window, 'sqlite'));
    }
  });

  test('nor does a window that is no time end in a fault', async () => {
    expect((await sums(db.database.read, { from: '', to: 'zzz' })).size).toBeGreaterThan(0);
  });
});

const idOf = (farm: number, n: number): string =>
  `0190000${farm}-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Past the program, which would take minutes for so many. */
async function fill(read: Db): Promise<void> {
  await sql`set session_replication_role = replica`.execute(read);
  for (const farm of [STREAM, STREAM + 1]) {
    const farmId = idOf(farm, 0);
    await sql`insert into sync_farms values (${farmId}, ${sql.lit(farm)}, '2025-01-01T00:00:00.000Z')`.execute(
      read,
    );
    await anyRow(read, 'farms', { id: farmId, owner_id: idOf(farm, 1), name: 'Fazenda' });
    for (let n = 0; n < PONDS; n += 1)
      await anyRow(read, 'ponds', { id: idOf(farm, 100 + n), farm_id: farmId, cod: `V-${n}` });
  }
  const at = sql`to_char(timestamp '2026-03-01' - n * interval '1 day' / ${sql.lit(A_DAY)}, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`;
  await sql`insert into measurements (id, pond_id, measurement_date, temperature, dissolved_oxygen, source, clock_quality,
      created_at, rev, hidden)
    select gen_random_uuid()::text, ponds.id, ${at}, 28 + n % 50 * 0.1, 4 + n % 37 * 0.1, 'sensor', 'trusted', ${at}, 1, 0
    from generate_series(1, ${sql.lit(A_DAY * DAYS)}) as n cross join ponds order by n desc`.execute(read);
  await sql`set session_replication_role = default`.execute(read);
}

/** A row with these values, and something in each column that must have one. */
async function anyRow(read: Db, table: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`select column_name as name, data_type as type
    from information_schema.columns where table_name = ${table} and is_nullable = 'NO'`.execute(read);
  const filled = rows.map(({ name, type }) => [name, values[name] ?? (type === 'text' ? '' : 0)] as const);
  await sql`insert into ${sql.table(table)} (${sql.join(filled.map(([name]) => sql.ref(name)))})
    values (${sql.join(filled.map(([, value]) => sql`${value}`))})`.execute(read);
}
