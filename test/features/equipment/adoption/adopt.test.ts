import mqtt from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarmWithBroker, CLAIM, codeOf, eventually, type Farm, MAC } from './adoption-on-the-farm.ts';

onBothEngines('a board without a key', (_open, engine) => {
  let farm: Farm;
  let mac: string;
  let count = 0;
  beforeAll(async () => {
    farm = await aFarmWithBroker(engine);
  });
  afterAll(() => farm.close());
  beforeEach(async () => {
    count += 1;
    mac = `${MAC.slice(0, 10)}${count.toString(16).padStart(2, '0')}`;
    await farm.openWindow();
  });

  const waiting = () =>
    eventually(async () =>
      expect((await farm.queue()).find((entry) => entry.mac === mac)).toMatchObject({
        is_waiting: true,
        how: 'claim',
      }),
    );
  const point = () => farm.aPoint();
  const connects = async (who: { mqtt_id: string; key: string }) => {
    const client = await mqtt
      .connectAsync(farm.mqttUrl, {
        clientId: who.mqtt_id,
        username: who.mqtt_id,
        password: who.key,
        protocolVersion: 4,
        reconnectPeriod: 0,
      })
      .catch(() => null);
    await client?.endAsync(true);
    return client !== null;
  };

  it('gets a new control point and its key by the claim code of its label', async () => {
    const board = farm.aBoard({ mac });
    await waiting();
    const made = await farm.call('POST', '/adoption/create', {
      farm_id: farm.farmId,
      cod: `NOVO-${count}`,
      mac,
      claim: CLAIM.toLowerCase(),
    });
    expect([made.status, body(made)]).toMatchObject([
      201,
      { device_id: `aer-${mac}`, delivery: 'claim', key: null },
    ]);
    const identity = await board.identity;
    expect(identity).toMatchObject({ device_id: `aer-${mac}`, cp: `NOVO-${count}`, fail_safe: 'HOLD' });
    expect(await connects(identity)).toBe(true);
    // it has its place, and waits in no queue
    await eventually(async () =>
      expect((await farm.queue()).filter((entry) => entry.mac === mac)).toEqual([]),
    );
  });

  it('gets nothing for the code of another label, and nothing is changed', async () => {
    const before = await point();
    farm.aBoard({ mac });
    await waiting();
    const refused = await farm.call('POST', `/control-points/${before.id}/adopt`, {
      mac,
      claim: 'AAAA-BBBB-CCCC',
    });
    expect([refused.status, codeOf(refused)]).toEqual([422, 'WRONG_CLAIM']);
    const after = body(await farm.call('GET', `/control-points/${before.id}`));
    expect(after['device_id']).toBe(before.device_id);
    const keys = await farm.call('GET', `/control-points/${before.id}/device-key`);
    expect(keys.body).toEqual([]);
  });

  it('is given one key only, though the control point is edited while it stores that', async () => {
    const before = await point();
    const edited: number[] = [];
    let keysGiven = 0;
    const board = farm.aBoard({
      mac,
      async storing() {
        keysGiven += 1;
        const edit = await farm.call('PUT', `/control-points/${before.id}`, { cod: `GATE-${count}` });
        edited.push(edit.status);
      },
    });
    await waiting();
    const adopted = await farm.call('POST', `/control-points/${before.id}/adopt`, { mac, claim: CLAIM });
    expect([adopted.status, edited, keysGiven]).toEqual([200, [200], 1]);
    expect(await connects(await board.identity)).toBe(true);
    const after = await farm.call('GET', `/control-points/${before.id}`);
    expect(body(after)).toMatchObject({ device_id: `aer-${mac}`, cod: `GATE-${count}` });
  });

  it('that cannot store its key leaves the controller in its place', async () => {
    const before = await point();
    farm.aBoard({ mac, cannotStore: true });
    await waiting();
    const refused = await farm.call('POST', `/control-points/${before.id}/replace`, { mac, claim: CLAIM });
    expect([refused.status, codeOf(refused)]).toEqual([409, 'BOARD_REFUSED']);
    expect(body(await farm.call('GET', `/control-points/${before.id}`))['device_id']).toBe(before.device_id);
  });

  it('takes the place of a broken controller: history stays, the old one is out and named', async () => {
    const old = await point();
    const { key } = body(await farm.call('POST', `/control-points/${old.id}/device-key`)) as { key: string };
    const oldOne = await mqtt.connectAsync(farm.mqttUrl, {
      clientId: old.mqtt_id,
      username: old.mqtt_id,
      password: key,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    oldOne.on('error', () => undefined);
    const isOut = new Promise<void>((resolve) => oldOne.once('close', () => resolve()));
    await eventually(async () => {
      const keys = await farm.call('GET', `/control-points/${old.id}/device-key`);
      expect(keys.body).toMatchObject([{ state: 'active' }]);
    });
    const board = farm.aBoard({ mac });
    await waiting();
    const adopted = await farm.call('POST', `/control-points/${old.id}/adopt`, { mac, claim: CLAIM });
    expect([adopted.status, codeOf(adopted)]).toEqual([409, 'HAS_CONTROLLER']);
    const replaced = await farm.call('POST', `/control-points/${old.id}/replace`, { mac, claim: CLAIM });
    expect([replaced.status, body(replaced)]).toMatchObject([
      200,
      { control_point_id: old.id, cod: old.cod, replaced: { device_id: old.device_id, was_connected: true } },
    ]);
    await isOut;
    expect(await connects(await board.identity)).toBe(true);
    expect(await connects({ mqtt_id: old.mqtt_id, key })).toBe(false);
    expect((await farm.queue()).find((entry) => entry.device_id === old.device_id)).toMatchObject({
      reason: 'replaced',
      control_point: { id: old.id, cod: old.cod },
    });
    const logs = await farm.call('GET', `/logs/control-points/${old.id}`);
    expect((logs.body as { action: string }[]).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['create', 'device_replaced']),
    );
  });

  it('that was reflashed comes back to its control point with a new key; the old key opens nothing', async () => {
    const before = await point();
    const first = farm.aBoard({ mac });
    await waiting();
    await farm.call('POST', `/control-points/${before.id}/adopt`, { mac, claim: CLAIM });
    const old = await first.identity;
    expect(await connects(old)).toBe(true);
    const again = farm.aBoard({ mac });
    await waiting();
    expect((await farm.queue()).find((entry) => entry.mac === mac)).toMatchObject({
      device_id: `aer-${mac}`,
      control_point: { id: before.id },
    });
    const given = await farm.call('POST', `/control-points/${before.id}/adopt`, { mac, claim: CLAIM });
    expect([given.status, body(given)]).toMatchObject([200, { device_id: `aer-${mac}`, replaced: null }]);
    const fresh = await again.identity;
    expect(fresh.key).not.toBe(old.key);
    expect(await connects(fresh)).toBe(true);
    await eventually(async () => expect(await connects(old)).toBe(false));
  });

  it('hears only what is meant for it, and says nothing anybody else hears', async () => {
    const guest = await mqtt.connectAsync(farm.mqttUrl, {
      clientId: `boot-${mac}`,
      username: 'boot',
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    guest.on('error', () => undefined);
    const own = `sf/v1/boot/${mac}/credentials`;
    for (const topic of ['#', 'sf/v1/boot/+/credentials', 'sf/v1/time', 'sf/v1/d/+/shadow/desired'])
      await expect(guest.subscribeAsync(topic, { qos: 1 })).rejects.toThrow();
    expect(await guest.subscribeAsync(own, { qos: 1 })).toMatchObject([{ topic: own, qos: 1 }]);
    const orders = await point();
    await guest.publishAsync(`sf/v1/d/${orders.mqtt_id}/hb`, '{"current_status":"ON"}', { qos: 1 });
    expect(body(await farm.call('GET', `/devices/status/${orders.device_id}`))['last_heartbeat']).toBe(null);
    await guest.endAsync(true);
  });
});

describe('a device that knocks by a name', () => {
  let farm: Farm;
  beforeAll(async () => {
    farm = await aFarmWithBroker();
  });
  afterAll(() => farm.close());
  const knock = (device_id: string) =>
    farm.app.call('POST', '/devices/heartbeat', { body: { device_id, current_status: 'OFF' } });

  it('stands in the queue with a guess of what it is, and gets a key that is shown once', async () => {
    await knock('tasmota_1A2B3C');
    await knock('tasmota_1A2B3C');
    expect(await farm.queue()).toMatchObject([
      { id: 'tasmota_1A2B3C', reason: 'unknown', how: 'key', profile: 'tasmota', count: 2, via: 'http' },
    ]);
    const made = await farm.call('POST', '/adoption/create', {
      farm_id: farm.farmId,
      cod: 'RELE-1',
      device_id: 'tasmota_1A2B3C',
    });
    expect([made.status, body(made)]).toMatchObject([
      201,
      { delivery: 'shown', device_id: 'tasmota_1A2B3C' },
    ]);
    expect(String(body(made)['key']).length).toBe(43);
    expect(await farm.queue()).toEqual([]);
  });

  it('may be ignored, and be shown again', async () => {
    await knock('neighbour-7');
    expect((await farm.call('POST', '/adoption/queue/neighbour-7/ignore')).status).toBe(204);
    await knock('neighbour-7');
    expect(await farm.queue()).toEqual([]);
    const ignored = await farm.call('GET', '/adoption/queue?ignored=true');
    expect(ignored.body).toMatchObject([{ id: 'neighbour-7', is_ignored: true, count: 2 }]);
    await farm.call('DELETE', '/adoption/queue/neighbour-7/ignore');
    expect(await farm.queue()).toMatchObject([{ id: 'neighbour-7', is_ignored: false }]);
  });

  it('is refused a name that another control point has', async () => {
    const one = await farm.aPoint();
    const other = await farm.aPoint();
    const refused = await farm.call('POST', `/control-points/${other.id}/adopt`, {
      device_id: one.device_id,
    });
    expect(refused.status).toBe(400);
    expect(body(await farm.call('GET', `/control-points/${other.id}`))['device_id']).toBe(other.device_id);
  });

  it('needs a name or a board, a code with a board, and a board that waits', async () => {
    const { id } = await farm.aPoint();
    const adopt = (sent: object) => farm.call('POST', `/control-points/${id}/adopt`, sent);
    expect((await adopt({})).status).toBe(422);
    expect((await adopt({ mac: MAC })).status).toBe(422);
    expect((await adopt({ mac: MAC, claim: 'SHORT' })).status).toBe(422);
    expect(codeOf(await adopt({ mac: MAC, claim: CLAIM }))).toBe('WINDOW_CLOSED');
    await farm.openWindow();
    expect(codeOf(await adopt({ mac: MAC, claim: CLAIM }))).toBe('BOARD_NOT_WAITING');
  });

  it('is shown to nobody who only has another farm on the box', async () => {
    const point = await farm.aPoint();
    const key = body(await farm.call('POST', `/control-points/${point.id}/device-key`))['key'];
    await farm.app.call('POST', '/devices/heartbeat', {
      token: String(key),
      body: { device_id: point.device_id, current_status: 'OFF' },
    });
    await farm.app.call('POST', '/devices/heartbeat', {
      token: 'a-wrong-key',
      body: { device_id: point.device_id, current_status: 'OFF' },
    });
    const seen = (await farm.queue()).find((entry) => entry.id === point.device_id);
    expect(seen).toMatchObject({ reason: 'wrong_key', control_point: { id: point.id } });
    const { token } = await farm.app.signUp();
    await farm.app.call('POST', '/farms/', { token, body: { name: 'Fazenda Sul' } });
    const theirs = await farm.app.call('GET', '/adoption/queue', { token });
    expect(theirs.status).toBe(403);
    expect(JSON.stringify(theirs.body)).not.toContain(point.device_id);
  });
});
