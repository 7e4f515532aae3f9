import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { hearStatements, type Statement } from '../../scripts/bench/hear-statements.ts';
import { growFarm } from '../../scripts/farm-data/grow-farm.ts';
import { writeToSqlite } from '../../scripts/farm-data/write-rows.ts';
import { watch } from '../adapters/http/watch.ts';

// What people and controllers ask for all day must not look through a whole journal, however long it has become. The
// statements are those the gateway really puts to SQLite, with the indexes of the migrations.

/** Tables that grow for as long as a farm lives. */
const JOURNALS = [
  'alerts',
  'batches',
  'biometries',
  'expenses',
  'feeding_records',
  'harvests',
  'logs',
  'measurement_sums',
  'measurements',
  'notifications',
  'orders',
  'survival_changes',
  'sync_change',
  'sync_register',
  'transfers',
];

let app: App;
let database: BetterSqlite.Database;
let token: string;
let ids: { farm: string; pond: string; batch: string; point: string };
const listening = hearStatements();

beforeAll(async () => {
  app = await startApp('sqlite');
  const owner = await app.signUp();
  token = owner.token;
  database = new BetterSqlite(join(app.config.data, 'farm.db'));
  const until = new Date(app.clock.now()).toISOString();
  writeToSqlite(
    database,
    growFarm({ seed: 3, years: 0.3, until, on: { size: 'small', ownerId: owner.user.id } }),
  );
  // one pond is empty: it asks for more than the others
  database.exec(
    `update batches set status = 'FINISHED', actual_harvest_date = '2026-03-01T12:00:00.000Z'
     where id = (select id from batches where status = 'ACTIVE' order by start_date desc limit 1)`,
  );
  const one = (sql: string) => String(database.prepare(sql).pluck().get());
  ids = {
    farm: one('select id from farms'),
    pond: one("select pond_id from batches where status = 'ACTIVE' order by start_date"),
    batch: one("select id from batches where status = 'ACTIVE' order by start_date"),
    point: one('select id from control_points'),
  };
});
afterAll(async () => {
  listening.stop();
  database.close();
  await app.close();
});

const PAGES: readonly [string, (of: typeof ids) => string][] = [
  ['pond cards', ({ farm }) => `/ponds/summary-cards?farm_id=${farm}`],
  ['one pond card', ({ pond }) => `/ponds/${pond}/summary-card`],
  ['overview', ({ farm }) => `/dashboard/overview?farm_id=${farm}`],
  ['ponds', ({ farm }) => `/dashboard/ponds?farm_id=${farm}`],
  ['ponds of all farms', () => '/dashboard/ponds'],
  ['biomass trend', ({ batch }) => `/dashboard/biomass-trend?batch_id=${batch}`],
  ['growth rates', ({ farm }) => `/dashboard/growth-rates?farm_id=${farm}`],
  ['survival rates', ({ farm }) => `/dashboard/survival-rates?farm_id=${farm}`],
  ['batch comparison', ({ farm }) => `/dashboard/batch-comparison?farm_id=${farm}`],
  ['feed efficiency', ({ farm }) => `/dashboard/feed-efficiency?farm_id=${farm}`],
  [
    'measurements of a pond',
    ({ pond }) => `/water-quality/pond/${pond}?start_date=2026-02-01&end_date=2026-03-01`,
  ],
  ['newest measurements of a pond', ({ pond }) => `/water-quality/pond/${pond}?limit=30`],
  ['newest measurement', ({ pond }) => `/water-quality/pond/${pond}/latest`],
  ['water trend', ({ pond }) => `/water-quality/trend/${pond}/dissolved_oxygen?days=30`],
  ['water alerts', ({ pond }) => `/water-quality/pond/${pond}/alerts`],
  ['batches of a pond', ({ pond }) => `/batches/?pond_id=${pond}`],
  ['a batch', ({ batch }) => `/batches/${batch}`],
  ['growth curve', ({ batch }) => `/batches/${batch}/growth-curve`],
  ['weighings of a batch', ({ batch }) => `/biometries/batch/${batch}`],
  ['feedings of a batch', ({ batch }) => `/feeding/batch/${batch}`],
  ['ration of a batch', ({ batch }) => `/feeding/batch/${batch}/recommendation`],
  ['transfers of a batch', ({ batch }) => `/transfers/batch/${batch}`],
  ['costs of a batch', ({ batch }) => `/financial/cost-per-kg/${batch}`],
  ['water export', ({ pond }) => `/exports/water-quality/csv?pond_id=${pond}`],
  ['feeding export', ({ batch }) => `/exports/feeding/csv?batch_id=${batch}`],
  ['alerts', () => '/alerts/?include=all'],
  ['schedules of a farm', ({ farm }) => `/schedules/?farm_id=${farm}`],
  ['log of a farm', ({ farm }) => `/logs/farm/${farm}/control-points?limit=100`],
  ['log of a control point', ({ point }) => `/logs/control-points/${point}?limit=100`],
  ['log of a farm itself', ({ farm }) => `/logs/farms/${farm}?limit=100`],
  ['log of a pond', ({ pond }) => `/logs/ponds/${pond}?limit=100`],
  ['notifications', () => '/notifications/'],
  ['unread notifications', () => '/notifications/unread/count'],
  // leaves an entry in the log
  ['archive of a farm', ({ farm }) => `/exports/farm/${farm}/archive`],
];

describe('no hot read looks through a whole journal', () => {
  test.each(PAGES)('%s', async (_name, pathOf) => {
    const path = pathOf(ids);
    const statements = await heardDuring(async () => {
      const answer = await app.call('GET', path, { token });
      expect(`${path} ${answer.status}`).toBe(`${path} 200`);
    });

    expect(statements.length).toBeGreaterThan(0);
    expect(statements.flatMap(scansOfJournals)).toEqual([]);
    expect(plansOf(statements)).toMatchSnapshot();
  });

  test('recording a measurement', async () => {
    const statements = await heardDuring(async () => {
      const body = { pond_id: ids.pond, dissolved_oxygen: 3.1, temperature: 28 };
      const answer = await app.call('POST', '/water-quality/', { token, body });
      expect(answer.status).toBe(201);
    });

    expect(statements.flatMap(scansOfJournals)).toEqual([]);
    expect(plansOf(statements)).toMatchSnapshot();
  });

  test('the snapshot a viewer begins with', async () => {
    const statements = await heardDuring(async () => {
      const viewer = await watch(`${app.base}/api/v1/events`, token);
      await viewer.next('snapshot');
      viewer.close();
    });

    expect(statements.length).toBeGreaterThan(3);
    expect(statements.flatMap(scansOfJournals)).toEqual([]);
    // what is over is looked up by when it ended, not read through
    expect(plansOf(statements)).toContainEqual(
      expect.stringContaining('INDEX alerts_returned (farm_id=? AND resolved_at>?)'),
    );
  });
});

test('a look through a whole journal would be noticed', () => {
  const sql = 'select m.notes from measurements as m where m.temperature > 30';

  expect(scansOfJournals({ sql, params: [] })).toEqual([`SCAN m: ${sql}`]);
});

/** Whether the token still counts is asked anew every two seconds, so that a slow run hears of it at any page. */
const OF_THE_TOKEN = /\b(revoked_tokens|session_generations|second_factors)\b/;

/** What was asked meanwhile, each question once. */
async function heardDuring(work: () => Promise<void>): Promise<Statement[]> {
  listening.heard.length = 0;
  await work();
  const heard = listening.heard.filter(({ sql }) => !OF_THE_TOKEN.test(sql));
  return [...new Map(heard.map((statement) => [statement.sql, statement])).values()];
}

function planOf({ sql, params }: Statement): string[] {
  const rows = database.prepare(`explain query plan ${sql}`).all(...params) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

/** How each table is reached, every way once. */
function plansOf(statements: readonly Statement[]): string[] {
  const ways = statements.flatMap(planOf).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
  return [...new Set(ways)].toSorted();
}

function scansOfJournals(statement: Statement): string[] {
  return planOf(statement)
    .filter((detail) => {
      const name = /^SCAN (\S+)/.exec(detail)?.[1];
      return name !== undefined && JOURNALS.includes(tableOf(statement.sql, name));
    })
    .map((detail) => `${detail}: ${statement.sql}`);
}

/** The table behind a name of the statement. */
function tableOf(sql: string, name: string): string {
  const alias = new RegExp(`"?(\\w+)"? as "?${name}"?(?!\\w)`).exec(sql);
  return alias?.[1] ?? name;
}
