import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { remove } from '#core/changes.ts';
import { anOwner, setSubscription } from '#test/an-owner.ts';
import { type App, aControlPoint, body, type MadeControlPoint, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created } from '#test/staffed-farm.ts';
import { isInTurn } from '#test/turn.ts';
import { hearStatements } from '../../../../scripts/bench/hear-statements.ts';

// Whatever an owner owes, has cancelled or used up: every way on which water is moved, heard or warned of goes as for
// one who pays.

type Json = Record<string, unknown>;
type Place = SignedUp & { app: App; farmId: string; pondId: string; mqttPort: number };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Eight in the evening on a farm three hours behind UTC. */
const EVENING = Date.UTC(2026, 2, 2, 23);

const OWNERS: readonly [string, (place: Pick<Place, 'app' | 'token' | 'user'>) => Promise<void>][] = [
  ['who pays', async () => undefined],
  [
    'whose payment has been missing for months',
    ({ app, user }) =>
      setSubscription(app, user.id, { status: 'PAST_DUE', past_due_since: '2025-11-01T00:00:00.000Z' }),
  ],
  ['who has cancelled', ({ app, user }) => setSubscription(app, user.id, { status: 'CANCELED' })],
  [
    'who has more than the plan allows',
    ({ app, user }) =>
      setSubscription(app, user.id, {
        plan: 'FREE',
        max_farms: 0,
        max_ponds_per_farm: 0,
        max_batches_per_pond: 0,
      }),
  ],
  [
    'who has used up the requests of the hour',
    async ({ app, user, token }) => {
      await setSubscription(app, user.id, { plan: 'FREE' });
      // one after the other: of a hundred at once some are refused for that, and leave the hour its requests
      for (let asked = 0; asked < 100; asked += 1) await app.call('GET', '/farms/', { token });
      expect(await app.call('GET', '/farms/', { token })).toMatchObject({ status: 429 });
    },
  ],
  [
    'without any subscription',
    async ({ app, user }) => {
      const { id } = await app.database.read
        .selectFrom('subscriptions')
        .select('id')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      await app.kernel.commit({ changes: [remove(subscription, id)], actor: null });
    },
  ],
];

const call = ({ app, token }: Place, method: string, path: string, fields?: unknown) =>
  app.call(method, path, { token, ...(fields === undefined ? {} : { body: fields }) });
const shown = async (place: Place, id: string) => body(await call(place, 'GET', `/control-points/${id}`));
const alertsOf = async (place: Place, id: string, type: string) =>
  ((await call(place, 'GET', '/alerts/?include=all')).body as Json[]).filter(
    (alert) => alert['type'] === type && [alert['control_point_id'], alert['pond_id']].includes(id),
  );
const measure = async (place: Place, pond_id: string, dissolved_oxygen: number) => {
  expect(await call(place, 'POST', '/water-quality/', { pond_id, dissolved_oxygen })).toMatchObject({
    status: 201,
  });
  await place.app.control.executor.tick();
};
const pass = async ({ app }: Place, minutes: number) => {
  app.clock.advance(minutes * MINUTE);
  await app.control.executor.tick();
};
const heartbeat = ({ app }: Place, { device_id }: MadeControlPoint, fields: Json = {}, key?: string) =>
  app.call('POST', '/devices/heartbeat', {
    body: { device_id, current_status: 'OFF', ...fields },
    ...(key === undefined ? {} : { token: key }),
  });
/** Ways of control, on a farm with one pond and the control point that airs it. */
const WAYS: readonly [string, (place: Place, point: MadeControlPoint) => Promise<void>][] = [
  [
    'another controller is registered, and its motor runs',
    async (place) => {
      const { id } = await aControlPoint(place.app, { token: place.token, farmId: place.farmId });
      expect(await call(place, 'POST', `/control-points/${id}/turn-on`)).toMatchObject({ status: 200 });
    },
  ],
  [
    'a person switches a motor on and off',
    async (place, { id }) => {
      for (const [way, target_status] of [
        ['turn-on', 'ON'],
        ['turn-off', 'OFF'],
      ]) {
        const reply = await call(place, 'POST', `/control-points/${id}/${way}`);
        expect(reply).toMatchObject({ status: 200, body: { target_status } });
      }
      expect(await shown(place, id)).toMatchObject({ target_status: 'OFF' });
    },
  ],
  [
    'a schedule is made, fires, is switched off and deleted',
    async (place, { id }) => {
      const start = new Date(place.app.clock.now() + 10 * MINUTE).toISOString();
      const made = await call(place, 'POST', `/control-points/${id}/schedules`, {
        action: 'ON',
        start_time: start,
        repeat_pattern: 'ONCE',
      });
      expect(made.status).toBe(201);
      await pass(place, 11);
      expect(await shown(place, id)).toMatchObject({ target_status: 'ON', target_origin: 'SCHEDULE' });
      const path = `/schedules/${String(body(made)['id'])}`;
      expect(await call(place, 'PATCH', path, { is_active: false })).toMatchObject({ status: 200 });
      expect(await call(place, 'DELETE', path)).toMatchObject({ status: 204 });
    },
  ],
  [
    'a controller reports over HTTP and hears its target, schedule and settings',
    async (place, point) => {
      await call(place, 'POST', `/control-points/${point.id}/turn-on`);
      const issued = await call(place, 'POST', `/control-points/${point.id}/device-key`);
      const key = String(body(issued)['key']);
      expect(await heartbeat(place, point, {}, key)).toMatchObject({
        status: 200,
        body: { target_status: 'ON' },
      });
      for (const what of ['schedule', 'config']) {
        const reply = await place.app.call('GET', `/devices/${what}/${point.device_id}`, { token: key });
        expect([what, reply.status]).toEqual([what, 200]);
      }
      await heartbeat(place, point, { current_status: 'ON' }, key);
      expect(await shown(place, point.id)).toMatchObject({ current_status: 'ON', is_online: true });
    },
  ],
  [
    'a controller hears its target over MQTT and reports there',
    async (place, point) => {
      const issued = await call(place, 'POST', `/control-points/${point.id}/device-key`);
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${place.mqttPort}`, {
        clientId: point.mqtt_id,
        username: point.mqtt_id,
        password: String(body(issued)['key']),
        reconnectPeriod: 0,
      });
      const targets: unknown[] = [];
      client.on('message', (_topic, payload) =>
        targets.push((JSON.parse(payload.toString()) as Json)['target_status']),
      );
      const own = `sf/v1/d/${point.mqtt_id}`;
      await client.subscribeAsync(`${own}/shadow/desired`, { qos: 1 });
      await call(place, 'POST', `/control-points/${point.id}/turn-on`);
      await client.publishAsync(`${own}/hb`, JSON.stringify({ current_status: 'ON' }), { qos: 1 });
      await expect.poll(() => targets.at(-1)).toBe('ON');
      await expect.poll(() => shown(place, point.id)).toMatchObject({ current_status: 'ON' });
      await client.endAsync();
    },
  ],
  [
    'an aerator is registered and switched, and with it its control point',
    async (place, point) => {
      const { pondId: pond_id } = place;
      const { device_id } = point;
      const made = await call(place, 'POST', '/aerators/', {
        pond_id,
        name: 'Aerador',
        device_id,
        power_kw: 2,
      });
      expect(made.status).toBe(201);
      const path = `/aerators/${String(body(made)['id'])}`;
      expect(await call(place, 'POST', `${path}/control`, { status: 'ON' })).toMatchObject({ status: 200 });
      expect(await shown(place, point.id)).toMatchObject({ target_status: 'ON' });
      expect(await call(place, 'PUT', path, { status: 'OFF' })).toMatchObject({ status: 200 });
      expect(await call(place, 'DELETE', path)).toMatchObject({ status: 204 });
    },
  ],
  [
    'a motor is set up, locked out and let go again',
    async (place, { id }) => {
      const path = `/control-points/${id}`;
      const settings = { fail_safe: 'ON', do_on: 4, do_off: 5, do_emergency: 3 };
      expect(await call(place, 'PUT', `${path}/settings`, settings)).toMatchObject({ status: 200 });
      const locked = await call(place, 'POST', `${path}/lock-out`, { reason: 'hands in the rotor' });
      expect(locked.status).toBeLessThan(300);
      expect(await call(place, 'POST', `${path}/turn-on`)).toMatchObject({ status: 409 });
      expect((await call(place, 'DELETE', `${path}/lock-out`)).status).toBeLessThan(300);
      expect(await call(place, 'POST', `${path}/turn-on`)).toMatchObject({ status: 200 });
    },
  ],
  [
    'low oxygen starts the motor and raises an alert that is shown, notified and resolved',
    async (place, point) => {
      const settings = { do_on: 4, do_off: 5, do_emergency: 3 };
      await call(place, 'PUT', `/control-points/${point.id}/settings`, settings);
      await place.app.control.oxygen.settled();
      await measure(place, place.pondId, 3.5);
      expect(await shown(place, point.id)).toMatchObject({ target_status: 'ON', target_origin: 'SAFETY' });
      const [alert] = await alertsOf(place, place.pondId, 'LOW_OXYGEN');
      expect(alert).toMatchObject({ status: 'ACTIVE' });
      const told = body(await call(place, 'GET', '/notifications/?type=ALERT'))['notifications'] as Json[];
      expect(told[0]).toMatchObject({ data: { pond_id: place.pondId, value: 3.5 } });
      for (const [method, what] of [
        ['POST', 'acknowledge'],
        ['PUT', 'resolve'],
      ] as const) {
        const reply = await call(place, method, `/alerts/${String(alert?.['id'])}/${what}`);
        expect([what, reply.status]).toEqual([what, 200]);
      }
    },
  ],
  [
    'the night watch tells of low oxygen at dawn',
    async (place) => {
      await measure(place, place.pondId, 6.2);
      await pass(place, 180);
      await measure(place, place.pondId, 5.1);
      await place.app.forecast.watch.look();
      expect(await alertsOf(place, place.pondId, 'LOW_OXYGEN_FORECAST')).toHaveLength(1);
    },
  ],
  [
    'a controller that falls silent is missed',
    async (place, point) => {
      await heartbeat(place, point);
      await place.app.watches.tick();
      for (let minute = 0; minute < 12; minute += 1) {
        await pass(place, 1);
        await place.app.watches.tick();
      }
      expect(await alertsOf(place, point.id, 'DEVICE_OFFLINE')).toHaveLength(1);
    },
  ],
  [
    'the stream of what happens is opened, and the session renewed',
    async (place) => {
      const ticket = await call(place, 'POST', '/events/ticket');
      expect(ticket.status).toBeLessThan(300);
      expect(await call(place, 'POST', '/auth/renew')).toMatchObject({ status: 200 });
      expect(await call(place, 'GET', '/control-points/')).toMatchObject({ status: 200 });
    },
  ],
];

onBothEngines('billing never stops aeration', (_open, engine) => {
  let app: App;
  let mqttPort: number;
  let stop: () => Promise<void>;
  const listening = hearStatements();
  let day = 0;
  beforeAll(async () => {
    app = await startApp(engine, ['--rate-limits', 'yes', '--mqtt-connects-per-minute', '0']);
    const broker = await openBroker(app.config, app, createServer());
    mqttPort = (await broker.listenTcp(0, '127.0.0.1')).port;
    app.control.attach(broker.link);
    stop = () => broker.stop();
  });
  afterAll(async () => {
    listening.stop();
    await stop();
    await app.close();
  });

  /** A farm with a pond and the control point that airs it, made while the owner still paid. */
  async function aPlace(): Promise<{ place: Place; point: MadeControlPoint }> {
    // each in an evening of its own
    app.clock.set(EVENING + 2 * DAY * (day += 1));
    const owner = await anOwner(app, { plan: 'PROFESSIONAL' });
    const { token } = owner;
    const fields = { name: 'Norte', timezone: 'America/Fortaleza' };
    const farmId = await created(app.call('POST', '/farms/', { token, body: fields }));
    const point = await aControlPoint(app, { token, farmId });
    const pond = { farm_id: farmId, cod: 'V-1', control_point_id: point.id };
    const pondId = await created(app.call('POST', '/ponds/', { token, body: pond }));
    return { place: { ...owner, app, farmId, pondId, mqttPort }, point };
  }

  describe.each(OWNERS.map((one, place) => [...one, place] as const))(
    'of an owner %s',
    (_who, lapse, ahead) => {
      // each way of each owner on SQLite every time, on PostgreSQL in turn
      const ways = WAYS.filter((_way, at) => engine === 'sqlite' || isInTurn(at + ahead, 3));
      test.each(ways)('%s', async (_what, go) => {
        const { place, point } = await aPlace();
        await lapse(place);
        const from = listening.heard.length;
        await go(place, point);
        // it is not only let through: nobody asks
        const asked = listening.heard.slice(from).filter(({ sql }) => MONEY.test(sql));
        expect(asked).toEqual([]);
      });
    },
  );
});

/** Where plans, what was told of them and counts of requests are kept. */
const MONEY = /subscriptions|usage_crossings|request_counts|open_requests/;

test('no code of control can ask: none of it imports plans, subscriptions or limits of requests', () => {
  const control = /^(adapters\/mqtt|features\/(control|alarms\/alerts|production\/water-quality))\//;
  const wiring = /^app\/(control\/(?!remote-orders)|alarms\/alerts\.ts|production\/water\.ts)/;
  const files = readdirSync('gateway', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && (control.test(file) || wiring.test(file)),
  );
  const money =
    /contract\/plans|resources\/subscriptions|people\/subscriptions|people\/payments|request-limits|request-counts|open-requests/;
  expect(files.length).toBeGreaterThan(80);
  expect(files.filter((file) => money.test(readFileSync(`gateway/${file}`, 'utf8')))).toEqual([]);
});
