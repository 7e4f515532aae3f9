import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { insert } from '#core/changes.ts';
import { type App, aControlPoint, aFarmWith, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

type Json = Record<string, unknown>;

onBothEngines('changes that lost while gateway and cloud could not talk', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let onFarm: string;
  let farmId: string;
  let pondId: string;

  beforeAll(async () => {
    apps = await syncedApps(engine);
    owner = await apps.hosted.signUp({ email: 'dona@fazenda.test' });
    const local = await aFarmWith(apps.gateway);
    farmId = local.farmId;
    await apps.pairWith(owner);
    onFarm = await apps.logInOnFarm('dona@fazenda.test');
    pondId = await aPond('V-1');
  });
  afterAll(() => apps.close());

  const hostedAs = (method: string, path: string, sent?: unknown) =>
    apps.hosted.call(method, path, { token: owner.token, ...(sent === undefined ? {} : { body: sent }) });
  const farmAs = (method: string, path: string, sent?: unknown) =>
    apps.gateway.call(method, path, { token: onFarm, ...(sent === undefined ? {} : { body: sent }) });
  async function aPond(cod: string): Promise<string> {
    const made = await farmAs('POST', '/ponds/', { farm_id: farmId, cod, size_m2: 1_000 });
    await apps.settled();
    return String(body(made)['id']);
  }
  const open = async (side: typeof hostedAs): Promise<Json[]> =>
    (await side('GET', `/sync/conflicts?farm_id=${farmId}&state=open`)).body as Json[];
  const told = async (app: App): Promise<Json[]> => {
    await app.syncConflicts.told();
    await apps.settled();
    const rows = await app.database.read
      .selectFrom('notifications')
      .select(['user_id', 'data'])
      .where('type', '=', 'SYSTEM')
      .execute();
    return rows.filter(({ data }) => String(data).includes('sync_conflict'));
  };
  /** Both change the same while the link is down; the later one, of the hosted instance, stands. */
  async function bothChange(path: string, here: Json, there: Json): Promise<void> {
    await apps.linkDown();
    expect((await farmAs('PUT', path, here)).status).toBe(200);
    apps.advance(60_000);
    expect((await hostedAs('PUT', path, there)).status).toBe(200);
    await apps.linkUp();
  }

  it('are listed on both sides with both versions, who said them and when, and told once', async () => {
    await bothChange(`/ponds/${pondId}`, { size_m2: 1_200 }, { size_m2: 1_500 });
    for (const side of [hostedAs, farmAs]) {
      const [conflict, ...others] = await open(side);
      expect(others).toEqual([]);
      expect(conflict).toMatchObject({
        table: 'ponds',
        row_name: 'V-1',
        rule: 'last_writer',
        fields: expect.arrayContaining(['size_m2']),
        kept: { values: { size_m2: 1_500 } },
        dropped: { values: { size_m2: 1_200 }, by: owner.user.id },
        is_restorable: true,
      });
      expect(String(conflict?.['rule_text'])).toMatch(/gateway/);
    }
    expect(await told(apps.hosted)).toEqual([
      { user_id: owner.user.id, data: expect.stringContaining('conflict_ids') },
    ]);
    expect(await told(apps.gateway)).toHaveLength(1);
    const entries = await apps.hosted.database.read
      .selectFrom('logs')
      .select('id')
      .where('action', '=', 'sync_conflict')
      .execute();
    expect(entries).toHaveLength(1);
  });

  it('are made again with one word, as a change that goes to the other side, and only once', async () => {
    const [conflict] = await open(farmAs);
    const path = `/sync/conflicts/${conflict?.['id']}`;
    expect(body(await farmAs('POST', `${path}/restore`))).toMatchObject({ state: 'restored' });
    expect((await farmAs('POST', `${path}/restore`)).status).toBe(200);
    await apps.settled();
    const [pond] = (await hostedAs('GET', `/ponds/?farm_id=${farmId}`)).body as Json[];
    expect(pond).toMatchObject({ size_m2: 1_200 });
    // on the other side there is nothing left to decide
    expect(await open(hostedAs)).toEqual([]);
    expect(await hostedAs('POST', `${path}/restore`)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT_SETTLED' },
    });
    expect((await farmAs('POST', `${path}/confirm`)).status).toBe(409);
  });

  it('may stay as they are', async () => {
    await bothChange(`/ponds/${pondId}`, { size_m2: 700 }, { size_m2: 800 });
    const [conflict] = await open(hostedAs);
    const path = `/sync/conflicts/${conflict?.['id']}/confirm`;
    expect(body(await hostedAs('POST', path))).toMatchObject({ state: 'confirmed' });
    expect((await hostedAs('POST', path)).status).toBe(200);
    expect(await open(hostedAs)).toEqual([]);
  });

  it('against a deletion bring the row back, and what it says stands again', async () => {
    const second = await aPond('V-2');
    await apps.linkDown();
    expect((await farmAs('PUT', `/ponds/${second}`, { size_m2: 2_222 })).status).toBe(200);
    apps.advance(60_000);
    expect((await hostedAs('DELETE', `/ponds/${second}`)).status).toBe(204);
    await apps.linkUp();
    const [conflict] = (await open(hostedAs)).filter(({ row_id }) => row_id === second);
    expect(conflict).toMatchObject({ rule: 'delete_wins', kept: { values: {} }, row_name: 'V-2' });
    expect((await hostedAs('POST', `/sync/conflicts/${conflict?.['id']}/restore`)).status).toBe(200);
    await apps.settled();
    expect((await farmAs('GET', `/ponds/${second}`)).body).toMatchObject({ size_m2: 2_222 });
  });

  it('against a deletion are refused while an aerator that would come back has a name that another one has now', async () => {
    const [gone, other] = [await aPond('V-3'), await aPond('V-4')];
    const aerator = (pond_id: string) => ({ pond_id, name: 'A', device_id: 'serial-3', power_kw: 1 });
    expect((await farmAs('POST', '/aerators/', aerator(gone))).status).toBe(201);
    await apps.settled();
    await apps.linkDown();
    expect((await farmAs('PUT', `/ponds/${gone}`, { size_m2: 3_333 })).status).toBe(200);
    apps.advance(60_000);
    expect((await hostedAs('DELETE', `/ponds/${gone}`)).status).toBe(204);
    await apps.linkUp();
    const taking = await farmAs('POST', '/aerators/', aerator(other));
    expect(taking.status).toBe(201);
    await apps.settled();
    const [conflict] = (await open(hostedAs)).filter(({ row_id }) => row_id === gone);
    const restore = () => hostedAs('POST', `/sync/conflicts/${conflict?.['id']}/restore`);
    const refused = await restore();
    expect(refused).toMatchObject({ status: 409, body: { code: 'ALREADY_EXISTS' } });
    expect(body(refused)['detail']).toContain('serial-3');
    expect((await farmAs('DELETE', `/aerators/${String(body(taking)['id'])}`)).status).toBe(204);
    await apps.settled();
    expect((await restore()).status).toBe(200);
  });

  it('over a code that is taken by now are refused with the reason', async () => {
    await apps.linkDown();
    const here = await aControlPoint(apps.gateway, { token: onFarm, farmId, cod: 'Aerador' });
    apps.advance(60_000);
    await aControlPoint(apps.hosted, { token: owner.token, farmId, cod: 'Aerador' });
    await apps.linkUp();
    const renamed = (await open(hostedAs)).filter(({ rule }) => rule === 'renamed');
    expect(renamed).toMatchObject([{ table: 'control_points', dropped: { values: { cod: 'Aerador' } } }]);
    const refused = await hostedAs('POST', `/sync/conflicts/${renamed[0]?.['id']}/restore`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'ALREADY_EXISTS' } });
    expect(here.cod).toBe('Aerador');
  });

  it('are nobody else’s business, and a viewer decides nothing', async () => {
    await bothChange(`/ponds/${pondId}`, { size_m2: 901 }, { size_m2: 902 });
    const [conflict] = (await open(hostedAs)).filter(({ table }) => table === 'ponds');
    const path = `/sync/conflicts/${conflict?.['id']}/restore`;
    const stranger = await apps.hosted.signUp();
    expect((await apps.hosted.call('GET', '/sync/conflicts', { token: stranger.token })).body).toEqual([]);
    expect((await apps.hosted.call('POST', path, { token: stranger.token })).status).toBe(404);
    const viewer = await apps.hosted.signUp();
    const member = {
      id: apps.hosted.kernel.newId(),
      farm_id: farmId,
      user_id: viewer.user.id,
      role: 'VIEWER' as const,
    };
    await apps.hosted.kernel.commit({
      actor: null,
      changes: [insert(farmMember, { ...member, created_at: '2026-03-01T12:00:00.000Z', updated_at: null })],
    });
    expect((await apps.hosted.call('POST', path, { token: viewer.token })).status).toBe(403);
  });

  it('are told to nobody that a gateway made up as who edited; the owner of the farm hears of it', async () => {
    const { kernel, database } = apps.hosted;
    const stranger = await apps.hosted.signUp();
    const stored = await database.read.selectFrom('sync_conflicts').selectAll().execute();
    const known = stored.find((row) => row.farm_id === farmId);
    if (known === undefined) throw new Error('there was one before');
    const forged = { ...known, id: kernel.newId(), dropped_by: stranger.user.id, state: 'open' as const };
    // of a person's own row, too, which belongs to no farm
    const ofNoFarm = { ...forged, id: kernel.newId(), farm_id: null, row_id: owner.user.id };
    const before = (await told(apps.hosted)).length;
    await kernel.commit({
      actor: null,
      changes: [forged, ofNoFarm].map((row) => insert(syncConflict, row as RowOf<typeof syncConflict>)),
    });
    const heard = await told(apps.hosted);
    expect(heard.filter(({ user_id }) => user_id === stranger.user.id)).toEqual([]);
    expect(heard.length).toBe(before + 1);
  });

  it('are superseded by the next change, and forgotten after a quarter of a year', async () => {
    await hostedAs('PUT', `/ponds/${pondId}`, { size_m2: 950 });
    const mine = (await hostedAs('GET', '/sync/conflicts?state=superseded')).body as Json[];
    expect(mine.map(({ row_id }) => row_id)).toContain(pondId);
    apps.advance(91 * 86_400_000);
    await apps.hosted.syncConflicts.sweep();
    const { read } = apps.hosted.database;
    expect(await read.selectFrom('sync_conflicts').select('id').execute()).toEqual([]);
  });
});
