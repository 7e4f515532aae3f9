import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import type { WireChange } from '#contract/sync/wire.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { put } from '#core/changes.ts';
import { formatHlc } from '#store/hlc.ts';
import { resourceOfTable } from '#store/merge/shared-tables.ts';
import { codecOf } from '#store/row-codec.ts';
import { type App, aControlPoint } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';

onBothEngines('what a gateway may say', (_open, engine) => {
  let its: SpysGateway;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
  });
  afterAll(() => its.app.close());

  let counter = 0;
  const nextHlc = () => {
    counter += 1;
    return formatHlc(its.app.clock.now() + counter, 0, GATEWAY_NODE);
  };

  const said = (changes: Omit<WireChange, 'seq' | 'chain' | 'tx' | 'sv'>[]) =>
    its.app.database.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId: its.stream.streamId,
        lane: 'core',
        changes: changes.map((change, at) => ({
          ...change,
          seq: at + 1,
          tx: 1,
          sv: SYNC_SCHEMA,
          chain: 'a'.repeat(32),
        })),
      },
    });
  const anEdit = (entity: number, id: string, body: WireChange['body'], more: Partial<WireChange> = {}) => ({
    entity,
    id,
    op: 1 as const,
    cl: 1,
    hlc: nextHlc(),
    over: null,
    base: body === null ? null : Object.fromEntries(Object.keys(body).map((group) => [group, ''])),
    body,
    actor: its.victim.user.id,
    ...more,
  });
  const rowOf = async (table: Parameters<App['database']['read']['selectFrom']>[0] & string, id: string) =>
    (
      await sql<Record<string, unknown>>`select * from ${sql.table(table)} where id = ${id}`.execute(
        its.app.database.read,
      )
    ).rows[0];

  it.each([
    ['renames a member', () => anEdit(1, its.member.user.id, { name: { name: 'owned' } })],
    [
      'gives a member another phone',
      () => anEdit(1, its.member.user.id, { phone_number: { phone_number: '1' } }),
    ],
    ['ends the account of a member', () => anEdit(1, its.member.user.id, null, { op: 2, cl: 2 })],
    ['ends it by an edit', () => anEdit(1, its.member.user.id, { name: { name: 'x' } }, { cl: 2 })],
    ['speaks of a stranger', () => anEdit(1, its.victim.user.id, { name: { name: 'owned' } })],
    ['makes itself an administrator', () => anEdit(1, its.spy.user.id, { role: { role: 'ADMIN' } })],
  ] as const)('%s in vain', async (_what, attack) => {
    const people = [its.member, its.victim, its.spy].map(({ user: { id } }) => id);
    const before = await Promise.all(people.map((id) => rowOf('users', id)));
    await said([attack()]);
    const after = await Promise.all(people.map((id) => rowOf('users', id)));
    // a name is told again as it stands
    expect(after).toEqual(before);
  });

  it('tells nothing of a farm that is not taken in, though both come together', async () => {
    const { kernel, clock } = its.app;
    const created_at = new Date(clock.now()).toISOString();
    const whole = (entity: number, row: Record<string, unknown> & { id: string }) =>
      anEdit(entity, row.id, row, { base: null });
    const farmId = kernel.newId();
    const farm = {
      id: farmId,
      name: 'Fazenda sem endereço',
      description: null,
      owner_id: its.spy.user.id,
      // nobody knows it: the farm waits for it
      address_id: kernel.newId(),
      lat: null,
      lng: null,
      timezone: 'America/Fortaleza',
      created_at,
      updated_at: null,
    };
    const entry = {
      id: kernel.newId(),
      farm_id: farmId,
      entity_type: 'CONTROL_POINT',
      entity_id: kernel.newId(),
      entity_name: 'CP-1',
      action: 'create',
      user_id: its.spy.user.id,
      origin: null,
      details: null,
      timestamp: created_at,
      clock_quality: 'trusted',
    };
    const told = await said([whole(3, farm), whole(11, entry)]);
    expect([await rowOf('farms', farmId), await rowOf('logs', entry.id)]).toEqual([undefined, undefined]);
    expect(told.merged?.parked).toHaveLength(2);
  });

  it('plants nothing in an account, and brings nobody back', async () => {
    const { app, spy, member, former, victim, spysFarm, snapshot } = its;
    const { kernel, database } = app;
    const at = new Date(app.clock.now()).toISOString();
    const heard = async () =>
      (
        await sql`select id from notifications where user_id = ${victim.user.id} and type = 'SYSTEM' order by id`.execute(
          database.read,
        )
      ).rows;
    const heardBefore = await heard();
    const whole = (entity: number, row: Record<string, unknown> & { id: string }) =>
      anEdit(entity, row.id, row, { base: null });
    const place = {
      street: 'Falsa',
      number: 1,
      complement: null,
      city: 'X',
      state: 'CE',
      zip_code: '62800-000',
    };
    const forged = [member, former, victim].map(({ user: { id: user_id } }) => ({
      ...place,
      country: 'Brazil',
      lat: null,
      lng: null,
      is_primary: true,
      id: kernel.newId(),
      user_id,
      created_at: at,
      updated_at: null,
    }));
    const news = (user_id: string, farm_id: string | null) => ({
      id: kernel.newId(),
      user_id,
      farm_id,
      type: 'PAYMENT',
      title: 'Pague aqui',
      message: 'http://mal.test',
      data: null,
      is_read: false,
      read_at: null,
      created_at: at,
    });
    const membership = (user_id: string) => ({
      id: kernel.newId(),
      farm_id: spysFarm,
      user_id,
      role: 'VIEWER',
      created_at: at,
      updated_at: null,
    });
    const left = await database.read
      .selectFrom('farm_members')
      .selectAll()
      .where('user_id', '=', former.user.id)
      .executeTakeFirstOrThrow();
    const { rev: _rev, hidden: _hidden, ...formerMember } = left;
    await said([
      ...forged.map((row) => whole(2, row)),
      ...[member, former, victim].map(({ user }) => whole(12, news(user.id, null))),
      ...[former, victim].map(({ user }) => whole(12, news(user.id, spysFarm))),
      ...[former, victim].map(({ user }) => whole(4, membership(user.id))),
      whole(4, { ...formerMember, cl: 3 } as never),
      anEdit(4, left.id, { role: { role: 'MANAGER' } }, { cl: 3 }),
      whole(4, formerMember),
    ]);
    const { rows: people } = await sql<{
      user_id: string;
      farm_id: string;
    }>`select user_id, farm_id from farm_members where hidden = 0`.execute(database.read);
    expect(people.filter(({ user_id }) => [former.user.id, victim.user.id].includes(user_id))).toEqual([]);
    for (const { id } of forged) expect(await rowOf('addresses', id)).toBeUndefined();
    const { rows: told } = await sql`select id from notifications where title = 'Pague aqui'`.execute(
      database.read,
    );
    expect(told).toEqual([]);
    // whose private address a farm is said to lie at does not become known by that
    const own = await database.read
      .selectFrom('addresses')
      .select('id')
      .where('user_id', '=', spy.user.id)
      .where('street', '=', 'Rua espiao')
      .executeTakeFirstOrThrow();
    await said([anEdit(3, spysFarm, { address_id: { address_id: own.id } })]);
    expect(await snapshot()).not.toContain('Rua espiao');
    // nobody is told of what somebody else is said to have done
    expect(await heard()).toEqual(heardBefore);
  });

  it.each([
    ['a time zone that there is not', 'farms', 3, { timezone: { timezone: 'Mars/Olympus' } }],
    ['a motor that rests for ever', 'control_points', 7, { settings: { min_on_s: -1e15, min_off_s: 60 } }],
  ] as const)('gets %s past nobody: what no call takes is kept aside', async (_what, table, entity, body) => {
    const { app, spysFarm } = its;
    const found =
      table === 'farms'
        ? { id: spysFarm }
        : await app.database.read
            .selectFrom('control_points')
            .select('id')
            .where('farm_id', '=', spysFarm)
            .executeTakeFirstOrThrow();
    const before = await rowOf(table, found.id);
    const { merged } = await said([anEdit(entity, found.id, body)]);
    expect(merged?.parked.map(({ reason }) => reason)).toEqual([expect.stringContaining('refused:')]);
    expect(await rowOf(table, found.id)).toEqual(before);
  });

  it('hears no name of an administrator in place of one that it made up', async () => {
    const { admin, feed, snapshot } = its;
    await said([anEdit(1, admin.user.id, { name: { name: 'owned' } })]);
    const told = [await feed(), await snapshot()];
    for (const text of told) expect(text).not.toContain('Nome gerencia');
    expect(await rowOf('users', admin.user.id)).toMatchObject({ name: 'Nome gerencia' });
  });

  it.each([
    ['a schedule to a control point', 'schedules', 'place'],
    ['a pond to a control point', 'ponds', 'control_point_id'],
  ] as const)(
    'moves %s of another of its farms in vain, and is told where it stands',
    async (_what, table, group) => {
      const { app, spy, spysFarm, stream, call, made } = its;
      const { read } = app.database;
      const { entity } = resourceOfTable(table);
      const otherFarm = await made(spy, '/farms/', { name: `Outra ${table}` });
      const at = new Date(app.clock.now()).toISOString();
      await app.kernel.commit({
        actor: null,
        changes: [put(syncFarm, { id: otherFarm, stream_id: stream.streamId, bound_at: at })],
      });
      const [first, second, elsewhere] = [
        await aControlPoint(app, { token: spy.token, farmId: spysFarm }),
        await aControlPoint(app, { token: spy.token, farmId: spysFarm }),
        await aControlPoint(app, { token: spy.token, farmId: otherFarm }),
      ];
      const rule = { action: 'ON', start_time: '2026-03-01T12:00:00Z', repeat_pattern: 'DAILY' };
      const pond = { farm_id: spysFarm, cod: 'E-01', size_m2: 3000, control_point_id: first.id };
      const id =
        table === 'schedules'
          ? await made(spy, `/control-points/${first.id}/schedules`, rule)
          : await made(spy, '/ponds/', pond);
      const placeOf = async () => (await rowOf(table, id))?.['control_point_id'];
      expect(await placeOf()).toBe(first.id);
      const moved = (to: string) => said([anEdit(entity, id, { [group]: { control_point_id: to } })]);
      await moved(elsewhere.id);
      expect(await placeOf()).toBe(first.id);
      const lastTold = await read
        .selectFrom('sync_change')
        .select(['id', 'body_json'])
        .where('stream_id', '=', stream.streamId)
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow();
      expect({ id: lastTold.id, ...JSON.parse(lastTold.body_json ?? '{}') }).toMatchObject({
        id,
        [group]: { control_point_id: first.id },
      });
      // told whole, as a comparison tells it, no more than as an edit
      const {
        rev: _rev,
        hidden: _hidden,
        ...row
      } = (await read.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow()) as Record<
        string,
        unknown
      >;
      const codec = codecOf(resourceOfTable(table));
      const body = { ...codec.decode(row), id, control_point_id: elsewhere.id };
      await said([anEdit(entity, id, body, { base: null })]);
      expect(await placeOf()).toBe(first.id);
      app.clock.advance(60_000);
      await moved(second.id);
      expect(await placeOf()).toBe(second.id);
      await call(spy, 'DELETE', `/farms/${otherFarm}`);
    },
  );
});
