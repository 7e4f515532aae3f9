import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Owned } from '#core/route.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm } from '#test/farm-rows.ts';

const AT = '2026-03-02T11:00:00.000Z';

// Who chooses the id of a new thing chooses none that there is, whosever it is: nothing of the other changes by it.

onBothEngines('the id of a thing of another farm', (_open, engine) => {
  let app: App;
  let stranger: SignedUp;
  let own: Record<Owned, string>;
  let foreign: Record<Owned, string>;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
    stranger = await app.signUp();
    const victim = await app.signUp();
    own = await aFarm(app.kernel, stranger.user.id);
    foreign = await aFarm(app.kernel, victim.user.id);
  });
  afterAll(() => app.close());

  it.each<[Owned, string, () => [path: string, body: object]]>([
    ['farm', 'farms', () => ['/farms/', { name: 'Minha' }]],
    ['pond', 'ponds', () => ['/ponds/', { farm_id: own.farm, cod: 'M-1' }]],
    [
      'aerator',
      'aerators',
      () => ['/aerators/', { pond_id: own.pond, name: 'Pá', device_id: 'm-1', power_kw: 1 }],
    ],
    [
      'control_point',
      'control_points',
      () => ['/control-points/', { farm_id: own.farm, cod: 'M-CP', device_id: 'm-2', target_status: 'OFF' }],
    ],
    [
      'schedule',
      'schedules',
      () => [
        `/control-points/${own.control_point}/schedules`,
        { action: 'ON', start_time: '2026-03-05T18:00:00Z', repeat_pattern: 'DAILY' },
      ],
    ],
    ['alert', 'alerts', () => [`/alerts/${own.control_point}/alerts`, { type: 'OD_LOW', message: 'x' }]],
    ['measurement', 'measurements', () => ['/water-quality/', { pond_id: own.pond, dissolved_oxygen: 5 }]],
    [
      'feeding_record',
      'feeding_records',
      () => [
        '/feeding/',
        { batch_id: own.batch, feed_type: '35 %', quantity_kg: 1, cost_per_kg: 5, feed_date: AT },
      ],
    ],
    [
      'expense',
      'expenses',
      () => [
        '/financial/expenses',
        { batch_id: own.batch, category: 'FEED', amount: 1, description: 'x', expense_date: AT },
      ],
    ],
    [
      'biometry',
      'biometries',
      () => [
        '/biometries/',
        { batch_id: own.batch, sample_size: 10, total_weight_g: 100, measurement_date: AT },
      ],
    ],
  ])('of a %s is taken (409), and that one stays as it is', async (of, table, request) => {
    const rowOf = async (id: string) =>
      (await sql`select * from ${sql.table(table)} where id = ${id}`.execute(app.database.read)).rows;
    const before = await rowOf(foreign[of]);
    const [path, sent] = request();
    const taken = await app.call('POST', path, { token: stranger.token, body: { ...sent, id: foreign[of] } });
    expect([path, taken.status, taken.body]).toMatchObject([path, 409, { code: 'ID_TAKEN' }]);
    expect(JSON.stringify(taken.body)).not.toContain(foreign.farm);
    expect(await rowOf(foreign[of])).toEqual(before);
  });
});
