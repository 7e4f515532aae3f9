import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeRow } from '#adapters/sql/tables.ts';
import type { Resource } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import { batch, harvest } from '#contract/resources/batches.ts';
import { farmRecord } from '#contract/resources/farm-records.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { pond } from '#contract/resources/ponds.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { insert, put } from '#core/changes.ts';
import type { Owned } from '#core/route.ts';
import { formatHlc } from '#store/hlc.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm } from '#test/farm-rows.ts';
import { bindFarm } from '../../features/control/commands/a-bound-farm.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';
import { rowsIn } from './random-changes.ts';

type Row = Record<string, unknown>;

// Alerts, transfers and log entries name other things: ponds, controllers, batches, people. A gateway names its own alone.

onBothEngines('a gateway that names what is not its own', (_open, engine) => {
  let its: SpysGateway;
  let own: Record<Owned, string>;
  let foreign: Record<Owned, string>;
  /** Of the same owner and the same gateway as `own`. */
  let second: Record<Owned, string>;
  let stream: Awaited<ReturnType<typeof bindFarm>>;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
    own = await aFarm(its.app.kernel, its.spy.user.id);
    foreign = await aFarm(its.app.kernel, its.victim.user.id);
    stream = await bindFarm(its.app, own.farm, its.spy.user.id);
    second = await aFarm(its.app.kernel, its.spy.user.id);
    const bound_at = new Date(its.app.clock.now()).toISOString();
    await its.app.kernel.commit({
      actor: null,
      changes: [put(syncFarm, { id: second.farm, stream_id: stream.streamId, bound_at })],
    });
    for (const of of [own, foreign])
      await its.app.kernel.commit({
        actor: null,
        changes: [insert(logEntry, aLog(of, of === own ? its.spy.user.id : its.victim.user.id))],
      });
  });
  afterAll(() => its.app.close());

  const aLog = (of: Record<Owned, string>, user_id: string) => ({
    id: its.app.kernel.newId(),
    farm_id: of.farm,
    entity_type: 'CONTROL_POINT' as const,
    entity_id: of.control_point,
    entity_name: 'V-1',
    action: 'update',
    user_id,
    origin: null,
    details: null,
    timestamp: new Date(its.app.clock.now()).toISOString(),
    clock_quality: 'trusted' as const,
  });

  let counter = 0;
  const said = (
    change: Pick<WireChange, 'entity' | 'id' | 'body' | 'base'> & { cl?: number; op?: 1 | 2 },
  ) => {
    counter += 1;
    const hlc = formatHlc(its.app.clock.now() + counter, 0, GATEWAY_NODE);
    const told = { op: 1 as const, cl: 1, over: null, actor: its.victim.user.id, hlc, ...change };
    return its.app.kernel.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId: stream.streamId,
        lane: 'core',
        changes: [{ ...told, seq: counter, tx: 1, sv: SYNC_SCHEMA, chain: 'a'.repeat(32) }],
      },
    });
  };
  /** A row of the spy's farm, as the wire has it, under another id. */
  async function likeOwn<R extends Resource<never>>(resource: R, where: [string, string]): Promise<Row> {
    const stored = await its.app.database.read
      .selectFrom(resource.name as 'alerts')
      .selectAll()
      .where(where[0] as 'farm_id', '=', where[1])
      .limit(1)
      .executeTakeFirstOrThrow();
    const row = decodeRow(resource as unknown as Resource, stored as never) as Row;
    return { ...row, id: its.app.kernel.newId() };
  }
  /** All of the other farm, and what its people see of it. */
  async function ofTheVictim(): Promise<unknown> {
    const rows = await rowsIn(its.app, new Set(['sync_parked', 'sync_conflicts']));
    const ids = new Set(Object.values(foreign));
    // what the spy itself is told, of animals that its own gateway moved twice, comes a moment later
    const below = [...rows].filter(
      ([key, row]) =>
        ids.has(key.split(' ')[1] ?? '') || (key.includes('notifications') && !row.includes(its.spy.user.id)),
    );
    const seen = await Promise.all(
      [
        `/alerts/?farm_id=${foreign.farm}`,
        `/logs/farm/${foreign.farm}/control-points`,
        `/logs/control-points/${foreign.control_point}`,
        `/logs/ponds/${foreign.pond}`,
        `/logs/farms/${foreign.farm}`,
        `/farms/${foreign.farm}/energy`,
        '/notifications/',
        `/ponds/${foreign.pond}`,
      ].map(async (path) => (await its.call(its.victim, 'GET', path)).body),
    );
    return { below, seen };
  }

  const alerts = { resource: alert, where: (): [string, string] => ['farm_id', own.farm] };
  const transfers = { resource: transfer, where: (): [string, string] => ['batch_id', own.batch] };
  it.each([
    [
      'an alert of its farm on a foreign controller',
      alerts,
      () => ({ control_point_id: foreign.control_point }),
    ],
    ['an alert of its farm in a foreign pond', alerts, () => ({ pond_id: foreign.pond })],
    ['an alert of a foreign farm', alerts, () => ({ farm_id: foreign.farm })],
    ['a transfer out of a foreign pond', transfers, () => ({ source_pond_id: foreign.pond })],
    ['a transfer into a foreign pond', transfers, () => ({ destination_pond_id: foreign.pond })],
    ['a transfer of a foreign batch', transfers, () => ({ batch_id: foreign.batch })],
    [
      'a log entry of a foreign farm',
      { resource: logEntry, where: (): [string, string] => ['farm_id', own.farm] },
      () => ({ farm_id: foreign.farm, entity_id: foreign.control_point, user_id: its.victim.user.id }),
    ],
  ])('writes %s in vain', async (_what, { resource, where }, swap) => {
    const before = await ofTheVictim();
    const row: Row = { ...(await likeOwn(resource as never, where())), ...swap() };
    const { merged } = await said({
      entity: resource.entity,
      id: row['id'] as string,
      base: null,
      body: row,
    });
    expect(merged?.parked.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^(tenant|parent|refused):/),
    ]);
    const stored = (await rowsIn(its.app, new Set(['sync_parked']))).get(
      `${resource.name} ${String(row['id'])}`,
    );
    expect(stored).toBeUndefined();
    expect(await ofTheVictim()).toEqual(before);
    // the same with names of its own is taken: or nothing would have been tried
    const fine: Row = await likeOwn(resource as never, where());
    const { merged: taken } = await said({
      entity: resource.entity,
      id: fine['id'] as string,
      base: null,
      body: fine,
    });
    expect(taken).toMatchObject({ parked: [], applied: 1 });
  });

  it.each([
    ['an alert', alert, 'farm_id', 'control_point_id', 'control_point'],
    ['an alert', alert, 'farm_id', 'pond_id', 'pond'],
    ['a pond', pond, 'farm_id', 'control_point_id', 'control_point'],
    ['a batch', batch, 'farm_id', 'pond_id', 'pond'],
    ['a feeding', feedingRecord, 'batch_id', 'pond_id', 'pond'],
    ['a harvest', harvest, 'batch_id', 'pond_id', 'pond'],
    ['a treatment', farmRecord, 'farm_id', 'pond_id', 'pond'],
  ] as const)(
    'makes %s of one of its farms that names something of another of them in vain',
    async (_what, made, of, column, thing) => {
      const resource = made as unknown as Resource<never>;
      const { entity } = resource as unknown as Resource;
      const [key, ours]: [string, string] = [of, of === 'farm_id' ? own.farm : own.batch];
      const fresh = async () => ({
        ...(await likeOwn(resource, [key, ours])),
        ...('numeric_id' in made.row.shape ? { numeric_id: Math.floor(Math.random() * 2 ** 47) } : {}),
        ...(made.name === 'batches' ? { batch_code: randomUUID() } : {}),
      });
      const row: Row = { ...(await fresh()), [column]: second[thing] };
      const id = String(row['id']);
      const { merged } = await said({ entity, id, base: null, body: row });
      expect(merged?.parked.map(({ reason }) => reason)).toEqual([`tenant:${made.name}/${id}`]);
      expect((await rowsIn(its.app, new Set(['sync_parked']))).has(`${made.name} ${id}`)).toBe(false);
      const fine: Row = { ...(await fresh()), [column]: own[thing] };
      const taken = await said({ entity, id: String(fine['id']), base: null, body: fine });
      expect(taken.merged).toMatchObject({ parked: [], applied: 1 });
    },
  );

  it('takes a pond that stands to another of its farms in vain, however late it says that it was made', async () => {
    const stored = await likeOwn(pond as never, ['farm_id', own.farm]);
    const row: Row = { ...stored, id: own.pond, farm_id: second.farm };
    its.app.clock.advance(60_000);
    await said({ entity: pond.entity, id: own.pond, base: null, body: row });
    const found = await its.app.database.read
      .selectFrom('ponds')
      .select('farm_id')
      .where('id', '=', own.pond)
      .executeTakeFirstOrThrow();
    expect(found.farm_id).toBe(own.farm);
  });

  it('moves animals to another farm of its owner, as people do', async () => {
    const row: Row = {
      ...(await likeOwn(transfer as never, transfers.where())),
      numeric_id: Math.floor(Math.random() * 2 ** 47),
      destination_pond_id: second.pond,
    };
    const { merged } = await said({ entity: transfer.entity, id: String(row['id']), base: null, body: row });
    expect(merged).toMatchObject({ parked: [], applied: 1 });
    // and a later word on where they went, over the one before it
    const { hlc } = await its.app.database.read
      .selectFrom('sync_register')
      .select('hlc')
      .where('id', '=', String(row['id']))
      .executeTakeFirstOrThrow();
    its.app.clock.advance(60_000);
    const fields = transfer.groups['moved']?.fields ?? [];
    const before = Object.fromEntries(fields.map((name) => [name, row[name]]));
    const moved = { ...before, source_pond_id: second.pond, destination_pond_id: own.pond };
    await said({ entity: transfer.entity, id: String(row['id']), base: { moved: hlc }, body: { moved } });
    const stands = (await rowsIn(its.app, new Set())).get(`transfers ${String(row['id'])}`);
    expect(JSON.parse(stands ?? '')).toMatchObject({
      source_pond_id: second.pond,
      destination_pond_id: own.pond,
    });
  });

  it('hears no name of whom its own log and its own alerts name, and both stand in no list of theirs', async () => {
    const { spy, victim } = its;
    const before = await ofTheVictim();
    const row = {
      ...aLog(own, victim.user.id),
      entity_id: foreign.control_point,
      entity_name: 'CP',
      // hours of a motor, and what they cost, are counted from these
      action: 'status_changed',
      details: { from: 'OFF', to: 'ON' },
      timestamp: new Date(its.app.clock.now() - 5 * 3_600_000).toISOString(),
    };
    await said({ entity: logEntry.entity, id: row.id, base: null, body: row });
    const forged: Row = {
      ...(await likeOwn(alert as never, alerts.where())),
      acknowledged_by: victim.user.id,
      acknowledged_at: row.timestamp,
    };
    await said({ entity: alert.entity, id: String(forged['id']), base: null, body: forged });
    const seen = await Promise.all(
      [`/logs/farm/${own.farm}/control-points`, `/alerts/?farm_id=${own.farm}`].map((path) =>
        its.call(spy, 'GET', path),
      ),
    );
    expect(JSON.stringify(seen[0]?.body)).toContain(row.id);
    expect((await rowsIn(its.app, new Set())).has(`alerts ${String(forged['id'])}`)).toBe(true);
    expect(JSON.stringify(seen)).not.toContain('Nome vizinha');
    expect(await ofTheVictim()).toEqual(before);
  });

  it.each([
    ['changes or deletes an alert', alert, () => foreign.alert],
    ['changes or deletes a transfer', transfer, () => foreign.transfer],
  ] as const)('%s of a foreign farm in vain', async (_what, resource, idOf) => {
    const before = await ofTheVictim();
    const id = idOf();
    for (const [group, { fields }] of Object.entries(
      resource.groups as Record<string, { fields: readonly string[] }>,
    )) {
      const like = await likeOwn(resource as never, resource === alert ? alerts.where() : transfers.where());
      const part = Object.fromEntries(fields.map((name) => [name, like[name]]));
      await said({ entity: resource.entity, id, base: { [group]: '' }, body: { [group]: part } });
    }
    await said({ entity: resource.entity, id, base: null, body: null, op: 2, cl: 2 });
    expect(await ofTheVictim()).toEqual(before);
  });
});
