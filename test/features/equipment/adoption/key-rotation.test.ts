import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFleet } from '#sim/fleet/fleet.ts';
import { body, type MadeControlPoint } from '#test/app.ts';
import { aFarmWithBroker, codeOf, eventually, type Farm } from './adoption-on-the-farm.ts';

describe('rotating the key of a controller', () => {
  let farm: Farm;
  let point: MadeControlPoint;
  let key: string;
  beforeAll(async () => {
    farm = await aFarmWithBroker();
  });
  afterAll(() => farm.close());
  beforeEach(async () => {
    point = await farm.aPoint();
    key = String(body(await farm.call('POST', `/control-points/${point.id}/device-key`))['key']);
  });

  const rotate = () => farm.call('POST', `/control-points/${point.id}/rotate-key`);
  const state = async () => body(await farm.call('GET', `/control-points/${point.id}/rotate-key`))['state'];
  const withKey = async (token: string) =>
    (
      await farm.app.call('POST', '/devices/heartbeat', {
        token,
        body: { device_id: point.device_id, current_status: 'OFF' },
      })
    ).status;
  const keys = async () =>
    ((await farm.call('GET', `/control-points/${point.id}/device-key`)).body as { state: string }[]).map(
      (row) => row.state,
    );

  /** A simulated controller over real MQTT that lives fast. */
  function aController() {
    const fleet = createFleet({
      controllers: [{ device_id: point.device_id, mqtt_id: point.mqtt_id, key, transport: 'mqtt' }],
      httpBase: farm.app.base,
      mqttUrl: farm.mqttUrl,
      seed: 1,
      speed: 50,
    });
    const rekeyed: string[] = [];
    fleet.listen((event) => {
      if (event.kind === 'effect' && event.effect.kind === 'rekey') rekeyed.push(event.effect.key);
    });
    fleet.start();
    onTestFinished(() => fleet.stop());
    return { rekeyed };
  }

  it('goes over MQTT; the controller comes back with the new key and the old one opens nothing', async () => {
    const { rekeyed } = aController();
    await eventually(async () => expect(await keys()).toEqual(['active']));
    expect((await rotate()).status).toBe(202);
    await eventually(async () => expect(await state()).toBe('done'));
    expect(await withKey(key)).toBe(401);
    expect(await withKey(rekeyed[0] ?? '')).toBe(200);
    const stored = await farm.app.database.read.selectFrom('device_keys').selectAll().execute();
    const said = JSON.stringify([stored, farm.app.sentences, await rotate().then((reply) => reply.body)]);
    for (const secret of rekeyed) expect(said).not.toContain(secret);
  });

  it('waits for a controller that is away, and both keys open until the new one is used', async () => {
    expect(await withKey(key)).toBe(200);
    const view = farm.app.control.registry.byId(point.id);
    if (view !== null) view.presence.via = 'mqtt';
    expect(body(await rotate())['state']).toBe('waiting');
    expect(await keys()).toEqual(expect.arrayContaining(['active', 'pending']));
    expect(await withKey(key)).toBe(200);
    aController();
    await eventually(async () => expect(await state()).toBe('done'));
    expect(await withKey(key)).toBe(401);
  });

  it('leaves a controller that never takes the new key with the old one; after a day the new one is void', async () => {
    expect(await withKey(key)).toBe(200);
    const view = farm.app.control.registry.byId(point.id);
    if (view !== null) view.presence.via = 'mqtt';
    await rotate();
    farm.app.clock.advance(25 * 3_600_000);
    expect(await withKey(key)).toBe(200);
    aController();
    await eventually(() => expect(farm.app.control.registry.byId(point.id)?.presence.isConnected).toBe(true));
    expect(await state()).toBe('waiting');
  });

  it('is refused where there is no key in use, and where no command can be sent', async () => {
    expect(codeOf(await rotate())).toBe('NO_KEY_IN_USE');
    await withKey(key);
    expect(codeOf(await rotate())).toBe('NOT_OVER_MQTT');
    expect(await keys()).toEqual(['active']);
  });
});

describe('two boards with one identity', () => {
  it('are told to the people of the farm, once an hour', async () => {
    const farm = await aFarmWithBroker();
    onTestFinished(() => farm.close());
    const point = await farm.aPoint();
    const who = { controlPointId: point.id, deviceId: point.device_id, mqttId: point.mqtt_id, keyId: 'k' };
    for (let n = 0; n < 3; n += 1) farm.app.control.door.identityContested(who, 4);
    await eventually(async () => {
      const { notifications } = body(await farm.call('GET', '/notifications/'));
      expect(notifications).toMatchObject([
        { title: `${point.cod}: dois controladores com a mesma identidade` },
      ]);
    });
  });
});
