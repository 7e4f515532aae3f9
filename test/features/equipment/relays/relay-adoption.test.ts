import mqtt, { type MqttClient } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { gatherLastGood, rowsOfLastGood } from '#operations/boot/last-good.ts';
import { aControlPoint, aFarmWith, body } from '#test/app.ts';
import { aFarmWithRelays, eventually, type RelayFarm } from './a-farm-with-relays.ts';

function connect(farm: RelayFarm, name: string, more: mqtt.IClientOptions = {}): MqttClient {
  const client = mqtt.connect(`mqtt://127.0.0.1:${farm.port}`, {
    clientId: name,
    username: name,
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...more,
  });
  client.on('error', () => {});
  onTestFinished(() => void client.end(true));
  return client;
}

const keyOf = (reply: { body: unknown }): string =>
  (reply.body as { settings: { mqtt_password: string } }).settings.mqtt_password;

test('a relay from the shop that knocks is a card, and three steps make it a control point', async () => {
  const farm = await aFarmWithRelays();
  connect(farm, 'DVES_A1B2C3', {
    username: 'DVES_USER',
    will: { topic: 'tele/tasmota_A1B2C3/LWT', payload: Buffer.from('Offline'), qos: 1, retain: true },
  });
  connect(farm, 'shellypro1pm-08f9e0aabbcc', {
    will: { topic: 'shellypro1pm-08f9e0aabbcc/online', payload: Buffer.from('false'), qos: 0, retain: true },
  });
  connect(farm, 'sf-unknown-1');
  const { token } = farm.owner;
  const list = async () =>
    (await farm.app.call('GET', '/relays/discovered', { token })).body as { id: string }[];
  await eventually(async () => expect(await list()).toHaveLength(2));
  const cards = new Map((await list()).map((card) => [card.id, card]));
  expect(cards.get('tasmota:tasmota_A1B2C3')).toMatchObject({
    kind: 'tasmota',
    mac: 'A1B2C3',
    address: '127.0.0.1',
    web: 'http://127.0.0.1/',
    reason: 'unknown',
  });
  expect(cards.get('shelly:shellypro1pm-08f9e0aabbcc')).toMatchObject({
    model: 'shellypro1pm',
    mac: '08F9E0AABBCC',
  });

  const point = await farm.point();
  const adopted = await farm.adopt(point.id, {
    kind: 'tasmota',
    discovered_id: 'tasmota:tasmota_A1B2C3',
    mqtt_host: '192.168.100.200',
  });
  expect(adopted).toMatchObject({
    status: 200,
    body: {
      mac: 'A1B2C3',
      load: 'contactor',
      settings: { mqtt_host: '192.168.100.200', mqtt_port: farm.port, mqtt_user: point.device_id },
    },
  });
  expect(keyOf(adopted)).toMatch(/^[\w-]{32}$/);
  expect((await list()).map(({ id }) => id)).toEqual(['shelly:shellypro1pm-08f9e0aabbcc']);
  expect(JSON.stringify(await farm.relay(point.id))).not.toContain(keyOf(adopted));
  expect(JSON.stringify(farm.app.sentences)).not.toContain(keyOf(adopted));

  const away = await farm.app.call('DELETE', '/relays/discovered/shelly:shellypro1pm-08f9e0aabbcc', {
    token,
  });
  expect([away.status, await list()]).toEqual([204, []]);
  const { token: stranger } = await farm.app.signUp();
  expect((await farm.app.call('GET', '/relays/discovered', { token: stranger })).status).toBe(403);
  expect((await farm.app.call('GET', `/control-points/${point.id}/relay`, { token: stranger })).status).toBe(
    404,
  );
  expect((await farm.app.call('GET', '/relays/', { token: stranger })).body).toEqual([]);
  expect((await farm.app.call('GET', '/relays/', { token })).body).toMatchObject([
    { control_point_id: point.id },
  ]);
});

test('who operates another farm at the box neither learns of nor puts away the card of a relay by naming it', async () => {
  const farm = await aFarmWithRelays();
  connect(farm, 'DVES_A1B2C3', {
    username: 'DVES_USER',
    will: { topic: 'tele/tasmota_A1B2C3/LWT', payload: Buffer.from('Offline'), qos: 1, retain: true },
  });
  const cards = async () =>
    (await farm.app.call('GET', '/relays/discovered', { token: farm.owner.token })).body as { id: string }[];
  await eventually(async () => expect(await cards()).toHaveLength(1));

  const other = await aFarmWith(farm.app);
  const point = await aControlPoint(farm.app, other);
  const adopt = (body: object) =>
    farm.app.call('PUT', `/control-points/${point.id}/relay`, { token: other.token, body });
  const named = await adopt({ kind: 'tasmota', discovered_id: 'tasmota:tasmota_A1B2C3' });
  expect(named).toMatchObject({ status: 403, body: { code: 'BOX_RIGHT_REQUIRED' } });
  expect(JSON.stringify(named.body)).not.toContain('127.0.0.1');
  expect(await cards()).toMatchObject([{ id: 'tasmota:tasmota_A1B2C3' }]);
  // a relay of their own they adopt without the list of the box
  expect(await adopt({ kind: 'tasmota' })).toMatchObject({ status: 200, body: { mac: null } });
});

test('two relays that were given one topic are two cards, however often they knock', async () => {
  const farm = await aFarmWithRelays();
  const { token } = farm.owner;
  const list = async () =>
    (await farm.app.call('GET', '/relays/discovered', { token })).body as Record<string, unknown>[];
  const will = { topic: 'tele/bomba/LWT', payload: Buffer.from('Offline'), qos: 1, retain: true } as const;
  for (const [mac, cards, count] of [
    ['A1B2C3', 1, 1],
    ['D4E5F6', 2, 1],
    ['A1B2C3', 2, 2],
    ['D4E5F6', 2, 2],
  ] as const) {
    connect(farm, `DVES_${mac}`, { username: 'DVES_USER', will });
    await eventually(async () => {
      const shown = await list();
      expect(shown).toHaveLength(cards);
      expect(shown[0]).toMatchObject({ name: 'bomba', mac, count });
    });
  }
});

test('a relay may say what it likes on any topic: it stays, nothing is passed on or kept, and it hears its own alone', async () => {
  const farm = await aFarmWithRelays();
  const [own, other] = [await farm.point(), await farm.point()];
  const client = connect(farm, own.mqtt_id, {
    password: keyOf(await farm.adopt(own.id, { kind: 'tasmota' })),
  });
  const ears = connect(farm, other.mqtt_id, {
    password: keyOf(await farm.adopt(other.id, { kind: 'tasmota' })),
  });
  await eventually(() => expect([client.connected, ears.connected]).toEqual([true, true]));
  const filters = [
    'cmnd/tasmotas/#',
    `cmnd/${other.mqtt_id}/#`,
    `stat/${own.mqtt_id}/#`,
    `cmnd/${own.mqtt_id}/#`,
    '#',
    `sf/v1/d/${own.mqtt_id}/shadow/desired`,
  ];
  const granted = await Promise.all(
    filters.map((filter) =>
      ears.subscribeAsync(filter).then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(granted).toEqual([true, true, false, false, false, false]);
  const heard: string[] = [];
  ears.on('message', (topic) => heard.push(topic));
  for (const topic of [
    `cmnd/${other.mqtt_id}/POWER`,
    'cmnd/tasmotas/POWER',
    'homeassistant/switch/x/config',
    `sf/v1/d/${other.mqtt_id}/hb`,
    `stat/${other.mqtt_id}/POWER`,
  ]) {
    for (let times = 0; times < 4; times += 1)
      await client.publishAsync(topic, 'ON', { qos: 1, retain: true });
  }
  await client.publishAsync(`stat/${own.mqtt_id}/POWER`, 'ON', { qos: 1 });
  await eventually(async () => expect((await farm.relay(own.id)).current_status).toBe('ON'));
  expect([client.connected, (await farm.relay(other.id)).current_status]).toEqual([true, null]);
  // what the gateway asks of it, and nothing of its neighbour
  expect(heard).not.toContain('cmnd/tasmotas/POWER');
  expect(heard).not.toContain(`cmnd/${other.mqtt_id}/POWER`);
  expect(farm.broker.counters.refusals()).toMatchObject({ violation_kicks: 0, messages_denied: 0 });
  expect(await farm.status(own.device_id)).toMatchObject({ current_status: 'ON' });
});

test('a controller that had the control point is shut out, and a released relay, too', async () => {
  const farm = await aFarmWithRelays();
  const point = await farm.point();
  const { token } = farm.owner;
  const issued = await farm.app.call('POST', `/control-points/${point.id}/device-key`, { token, body: {} });
  const controller = connect(farm, point.mqtt_id, { password: String(body(issued)['key']) });
  await eventually(async () =>
    expect(farm.app.control.registry.byId(point.id)?.keys[0]?.state).toBe('active'),
  );
  const adopted = await farm.adopt(point.id, { kind: 'tasmota' });
  await eventually(() => expect(controller.connected).toBe(false));
  const relay = connect(farm, point.mqtt_id, { password: keyOf(adopted) });
  await eventually(() => expect(relay.connected).toBe(true));
  const again = await farm.adopt(point.id, { kind: 'tasmota' });
  expect([again.status, relay.connected]).toEqual([200, true]);
  expect((await farm.app.call('DELETE', `/control-points/${point.id}/relay`, { token })).status).toBe(204);
  await eventually(() => expect(relay.connected).toBe(false));
  await expect(farm.relay(point.id)).rejects.toThrow('no relay');
});

test('a control point that is deleted leaves no relay behind', async () => {
  const farm = await aFarmWithRelays();
  const { id } = await farm.connected('shelly');
  await eventually(async () => expect((await farm.relay(id)).is_listening).toBe(true));
  expect((await farm.app.call('DELETE', `/control-points/${id}`, { token: farm.owner.token })).status).toBe(
    204,
  );
  await eventually(async () =>
    expect(await farm.app.database.read.selectFrom('relays').select('id').execute()).toEqual([]),
  );
});

test('a name that older relays cut off is refused with what to do', async () => {
  const farm = await aFarmWithRelays();
  const made = await farm.app.call('POST', '/control-points/', {
    token: farm.owner.token,
    body: { farm_id: farm.owner.farmId, cod: 'LONG', device_id: 'x'.repeat(40), target_status: 'OFF' },
  });
  const id = String(body(made)['id']);
  expect(await farm.adopt(id, { kind: 'tasmota' })).toMatchObject({
    status: 409,
    body: { code: 'NAME_TOO_LONG' },
  });
  expect(await farm.adopt(id, { kind: 'shelly' })).toMatchObject({ status: 200 });
});

test('a relay outlives a database that is lost: it stands in the configuration beside it', async () => {
  const farm = await aFarmWithRelays();
  const point = await farm.point();
  await farm.adopt(point.id, { kind: 'shelly' });
  const good = await gatherLastGood(farm.app.database.read, '2026-03-02T12:00:00.000Z');
  const kept = good === null ? [] : rowsOfLastGood(good).filter(({ resource }) => resource.name === 'relays');
  expect(kept).toMatchObject([{ op: 'insert', row: { id: point.id, kind: 'shelly', channel: 1 } }]);
});
