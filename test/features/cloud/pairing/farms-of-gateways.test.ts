import { afterAll, beforeAll, expect, test } from 'vitest';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { insert } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { localOf, pair, startBoth } from '#test/paired-apps.ts';
import { aBatchIn } from '#test/stocked-farm.ts';

onBothEngines('farms and the gateways that run them', (_open, engine) => {
  let apps: Awaited<ReturnType<typeof startBoth>>;
  let owner: SignedUp;
  let gatewayId: string;
  beforeAll(async () => {
    apps = await startBoth(engine);
    owner = await apps.hosted.signUp();
    await pair(apps, { token: owner.token, name: 'Bomba 1' });
    gatewayId = localOf(apps.gateway).gatewayId;
  });
  afterAll(() => apps.close());

  async function aFarm(): Promise<string> {
    const made = await apps.hosted.call('POST', '/farms/', {
      token: owner.token,
      body: { name: 'Fazenda Sul' },
    });
    return String(body(made)['id']);
  }

  const stream = (id: string) =>
    apps.hosted.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('gateway_id', '=', id)
      .executeTakeFirstOrThrow();
  const boundTo = async (farmId: string) =>
    (
      await apps.hosted.database.read
        .selectFrom('sync_farms')
        .selectAll()
        .where('id', '=', farmId)
        .executeTakeFirst()
    )?.stream_id ?? null;

  test('a farm without a gateway is handed to one, which then compares everything', async () => {
    const { hosted } = apps;
    const farmId = await aFarm();
    const bind = (token: string, id = gatewayId) =>
      hosted.call('POST', `/sync/gateways/${id}/farms`, { token, body: { farm_id: farmId } });
    const stranger = await hosted.signUp();
    expect((await bind(stranger.token)).status).toBe(404);
    expect((await bind(owner.token)).status).toBe(201);
    const { stream_id, resync } = await stream(gatewayId);
    expect([await boundTo(farmId), resync]).toEqual([stream_id, 'farm bound']);
    const shown = await hosted.call('GET', `/sync/gateways/${gatewayId}`, { token: owner.token });
    expect(body(shown)).toMatchObject({ name: 'Bomba 1', farms: [{ id: farmId, name: 'Fazenda Sul' }] });
    // two must not steer one farm
    const take = (query = '') =>
      hosted.call('DELETE', `/sync/gateways/${gatewayId}/farms/${farmId}${query}`, { token: owner.token });
    expect((await take()).status).toBe(409);
    expect((await take('?force=true')).status).toBe(204);
    expect(await boundTo(farmId)).toBeNull();
  });

  test('animals are not moved to a farm that another gateway runs, which would not hear of them', async () => {
    const { hosted } = apps;
    const call = async (method: 'POST' | 'DELETE', path: string, of: Record<string, unknown>) =>
      hosted.call(method, path, { token: owner.token, body: of });
    const pondOn = async (farm_id: string, cod: string) =>
      body(await call('POST', '/ponds/', { farm_id, cod }));
    const [atGateway, inCloud] = [await aFarm(), await aFarm()];
    const [source, beside, apart] = [
      await pondOn(atGateway, 'V-1'),
      await pondOn(atGateway, 'V-2'),
      await pondOn(inCloud, 'V-1'),
    ];
    const batch = await aBatchIn(
      hosted,
      { farmId: atGateway, ownerId: owner.user.id, pondId: String(source['id']) },
      { initial_count: 10_000, status: 'ACTIVE' },
    );
    await call('POST', `/sync/gateways/${gatewayId}/farms`, { farm_id: atGateway });
    const moveTo = (pond: Record<string, unknown>) =>
      call('POST', '/transfers/', {
        batch_id: batch.id,
        source_pond_id: source['id'],
        destination_pond_id: pond['id'],
        quantity: 1_000,
      });
    const refused = await moveTo(apart);
    expect([refused.status, body(refused)['code']]).toEqual([409, 'FARMS_OF_TWO_GATEWAYS']);
    const moved = await moveTo(beside);
    expect(moved.status).toBe(201);
    const corrected = await hosted.call('PUT', `/transfers/${String(body(moved)['id'])}`, {
      token: owner.token,
      body: { destination_pond_id: apart['id'] },
    });
    expect([corrected.status, body(corrected)['code']]).toEqual([409, 'FARMS_OF_TWO_GATEWAYS']);
    await call('DELETE', `/sync/gateways/${gatewayId}/farms/${atGateway}?force=true`, {});
    expect((await moveTo(apart)).status).toBe(201);
  });

  test('a farm stays on its gateway while a device of a farm in the cloud has the name of one of its own', async () => {
    const { hosted } = apps;
    const [atGateway, inCloud] = [await aFarm(), await aFarm()];
    const point = async (farm_id: string, cod: string, device_id: string) =>
      String(
        body(
          await hosted.call('POST', '/control-points/', {
            token: owner.token,
            body: { farm_id, cod, device_id, target_status: 'OFF' },
          }),
        )['id'],
      );
    const first = await point(atGateway, 'CP-A', 'aer-0001');
    await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: owner.token,
      body: { farm_id: atGateway },
    });
    const second = await point(inCloud, 'CP-B', 'aer-0001');
    const name = (id: string, device_id: string) =>
      hosted.call('PUT', `/control-points/${id}`, { token: owner.token, body: { device_id } });
    const onGateway = await name(first, 'aer-0003');
    expect([onGateway.status, body(onGateway)['code']]).toEqual([409, 'ON_GATEWAY_ONLY']);
    expect(body(onGateway)['detail']).toMatch(
      /if that gateway is gone for good, take the farm off it first$/,
    );
    const take = () =>
      hosted.call('DELETE', `/sync/gateways/${gatewayId}/farms/${atGateway}?force=true`, {
        token: owner.token,
      });
    const refused = await take();
    expect([refused.status, body(refused)['code'], body(refused)['detail']]).toEqual([
      409,
      'NAMES_CLASH',
      'Farms without a gateway have devices of the same name: aer-0001 (Fazenda Sul). Give one of both another name, then take the farm off its gateway',
    ]);
    expect(await boundTo(atGateway)).not.toBeNull();
    await name(second, 'aer-0002');
    expect((await take()).status).toBe(204);
    const names = await hosted.database.read
      .selectFrom('control_points')
      .select(['cod', 'device_id'])
      .where('farm_id', 'in', [atGateway, inCloud])
      .orderBy('cod')
      .execute();
    expect(names).toEqual([
      { cod: 'CP-A', device_id: 'aer-0001' },
      { cod: 'CP-B', device_id: 'aer-0002' },
    ]);
    // whose gateway was gone gives the names here from now on
    expect((await name(first, 'aer-0003')).status).toBe(200);
  });

  test('a gateway in place of a dead one gets its farms, and the dead one is let in no longer', async () => {
    const { hosted } = apps;
    const farmId = await aFarm();
    await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: owner.token,
      body: { farm_id: farmId },
    });
    const heir = await startApp('sqlite', ['--hosted-url', hosted.base]);
    try {
      const stranger = await hosted.signUp();
      await expect(
        pair({ hosted, gateway: heir }, { token: stranger.token, in_place_of: gatewayId }),
      ).rejects.toThrow('Gateway not found');
      await pair({ hosted, gateway: heir }, { token: owner.token, in_place_of: gatewayId });
      const { stream_id } = await stream(localOf(heir).gatewayId);
      expect(await boundTo(farmId)).toBe(stream_id);
      const list = await hosted.call('GET', '/sync/gateways', { token: owner.token });
      expect(list.body).toMatchObject([
        { id: gatewayId, status: 'revoked', farms: [] },
        { id: localOf(heir).gatewayId, status: 'active', farms: [{ id: farmId }] },
      ]);
      await expect(localOf(apps.gateway).sessionToken()).rejects.toThrow('unpaired');
      expect(await localOf(heir).sessionToken()).toBeTruthy();
    } finally {
      await heir.close();
    }
  });

  test('an outage is announced and a gateway renamed by its owner alone', async () => {
    const { hosted } = apps;
    const until = isoOf(hosted.clock.now() + 3_600_000);
    const change = (token: string) =>
      hosted.call('PATCH', `/sync/gateways/${gatewayId}`, {
        token,
        body: { name: 'Casa velha', outage_until: until, outage_reason: 'troca do cartão' },
      });
    expect((await change((await hosted.signUp()).token)).status).toBe(404);
    expect(body(await change(owner.token))).toMatchObject({ name: 'Casa velha', outage_until: until });
    const ended = await hosted.call('PATCH', `/sync/gateways/${gatewayId}`, {
      token: owner.token,
      body: { outage_until: null },
    });
    expect(body(ended)).toMatchObject({ outage_until: null, outage_reason: null });
  });

  test('what another person owns is never bound', async () => {
    const { hosted } = apps;
    const other = await hosted.signUp();
    const made = await hosted.call('POST', '/farms/', { token: other.token, body: { name: 'Alheia' } });
    const farm_id = String(body(made)['id']);
    const reply = await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: owner.token,
      body: { farm_id },
    });
    expect(reply.status).toBe(404);
    // a farm has one gateway at most
    const farmId = await aFarm();
    const { stream_id } = await hosted.database.read
      .selectFrom('gateways')
      .select('stream_id')
      .where('id', '!=', gatewayId)
      .executeTakeFirstOrThrow();
    await hosted.kernel.commit({
      changes: [insert(syncFarm, { id: farmId, stream_id, bound_at: isoOf(hosted.clock.now()) })],
      actor: null,
    });
    const taken = await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: owner.token,
      body: { farm_id: farmId },
    });
    expect([taken.status, body(taken)['code']]).toEqual([409, 'FARM_HAS_GATEWAY']);
  });
});
