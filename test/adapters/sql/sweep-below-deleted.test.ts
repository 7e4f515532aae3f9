import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepBelowDeleted } from '#adapters/sql/sweep-below-deleted.ts';
import { decodeRow } from '#adapters/sql/tables.ts';
import { allResources } from '#contract/resources/all.ts';
import { farm as farmTable } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert, purge, remove, restore } from '#core/changes.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm } from '#test/farm-rows.ts';

const DAY = 24 * 3_600_000;
const JOURNALS = allResources.filter(({ goesBy }) => goesBy !== 'row').map(({ name }) => name);

onBothEngines('journals below what was deleted', (_open, engine) => {
  let app: App;
  let token: string;
  let userId: string;
  let email: string;
  beforeAll(async () => {
    app = await startApp(engine);
    const owner = await app.signUp();
    [token, userId, email] = [owner.token, owner.user.id, owner.user.email];
  });
  afterAll(() => app.close());

  /** Journals that still have rows, of a farm with one of each. */
  async function journalsOf(ids: Awaited<ReturnType<typeof aFarm>>): Promise<string[]> {
    const found: string[] = [];
    const named = Object.values(ids);
    for (const name of JOURNALS) {
      const { rows } = await sql`select id from ${sql.table(name)} where id in (${sql.join(named)})`.execute(
        app.database.read,
      );
      if (rows.length > 0) found.push(name);
    }
    return found.toSorted();
  }
  const ALL = [
    'alerts',
    'biometries',
    'expenses',
    'farm_records',
    'feed_stock',
    'feeding_records',
    'harvests',
    'measurements',
    'photos',
    'survival_changes',
    'task_marks',
    'transfers',
  ];

  test('stay for half a year, then go in slices; those of what stands stay', async () => {
    const [gone, stands] = [await aFarm(app.kernel, userId), await aFarm(app.kernel, userId)];
    const reading = await app.database.read
      .selectFrom('measurements')
      .selectAll()
      .where('id', '=', gone.measurement)
      .executeTakeFirstOrThrow();
    const { rev: _, ...like } = decodeRow(measurement, reading);
    const many = Array.from({ length: 450 }, () => insert(measurement, { ...like, id: randomUUID() }));
    await app.kernel.commit({ actor: null, changes: many });
    expect((await app.call('DELETE', `/farms/${gone.farm}`, { token })).status).toBe(204);
    app.clock.advance(179 * DAY);
    await sweep(app);
    expect(await journalsOf(gone)).toEqual(ALL);
    app.clock.advance(2 * DAY);
    const units: number[] = [];
    const unheard = app.database.onCommit(({ rows }) => void units.push(rows.length));
    await sweep(app);
    unheard();
    expect(await journalsOf(gone)).toEqual([]);
    const left = await app.database.read
      .selectFrom('measurements')
      .select('id')
      .where('pond_id', '=', gone.pond)
      .execute();
    expect(left).toEqual([]);
    // nobody saw them, so nobody hears of it
    expect(units.filter((rows) => rows > 0)).toEqual([]);
    expect(await journalsOf(stands)).toEqual(ALL);
    // what was deleted stays known, so that it never comes back
    const kept = await app.database.read
      .selectFrom('ponds')
      .select('hidden')
      .where('id', '=', gone.pond)
      .execute();
    expect(kept).toEqual([{ hidden: 1 }]);
  });

  test('cost a farm that was deleted yesterday little each hour: control has its turn in between', async () => {
    const gone = await aFarm(app.kernel, userId);
    const { read } = app.database;
    const stored = await read
      .selectFrom('ponds')
      .selectAll()
      .where('id', '=', gone.pond)
      .executeTakeFirstOrThrow();
    const reading = await read
      .selectFrom('measurements')
      .selectAll()
      .where('id', '=', gone.measurement)
      .executeTakeFirstOrThrow();
    const { rev: _p, ...likePond } = decodeRow(pond, stored);
    const { rev: _m, ...likeReading } = decodeRow(measurement, reading);
    const many = Array.from({ length: 120 }, (_one, n) => ({
      ...likePond,
      id: randomUUID(),
      numeric_id: likePond.numeric_id + 1_000 + n,
      cod: `N-${n}`,
    }));
    const readings = many.map(({ id }) => ({ ...likeReading, id: randomUUID(), pond_id: id }));
    await app.kernel.commit({
      actor: null,
      changes: [...many.map((row) => insert(pond, row)), ...readings.map((row) => insert(measurement, row))],
    });
    await app.kernel.commit({ actor: null, changes: [remove(farmTable, gone.farm)] });
    let reads = 0;
    let rests = 0;
    const counting = read.withPlugin({
      transformQuery: ({ node }) => {
        reads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await sweepBelowDeleted({
      ...app.kernel,
      guard: (entity, id) => {
        reads += 1;
        return app.kernel.guard(entity, id);
      },
      database: { read: counting, commit: app.database.commit },
      isPaired: async () => false,
      pause: async () => void (rests += 1),
    });
    expect(await journalsOf(gone)).toEqual(ALL);
    // one look at each pond, and some at the farm
    expect(reads).toBeLessThan(many.length + 30);
    expect(rests).toBeGreaterThanOrEqual(3);
  });

  test('stay while somebody may still take the deletion back', async () => {
    const farm = await aFarm(app.kernel, userId);
    await app.kernel.commit({ actor: null, changes: [remove(pond, farm.pond)] });
    const conflict = {
      id: randomUUID(),
      stream_id: 2,
      farm_id: farm.farm,
      entity: pond.entity,
      row_id: farm.pond,
      field_group: '*',
      rule: 'delete_wins',
      kept_json: '{}',
      dropped_json: '{}',
      kept_hlc: '',
      dropped_hlc: '',
      kept_by: null,
      dropped_by: null,
      state: 'open',
      settled_at: null,
      settled_by: null,
    } as const;
    app.clock.advance(400 * DAY);
    const found_at = new Date(app.clock.now()).toISOString();
    await app.kernel.commit({ actor: null, changes: [insert(syncConflict, { ...conflict, found_at })] });
    await sweep(app);
    expect(await journalsOf(farm)).toEqual(ALL);
    await app.kernel.commit({
      actor: null,
      changes: [restore(pond, farm.pond), purge(syncConflict, conflict.id)],
    });
    await sweep(app);
    expect(await journalsOf(farm)).toEqual(ALL);
    const again = await app.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } });
    const access = String(body(again)['access_token']);
    const read = await app.call('GET', `/water-quality/${farm.measurement}`, { token: access });
    expect(body(read)).toMatchObject({ id: farm.measurement });
  });

  test('of a farm that went with its account go with the next look', async () => {
    const person = await app.signUp();
    const farm = await aFarm(app.kernel, person.user.id);
    const gone = await app.call('DELETE', '/users/me?force=true', {
      token: person.token,
      body: { password: 'camarao-123' },
    });
    expect(gone.status).toBe(204);
    await sweep(app);
    expect(await journalsOf(farm)).toEqual([]);
  });
});

describe('by a clock that is not to be trusted', () => {
  test('nothing below what was deleted goes, and answers kept for repeated entries stay bounded', async () => {
    const app = await startApp('sqlite', ['--trust-clock', 'no']);
    const { user } = await app.signUp();
    const farm = await aFarm(app.kernel, user.id);
    await app.kernel.commit({ actor: null, changes: [remove(pond, farm.pond)] });
    app.clock.advance(9 * 365 * DAY);
    await sweep(app);
    const left = await app.database.read.selectFrom('measurements').select('id').execute();
    expect(left).toEqual([{ id: farm.measurement }]);
    // what grows with every entry is bounded all the same: the newest stay
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10600)
      insert into idempotent_answers (id, body_hash, status, answer, created_at)
      select 'a-' || i, '', 201, '{}', strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i, 'unixepoch') from n`.execute(
      app.database.read,
    );
    await sweep(app);
    const answers = await app.database.read
      .selectFrom('idempotent_answers')
      .select(({ fn }) => [fn.countAll<number>().as('n'), fn.min('created_at').as('oldest')])
      .executeTakeFirst();
    expect(answers).toEqual({ n: 10_000, oldest: new Date(1_700_000_601_000).toISOString() });
    await app.close();
  });
});
