import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '#contract/resource.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { type App, aControlPoint, body, type MadeControlPoint } from '#test/app.ts';
import { aStockedFarm } from '#test/stocked-farm.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// What a hosted instance in other hands says of what a gateway controls: it knows every row, every stamp and every rule.

const HIGHEST = 'fffffffffffe.ffff.c0badbad';
/** As if the gateway itself had said it. */
const OF_THE_GATEWAY = 'fffffffffffe.ffff.0badbad0';

let apps: SyncedApps;
let gateway: App;
let farm: Awaited<ReturnType<typeof aStockedFarm>>;
let point: MadeControlPoint;

beforeAll(async () => {
  apps = await syncedApps('sqlite');
  gateway = apps.gateway;
  farm = await aStockedFarm(gateway);
  point = await aControlPoint(gateway, { token: farm.token, farmId: farm.farmId });
  await apps.pairWith(await apps.hosted.signUp());
  await apps.linkDown();
});
afterAll(() => apps.close());

type Told = Pick<WireChange, 'id' | 'hlc' | 'body'> & { resource: Pick<Resource, 'entity'> };
const asChange = ({ resource, ...told }: Told, base: WireChange['base'], at = 0): WireChange => ({
  ...told,
  entity: resource.entity,
  op: 1,
  cl: 1,
  over: null,
  base,
  actor: null,
  sv: SYNC_SCHEMA,
  seq: at + 1,
  tx: 1,
  chain: 'a'.repeat(32),
});
const pulled = (changes: WireChange[]) =>
  gateway.database.commit({
    actor: null,
    changes: [],
    incoming: { from: 'hosted', streamId: 1, lane: 'core', changes },
  });
const snapshot = (told: Told[]) =>
  gateway.database.commit({
    actor: null,
    changes: [],
    snapshot: {
      streamId: 1,
      rows: told.map(({ resource: { entity }, id, hlc, body }) => ({
        entity,
        id,
        cl: 1,
        hlc,
        over: {},
        body: body ?? {},
      })),
    },
  });
const rowOf = async (table: 'control_points' | 'aerators', id: string) =>
  await gateway.database.read.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const view = () => gateway.control.registry.byId(point.id);

const standing = async () => ({ view: view()?.row, stored: await rowOf('control_points', point.id) });
type Standing = Awaited<ReturnType<typeof standing>>;
/** What the motor at the farm hears, and what holds it. */
const controlled = ({ stored }: Standing) => {
  const { device_id, farm_id, target_status, version, epoch, locked_out, base_target } = stored;
  return { device_id, farm_id, target_status, version, epoch, locked_out, base_target };
};
const wholeRow = async (set: Record<string, unknown>) => {
  const told = view();
  if (told == null) throw new Error('not controlled here');
  const { rev: _rev, ...row } = told.row;
  return { ...row, ...set };
};

it.each([
  ['as ordered by somebody at the farm', 'LOCAL'],
  ['as ordered from afar', 'REMOTE'],
] as const)('moves no motor by a row that tells of an order, %s', async (_what, origin) => {
  const before = await standing();
  const at = new Date(gateway.clock.now()).toISOString();
  const tell = (id: string, over: Record<string, unknown> = {}) => ({
    resource: order,
    id,
    hlc: OF_THE_GATEWAY,
    body: {
      id,
      control_point_id: point.id,
      target_status: before.stored.target_status === 'ON' ? 'OFF' : 'ON',
      origin,
      issued_by: farm.userId,
      reason: null,
      version: Number(before.stored.version) + 5,
      epoch: before.stored.epoch,
      issued_at: at,
      hold_until: null,
      state: 'ACKED',
      state_at: at,
      clock_quality: 'trusted',
      ...over,
    },
  });
  const [pulledId, shownId] = [gateway.kernel.newId(), gateway.kernel.newId()];
  await pulled([asChange(tell(pulledId), null)]);
  await snapshot([tell(shownId)]);
  // and again, as one that holds after all
  await snapshot([{ ...tell(shownId, { state: 'DONE' }), hlc: HIGHEST }]);
  gateway.clock.advance(2_000);
  await gateway.control.executor.tick();
  expect(controlled(await standing())).toEqual(controlled(before));
  // it is history all the same
  const told = await gateway.database.read.selectFrom('orders').select(['id', 'state']).execute();
  expect(told.filter(({ id }) => id === pulledId || id === shownId).map(({ state }) => state)).toEqual([
    'EXPIRED',
    'EXPIRED',
  ]);
});

it('takes no name from a control point, by no stamp, edit, clash or snapshot', async () => {
  const before = await standing();
  const name = { device_id: { device_id: 'of-the-spy' } };
  for (const hlc of [HIGHEST, OF_THE_GATEWAY, `${HIGHEST}!`])
    await pulled([asChange({ resource: controlPoint, id: point.id, hlc, body: name }, { device_id: '' })]);
  for (const hlc of [HIGHEST, OF_THE_GATEWAY])
    await snapshot([
      { resource: controlPoint, id: point.id, hlc, body: await wholeRow({ device_id: 'of-the-spy' }) },
    ]);
  // the same name, said again far away, and then claimed by another one as if it had been first
  const same = { device_id: { device_id: point.device_id } };
  await pulled([
    asChange({ resource: controlPoint, id: point.id, hlc: HIGHEST, body: same }, { device_id: '' }),
  ]);
  for (const hlc of ['000000000001.0000.0badbad0', '000000000001.0000.c0badbad']) {
    const id = gateway.kernel.newId();
    const other = await wholeRow({ id, cod: `X-${id}` });
    await pulled([asChange({ resource: controlPoint, id, hlc, body: other }, null)]);
    const { device_id } = await rowOf('control_points', id);
    expect(device_id).toMatch(/^.+~[a-z2-9]{5}$/);
  }
  const after = await standing();
  expect(controlled(after)).toEqual(controlled(before));
  expect(after.view?.device_id).toBe(point.device_id);
});

it('takes no name from an aerator, and gives it no other', async () => {
  const made = await gateway.call('POST', '/aerators/', {
    token: farm.token,
    body: { pond_id: farm.ponds[0]?.id, name: 'Pá 1', device_id: 'pa-1', power_kw: 1.5 },
  });
  const id = String(body(made)['id']);
  const name = { device_id: { device_id: 'of-the-spy' } };
  await pulled([asChange({ resource: aerator, id, hlc: HIGHEST, body: name }, { device_id: '' })]);
  const { rev: _rev, hidden: _hidden, ...row } = await rowOf('aerators', id);
  const clash = gateway.kernel.newId();
  const hlc = '000000000001.0000.0badbad0';
  await pulled([asChange({ resource: aerator, id: clash, hlc, body: { ...row, id: clash } }, null)]);
  await snapshot([{ resource: aerator, id, hlc: OF_THE_GATEWAY, body: { ...row, device_id: 'of-the-spy' } }]);
  expect((await rowOf('aerators', id)).device_id).toBe('pa-1');
});

it('lifts no lock, and switches nothing, by a snapshot that it had the gateway ask for', async () => {
  const path = `/control-points/${point.id}/lock-out`;
  const locked = await gateway.call('POST', path, { token: farm.token, body: { reason: 'mão no motor' } });
  expect(locked.status).toBe(200);
  const before = await standing();
  const forged = {
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    target_status: 'ON',
    base_target: 'ON',
    version: 40,
    epoch: 'of-the-spy',
  };
  for (const hlc of [HIGHEST, OF_THE_GATEWAY])
    await snapshot([{ resource: controlPoint, id: point.id, hlc, body: await wholeRow(forged) }]);
  gateway.clock.advance(2_000);
  await gateway.control.executor.tick();
  expect(controlled(await standing())).toEqual(controlled(before));
  await gateway.call('DELETE', path, { token: farm.token });
  // a lock that only the other side still knows of is set: whoever stands at the motor may rest on it
  const set = {
    locked_out: true,
    lock_out_reason: 'x',
    lock_out_by: null,
    lock_out_at: new Date().toISOString(),
  };
  await snapshot([
    { resource: controlPoint, id: point.id, hlc: 'ffffffffffff.ffff.0badbad0', body: await wholeRow(set) },
  ]);
  expect((await standing()).stored.locked_out).toBe(1);
  await gateway.call('DELETE', path, { token: farm.token });
});

it('keeps no order of the schedule from being carried out by merges without a pause', async () => {
  const at = gateway.clock.now();
  const made = await gateway.call('POST', `/control-points/${point.id}/schedules`, {
    token: farm.token,
    body: {
      action: (await standing()).stored.target_status === 'ON' ? 'OFF' : 'ON',
      start_time: new Date(at + 60_000).toISOString(),
    },
  });
  expect(made.status).toBe(201);
  const wanted = (await standing()).stored.target_status === 'ON' ? 'OFF' : 'ON';
  const flood = { isOn: true, merged: 0 };
  const line = async (nth: number) => {
    for (; flood.isOn; flood.merged += 1) {
      const cod = { cod: { cod: `C-${nth}-${flood.merged}` } };
      const hlc = formatHlc(gateway.clock.now() + flood.merged, nth, 'c0badbad');
      await pulled([asChange({ resource: controlPoint, id: point.id, hlc, body: cod }, { cod: '' })]);
    }
  };
  const lines = [1, 2, 3].map(line);
  gateway.sentences.length = 0;
  gateway.clock.advance(61_000);
  while (flood.merged < 60) {
    await gateway.control.executor.tick();
    await turn();
  }
  flood.isOn = false;
  await Promise.all(lines);
  expect(flood.merged).toBeGreaterThan(10);
  expect(gateway.sentences.filter(({ level }) => level === 'error')).toEqual([]);
  expect((await standing()).stored.target_status).toBe(wanted);
});
