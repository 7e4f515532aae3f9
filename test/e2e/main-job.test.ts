import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';

// The main job of the program over real sockets, with real processes: nothing here knows the inside of the gateway.
// A farm minute is a real second.

const SPEED = 60;
const MINUTE = 60_000;
type Point = { id: string; device_id: string; mqtt_id: string; cod: string };
type Json = Record<string, unknown>;

describe('a farm with its gateway, its controllers and no internet', () => {
  const clock = farmClock(Date.UTC(2026, 2, 2, 20), SPEED);
  let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
  let fleet: Fleet;
  let token: string;
  const points: Point[] = [];

  beforeAll(async () => {
    gateway = await startGatewayProcess(clock);
    const login = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
    await gateway.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
    const session = await gateway.call('POST', '/auth/login', { body: login });
    token = (session.body as { access_token: string }).access_token;
    const farm = await gateway.call('POST', '/farms/', { token, body: { name: 'Fazenda Norte' } });
    const controllers = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const body = {
        farm_id: (farm.body as Point).id,
        cod: `CP-${n}`,
        device_id: `aer-${n}00`,
        target_status: 'OFF',
      };
      const made = (await gateway.call('POST', '/control-points/', { token, body })).body as Point;
      points.push(made);
      const issued = await gateway.call('POST', `/control-points/${made.id}/device-key`, { token });
      const { key } = issued.body as { key: string };
      controllers.push({
        device_id: made.device_id,
        mqtt_id: made.mqtt_id,
        key,
        transport: n === 5 ? ('http' as const) : ('mqtt' as const),
        power_kw: 1.5,
      });
    }
    fleet = startFleet({
      controllers,
      httpBase: gateway.http(),
      mqttUrl: gateway.mqtt(),
      seed: 7,
      speed: SPEED,
    });
    await until(online, (count) => count === 5);
  });

  afterAll(async () => {
    await fleet?.stop();
    await gateway?.close();
  });

  const point = (n: number): Point => {
    const found = points[n - 1];
    if (found === undefined) throw new Error(`no control point ${n}`);
    return found;
  };
  const shown = async (n: number) =>
    (await gateway.call('GET', `/control-points/${point(n).id}`, { token })).body as Json;
  const online = async () => {
    const list = (await gateway.call('GET', '/control-points/', { token })).body as Json[];
    return list.filter((entry) => entry['is_online'] === true).length;
  };
  const orders = async (n: number) =>
    (await gateway.call('GET', `/control-points/${point(n).id}/orders`, { token })).body as Json[];
  const logs = async (n: number, action: string) => {
    const all = (await gateway.call('GET', `/logs/control-points/${point(n).id}`, { token })).body as Json[];
    return all.filter((entry) => entry['action'] === action);
  };
  const alerts = async (n: number) => {
    const all = (await gateway.call('GET', '/alerts/', { token })).body as Json[];
    return all.filter((entry) => entry['control_point_id'] === point(n).id);
  };
  const motor = (n: number) => fleet.state(point(n).device_id)?.is_motor_running ?? null;

  it.each([
    [1, 'MQTT'],
    [5, 'HTTP'],
  ])('carries an order to controller %i over %s, and its report back', async (n) => {
    const ordered = await gateway.call('POST', `/control-points/${point(n).id}/turn-on`, { token });
    expect(ordered.status).toBe(200);
    await until(
      () => motor(n),
      (isRunning) => isRunning === true,
    );
    await until(
      () => shown(n),
      (answer) => answer['current_status'] === 'ON',
    );
    await until(
      () => orders(n),
      ([latest]) => latest?.['state'] === 'APPLIED',
    );
    expect(await logs(n, 'turn_on')).toMatchObject([{ origin: 'LOCAL' }]);
  });

  it('carries an order that was acknowledged before the box lost its power', async () => {
    const ordered = await gateway.call('POST', `/control-points/${point(2).id}/turn-on`, { token });
    expect(ordered.status).toBe(200);
    await gateway.kill();
    await gateway.start();
    expect(await orders(2)).toHaveLength(1);
    await until(
      () => shown(2),
      (answer) => answer['current_status'] === 'ON',
    );
    expect(motor(2)).toBe(true);
    await until(
      () => orders(2),
      ([latest]) => latest?.['state'] === 'APPLIED',
    );
    expect(motor(1)).toBe(true);
  });

  it('follows a schedule with nobody there', { timeout: 180_000 }, async () => {
    const start_time = new Date(clock.now() + 6 * MINUTE).toISOString();
    const body = { action: 'ON', start_time, repeat_pattern: 'DAILY' };
    expect(
      (await gateway.call('POST', `/control-points/${point(3).id}/schedules`, { token, body })).status,
    ).toBe(201);
    await until(
      () => shown(3),
      (answer) => answer['current_status'] === 'ON',
    );
    expect(await logs(3, 'schedule_trigger')).toMatchObject([{ origin: 'SCHEDULE', user_id: null }]);
  });

  it('catches up with a schedule that came while the box had no power, once', {
    timeout: 180_000,
  }, async () => {
    await until(
      () => fleet.state(point(4).device_id)?.is_connected,
      (isConnected) => isConnected === true,
    );
    let hasSchedule = false;
    const unlisten = fleet.listen((event) => {
      if (event.kind !== 'heard' || event.device_id !== point(4).device_id) return;
      if (event.message.kind === 'schedule') hasSchedule ||= event.message.schedule.tr.length > 0;
    });
    const start_time = new Date(clock.now() + 5 * MINUTE).toISOString();
    const body = { action: 'ON', start_time, repeat_pattern: 'DAILY' };
    expect(
      (await gateway.call('POST', `/control-points/${point(4).id}/schedules`, { token, body })).status,
    ).toBe(201);
    // only what has arrived can be run alone
    await until(
      () => hasSchedule,
      (has) => has,
    );
    unlisten();
    await gateway.kill();
    // the controller runs its own copy of the schedule meanwhile
    await until(
      () => motor(4),
      (isRunning) => isRunning === true,
    );
    await gateway.start();
    await until(
      () => shown(4),
      (answer) => answer['current_status'] === 'ON' && answer['target_status'] === 'ON',
    );
    const [entry, ...more] = await logs(4, 'schedule_trigger');
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ details: { due_at: start_time, acted: true } });
    expect(fleet.state(point(4).device_id)?.starts).toBe(1);
  });

  it('raises one alert for a silent controller, over a restart, and resolves it on its return', async () => {
    const { device_id } = point(1);
    fleet.power([device_id], 'off');
    await until(
      () => shown(1),
      (answer) => answer['is_online'] === false,
    );
    await gateway.kill();
    await gateway.start();
    const [raised, ...more] = await until(
      () => alerts(1),
      (list) => list.length > 0,
      40_000,
    );
    expect(more).toEqual([]);
    expect(raised).toMatchObject({ type: 'DEVICE_OFFLINE', status: 'ACTIVE', resolved_at: null });
    const notices = (await gateway.call('GET', '/notifications/?type=ALERT', { token })).body as {
      notifications: { data: Json }[];
    };
    const aboutIt = notices.notifications.filter(({ data }) => data['alert_id'] === raised?.['id']);
    expect(aboutIt).toHaveLength(1);
    await gateway.kill();
    await gateway.start();
    expect((await alerts(1)).map(({ id }) => id)).toEqual([raised?.['id']]);
    fleet.power([device_id], 'on');
    await until(
      () => alerts(1),
      (list) => list.length === 0,
    );
    // where minutes are seconds, a busy machine alone makes a controller silent: those alerts are others
    const isOfIt = ({ details }: Json) => (details as Json)['alert_id'] === raised?.['id'];
    expect((await logs(1, 'alert_resolved')).filter(isOfIt)).toHaveLength(1);
    // after its start slot
    await until(
      () => motor(1),
      (isRunning) => isRunning === true,
    );
  });
});
