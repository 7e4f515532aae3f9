import BetterSqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { waterReadQueries } from '#adapters/sql/queries/production/water-readings.ts';
import type { Tables } from '#adapters/sql/tables.ts';
import type { WaterInSpan } from '#features/production/water-quality/ports.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const at = (minute: number) => new Date(START_MS + minute * MINUTE_MS).toISOString();
/** One reading a minute: one more than is read at once. */
const READINGS = 1_001;
const ALL = { from: null, before: null };

describe('the water of a pond in a span', () => {
  const connection = new BetterSqlite(':memory:');
  const asked: string[] = [];
  const reading = (where: string) =>
    new Kysely<Tables>({
      dialect: new SqliteDialect({ database: connection }),
      log: () => void asked.push(where),
    });
  const [here, beside] = [reading('here'), reading('beside')];
  beforeAll(() => {
    connection.function('unit_is_open', () => 1);
    migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
    connection.pragma('foreign_keys = OFF');
    const add = connection.prepare(
      `insert into measurements (id, pond_id, measurement_date, temperature, source, clock_quality, created_at, rev, hidden)
       values (?, 'pond', ?, ?, 'probe', 'trusted', '', 1, 0)`,
    );
    for (let n = 0; n < READINGS; n += 1) add.run(`m${n}`, at(n), 20 + (n % 10));
  });
  afterAll(() => Promise.all([here.destroy(), beside.destroy()]));

  /** Where everything about a span was read, after the look at how much it is. */
  async function whereRead(water: WaterInSpan): Promise<string[]> {
    asked.length = 0;
    await water.extremes('temperature');
    await water.dailyFigures('temperature', [{ day: '2026-01-01', from: at(0), before: at(1_440) }]);
    await water.stretches('temperature', 30);
    await water.countRaised(['LOW_TEMPERATURE']);
    for await (const _ of water.measurements({ skip: 0, limit: READINGS })) continue;
    return [...new Set(asked)];
  }

  /** What costs the same however long the history is. */
  async function whereSummed(water: WaterInSpan): Promise<string[]> {
    asked.length = 0;
    await water.statistics();
    for await (const _ of water.measurements({ skip: 0, limit: 10 })) continue;
    return [...new Set(asked)];
  }

  test('is read at once while it is short', async () => {
    const water = await waterReadQueries(here, beside).waterIn('pond', { from: null, before: at(1_000) });
    expect(await whereRead(water)).toEqual(['here']);
    expect(await whereSummed(water)).toEqual(['here']);
    expect(await water.statistics()).toMatchObject({ count: 1_000, first: at(0), last: at(999) });
  });

  test('is read beside control when it is long', async () => {
    const water = await waterReadQueries(here, beside).waterIn('pond', ALL);
    expect(await whereRead(water)).toEqual(['beside']);
    expect(await water.statistics()).toMatchObject({ count: READINGS, first: at(0), last: at(1_000) });
  });

  test('is told by its sums and a short page at once, and beside control while the sums are still being made', async () => {
    expect(await whereSummed(await waterReadQueries(here, beside).waterIn('pond', ALL))).toEqual(['here']);
    connection.exec("insert into measurement_gaps (pond_id) values ('pond')");
    const water = await waterReadQueries(here, beside).waterIn('pond', ALL);
    expect(await whereSummed(water)).toContain('beside');
    expect(await water.statistics()).toMatchObject({ count: READINGS, first: at(0), last: at(1_000) });
    connection.exec('delete from measurement_gaps');
  });
});
