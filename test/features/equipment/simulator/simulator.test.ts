import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import type { ShadowAnswer } from '#contract/resources/shadow.ts';
import type { SimulatorAnswer } from '#contract/resources/simulator.ts';
import { type App, joinFarm, type SignedUp, startApp } from '#test/app.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Its process starts beside many others. */
const SOON = { timeout: 60 * SECOND };

// The real broker, and the simulator in its own process, which lives fast.

describe('the simulator of a gateway', () => {
  let app: App;
  let owner: SignedUp;
  let farmId: string;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    app = await startApp('sqlite', ['--trust-clock', 'yes']);
    owner = await app.signUp();
    farmId = idOf(await ask('POST', '/farms/', { name: 'Norte' }));
  });
  afterAll(async () => {
    await app.technicians?.simulator.stop();
    for (const end of ends.reverse()) await end();
    await app.close();
  });

  const ask = (method: string, path: string, body?: unknown, token = owner.token) =>
    app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;
  const simulator = async () => (await ask('GET', `/simulator?farm_id=${farmId}`)).body as SimulatorAnswer;
  const listed = async () => {
    const { body } = await ask('GET', `/control-points/?farm_id=${farmId}`);
    return body as {
      id: string;
      cod: string;
      device_id: string;
      is_simulated: boolean;
      is_online: boolean;
    }[];
  };
  const codeOf = ({ status, body }: { status: number; body: unknown }) => [
    status,
    (body as { code?: string }).code,
  ];
  /** By the test's clock, as the program looks every two seconds. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 2 * SECOND) {
      app.clock.advance(2 * SECOND);
      await app.watches.tick();
    }
  }

  test('is empty and does not start before there is a broker', async () => {
    expect(await simulator()).toMatchObject({ state: 'none', free: 50, controllers: [] });
    expect(codeOf(await ask('POST', '/simulator/start', { farm_id: farmId }))).toEqual([
      409,
      'SIMULATOR_UNAVAILABLE',
    ]);
    const broker = await openBroker(app.config, app, createServer());
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    app.control.attach(broker.link);
    app.control.attachTalk(broker.talk);
    ends.push(() => broker.stop());
    app.technicians?.simulator.attach({ httpBase: app.base, mqttUrl: `mqtt://127.0.0.1:${port}`, speed: 50 });
    expect(codeOf(await ask('POST', '/simulator/start', { farm_id: farmId }))).toEqual([
      409,
      'SIMULATOR_EMPTY',
    ]);
  });

  test('makes control points that are marked for ever, fifty at most, with codes that are free', async () => {
    const point = { farm_id: farmId, cod: 'SIM-02', device_id: 'aer-2', target_status: 'OFF' };
    expect((await ask('POST', '/control-points/', point)).status).toBe(201);
    const made = await ask('POST', '/simulator/controllers', { farm_id: farmId, count: 2 });
    expect(made.status).toBe(201);
    const points = await listed();
    expect(points.map(({ cod, is_simulated }) => [cod, is_simulated])).toEqual([
      ['SIM-02', false],
      ['SIM-01', true],
      ['SIM-03', true],
    ]);
    const [, virtual] = points;
    const unkeyed = { device_id: virtual?.device_id, current_status: 'ON', consumption: 1 };
    const heard = await app.call('POST', '/devices/heartbeat', { body: unkeyed });
    expect(codeOf(heard)).toEqual([401, 'DEVICE_KEY_REQUIRED']);
    const more = await ask('POST', '/simulator/controllers', { farm_id: farmId, count: 49 });
    expect(codeOf(more)).toEqual([409, 'SIMULATOR_FULL']);
    expect(await listed()).toHaveLength(3);
    const stranger = await app.signUp();
    const theirs = idOf(await ask('POST', '/farms/', { name: 'Sul' }, stranger.token));
    const both = await Promise.all([
      ask('POST', '/simulator/controllers', { farm_id: farmId, count: 30 }),
      ask('POST', '/simulator/controllers', { farm_id: theirs, count: 30 }, stranger.token),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const gone = await Promise.all([
      ask('DELETE', `/simulator/controllers?farm_id=${theirs}`, undefined, stranger.token),
      ask('DELETE', `/simulator/controllers?farm_id=${farmId}`),
    ]);
    expect(gone.map(({ status }) => status)).toEqual([204, 204]);
    expect((await ask('POST', '/simulator/controllers', { farm_id: farmId, count: 2 })).status).toBe(201);
  });

  test('lets them live over MQTT with keys of their own, and they do what they are told', async () => {
    const starts = await Promise.all([1, 2].map(() => ask('POST', '/simulator/start', { farm_id: farmId })));
    expect(new Set(starts.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(JSON.stringify(starts.map(({ body }) => body))).not.toMatch(/key/i);
    await expect
      .poll(async () => (await simulator()).controllers.map(({ now }) => now?.is_connected), SOON)
      .toEqual([true, true]);
    await expect
      .poll(async () => (await listed()).map(({ is_online }) => is_online), SOON)
      .toEqual([false, true, true]);
    const [, first] = await listed();
    expect((await ask('POST', `/control-points/${first?.id}/turn-on`, {})).status).toBe(200);
    await expect.poll(async () => (await simulator()).controllers[0]?.now?.is_motor_running, SOON).toBe(true);
    expect(codeOf(await ask('POST', '/simulator/start', { farm_id: farmId }))).toEqual([
      409,
      'SIMULATOR_RUNS',
    ]);
  });

  test('uses its keys without a word about real controllers: a new one without a key is heard', async () => {
    app.clock.advance(2 * SECOND);
    const point = { farm_id: farmId, cod: 'AER-9', device_id: 'aer-9', target_status: 'OFF' };
    const id = idOf(await ask('POST', '/control-points/', point));
    const unkeyed = { device_id: 'aer-9', current_status: 'OFF' };
    expect((await app.call('POST', '/devices/heartbeat', { body: unkeyed })).status).toBe(200);
    expect((await ask('DELETE', `/control-points/${id}`)).status).toBe(204);
  });

  test('shows a technician what is wanted, what is reported and what was said, without any key', async () => {
    const [, first] = await listed();
    const shadow = async () => (await ask('GET', `/control-points/${first?.id}/shadow`)).body as ShadowAnswer;
    await ask('POST', `/control-points/${first?.id}/rotate-key`);
    await expect
      .poll(async () => (await shadow()).keys.map(({ state }) => state).toSorted(), SOON)
      .toEqual(['active', 'retiring']);
    // with its new key it comes in anew, and what it says of itself comes a moment later
    const { messages } = await vi.waitFor(async () => {
      const seen = await shadow();
      const { desired, reported, config, schedule, presence } = seen;
      expect([desired.target_status, desired.version]).toEqual([reported.current_status, reported.version]);
      expect([config.wanted, schedule.wanted]).toEqual([config.reported, schedule.reported]);
      expect(presence).toMatchObject({ is_online: true, is_connected: true, via: 'mqtt' });
      const said = new Set(seen.messages.map(({ direction, kind }) => `${direction} ${kind}`));
      expect([...said]).toEqual(expect.arrayContaining(['out desired', 'in reported', 'in heartbeat']));
      return seen;
    }, SOON);
    expect(messages.find(({ kind }) => kind === 'command')?.body).toEqual({
      op: 'rotate_key',
      correlation: expect.any(String),
      was_sent: true,
    });
    expect(messages.length).toBeLessThanOrEqual(50);
  });

  test('alarms as what it is: marked, never critical, and over when the simulator is', async () => {
    const [, , second] = await listed();
    const stuck = { farm_id: farmId, control_point_ids: [second?.id], stuck_at: 'OFF', hand_switch: 'OFF' };
    const told = await ask('PUT', '/simulator/conditions', stuck);
    expect((told.body as SimulatorAnswer).controllers.map(({ conditions }) => conditions.stuck_at)).toEqual([
      null,
      'OFF',
    ]);
    // its switch is turned by another way than its orders come
    await expect.poll(async () => (await simulator()).controllers[1]?.now?.source, SOON).toBe('manual');
    await ask('POST', `/control-points/${second?.id}/turn-on`, {});
    const alerts = async (status: string) => {
      const { body } = await ask('GET', `/alerts/?include=all&status=${status}&farm_id=${farmId}`);
      return (body as { type: string; severity: string; message: string }[]).map(
        ({ type, severity, message }) => [type, severity, message.slice(0, 9)],
      );
    };
    await expect
      .poll(async () => {
        await pass(2 * SECOND);
        return alerts('ACTIVE');
      }, SOON)
      .toEqual([['COMMAND_NOT_CONFIRMED', 'MEDIUM', 'SIMULADO:']]);
    const news = await ask('GET', '/notifications/');
    expect(JSON.stringify(news.body)).toContain('"title":"SIMULADO · Comando não confirmado: SIM-03"');
    const stopped = await ask('POST', '/simulator/stop', { farm_id: farmId });
    expect(stopped.body).toMatchObject({ state: 'stopped' });
    await pass(20 * MINUTE);
    expect(await alerts('ACTIVE')).toEqual([]);
    const figures = await (await fetch(`${app.base}/metrics`)).text();
    expect(figures).toMatch(/^controllers_silent 0$/m);
    expect(figures).toMatch(/^control_points 1$/m);
  });

  test('keeps real controllers out, and itself in no count of real ones', async () => {
    const [real, first] = await listed();
    const key = await ask('POST', `/control-points/${first?.id}/device-key`);
    const renamed = await ask('PUT', `/control-points/${first?.id}`, { device_id: 'aer-real' });
    const adopted = await ask('POST', `/control-points/${first?.id}/replace`, { device_id: 'aer-real' });
    const siren = await ask('PUT', `/control-points/${first?.id}/settings`, { is_siren: true });
    const relay = await ask('PUT', `/control-points/${first?.id}/relay`, { kind: 'tasmota' });
    expect([key, renamed, adopted, siren, relay].map(codeOf)).toEqual(Array(5).fill([409, 'SIMULATED']));
    expect((await ask('PUT', `/control-points/${first?.id}`, { cod: 'SIM-A' })).status).toBe(200);
    const { body } = await ask('GET', `/firmware/controllers?farm_id=${farmId}`);
    expect((body as { cod: string }[]).map(({ cod }) => cod)).toEqual([real?.cod]);
  });

  test('is for those who operate the farm', async () => {
    const viewer = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId }, viewer, 'VIEWER');
    const body = { farm_id: farmId, count: 1 };
    expect((await ask('POST', '/simulator/controllers', body, viewer.token)).status).toBe(403);
    expect((await ask('GET', `/simulator?farm_id=${farmId}`, undefined, viewer.token)).status).toBe(403);
  });

  test('starts anew with new keys, and is gone with one press', async () => {
    expect((await ask('POST', '/simulator/start', { farm_id: farmId })).status).toBe(200);
    await expect
      .poll(async () => (await simulator()).controllers.every(({ now }) => now?.is_connected), SOON)
      .toBe(true);
    // of one that is deleted alone nothing knocks any more
    const [, first, second] = await listed();
    expect((await ask('DELETE', `/control-points/${first?.id}`)).status).toBe(204);
    await ask('PUT', '/simulator/conditions', { farm_id: farmId, stuck_at: null, hand_switch: 'AUTO' });
    await ask('POST', `/control-points/${second?.id}/turn-on`, {});
    await expect
      .poll(async () => (await simulator()).controllers.map(({ now }) => now?.is_motor_running), SOON)
      .toEqual([true]);
    expect((await ask('GET', '/adoption/queue')).body).toEqual([]);
    expect((await ask('DELETE', `/simulator/controllers?farm_id=${farmId}`)).status).toBe(204);
    expect(await simulator()).toMatchObject({ state: 'none', free: 50 });
    expect((await listed()).map(({ cod }) => cod)).toEqual(['SIM-02']);
  });
});
