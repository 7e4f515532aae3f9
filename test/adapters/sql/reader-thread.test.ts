import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLinesHere } from '#adapters/sql/database.ts';
import { bearSqlite } from '#adapters/sql/instance.ts';
import { migrateSqlite, readMigrations } from '#adapters/sql/migrate.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import { logQueries } from '#adapters/sql/queries/farm/logs.ts';
import { createReaderThread, type ReaderThreadDeps } from '#adapters/sql/reader-thread/reader-thread.ts';
import type { CsvLayout } from '#core/csv-text.ts';
import type { LogScope } from '#features/farm/logs/ports.ts';
import { writeManyLogs } from '#test/many-logs.ts';

const FARM = '019abcde-0000-7000-8000-000000000001';
const POINT = '019abcde-0000-7000-8000-000000000002';

/** A database in a file, with so many audit entries. */
function openJournal(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  const file = join(folder, 'farm.db');
  const connection = connectSqlite(file);
  migrateSqlite(connection, readMigrations('migrations/sqlite'), '2026-03-01T00:00:00.000Z');
  bearSqlite(connection);
  if (count > 0) writeManyLogs(file, { farmId: FARM, controlPointId: POINT, count });
  const deaths: unknown[] = [];
  const database = openSqlite(
    connection,
    { streams: 'own', now: Date.now, monotonic: () => 0, bootId: 'boot', node: 'node' },
    (error) => {
      throw error;
    },
    (error) => deaths.push(error),
  );
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { database, deaths };
}

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

describe('long lists', () => {
  test.each<[string, LogScope, { skip: number; limit: number }]>([
    ['of a farm', { of: 'farm', farmId: FARM }, { skip: 0, limit: 10_000 }],
    ['of its control points', { of: 'control points', farmId: FARM }, { skip: 0, limit: 777 }],
    ['of a control point', { of: 'entity', farmId: FARM, entityId: POINT }, { skip: 1_234, limit: 500 }],
    ['from the last entry', { of: 'farm', farmId: FARM }, { skip: 2_999, limit: 10 }],
    ['from behind the last entry', { of: 'farm', farmId: FARM }, { skip: 3_000, limit: 10 }],
  ])('%s are the same in the thread as here', async (_what, scope, page) => {
    const { database, deaths } = openJournal(3_000);
    const aside = logQueries(database.readLong);
    const here = logQueries(database.read);
    const rows = await all(aside.logsOf(scope, page));
    expect(rows).toEqual(await all(here.logsOf(scope, page)));
    expect(rows).toHaveLength(Math.min(page.limit, 3_000 - page.skip));
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(
      rows.map(({ timestamp }) => timestamp).sort((a, b) => b.localeCompare(a)),
    );
    expect(await aside.countLogs(scope)).toBe(3_000);
    expect(deaths).toEqual([]);
  });

  test('written as a file are the same in the thread as here', async () => {
    const { database, deaths } = openJournal(300);
    const layout: CsvLayout = {
      form: { separator: 'semicolon' },
      timezone: 'America/Fortaleza',
      columns: [
        { of: 'timestamp', shows: 'day' },
        { of: 'timestamp', shows: 'time' },
        { of: 'action', shows: 'value' },
        { of: 'user_id', shows: 'value' },
        { of: 'rev', shows: 'value' },
      ],
    };
    const query = database.read.selectFrom('logs').selectAll().orderBy('timestamp').limit(299).compile();
    const aside = await database.readLines(query, layout);
    expect(aside).toEqual(await readLinesHere(database.read)(query, layout));
    expect(aside).toMatchObject({ count: 299, last: { id: '00000000-0000-7000-8000-00000000012b' } });
    expect(aside.text.split('\r\n').slice(0, 2)).toEqual([
      '2020-09-13;09:26:41;turn_on;;1',
      '2020-09-13;09:26:42;turn_off;;1',
    ]);
    const none = database.read.selectFrom('logs').selectAll().where('id', '=', 'nobody').compile();
    expect(await database.readLines(none, layout)).toEqual({ text: '', count: 0, last: null });
    expect(deaths).toEqual([]);
  });

  test('show what was committed the moment before', async () => {
    const { database } = openJournal(0);
    const name = () => database.readLong.selectFrom('instance_values').selectAll().execute();
    expect(await name()).toEqual([]);
    await database.read.insertInto('instance_values').values({ id: 'a', value: 'b' }).execute();
    expect(await name()).toEqual([{ id: 'a', value: 'b' }]);
  });

  test('cannot change anything, and a statement that fails harms no other', async () => {
    const { database, deaths } = openJournal(10);
    await expect(database.readLong.deleteFrom('logs').execute()).rejects.toThrow(/readonly|data/);
    await expect(
      // a table that is not there
      database.readLong
        .selectFrom('nothing' as 'logs')
        .selectAll()
        .execute(),
    ).rejects.toThrow(/no such table/);
    expect(await logQueries(database.readLong).countLogs({ of: 'farm', farmId: FARM })).toBe(10);
    expect(deaths).toEqual([]);
  });

  test('leave the event loop free while they are counted and skipped', async () => {
    const { database } = openJournal(200_000);
    const aside = logQueries(database.readLong);
    await aside.countLogs({ of: 'entity', farmId: FARM, entityId: POINT });
    let turns = 0;
    const state = { isDone: false };
    const turn = () => {
      turns += 1;
      if (!state.isDone) setImmediate(turn);
    };
    turn();
    await all(aside.logsOf({ of: 'farm', farmId: FARM }, { skip: 199_000, limit: 1 }));
    state.isDone = true;
    // on this thread the whole search would be one single turn
    expect(turns).toBeGreaterThan(20);
  });
});

/** A thread that answers when it is told to, or dies. */
function aThread(more: Partial<ReaderThreadDeps> = {}) {
  const asked: { id: number; sql: string }[] = [];
  const here: string[] = [];
  const deaths: unknown[] = [];
  const started: EventEmitter[] = [];
  const reader = createReaderThread({
    path: 'nowhere',
    readHere: (sql) => {
      here.push(sql);
      return [{ from: 'here' }];
    },
    failureOf: (code, message) => new Error(`${code} ${message}`),
    died: (error) => deaths.push(error),
    startWorker: () => {
      const worker = Object.assign(new EventEmitter(), {
        postMessage: (request: { id: number; sql: string }) => asked.push(request),
        terminate: () => Promise.resolve(0),
        ref: () => undefined,
        unref: () => undefined,
      });
      started.push(worker);
      // only what a reader uses of a worker
      return worker as unknown as Worker;
    },
    ...more,
  });
  onTestFinished(() => reader.close());
  const answer = () => {
    const { id } = asked.at(-1) ?? { id: 0 };
    started.at(-1)?.emit('message', { id, columns: ['from'], rows: [['there']] });
  };
  return { reader, asked, here, deaths, started, answer };
}

describe('the reading thread', () => {
  test('has one statement at a time; the others wait in their order', async () => {
    const { reader, asked, answer } = aThread();
    const reads = ['a', 'b', 'c'].map((sql) => reader.read(sql, []));
    expect(asked.map(({ sql }) => sql)).toEqual(['a']);
    answer();
    expect(asked.map(({ sql }) => sql)).toEqual(['a', 'b']);
    answer();
    answer();
    expect(await Promise.all(reads)).toEqual(Array(3).fill([{ from: 'there' }]));
  });

  test('when it dies, what it had and what waits is read here, and it is said once', async () => {
    const { reader, started, here, deaths, asked } = aThread();
    const reads = ['a', 'b'].map((sql) => reader.read(sql, []));
    const fault = new Error('out of memory');
    started[0]?.emit('error', fault);
    started[0]?.emit('exit', 1);
    expect(await Promise.all(reads)).toEqual(Array(2).fill([{ from: 'here' }]));
    expect(await reader.read('c', [])).toEqual([{ from: 'here' }]);
    expect(here).toEqual(['a', 'b', 'c']);
    expect(deaths).toEqual([fault]);
    expect(asked).toHaveLength(1);
    expect(started).toHaveLength(1);
  });

  test('lines that were asked of it are written here when it dies', async () => {
    const { reader, started } = aThread();
    const columns = [{ of: 'from', shows: 'value' as const }];
    const query = { sql: 'a', parameters: [] } as unknown as CompiledQuery<{ from: string }>;
    const lines = reader.readLines(query, { form: {}, timezone: 'America/Fortaleza', columns });
    started[0]?.emit('exit', 1);
    expect(await lines).toEqual({ text: 'here\r\n', count: 1, last: { from: 'here' } });
  });

  test('a late answer of a thread that died is nobody’s', async () => {
    const { reader, started, asked } = aThread();
    const read = reader.read('a', []);
    started[0]?.emit('exit', 1);
    started[0]?.emit('message', { id: asked[0]?.id, columns: ['from'], rows: [['there']] });
    expect(await read).toEqual([{ from: 'here' }]);
  });

  test('a reading that is under way when the database closes ends with an error', async () => {
    const { reader } = aThread();
    const read = reader.read('a', []);
    await reader.close();
    await expect(read).rejects.toThrow('closed');
  });
});
