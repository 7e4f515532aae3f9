import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';
import {
  type Account,
  anAccountAt,
  type Program,
  pairOver,
  portOf,
  startHostedProcess,
  textOf,
} from '#test/paired-processes.ts';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { type LinkProxy, openLinkProxy } from '../../scripts/hosted/link-proxy.ts';

// Two processes of a hosted instance on one PostgreSQL, and a gateway whose line to them can be cut: real programs, and
// nothing here knows their inside.

type Json = Record<string, unknown>;

describeOnPostgres('a farm and its owner far away', () => {
  const clock = farmClock(Date.now(), 1);
  /** Where the line ends: at one of the two, as a load balancer decides. */
  const end = { port: 0 };
  let database: TestDatabase;
  let first: Program;
  let second: Program;
  let gateway: Program;
  let link: LinkProxy;
  let owner: Account;
  let local: Account;
  let fleet: Fleet;
  let farmId: string;
  let point: { id: string; device_id: string };

  beforeAll(async () => {
    database = await freshDatabase();
    [first, gateway] = await Promise.all([
      startHostedProcess(clock, database.url),
      startGatewayProcess(clock, ['--poll-interval-s', '1', '--start-step-s', '0']),
    ]);
    second = await startHostedProcess(clock, database.url);
    end.port = portOf(first);
    link = await openLinkProxy(end);
    local = await anAccountAt(gateway, 'ana@fazenda.example');
    farmId = textOf(
      (await gateway.call('POST', '/farms/', { token: local.token, body: { name: 'Norte' } })).body,
      'id',
    );
    const body = { farm_id: farmId, cod: 'CP-1', device_id: 'aer-100', target_status: 'OFF' };
    const made = (await gateway.call('POST', '/control-points/', { token: local.token, body })).body as Json;
    point = { id: String(made['id']), device_id: 'aer-100' };
    // motors rest a minute by default
    const restless = { min_on_s: 0, min_off_s: 0 };
    await gateway.call('PUT', `/control-points/${point.id}/settings`, { token: local.token, body: restless });
    const issued = await gateway.call('POST', `/control-points/${point.id}/device-key`, {
      token: local.token,
    });
    fleet = startFleet({
      controllers: [
        {
          device_id: point.device_id,
          mqtt_id: String(made['mqtt_id']),
          key: textOf(issued.body, 'key'),
          transport: 'mqtt',
          power_kw: 1.5,
        },
      ],
      httpBase: gateway.http(),
      mqttUrl: gateway.mqtt(),
      seed: 7,
    });
    owner = await anAccountAt(first, 'dona@nuvem.example');
    await pairOver(link.port, { gateway, hosted: first, owner });
    await until(farFarm, (farm) => farm['id'] === farmId);
    await until(linkState, (state) => state === 'connected');
  });

  afterAll(async () => {
    await fleet?.stop();
    await link?.close();
    await Promise.all([gateway?.close(), first?.close(), second?.close()]);
    await database?.drop();
  });

  const farFarm = async () =>
    (await second.call('GET', `/control-points/${point.id}`, { token: owner.token })).status === 200
      ? ((await second.call('GET', `/farms/${farmId}`, { token: owner.token })).body as Json)
      : {};
  const linkState = async () =>
    ((await gateway.call('GET', '/sync/status', { token: local.token })).body as Json)['state'];
  const order = (at: Program, way: 'on' | 'off', body: object = {}) =>
    at.call('POST', `/control-points/${point.id}/turn-${way}`, { token: owner.token, body });
  const command = async (id: string) =>
    (
      (await second.call('GET', `/control-points/${point.id}/commands`, { token: owner.token }))
        .body as Json[]
    ).find((row) => row['id'] === id);
  const isRunning = () => fleet.state(point.device_id)?.is_motor_running ?? null;
  const nameAt = async (at: Program, { token }: Account) =>
    ((await at.call('GET', `/farms/${farmId}`, { token })).body as Json)['name'];
  const rename = (at: Program, { token }: Account, name: string) =>
    at.call('PUT', `/farms/${farmId}`, { token, body: { name } });

  it('an order given at the process without the socket switches the motor and is seen as done', async () => {
    const given = await order(second, 'on');
    expect(given.status).toBe(200);
    await until(isRunning, (isOn) => isOn === true);
    await until(
      () => command(textOf(given.body, 'order_id')),
      (row) => row?.['state'] === 'done',
    );
    await until(
      async () =>
        (await first.call('GET', `/control-points/${point.id}`, { token: owner.token })).body as Json,
      (shown) => shown['current_status'] === 'ON' && shown['target_status'] === 'ON',
    );
  });

  it('an edit at either process or at the farm is everywhere within seconds', async () => {
    for (const [at, who, name] of [
      [second, owner, 'Norte da nuvem'],
      [gateway, local, 'Norte da fazenda'],
      [first, owner, 'Norte'],
    ] as const) {
      expect((await rename(at, who, name)).status).toBe(200);
      await until(
        async () => [await nameAt(gateway, local), await nameAt(first, owner), await nameAt(second, owner)],
        (names) => names.every((shown) => shown === name),
        10_000,
      );
    }
  });

  it('while the line is cut the farm says so, and an order whose time is over is never carried out', async () => {
    await until(isRunning, (isOn) => isOn === true);
    link.cut();
    const given = await order(second, 'off', { expires_in_s: 2 });
    expect(given.body).toMatchObject({ target_status: 'OFF', pending: { state: 'pending' } });
    expect((await rename(gateway, local, 'Norte sem linha')).status).toBe(200);
    await until(linkState, (state) => state === 'offline', 15_000);
    await until(
      () => command(textOf(given.body, 'order_id')),
      (row) => row?.['state'] === 'expired',
    );
    link.restore();
    await until(
      () => nameAt(second, owner),
      (name) => name === 'Norte sem linha',
    );
    await until(linkState, (state) => state === 'connected');
    // as long as an order needs when it is carried out
    await pause(500);
    expect(isRunning()).toBe(true);
    expect((await command(textOf(given.body, 'order_id')))?.['state']).toBe('expired');
  });

  it('a line that swallows everything is not called connected, and everything comes when it is whole', async () => {
    link.swallow();
    expect((await rename(gateway, local, 'Norte do silêncio')).status).toBe(200);
    await until(linkState, (state) => state !== 'connected', 19_000);
    link.restore();
    await until(
      () => nameAt(first, owner),
      (name) => name === 'Norte do silêncio',
    );
    await until(linkState, (state) => state === 'connected');
  });

  it('when the process that holds the socket is killed the other one carries on', async () => {
    end.port = portOf(second);
    await first.kill();
    expect((await rename(second, owner, 'Norte do segundo')).status).toBe(200);
    await until(
      () => nameAt(gateway, local),
      (name) => name === 'Norte do segundo',
    );
    const given = await order(second, 'off');
    await until(isRunning, (isOn) => isOn === false);
    await until(
      () => command(textOf(given.body, 'order_id')),
      (row) => row?.['state'] === 'done',
    );
    await first.start();
    await until(
      () => nameAt(first, owner),
      (name) => name === 'Norte do segundo',
    );
  });
});
