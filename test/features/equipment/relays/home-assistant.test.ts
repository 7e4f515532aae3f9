import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Aedes, type Client } from 'aedes';
import mqtt from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { type App, aControlPoint, body, startApp } from '#test/app.ts';
import { eventually } from './a-farm-with-relays.ts';

/** A broker of Home Assistant on a free port; keeps what it is told to keep. */
async function aHome() {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    void aedes.handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `mqtt://127.0.0.1:${address.port}`;
  const heard = new Map<string, string>();
  const clients = new Set<Client>();
  aedes.on('client', (client) => void clients.add(client));
  const home = await mqtt.connectAsync(url, { protocolVersion: 4 });
  home.on('message', (topic, payload) => void heard.set(topic, payload.toString()));
  await home.subscribeAsync('#', { qos: 1 });
  onTestFinished(async () => {
    await home.endAsync(true);
    server.close();
    await new Promise<void>((resolve) => aedes.close(resolve));
  });
  return {
    url,
    heard,
    /** Gone without a word: whatever it is told from now on is answered by nobody. */
    fallSilent() {
      for (const socket of sockets) socket.removeAllListeners('readable');
    },
    say: (topic: string, payload: string, retain = false) =>
      home.publishAsync(topic, payload, { qos: 1, retain }),
  };
}

async function aBridgedFarm(args: (owner: string) => string[] = () => []) {
  const home = await aHome();
  const email = `dona-${Math.random().toString(36).slice(2)}@farm.test`;
  const app: App = await startApp('sqlite', ['--home-assistant', home.url, ...args(email)]);
  const { token } = await app.signUp({ email });
  const made = await app.call('POST', '/farms/', { token, body: { name: 'Fazenda Norte' } });
  const owner = { token, farmId: String(body(made)['id']) };
  const point = await aControlPoint(app, { ...owner, cod: 'AER-7' });
  const homeAssistant = app.technicians?.homeAssistant;
  if (homeAssistant === undefined) throw new Error('a gateway has the bridge');
  let connection = await homeAssistant.start();
  onTestFinished(async () => {
    await connection?.stop();
    await app.close();
  });
  const root = `shrimp-farm/${app.trust.gatewayId}`;
  const entity = (component: string, part: string) =>
    JSON.parse(
      home.heard.get(`homeassistant/${component}/shrimp_${point.id.replaceAll('-', '')}_${part}/config`) ||
        'null',
    ) as Record<string, unknown> | null;
  await eventually(() => expect(home.heard.get(`${root}/${point.id}/state`)).toBeDefined());
  return {
    home,
    app,
    owner,
    point,
    root,
    entity,
    look: homeAssistant.look,
    stop: () => connection?.stop(),
    async start() {
      connection = await homeAssistant.start();
    },
  };
}

const status = async ({ app, owner }: { app: App; owner: { token: string } }) =>
  (await app.call('GET', '/system/home-assistant', { token: owner.token })).body;

test('Home Assistant finds every control point, and only looks', async () => {
  const farm = await aBridgedFarm();
  const { home, root, point } = farm;
  expect(farm.entity('binary_sensor', 'relay')).toMatchObject({
    state_topic: `${root}/${point.id}/state`,
    device: { name: 'AER-7', suggested_area: 'Fazenda Norte' },
    availability_mode: 'all',
  });
  expect(farm.entity('switch', 'relay')).toBeNull();
  await eventually(() =>
    expect([home.heard.get(`${root}/status`), home.heard.get(`${root}/${point.id}/online`)]).toEqual([
      'online',
      'offline',
    ]),
  );
  await farm.app.call('POST', '/devices/heartbeat', {
    token: farm.owner.token,
    body: { device_id: point.device_id, current_status: 'ON', consumption: 1.4900000000000002 },
  });
  farm.look();
  await eventually(() =>
    expect(['state', 'power', 'online'].map((name) => home.heard.get(`${root}/${point.id}/${name}`))).toEqual(
      ['ON', '1.49', 'online'],
    ),
  );
  await home.say(`${root}/${point.id}/set`, 'ON');
  expect(await status(farm)).toMatchObject({
    is_connected: true,
    control_points: 1,
    takes_orders: false,
    orders_taken: 0,
  });
  expect(farm.app.control.registry.byId(point.id)?.row.target_status).toBe('OFF');
});

test('its orders are given in the name of the person who was named, through the usual door', async () => {
  const farm = await aBridgedFarm((email) => ['--home-assistant-orders-by', email]);
  const { app, home, owner, point, root } = farm;
  expect(farm.entity('switch', 'relay')).toMatchObject({
    command_topic: `${root}/${point.id}/set`,
    retain: false,
  });
  await home.say(`${root}/${point.id}/set`, 'ON');
  await eventually(() => expect(app.control.registry.byId(point.id)?.row.target_status).toBe('ON'));
  const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token: owner.token });
  expect(orders.body).toMatchObject([{ target_status: 'ON', origin: 'REMOTE', reason: 'Home Assistant' }]);

  await home.say(`${root}/${point.id}/set`, 'TOGGLE');
  await home.say(`${root}/${point.id}/set`, 'OFF', true);
  // the lock-out goes another way, and could overtake it
  await eventually(async () => expect(await status(farm)).toMatchObject({ orders_taken: 2 }));
  await app.call('POST', `/control-points/${point.id}/lock-out`, {
    token: owner.token,
    body: { reason: 'belt' },
  });
  await home.say(`${root}/${point.id}/set`, 'ON');
  await eventually(async () =>
    expect(await status(farm)).toMatchObject({ orders_refused: 2, orders_taken: 2 }),
  );
  for (let times = 0; times < 9; times += 1) await home.say(`${root}/${point.id}/set`, 'OFF');
  await eventually(async () =>
    expect(await status(farm)).toMatchObject({ last_refusal: expect.stringContaining('orders a minute') }),
  );
});

test('a siren is shown to Home Assistant as one, never as a switch', async () => {
  const farm = await aBridgedFarm((email) => ['--home-assistant-orders-by', email]);
  await farm.app.call('PUT', `/control-points/${farm.point.id}/settings`, {
    token: farm.owner.token,
    body: { is_siren: true },
  });
  farm.look();
  await eventually(() =>
    expect(farm.entity('binary_sensor', 'relay')).toMatchObject({ device: { model: 'Siren' } }),
  );
  await eventually(() => expect(farm.entity('switch', 'relay')).toBeNull());
  await farm.app.call('PUT', `/control-points/${farm.point.id}/settings`, {
    token: farm.owner.token,
    body: { is_siren: false },
  });
  farm.look();
  await eventually(() => expect(farm.entity('switch', 'relay')).not.toBeNull());
  await eventually(() => expect(farm.entity('binary_sensor', 'relay')).toBeNull());
});

test('an account without rights on the farm switches nothing through it', async () => {
  const farm = await aBridgedFarm(() => ['--home-assistant-orders-by', 'nobody@farm.test']);
  await farm.home.say(`${farm.root}/${farm.point.id}/set`, 'ON');
  await eventually(async () => expect(await status(farm)).toMatchObject({ orders_refused: 1 }));
  await farm.app.signUp({ email: 'nobody@farm.test' });
  await farm.home.say(`${farm.root}/${farm.point.id}/set`, 'ON');
  await eventually(async () =>
    expect(await status(farm)).toMatchObject({
      orders_refused: 2,
      orders_taken: 0,
      last_refusal: 'Control point not found',
    }),
  );
  expect(farm.app.control.registry.byId(farm.point.id)?.row.target_status).toBe('OFF');
});

test('a gateway ends although Home Assistant has gone without a word', async () => {
  const farm = await aBridgedFarm();
  farm.home.fallSilent();
  await expect(Promise.race([farm.stop(), pause(60_000, 'still waiting')])).resolves.toBeUndefined();
});

test('a control point that is deleted disappears there, and one that restarted Home Assistant finds everything anew', async () => {
  const farm = await aBridgedFarm();
  const { app, home, owner, point, root } = farm;
  home.heard.clear();
  await home.say('homeassistant/status', 'online');
  await eventually(() => {
    farm.look();
    expect(farm.entity('binary_sensor', 'relay')).not.toBeNull();
  });
  await app.call('DELETE', `/control-points/${point.id}`, { token: owner.token });
  farm.look();
  await eventually(() =>
    expect([home.heard.get(`${root}/${point.id}/state`), farm.entity('sensor', 'power')]).toEqual(['', null]),
  );
  await farm.stop();
  await eventually(() => expect(home.heard.get(`${root}/status`)).toBe('offline'));
});

test('a control point that was deleted while the gateway was away disappears there, and nothing else is told twice', async () => {
  const farm = await aBridgedFarm();
  const { home, point, root, look } = farm;
  // what its broker keeps of an earlier run
  const gone = '0199c1a2-7d3e-7b61-9c7a-5f1b2f0e4a11';
  const flat = gone.replaceAll('-', '');
  const kept = [`${root}/${gone}/online`, `homeassistant/switch/shrimp_${flat}_relay/config`];
  await farm.stop();
  for (const topic of kept) await home.say(topic, 'kept', true);
  await farm.start();
  await eventually(() => {
    look();
    expect(kept.map((topic) => home.heard.get(topic))).toEqual(['', '']);
  });
  await eventually(() => expect(farm.entity('binary_sensor', 'relay')).not.toBeNull());
  expect(await status(farm)).toMatchObject({ control_points: 1 });
  home.heard.clear();
  look();
  await home.say('test/over', 'over');
  await eventually(() => expect(home.heard.has('test/over')).toBe(true));
  expect([...home.heard.keys()].filter((topic) => topic.includes(point.id))).toEqual([]);
});
