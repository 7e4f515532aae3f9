import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { farmScience } from '#contract/resources/science.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert, remove, restore, rowsOf, update } from '#core/changes.ts';
import { lettersOf } from '#store/merge/unique-keys.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { aControlPoint, aFarm, aMeasurement, aMember, ana, aPond, at, aUser, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, registers, STREAM, shown, streamOf } from './two-sides.ts';

const NOW = Date.UTC(2026, 2, 1, 12);

onBothEngines('a gateway and its hosted instance', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  let gatewayNow = NOW;
  let hostedNow = NOW;
  beforeEach(async () => {
    gatewayNow = NOW;
    hostedNow = NOW;
    opened = [
      await openTestDatabase('sqlite', { now: () => gatewayNow, node: '0aaa0001' }),
      await open({ streams: 'by scope', now: () => hostedNow, node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  const atGateway = (...changes: Change[]) => gateway.commit({ changes, actor: ana });
  const atHosted = (...changes: Change[]) => hosted.commit({ changes, actor: ana });
  const meet = async () => {
    await push(gateway, hosted);
    await pull(gateway, hosted);
  };
  const same = async (...tables: Parameters<typeof shown>[1][]) => {
    // what somebody signs in with is each side's own
    const plain = async (side: Database, table: (typeof tables)[number]) =>
      (await shown(side, table)).map((row) => Object.assign({}, row, { password_hash: '' }));
    for (const table of tables) expect(await plain(hosted, table)).toEqual(await plain(gateway, table));
    expect(await registers(hosted)).toEqual(await registers(gateway));
  };
  const aFarmOnBoth = async () => {
    await atGateway(insert(farm, aFarm()), insert(pond, aPond(1)), insert(controlPoint, aControlPoint(1)));
    await meet();
  };

  it('tells whether calls without a key are taken apart from the settings that were changed with it', async () => {
    await aFarmOnBoth();
    const { id } = aControlPoint(1);
    await atGateway(
      update(controlPoint, id, { min_on_s: 90 }),
      update(controlPoint, id, { allow_unkeyed: false }),
    );
    const changes = await logged(gateway, 1, 'core', (await streamOf(hosted, STREAM)).in_core_seq);
    expect(changes.map((change) => Object.keys(change.body ?? {}))).toEqual([
      ['settings', 'updated_at'],
      ['unkeyed', 'updated_at'],
    ]);
    await meet();
    await atHosted(update(controlPoint, id, { min_on_s: 120 }));
    await meet();
    await same('control_points');
    expect(await shown(gateway, 'control_points')).toMatchObject([{ min_on_s: 120, allow_unkeyed: 0 }]);
  });

  it('has on both sides what was made on one, and binds the farm to the gateway', async () => {
    await atGateway(insert(farm, aFarm()), insert(pond, aPond(1)), insert(measurement, aMeasurement(1)));
    const [committed] = await push(gateway, hosted);
    expect(committed?.merged).toEqual({ applied: 2, parked: [], conflicts: 0, passedOver: 0, unparked: 0 });
    // whoever keeps in memory which gateway runs which farm hears of it
    const bound = committed === undefined ? [] : rowsOf(committed, syncFarm);
    expect(bound).toMatchObject([{ id: norte, after: { stream_id: STREAM }, hidden: false }]);
    await atHosted(insert(pond, aPond(2)));
    await pull(gateway, hosted);
    await same('users', 'farms', 'ponds', 'measurements');
    expect(await hosted.read.selectFrom('sync_farms').select(['id', 'stream_id']).execute()).toEqual([
      { id: norte, stream_id: STREAM },
    ]);
    expect(await shown(gateway, 'ponds')).toHaveLength(2);
  });

  it('keeps edits of different fields of one row, and the later of two of one field; the other is noted', async () => {
    await aFarmOnBoth();
    await atGateway(update(pond, aPond(1).id, { cod: 'Gateway', updated_at: at }));
    hostedNow += 1_000;
    await atHosted(update(pond, aPond(1).id, { cod: 'Hosted', size_m2: 1, updated_at: at }));
    await atGateway(update(pond, aPond(1).id, { aerator_count: 7 }));
    await meet();
    await same('ponds');
    expect(await shown(gateway, 'ponds')).toMatchObject([{ cod: 'Hosted', size_m2: 1, aerator_count: 7 }]);
    const conflicts = async ({ read }: Database) =>
      read
        .selectFrom('sync_conflicts')
        .select([
          'id',
          'row_id',
          'field_group',
          'rule',
          'kept_json',
          'dropped_json',
          'farm_id',
          'kept_by',
          'dropped_by',
        ])
        .execute();
    expect(await conflicts(hosted)).toEqual(await conflicts(gateway));
    expect(await conflicts(hosted)).toMatchObject([
      {
        row_id: aPond(1).id,
        field_group: 'cod',
        rule: 'last_writer',
        kept_json: '{"cod":"Hosted"}',
        dropped_json: '{"cod":"Gateway"}',
        farm_id: norte,
        kept_by: ana,
        dropped_by: ana,
      },
    ]);
  });

  it('knows who made what lost, also where the other side had confirmed it before its own word came', async () => {
    await aFarmOnBoth();
    await atGateway(update(pond, aPond(1).id, { cod: 'Gateway' }));
    hostedNow += 1_000;
    await atHosted(update(pond, aPond(1).id, { cod: 'Hosted' }));
    await push(gateway, hosted);
    const { core_seq } = await streamOf(gateway, 1);
    const acked = { id: 1, expect: {}, set: { acked_core_seq: core_seq } };
    await gateway.commit({ actor: null, changes: [], stream: acked });
    await pull(gateway, hosted);
    const noted = await gateway.read.selectFrom('sync_conflicts').select(['kept_by', 'dropped_by']).execute();
    expect(noted).toEqual([{ kept_by: ana, dropped_by: ana }]);
  });

  it('notes nothing where each had seen the other', async () => {
    await aFarmOnBoth();
    await atGateway(update(pond, aPond(1).id, { cod: 'A' }));
    await atGateway(update(pond, aPond(1).id, { cod: 'B' }));
    await meet();
    await atHosted(update(pond, aPond(1).id, { cod: 'C' }));
    await atHosted(update(pond, aPond(1).id, { cod: 'D' }));
    await meet();
    await same('ponds');
    for (const { read } of [gateway, hosted])
      expect(await read.selectFrom('sync_conflicts').select('id').execute()).toEqual([]);
  });

  it('lets a delete win against a concurrent edit, whatever the clocks, and brings the edit back with the row', async () => {
    await aFarmOnBoth();
    hostedNow += 60_000;
    await atHosted(update(pond, aPond(1).id, { cod: 'Late' }));
    await atGateway(remove(pond, aPond(1).id));
    await meet();
    await same('ponds');
    expect(await shown(hosted, 'ponds')).toEqual([]);
    const notes = await hosted.read.selectFrom('sync_conflicts').selectAll().execute();
    expect(notes).toMatchObject([{ rule: 'delete_wins', dropped_json: '{"cod":"Late"}', farm_id: norte }]);
    const there = await gateway.read.selectFrom('sync_conflicts').select('id').execute();
    expect(there).toEqual(notes.map(({ id }) => ({ id })));
    await atHosted(restore(pond, aPond(1).id));
    await meet();
    await same('ponds');
    expect(await shown(gateway, 'ponds')).toMatchObject([{ cod: 'Late' }]);
  });

  it('hides with a farm what is in it, keeps what came in meanwhile, and shows all of it again', async () => {
    await aFarmOnBoth();
    await atHosted(remove(farm, norte));
    await atGateway(insert(pond, aPond(2)), remove(controlPoint, aControlPoint(1).id));
    await meet();
    for (const side of [gateway, hosted]) expect(await shown(side, 'ponds')).toEqual([]);
    expect(await registers(hosted)).toEqual(await registers(gateway));
    const back = await atGateway(restore(farm, norte));
    expect(back.rows.map(({ table, before, hidden }) => [table, before, hidden])).toEqual([
      ['farms', null, false],
      ['ponds', null, false],
      ['ponds', null, false],
    ]);
    await meet();
    await same('farms', 'ponds', 'control_points');
    expect(await shown(hosted, 'ponds')).toHaveLength(2);
    expect(await shown(hosted, 'control_points')).toEqual([]);
  });

  it('names the later of two controllers of one code anew, the same on both sides', async () => {
    await aFarmOnBoth();
    await atGateway(insert(controlPoint, aControlPoint(2, { cod: 'Bomba' })));
    hostedNow += 1_000;
    await atHosted(insert(controlPoint, aControlPoint(3, { cod: 'Bomba', device_id: 'dev-2' })));
    await meet();
    await same('control_points');
    const letters = lettersOf(idOf(4, 3));
    expect(await shown(gateway, 'control_points')).toMatchObject([
      { cod: 'CP-1' },
      { cod: 'Bomba', device_id: 'dev-2' },
      { cod: `Bomba~${letters}`, device_id: `dev-2~${letters}` },
    ]);
    const rules = await gateway.read
      .selectFrom('sync_conflicts')
      .select(['id', 'rule'])
      .orderBy('rule')
      .execute();
    expect(rules.map(({ rule }) => rule)).toEqual(['renamed', 'unassigned']);
    expect(
      await hosted.read.selectFrom('sync_conflicts').select(['id', 'rule']).orderBy('rule').execute(),
    ).toEqual(rules);
    await meet();
    await same('control_points');
  });

  it('swaps the codes of two controllers without a clash', async () => {
    await aFarmOnBoth();
    const [one, two] = [aControlPoint(1).id, aControlPoint(2).id];
    await atGateway(insert(controlPoint, aControlPoint(2)));
    await meet();
    await atGateway(update(controlPoint, one, { cod: 'x' }));
    await atGateway(update(controlPoint, two, { cod: 'CP-1' }));
    await atGateway(update(controlPoint, one, { cod: 'CP-2' }));
    await meet();
    await same('control_points');
  });

  it('keeps the newest of two memberships out of sight when both sides let one person in', async () => {
    await aFarmOnBoth();
    const member = aMember({ id: idOf(6, 1) });
    await atGateway(insert(farmMember, member));
    hostedNow += 1_000;
    await atHosted(insert(farmMember, { ...member, id: idOf(6, 2), role: 'VIEWER' }));
    await meet();
    await meet();
    await same('farm_members');
    expect(await shown(hosted, 'farm_members')).toMatchObject([{ id: idOf(6, 1) }]);
  });

  it('notes figures of a farm that both sides set as they were entered, not as a database keeps them', async () => {
    await aFarmOnBoth();
    const figures = { farm_id: aFarm().id, updated_by: null, created_at: at, updated_at: null };
    await atGateway(insert(farmScience, { ...figures, id: idOf(8, 1), overrides: { water: { ph: 7 } } }));
    hostedNow += 1_000;
    await atHosted(insert(farmScience, { ...figures, id: idOf(8, 2), overrides: { water: { ph: 8 } } }));
    await meet();
    await meet();
    await same('farm_science');
    for (const side of [gateway, hosted]) {
      const noted = await side.read.selectFrom('sync_conflicts').selectAll().execute();
      expect(
        noted.map(({ rule, row_id, dropped_json }) => [rule, row_id, JSON.parse(dropped_json).overrides]),
      ).toEqual([['duplicate', idOf(8, 2), { water: { ph: 8 } }]]);
    }
  });

  it('makes a person of the gateway known to the hosted instance by name, without an account', async () => {
    await aFarmOnBoth();
    const bia = aUser({
      id: idOf(1, 2),
      email: 'bia@farm.br',
      email_key: 'bia@farm.br',
      name: 'Bia',
      password_hash: 'secret',
    });
    await atGateway(insert(user, bia), insert(farmMember, aMember({ user_id: bia.id })));
    await meet();
    expect((await shown(hosted, 'users'))[1]).toMatchObject({
      id: bia.id,
      name: 'Bia',
      email_key: `${bia.id}@local.invalid`,
      is_active: 0,
      password_hash: NO_PASSWORD,
    });
    expect(await hosted.read.selectFrom('local_users').select(['id', 'email', 'name']).execute()).toEqual([
      { id: bia.id, email: 'bia@farm.br', name: 'Bia' },
    ]);
    await atGateway(update(user, bia.id, { email: 'bia@new.br', email_key: 'bia@new.br', name: 'Beatriz' }));
    await meet();
    expect((await shown(gateway, 'users'))[1]).toMatchObject({
      email_key: 'bia@new.br',
      password_hash: 'secret',
    });
    expect(await hosted.read.selectFrom('local_users').select(['email', 'name']).execute()).toEqual([
      { email: 'bia@new.br', name: 'Beatriz' },
    ]);
  });

  it('takes no word of a gateway about accounts, other farms or their people', async () => {
    await aFarmOnBoth();
    const eve = aUser({ id: idOf(1, 9), email: 'eve@x.br', email_key: 'eve@x.br' });
    const other = idOf(2, 9);
    await atHosted(insert(user, eve), insert(farm, aFarm({ id: other, owner_id: eve.id })));
    await gateway.commit({
      actor: null,
      changes: [
        update(user, ana, { role: 'ADMIN', password_hash: 'stolen', name: 'Ana Maria' }),
        insert(user, { ...eve, name: 'Eva' }),
        insert(farmMember, aMember({ user_id: eve.id })),
        insert(farm, aFarm({ id: other, owner_id: eve.id })),
        insert(pond, aPond(8, { farm_id: other })),
      ],
    });
    const [committed] = await push(gateway, hosted);
    expect(committed?.merged?.parked.map(({ reason }) => reason.split(':')[0])).toEqual([
      'tenant',
      'tenant',
      'tenant',
      'tenant',
    ]);
    expect((await shown(hosted, 'users'))[0]).toMatchObject({
      role: 'OWNER',
      password_hash: 'x',
      name: 'Ana',
    });
    expect((await shown(hosted, 'users'))[1]).toMatchObject({ name: 'Ana', email_key: 'eve@x.br' });
    expect(await shown(hosted, 'ponds')).toHaveLength(1);
    expect(await shown(hosted, 'farm_members')).toEqual([]);
  });

  it('gives the account of the hosted instance its address where somebody at the farm has it, and both go on', async () => {
    await aFarmOnBoth();
    const mail = { email: 'rui@farm.br', email_key: 'rui@farm.br' };
    const [local, account] = [aUser({ id: idOf(1, 3), ...mail }), aUser({ id: idOf(1, 4), ...mail })];
    await atGateway(insert(user, local));
    await atHosted(insert(user, account));
    await atHosted(insert(farmMember, aMember({ user_id: account.id })));
    await meet();
    expect(await shown(gateway, 'users')).toMatchObject([
      {},
      { id: local.id, email_key: `rui@farm.br~${lettersOf(local.id)}` },
      { id: account.id, email_key: 'rui@farm.br' },
    ]);
    const notes = await gateway.read.selectFrom('sync_conflicts').select(['rule', 'row_id']).execute();
    expect(notes).toEqual([{ rule: 'renamed', row_id: local.id }]);
    await meet();
    expect((await shown(hosted, 'users'))[2]).toMatchObject({ email_key: 'rui@farm.br' });
  });

  it('says itself whose a new farm and what stands on it is, and the gateway hears of it', async () => {
    const bia = aUser({ id: idOf(1, 2), email: 'bia@farm.br', email_key: 'bia@farm.br' });
    await atGateway(
      insert(user, bia),
      insert(farm, aFarm({ owner_id: bia.id })),
      insert(controlPoint, aControlPoint(1, { owner_id: bia.id })),
    );
    await meet();
    for (const table of ['farms', 'control_points'] as const)
      expect(await shown(hosted, table)).toEqual(await shown(gateway, table));
    expect(await shown(gateway, 'farms')).toMatchObject([{ owner_id: ana }]);
    expect(await shown(gateway, 'control_points')).toMatchObject([{ owner_id: ana }]);
  });

  it('holds to what is its own when the other side wrote it all the same, and says so', async () => {
    await aFarmOnBoth();
    hostedNow += 1_000;
    await atHosted(update(controlPoint, aControlPoint(1).id, { target_status: 'ON', version: 9 }));
    await meet();
    expect(await shown(gateway, 'control_points')).toMatchObject([{ target_status: 'OFF', version: 1 }]);
    await meet();
    await same('control_points');
  });

  it('keeps aside what names a row that has not come, and takes it in with that row', async () => {
    await aFarmOnBoth();
    await atGateway(insert(pond, aPond(2)));
    await atGateway(
      update(pond, aPond(2).id, { cod: 'Neu' }),
      insert(measurement, aMeasurement(1, { pond_id: aPond(2).id })),
    );
    const { logged } = await import('./two-sides.ts');
    const core = await logged(gateway, 1, 'core', 3);
    const history = await logged(gateway, 1, 'history');
    const hear = (lane: 'core' | 'history', changes: typeof core) =>
      hosted.commit({
        actor: null,
        changes: [],
        incoming: { from: 'gateway', streamId: STREAM, lane, changes },
      });
    expect((await hear('history', history)).merged?.parked).toEqual([
      { seq: 1, reason: `parent:ponds/${aPond(2).id}` },
    ]);
    expect((await hear('core', core.slice(1))).merged?.parked).toMatchObject([
      { reason: `absent:ponds/${aPond(2).id}` },
    ]);
    expect((await hear('core', core.slice(0, 1))).merged).toMatchObject({
      parked: [],
      unparked: 2,
      conflicts: 0,
    });
    await same('ponds', 'measurements');
    expect(await hosted.read.selectFrom('sync_parked').select('id').execute()).toEqual([]);
  });

  it('sets a stamp of the far future anew, once and in order, and the gateway comes back to the present', async () => {
    await aFarmOnBoth();
    gatewayNow = Date.UTC(2036, 0, 1);
    await atGateway(update(pond, aPond(1).id, { cod: 'one' }), insert(pond, aPond(2)));
    await atGateway(update(pond, aPond(1).id, { cod: 'two' }));
    await push(gateway, hosted);
    hostedNow += 1_000;
    await atHosted(update(pond, aPond(1).id, { cod: 'three' }));
    gatewayNow = hostedNow;
    await pull(gateway, hosted);
    await same('ponds');
    expect(await shown(gateway, 'ponds')).toMatchObject([{ cod: 'three' }, { cod: 'V-2' }]);
    await atGateway(update(pond, aPond(1).id, { cod: 'four' }));
    await meet();
    await same('ponds');
    expect(await hosted.read.selectFrom('sync_restamps').select('seq').orderBy('seq').execute()).toHaveLength(
      3,
    );
    expect(await shown(hosted, 'ponds')).toMatchObject([{ cod: 'four' }, { cod: 'V-2' }]);
  });
});
