import BetterSqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { planOnceDialect } from '#adapters/sql/plan-once.ts';
import { alertQueries } from '#adapters/sql/queries/alarms/alerts.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { hasMoreThan, waterInSpan } from '#adapters/sql/queries/production/water-in-span.ts';
import { waterReadQueries } from '#adapters/sql/queries/production/water-readings.ts';
import type { Tables } from '#adapters/sql/tables.ts';

// Five years of a probe are 175,000 rows per pond: what is asked often must walk an index, never the journal.

const PAGE = { skip: 20, limit: 10 };
const SPAN = { from: '2026-02-01T00:00:00.000Z', before: '2026-03-01T00:00:00.000Z' };
const SCOPE = { pondId: 'p', span: SPAN, status: null };
const SUBJECT = { farm_id: 'f', control_point_id: null, pond_id: 'p' };
const DAYS = [
  { day: '2026-02-01', from: '2026-02-01T03:00:00.000Z', before: '2026-02-02T03:00:00.000Z' },
  { day: '2026-02-02', from: '2026-02-02T03:00:00.000Z', before: '2026-02-03T03:00:00.000Z' },
];
/** As in India. */
const HALF_HOURS = [
  { day: '2026-02-01', from: '2026-01-31T18:30:00.000Z', before: '2026-02-01T18:30:00.000Z' },
] as const;

describe('statements about the water', () => {
  const connection = new BetterSqlite(':memory:');
  let steps: string[] = [];
  const db = new Kysely<Tables>({
    dialect: planOnceDialect(connection),
    log({ query }) {
      const plan = connection.prepare(`explain query plan ${query.sql}`).all(...query.parameters);
      // the columns of a plan are the engine's
      steps.push(...(plan as { detail: string }[]).map(({ detail }) => detail));
    },
  });
  beforeAll(() => {
    connection.function('unit_is_open', () => 1);
    migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
  });
  afterAll(() => db.destroy());

  const alerts = alertQueries(db);
  const facts = measurementQueries(db);
  const reads = waterReadQueries(db);
  const water = waterInSpan(db, 'p', SPAN);
  const all = async (rows: AsyncIterable<unknown>) => {
    for await (const _ of rows) continue;
  };

  async function planOf(ask: () => Promise<unknown>): Promise<string[]> {
    steps = [];
    await ask();
    expect(steps).not.toEqual([]);
    return steps;
  }

  test.each<[string, () => Promise<unknown>]>([
    ['what recording asks of a pond', () => facts.pondToMeasure('p')],
    ['its open episodes', () => facts.openEpisodes('p')],
    ['the shelves of an alarm', () => alerts.shelvedAlerts('LOW_OXYGEN', SUBJECT, 'now')],
    ['the alert before', () => alerts.newestOpen('LOW_OXYGEN', SUBJECT)],
    ['the alerts that a good value ends', () => alerts.openAlerts({ type: 'LOW_OXYGEN', pond_id: 'p' }, 500)],
    ['what was measured since', () => facts.measuredAfter('p', SPAN.from, 'm')],
    ['the last salinity', () => facts.salinityBefore('p', SPAN.before, SPAN.from)],
    ['the newest with a parameter', () => facts.newestWith('p', 'nitrite', 'm', 200)],
    ['a page of the journal', () => all(water.measurements(PAGE))],
    ['the newest of many ponds', () => reads.latestReadings(['p', 'q'])],
    ['what is open on many ponds', () => reads.activeAlerts(['p', 'q'])],
    ['a page of alerts', () => all(reads.alertsOf(SCOPE, PAGE))],
  ])('%s walks an index', async (_words, ask) => {
    const plan = await planOf(ask);
    expect(plan.filter((step) => /SCAN (measurements|alerts|newest|ponds|farms)/.test(step))).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['statistics', () => water.statistics()],
    ['whether it is much', () => hasMoreThan(db, 'p', SPAN, 10)],
    [
      'the days of a trend where days begin within an hour',
      () => water.dailyFigures('temperature', HALF_HOURS),
    ],
    ['the stretches of a drawing', () => water.stretches('dissolved_oxygen', 30)],
    ['the extremes of a trend within an hour', () => waterInSpan(db, 'p', HALF_HOURS[0]).extremes('nitrate')],
    ['the counts of alerts', () => reads.countAlerts(SCOPE)],
    ['the alerts of a trend', () => water.countRaised(['LOW_PH', 'HIGH_PH'])],
  ])('%s are read from a range of an index alone', async (_words, ask) => {
    const plan = await planOf(ask);
    const journal = plan.filter((step) => /(SEARCH|SCAN) (measurements|alerts)/.test(step));
    expect(journal).not.toEqual([]);
    const range =
      /^SEARCH \w+ USING COVERING INDEX \w+ \(pond_id=\? AND .*(measurement_date|triggered_at)>\?/;
    expect(journal.filter((step) => !range.test(step))).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['statistics', () => water.statistics()],
    ['the days of a trend', () => water.dailyFigures('temperature', DAYS)],
    ['the extremes of a trend', () => water.extremes('nitrate')],
  ])('%s are read from a range of the sums', async (_words, ask) => {
    const plan = await planOf(ask);
    const sums = plan.filter((step) => /(SEARCH|SCAN) measurement_sums/.test(step));
    expect(sums).not.toEqual([]);
    const range = /USING PRIMARY KEY \(pond_id=\? AND letters=\? AND stretch>\? AND stretch<\?\)/;
    expect(sums.filter((step) => !range.test(step))).toEqual([]);
  });

  test('statistics of whole months read no measurement but the first and the last', async () => {
    const plan = await planOf(() => waterInSpan(db, 'p', { from: null, before: null }).statistics());
    const rows = plan.filter((step) => /(SEARCH|SCAN) measurements/.test(step));
    // one step through the index each: the least and the greatest entry
    expect(rows).toHaveLength(2);
    expect(plan.filter((step) => /(SEARCH|SCAN) measurement_sums/.test(step))).toEqual([
      'SEARCH measurement_sums USING PRIMARY KEY (pond_id=? AND letters=?)',
    ]);
  });
});
