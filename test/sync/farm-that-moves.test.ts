import { afterAll, beforeAll, expect, test } from 'vitest';
import { aControlPoint, body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// A farm that is taken off its box in the cloud: two boxes must never steer the same aerators for longer than it takes
// the old one to hear of it, and nobody may work there on what goes nowhere.

onBothEngines('a farm that is taken off its box', (_open, engine) => {
  let apps: SyncedApps;
  let owner: SignedUp;
  let gatewayId: string;
  let boxOwner: string;
  const farms: Record<'moves' | 'stays', string> = { moves: '', stays: '' };
  let pondId: string;
  let pointId: string;
  beforeAll(async () => {
    apps = await syncedApps(engine);
    const { hosted } = apps;
    owner = await hosted.signUp({ email: 'owner@farm.test' });
    await apps.pairWith(owner);
    const { id } = await hosted.database.read.selectFrom('gateways').select('id').executeTakeFirstOrThrow();
    gatewayId = id;
    for (const name of ['moves', 'stays'] as const) {
      const made = await hosted.call('POST', '/farms/', { token: owner.token, body: { name } });
      farms[name] = String(body(made)['id']);
      await bind(farms[name]);
    }
    await apps.settled();
    boxOwner = await apps.logInOnFarm('owner@farm.test');
    const pond = { farm_id: farms.moves, cod: 'V-1', size_m2: 1_000 };
    pondId = String(body(await atBox('POST', '/ponds/', pond))['id']);
    pointId = (await aControlPoint(apps.gateway, { token: boxOwner, farmId: farms.moves })).id;
    await apps.settled();
  });
  afterAll(() => apps.close());

  const bind = async (farmId: string) => {
    const given = { token: owner.token, body: { farm_id: farmId } };
    const bound = await apps.hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, given);
    expect(bound.status).toBeLessThan(300);
  };
  const atBox = (method: string, path: string, given?: unknown) =>
    apps.gateway.call(method, path, { token: boxOwner, ...(given === undefined ? {} : { body: given }) });
  const status = async () => body(await atBox('GET', '/sync/status'));
  const targetAtBox = () => apps.gateway.control.registry.byId(pointId)?.row.target_status;

  test('is run and changed there until it hears of it', async () => {
    expect((await atBox('PUT', `/ponds/${pondId}`, { size_m2: 1_100 })).status).toBe(200);
    await apps.settled();
    expect(await status()).toMatchObject({ state: 'connected', moved_farms: [] });
  });

  test('is run there no longer once it heard, takes no change, and can still be read', async () => {
    const { hosted } = apps;
    const path = `/sync/gateways/${gatewayId}/farms/${farms.moves}?force=true`;
    expect((await hosted.call('DELETE', path, { token: owner.token })).status).toBe(204);
    await apps.settled();
    expect(await status()).toMatchObject({
      state: 'farm_moved',
      moved_farms: [{ farm_id: farms.moves }],
      parked: { here: 0, there: 0 },
    });
    const before = targetAtBox();
    const refused = { status: 409, body: { code: 'FARM_MOVED' } };
    expect(await atBox('PUT', `/ponds/${pondId}`, { size_m2: 1_200 })).toMatchObject(refused);
    expect(await atBox('POST', `/control-points/${pointId}/turn-on`)).toMatchObject(refused);
    expect(targetAtBox()).toBe(before);
    expect([...apps.gateway.control.ownViews.all()].map(({ row }) => row.id)).toEqual([]);
    expect((await atBox('GET', `/ponds/${pondId}`)).status).toBe(200);
    // the other farm of the box goes on, and the cloud steers the one that it took
    expect((await atBox('PUT', `/farms/${farms.stays}`, { description: 'vai bem' })).status).toBe(200);
    const inCloud = { token: owner.token, body: { size_m2: 1_300 } };
    expect((await hosted.call('PUT', `/ponds/${pondId}`, inCloud)).status).toBe(200);
    await apps.settled();
    expect((await status())['parked']).toEqual({ here: 0, there: 0 });
  });

  test('is run there again when it comes back, as the cloud has it now', async () => {
    await bind(farms.moves);
    const moved = async () => {
      await apps.settled();
      return (await status())['moved_farms'];
    };
    await expect.poll(moved).toEqual([]);
    expect(body(await atBox('GET', `/ponds/${pondId}`))['size_m2']).toBe(1_300);
    expect((await atBox('PUT', `/ponds/${pondId}`, { size_m2: 1_400 })).status).toBe(200);
    expect([...apps.gateway.control.ownViews.all()].map(({ row }) => row.id)).toEqual([pointId]);
  });
});
