import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { update } from '#core/changes.ts';
import { lettersOf } from '#store/merge/unique-keys.ts';
import { type App, aFarmWith, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const point = (farm_id: string, device_id: string, cod: string) => ({
  farm_id,
  device_id,
  cod,
  target_status: 'OFF',
});

async function keyOf(app: App, token: string, id: string): Promise<string> {
  return String(body(await app.call('POST', `/control-points/${id}/device-key`, { token }))['key']);
}

const beat = (app: App, device_id: string, token?: string, more = {}) =>
  app.call('POST', '/devices/heartbeat', {
    ...(token === undefined ? {} : { token }),
    body: { device_id, current_status: 'OFF', ...more },
  });

onBothEngines('a device name in the cloud', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted', '--allow-unkeyed-devices', '1']);
  });
  afterAll(() => app.close());

  it('is everybody’s own: two farms have one of it, and each controller reaches its own', async () => {
    const [one, two] = [await aFarmWith(app), await aFarmWith(app)];
    const ids: string[] = [];
    for (const { token, farmId } of [one, two]) {
      const made = await app.call('POST', '/control-points/', {
        token,
        body: point(farmId, 'aer-7', 'CP-1'),
      });
      expect(made.status).toBe(201);
      ids.push(String(body(made)['id']));
    }
    const keys = [await keyOf(app, one.token, ids[0] ?? ''), await keyOf(app, two.token, ids[1] ?? '')];
    await app.call('POST', `/control-points/${ids[1]}/turn-on`, { token: two.token });
    expect(body(await beat(app, 'aer-7', keys[0]))).toMatchObject({ target_status: 'OFF' });
    expect(body(await beat(app, 'aer-7', keys[1]))).toMatchObject({ target_status: 'ON' });
    // a user is heard for the own one, and a name alone for neither
    expect(body(await beat(app, 'aer-7', two.token))).toMatchObject({ target_status: 'ON' });
    expect(await beat(app, 'aer-7')).toMatchObject({ status: 401, body: { code: 'DEVICE_KEY_REQUIRED' } });
    const stranger = await app.signUp();
    expect((await beat(app, 'aer-7', stranger.token)).status).toBe(404);
    const shown = await app.call('GET', '/devices/status/aer-7', { token: one.token });
    expect(body(shown)).toMatchObject({ target_status: 'OFF' });
  });

  it('of a deleted farm is free for it as long as nobody of the same owner took it, whatever strangers call theirs', async () => {
    const [{ token, farmId }, stranger] = [await aFarmWith(app), await aFarmWith(app)];
    const ask = (method: string, path: string, sent?: object, by = token) =>
      app.call(method, path, { token: by, ...(sent === undefined ? {} : { body: sent }) });
    const make = async (path: string, sent: object, by = token) =>
      String(body(await ask('POST', path, sent, by))['id']);
    await make('/control-points/', point(farmId, 'aer-9', 'CP-1'));
    const pondId = await make('/ponds/', { farm_id: farmId, cod: 'V-1', size_m2: 1_000, depth_m: 1 });
    await make('/aerators/', { pond_id: pondId, name: 'A', device_id: 'serial-9', power_kw: 1 });
    expect((await ask('DELETE', `/farms/${farmId}`)).status).toBe(204);
    await make('/control-points/', point(stranger.farmId, 'aer-9', 'CP-1'), stranger.token);
    const strange = { farm_id: stranger.farmId, cod: 'V-1', size_m2: 1_000, depth_m: 1 };
    const far = await make('/ponds/', strange, stranger.token);
    await make('/aerators/', { pond_id: far, name: 'A', device_id: 'serial-9', power_kw: 1 }, stranger.token);
    const second = await make('/farms/', { name: 'Sul' });
    const near = await make('/ponds/', { farm_id: second, cod: 'V-2', size_m2: 1_000, depth_m: 1 });
    const taking = await make('/aerators/', { pond_id: near, name: 'B', device_id: 'serial-9', power_kw: 1 });
    const refused = await ask('POST', `/farms/${farmId}/restore`);
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('serial-9') } });
    expect((await ask('DELETE', `/aerators/${taking}`)).status).toBe(204);
    expect((await ask('POST', `/farms/${farmId}/restore`)).status).toBe(200);
  });

  it('stands once among the farms of one owner, for control points and for aerators', async () => {
    const { token, farmId } = await aFarmWith(app);
    const second = body(await app.call('POST', '/farms/', { token, body: { name: 'Sul' } }));
    const ask = (path: string, sent: object) => app.call('POST', path, { token, body: sent });
    expect((await ask('/control-points/', point(farmId, 'aer-8', 'CP-1'))).status).toBe(201);
    const again = await ask('/control-points/', point(String(second['id']), 'aer-8', 'CP-2'));
    expect(again).toMatchObject({ status: 400 });
    const pond = async (farm_id: string) =>
      String(body(await ask('/ponds/', { farm_id, cod: 'V-1', size_m2: 1_000, depth_m: 1 }))['id']);
    const aerator = (pond_id: string) => ({ pond_id, name: 'A', device_id: 'serial-1', power_kw: 1 });
    const [here, there] = [await pond(farmId), await pond(String(second['id']))];
    expect((await ask('/aerators/', aerator(here))).status).toBe(201);
    expect((await ask('/aerators/', aerator(there))).status).toBe(400);
    const other = await aFarmWith(app);
    const pondThere = await app.call('POST', '/ponds/', {
      token: other.token,
      body: { farm_id: other.farmId, cod: 'V-1', size_m2: 1_000, depth_m: 1 },
    });
    const made = await app.call('POST', '/aerators/', {
      token: other.token,
      body: aerator(String(body(pondThere)['id'])),
    });
    expect(made.status).toBe(201);
  });

  it('is given once, whoever asks at the same moment', async () => {
    const { token, farmId } = await aFarmWith(app);
    const asked = await Promise.all(
      ['A', 'B', 'C', 'D'].map((cod) =>
        app.call('POST', '/control-points/', { token, body: point(farmId, 'aer-9', cod) }),
      ),
    );
    expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });
});

onBothEngines('a device name on a farm that is paired', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let farm: { token: string; farmId: string };
  let id: string;
  let key: string;

  beforeAll(async () => {
    apps = await syncedApps(engine);
    const { hosted, gateway } = apps;
    const stranger = await aFarmWith(hosted);
    for (const cod of ['aer-7', 'aer-new'])
      await hosted.call('POST', '/control-points/', {
        token: stranger.token,
        body: point(stranger.farmId, cod, cod),
      });
    owner = await hosted.signUp({ email: 'dona@fazenda.test' });
    farm = await aFarmWith(gateway);
    const made = await gateway.call('POST', '/control-points/', {
      token: farm.token,
      body: point(farm.farmId, 'aer-7', 'CP-1'),
    });
    id = String(body(made)['id']);
    key = await keyOf(gateway, farm.token, id);
    await beat(gateway, 'aer-7', key);
    await apps.pairWith(owner);
  });
  afterAll(() => apps.close());

  const namesOn = async (app: App) => {
    const rows = await app.database.read
      .selectFrom('control_points')
      .select(['cod', 'device_id'])
      .where('farm_id', '=', farm.farmId)
      .where('hidden', '=', 0)
      .orderBy('cod')
      .execute();
    return rows.map(({ cod, device_id }) => `${cod} ${device_id}`);
  };

  it('stays what it is, whoever has one of that name in the cloud, and its key goes on opening', async () => {
    for (const app of [apps.gateway, apps.hosted]) expect(await namesOn(app)).toEqual(['CP-1 aer-7']);
    expect((await beat(apps.gateway, 'aer-7', key)).status).toBe(200);
    const onFarm = await apps.logInOnFarm('dona@fazenda.test');
    const made = await apps.gateway.call('POST', '/control-points/', {
      token: onFarm,
      body: point(farm.farmId, 'aer-new', 'CP-2'),
    });
    expect(made.status).toBe(201);
    await apps.settled();
    for (const app of [apps.gateway, apps.hosted])
      expect(await namesOn(app)).toEqual(['CP-1 aer-7', 'CP-2 aer-new']);
    expect(await apps.hosted.database.read.selectFrom('sync_conflicts').selectAll().execute()).toEqual([]);
  });

  it('given on both sides while they could not talk is the one of the farm, though it came later', async () => {
    await apps.linkDown();
    const there = await apps.hosted.call('POST', '/control-points/', {
      token: owner.token,
      body: point(farm.farmId, 'aer-both', 'CP-3'),
    });
    expect(there.status).toBe(201);
    apps.advance(60_000);
    const here = await apps.gateway.call('POST', '/control-points/', {
      token: farm.token,
      body: point(farm.farmId, 'aer-both', 'CP-4'),
    });
    expect(here.status).toBe(201);
    await apps.linkUp();
    await apps.settled();
    const renamed = `aer-both~${lettersOf(String(body(there)['id']))}`;
    for (const app of [apps.gateway, apps.hosted])
      expect(await namesOn(app)).toEqual(expect.arrayContaining([`CP-3 ${renamed}`, 'CP-4 aer-both']));
  });

  it('that an earlier program took away comes back, unless a controller has the other one by now', async () => {
    const { gateway, hosted } = apps;
    const taken = `aer-7~${lettersOf(id)}`;
    await gateway.kernel.commit({ actor: null, changes: [update(controlPoint, id, { device_id: taken })] });
    await apps.settled();
    expect((await beat(gateway, 'aer-7', key)).status).toBe(404);
    await gateway.control.giveNamesBack();
    await apps.settled();
    for (const app of [gateway, hosted]) expect(await namesOn(app)).toContain('CP-1 aer-7');
    expect((await beat(gateway, 'aer-7', key)).status).toBe(200);
    await gateway.kernel.commit({ actor: null, changes: [update(controlPoint, id, { device_id: taken })] });
    apps.advance(1_000);
    expect((await beat(gateway, taken, key)).status).toBe(200);
    await gateway.control.giveNamesBack();
    expect(await namesOn(gateway)).toContain(`CP-1 ${taken}`);
  });
});

describe('a device name on a box', () => {
  it('stands once for all farms of the box, whoever owns them', async () => {
    const app = await startApp('sqlite');
    try {
      const [one, two] = [await aFarmWith(app), await aFarmWith(app)];
      const make = ({ token, farmId }: typeof one) =>
        app.call('POST', '/control-points/', { token, body: point(farmId, 'aer-7', 'CP-1') });
      expect([(await make(one)).status, (await make(two)).status]).toEqual([201, 400]);
    } finally {
      await app.close();
    }
  });
});
