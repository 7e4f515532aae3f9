import { createHash } from 'node:crypto';
import BetterSqlite from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratePostgres, migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import type { BatchState } from '#features/production/batch-state.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import { causeName } from '#features/production/water-quality/judge-water.ts';
import { idOfCause } from '#runtime/world.ts';
import { WATER_ALERT_TYPES } from '#science/water-limits.ts';
import { openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { describeOnPostgres, freshDatabase } from '#test/postgres.ts';
import { type FarmOptions, growFarm } from '../../scripts/farm-data/grow-farm.ts';
import { commitRows, writeToPostgres, writeToSqlite } from '../../scripts/farm-data/write-rows.ts';

const UNTIL = '2026-07-15T13:30:00.000Z';
const aFarm = (options: Partial<FarmOptions> = {}): FarmOptions => ({
  seed: 9,
  years: 1,
  until: UNTIL,
  on: { size: 'small', ownerId: null },
  ...options,
});

function fingerprint(options: FarmOptions): string {
  const hash = createHash('sha256');
  for (const { resource, row } of growFarm(options)) hash.update(resource.name).update(JSON.stringify(row));
  return hash.digest('hex');
}

describe('a grown farm', () => {
  test('the same seed gives the same rows, another seed others', () => {
    const first = fingerprint(aFarm({ years: 0.3 }));

    expect(fingerprint(aFarm({ years: 0.3 }))).toBe(first);
    expect(fingerprint(aFarm({ years: 0.3, seed: 8 }))).not.toBe(first);
  });

  test('nothing on it is later than the instant it stands at', () => {
    const later: string[] = [];
    for (const { resource, row } of growFarm(aFarm({ years: 0.3 })))
      for (const [field, value] of Object.entries(row))
        if (
          /_at$|_date$|^timestamp$/.test(field) &&
          field !== 'expected_harvest_date' &&
          field !== 'start_date'
        )
          if (typeof value === 'string' && value > UNTIL) later.push(`${resource.name}.${field} ${value}`);

    expect(later).toEqual([]);
  });

  test('on whatever day it is made, no two rows bear one id: not where a batch was moved to another one', () => {
    // a small one for each of some days, and one where several batches are taken out in one minute
    const days = Array.from({ length: 9 }, (_, n) => ['small', `2026-12-0${n + 1}T04:38:00.000Z`] as const);
    for (const [size, until] of [...days, ['large', '2026-12-20T13:38:00.000Z'] as const]) {
      const ids = [...growFarm({ seed: 41, years: 0.6, until, on: { size, ownerId: null } })].map(
        ({ resource, row }) => `${resource.name} ${row.id}`,
      );
      expect([until, ids.length - new Set(ids).size]).toEqual([until, 0]);
    }
  });

  test('every row is one its table takes, and what it names is there', () => {
    const broken: string[] = [];
    for (const { resource, row } of growFarm(aFarm({ years: 0.3 }))) {
      const read = resource.row.safeParse(row);
      if (!read.success) broken.push(`${resource.name}: ${read.error.message}`);
    }
    const database = anEmptyDatabase();
    writeToSqlite(database, growFarm(aFarm({ years: 0.3 })));

    expect(broken).toEqual([]);
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();
  });
});

describe('a year of a small farm', () => {
  const database = anEmptyDatabase();
  let counts: Record<string, number>;
  beforeAll(() => {
    counts = writeToSqlite(database, growFarm(aFarm()));
  });
  afterAll(() => void database.close());
  const rows = (sql: string) => database.prepare(sql).all() as Record<string, number>[];

  test('has the journals of four ponds', () => {
    const within = (table: string, least: number, most: number) => {
      expect(counts[table], table).toBeGreaterThanOrEqual(least);
      expect(counts[table], table).toBeLessThanOrEqual(most);
    };
    within('batches', 8, 18);
    within('feeding_records', 3_000, 6_000);
    within('measurements', 1_800, 3_200);
    within('biometries', 80, 220);
    within('expenses', 250, 550);
    within('transfers', 6, 22);
    expect(counts['logs']).toBeGreaterThanOrEqual(6 * 2 * 365);
  });

  test('finished batches took 0.8 to 2.5 kg of feed a kilogram; juveniles leave after 48 days, shrimp within 130', () => {
    const finished = rows(`
      select julianday(substr(actual_harvest_date, 1, 10)) - julianday(start_date) as days,
        (select sum(quantity_kg) from feeding_records f where f.batch_id = b.id) /
          (final_weight_kg + coalesce((select sum(weight_kg) from harvests h where h.batch_id = b.id), 0)) as fca
      from batches b where status = 'FINISHED' and start_date > '2025-08-01'`);

    expect(finished.length).toBeGreaterThan(3);
    for (const { days, fca } of finished) {
      expect(days).toBeGreaterThanOrEqual(48);
      expect(days).toBeLessThanOrEqual(130);
      expect(fca).toBeGreaterThan(0.8);
      expect(fca).toBeLessThan(2.5);
    }
  });

  test('the morning water of a full pond holds less oxygen than that of a young one', () => {
    const [dawn] = rows(`
      with morning as (
        select m.dissolved_oxygen as oxygen,
          julianday(m.measurement_date) - julianday(b.start_date) as age
        from measurements m join batches b on b.pond_id = m.pond_id and b.status = 'FINISHED'
          and m.measurement_date between b.start_date and b.actual_harvest_date
        where m.measurement_date like '%T08:%' and b.start_date > '2025-08-01')
      select avg(iif(age < 30, oxygen, null)) as young, avg(iif(age > 75, oxygen, null)) as full from morning`);

    expect(dawn?.['young']).toBeGreaterThan((dawn?.['full'] ?? 0) + 0.2);
  });

  test('every value beyond its limit has raised an alert', () => {
    const [oxygen] = rows(`select
      (select count(*) from measurements where dissolved_oxygen < 4) as measured,
      (select count(*) from alerts where type = 'LOW_OXYGEN') as alerts`);

    expect(oxygen?.['measured']).toBeGreaterThan(10);
    expect(oxygen?.['alerts']).toBe(oxygen?.['measured']);
  });

  test('an alert is found by a correction of its measurement, as one that the gateway raised', () => {
    const measured = new Set(
      database
        .prepare<[], { id: string }>('select id from measurements')
        .all()
        .flatMap(({ id }) => WATER_ALERT_TYPES.map((type) => idOfCause(causeName(id, type)))),
    );
    const alerts = database.prepare<[], { id: string; control_point_id: null }>('select * from alerts').all();
    expect(alerts.length).toBeGreaterThan(10);
    expect(alerts.filter(({ id }) => !measured.has(id))).toEqual([]);
    expect(new Set(alerts.map(({ control_point_id }) => control_point_id))).toEqual(new Set([null]));
  });
});

describe('batches of a grown farm as the gateway sees them', () => {
  let open: TestDatabase;
  let states: BatchState[];
  beforeAll(async () => {
    open = await openTestDatabase('sqlite');
    // two crops back: through the commit every row is stamped and logged
    await commitRows(open.database.commit, growFarm(aFarm({ years: 0.6 })));
    const farms = await open.database.read.selectFrom('farms').select('id').execute();
    states = await batchStates({
      now: () => Date.parse(UNTIL),
      clockQuality: () => 'trusted',
      queries: batchFactQueries(open.database.read),
    }).ofFarms(
      farms.map(({ id }) => id),
      null,
    );
  });
  afterAll(() => open.close());

  test('no batch holds more animals than were stocked, and no pond has too few for its transfers', () => {
    for (const { batch, population, populationByPond, harvestedCount } of states) {
      expect(population + harvestedCount).toBeLessThanOrEqual(batch.initial_count);
      const inPonds = [...populationByPond.values()].reduce((sum, count) => sum + count, 0);
      expect(Math.abs(inPonds - population)).toBeLessThanOrEqual(populationByPond.size + 1);
    }
  });

  test('a pond whose last animals were moved on holds none', () => {
    const few = states.flatMap(({ populationByPond }) =>
      [...populationByPond.values()].filter((n) => n < 100),
    );

    expect(few).toEqual([]);
  });

  test('some batches live, at weights of their age', () => {
    const living = states.filter(({ batch }) => batch.status === 'ACTIVE');

    expect(living.length).toBeGreaterThanOrEqual(2);
    for (const { daysActive, currentWeightG, latestBiometry } of living) {
      if (latestBiometry === null) continue;
      expect(daysActive).toBeGreaterThanOrEqual(20);
      expect(currentWeightG).toBeGreaterThan(0.05);
      expect(currentWeightG).toBeLessThan(16);
    }
  });

  test('what a gateway goes on living with is in its change log', async () => {
    const logged = await open.database.read
      .selectFrom('sync_change')
      .select((count) => count.fn.countAll<number>().as('n'))
      .where('entity', '=', 18)
      .executeTakeFirst();
    const fed = await open.database.read
      .selectFrom('feeding_records')
      .select((count) => count.fn.countAll<number>().as('n'))
      .executeTakeFirst();

    expect(logged?.n).toBe(fed?.n);
  });
});

describeOnPostgres('a grown farm on PostgreSQL', () => {
  test('holds as many rows as on SQLite', async () => {
    const options = aFarm({ years: 0.3 });
    const sqlite = anEmptyDatabase();
    const fresh = await freshDatabase();
    const pool = new pg.Pool({ connectionString: fresh.url, max: 1 });
    await migratePostgres(pool, readMigrations('migrations/postgres'), '2026-03-01T00:00:00.000Z');
    const client = await pool.connect();
    const counts = await writeToPostgres(client, growFarm(options));
    const { rows } = await client.query<{ n: string }>('select count(*) as n from feeding_records');
    client.release();
    await pool.end();
    await fresh.drop();

    expect(counts).toEqual(writeToSqlite(sqlite, growFarm(options)));
    expect(Number(rows[0]?.n)).toBe(counts['feeding_records']);
    sqlite.close();
  });
});

function anEmptyDatabase(): BetterSqlite.Database {
  const connection = new BetterSqlite(':memory:');
  connection.function('unit_is_open', () => 0);
  migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
  return connection;
}
