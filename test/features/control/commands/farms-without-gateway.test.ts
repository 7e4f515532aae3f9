import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { remoteOf } from './a-bound-farm.ts';

type Json = Record<string, unknown>;
const HOSTED = ['--role', 'hosted', '--allow-unkeyed-devices', '1'];

/** What another process said comes over a real connection, so it takes real time. */
const until = (holds: () => boolean) => expect.poll(holds, { interval: 10 }).toBe(true);

async function aScheduledPoint(app: App) {
  const { token, farmId } = await aFarmWith(app);
  const point = await aControlPoint(app, { token, farmId });
  const start_time = new Date(app.clock.now() + 60_000).toISOString();
  const path = `/control-points/${point.id}`;
  const made = await app.call('POST', `${path}/schedules`, { token, body: { action: 'ON', start_time } });
  expect(made.status).toBe(201);
  const rows = async (of: string) => (await app.call('GET', of, { token })).body as Json[];
  return {
    token,
    farmId,
    point,
    orders: () => rows(`${path}/orders`),
    triggers: async () =>
      (await rows(`/logs/control-points/${point.id}`)).filter(({ action }) => action === 'schedule_trigger'),
  };
}

const beat = (app: App, token: string, deviceId: string, status: string, more = {}) =>
  app.call('POST', '/devices/heartbeat', {
    token,
    body: { device_id: deviceId, current_status: status, ...more },
  });

onBothEngines('a farm without a gateway', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, HOSTED);
  });
  afterAll(() => app.close());

  it('is run by the hosted instance: its controllers report there, its schedules switch them', async () => {
    const { token, point, orders } = await aScheduledPoint(app);
    await remoteOf(app).work.control();
    expect(body(await beat(app, token, point.device_id, 'OFF'))).toMatchObject({ target_status: 'OFF' });
    app.clock.advance(61_000);
    await remoteOf(app).work.control();
    expect(body(await beat(app, token, point.device_id, 'OFF'))).toMatchObject({
      target_status: 'ON',
      version: 2,
    });
    await beat(app, token, point.device_id, 'ON', { version: 2, epoch: point.epoch });
    const shown = body(await app.call('GET', `/control-points/${point.id}`, { token }));
    expect(shown).toMatchObject({ current_status: 'ON', is_online: true, target_origin: 'SCHEDULE' });
    expect(shown).not.toHaveProperty('gateway_silent_since');
    expect(await orders()).toMatchObject([{ origin: 'SCHEDULE', state: 'APPLIED' }]);
  });

  it('takes orders at once, without anything on its way', async () => {
    const { token, point } = await aScheduledPoint(app);
    const ordered = body(await app.call('POST', `/control-points/${point.id}/turn-on`, { token }));
    expect(ordered).toMatchObject({ target_status: 'ON', version: 2 });
    expect(ordered).not.toHaveProperty('pending');
  });

  it('is told of a controller that fell silent', async () => {
    const { token, point } = await aScheduledPoint(app);
    await remoteOf(app).work.control();
    await beat(app, token, point.device_id, 'OFF');
    for (let minute = 0; minute < 12; minute += 1) {
      app.clock.advance(60_000);
      await remoteOf(app).work.control();
      await remoteOf(app).work.alerts();
    }
    const alerts = (await app.call('GET', '/alerts/', { token })).body as Json[];
    expect(alerts).toMatchObject([{ type: 'DEVICE_OFFLINE', control_point_id: point.id }]);
  });
});

describeOnPostgres('two processes of a hosted instance', () => {
  let here: App;
  let there: App;
  beforeAll(async () => {
    here = await startApp('postgres', HOSTED);
    there = await startAppBeside(here, HOSTED);
  });
  afterAll(async () => {
    await there.close();
    await here.close();
  });
  const both = async () => {
    await Promise.all([remoteOf(here).work.control(), remoteOf(there).work.control()]);
  };
  const advance = (ms: number) => {
    for (const app of [here, there]) app.clock.advance(ms);
  };
  /** The lease goes by the clock of the database, which no test moves: whoever holds it has it until then. */
  const leaseEnds = (until_ms: number) =>
    here.database.read.updateTable('leases').set({ until_ms }).where('id', '=', 'executor').execute();
  const LONG = Number.MAX_SAFE_INTEGER;

  it('run a schedule once', async () => {
    const { point, orders, triggers } = await aScheduledPoint(here);
    await until(() => there.control.registry.byId(point.id)?.schedules.length === 1);
    for (let second = 0; second < 5; second += 1) {
      advance(20_000);
      await both();
    }
    expect(await orders()).toMatchObject([{ origin: 'SCHEDULE', target_status: 'ON' }]);
    expect(await triggers()).toHaveLength(1);
  });

  it('hear a controller at one and see it at the other', async () => {
    const { token, point } = await aScheduledPoint(here);
    await until(() => there.control.registry.byId(point.id) !== null);
    await beat(here, token, point.device_id, 'OFF', { consumption: 2.5 });
    await remoteOf(here).work.links();
    await until(() => there.control.registry.byId(point.id)?.presence.lastReportAt === here.clock.now());
    const shown = await there.call('GET', `/control-points/${point.id}`, { token });
    expect(body(shown)).toMatchObject({ is_online: true, consumption: 2.5 });
  });

  it('take over from one that died: what came due meanwhile is done once, and told with its lateness', async () => {
    const { point, orders, triggers } = await aScheduledPoint(here);
    await until(() => there.control.registry.byId(point.id)?.schedules.length === 1);
    await both();
    await leaseEnds(LONG);
    // whoever runs the farms is killed; its lease runs out
    const [dead, heir] = here.control.executor.lookedAt() === null ? [there, here] : [here, there];
    advance(120_000);
    await remoteOf(heir).work.control();
    expect(await orders()).toEqual([]);
    await leaseEnds(0);
    advance(5_000);
    await remoteOf(heir).work.control();
    await leaseEnds(LONG);
    expect(await orders()).toMatchObject([{ origin: 'SCHEDULE', target_status: 'ON' }]);
    // it was only stopped, and wakes up with what it knew
    await dead.control.executor.tick();
    await remoteOf(dead).work.control();
    await remoteOf(heir).work.control();
    expect(await orders()).toHaveLength(1);
    expect((await triggers()).length).toBeLessThanOrEqual(1);
    expect(heir.control.executor.lookedAt()).not.toBeNull();
    expect(dead.control.executor.lookedAt()).toBeNull();
  });

  it('see through a gateway whose socket the other one holds', async () => {
    const { aBoundFarm } = await import('./a-bound-farm.ts');
    const { token, point, streamId, farmId } = await aBoundFarm(here);
    await until(
      () =>
        there.control.registry.byId(point.id) !== null &&
        there.remote?.gateways.isRunByGateway(farmId) === true,
    );
    const { parts } = remoteOf(here);
    parts.connected(streamId, true);
    const live = {
      id: point.id,
      is_online: true,
      heard_at_ms: here.clock.now(),
      consumption: 1,
      current_status: 'ON',
      target_status: 'OFF',
    } as const;
    parts.live(streamId, { is: 'live', is_all: true, points: [live] });
    await until(() => there.control.registry.byId(point.id)?.presence.remote?.isOnline === true);
    const shown = () => there.call('GET', `/control-points/${point.id}`, { token });
    expect(body(await shown())).toMatchObject({
      is_online: true,
      consumption: 1,
      gateway_silent_since: null,
    });
    // the process with the socket is gone without a word
    advance(61_000);
    expect(body(await shown())).toMatchObject({ is_online: false });
    expect(body(await shown())['gateway_silent_since']).not.toBeNull();
  });
});
