import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';

// A night on a farm without internet, over real sockets and real processes. A farm minute is a real second; a probe sends
// every two farm minutes.

const SPEED = 60;
const MINUTE = 60_000;
type Json = Record<string, unknown>;
type Point = { id: string; device_id: string; mqtt_id: string };

describe('oxygen falls at two in the morning', () => {
  // 01:50 on the farm
  const clock = farmClock(Date.UTC(2026, 2, 3, 4, 50), SPEED);
  let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
  let fleet: Fleet;
  let token: string;
  const points: Point[] = [];
  const ponds: string[] = [];
  const water = [6.5, 6.5];
  let probes: NodeJS.Timeout;

  beforeAll(async () => {
    gateway = await startGatewayProcess(clock);
    const login = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
    await gateway.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
    const session = await gateway.call('POST', '/auth/login', { body: login });
    token = (session.body as { access_token: string }).access_token;
    const farmBody = { name: 'Fazenda Norte', timezone: 'America/Fortaleza' };
    const farm_id = ((await gateway.call('POST', '/farms/', { token, body: farmBody })).body as Point).id;
    const controllers = [];
    for (const n of [1, 2]) {
      const body = { farm_id, cod: `CP-${n}`, device_id: `aer-${n}00`, target_status: 'OFF' };
      const made = (await gateway.call('POST', '/control-points/', { token, body })).body as Point;
      points.push(made);
      const pond = { farm_id, cod: `V-0${n}`, control_point_id: made.id };
      ponds.push(((await gateway.call('POST', '/ponds/', { token, body: pond })).body as Point).id);
      const issued = await gateway.call('POST', `/control-points/${made.id}/device-key`, { token });
      controllers.push({
        device_id: made.device_id,
        mqtt_id: made.mqtt_id,
        key: (issued.body as { key: string }).key,
        transport: 'mqtt' as const,
        power_kw: 1.5,
      });
    }
    // the second pond is not opted in
    const settings = { do_on: 4, do_off: 5, do_emergency: 3, min_on_s: 0, min_off_s: 0 };
    await gateway.call('PUT', `/control-points/${point(1).id}/settings`, { token, body: settings });
    fleet = startFleet({
      controllers,
      httpBase: gateway.http(),
      mqttUrl: gateway.mqtt(),
      seed: 7,
      speed: SPEED,
    });
    probes = setInterval(() => {
      for (const [place, pond_id] of ponds.entries()) void measure(pond_id, water[place] ?? 0);
    }, 2_000);
    await until(
      () => fleet.state(point(1).device_id)?.is_connected,
      (isConnected) => isConnected === true,
    );
  });

  afterAll(async () => {
    clearInterval(probes);
    await fleet?.stop();
    await gateway?.close();
  });

  const point = (n: number): Point => {
    const found = points[n - 1];
    if (found === undefined) throw new Error(`no control point ${n}`);
    return found;
  };
  const measure = (pond_id: string, dissolved_oxygen: number) =>
    gateway
      .call('POST', '/water-quality/', { token, body: { pond_id, dissolved_oxygen, source: 'probe' } })
      // the box has no power
      .catch(() => null);
  const motor = (n: number) => fleet.state(point(n).device_id)?.is_motor_running ?? null;
  const motorIs = (n: number, wanted: boolean, withinMs = 20_000) =>
    until(
      () => motor(n),
      (isRunning) => isRunning === wanted,
      withinMs,
    );
  const orders = async (n: number) =>
    (await gateway.call('GET', `/control-points/${point(n).id}/orders`, { token })).body as Json[];
  const said = (sentence: string) => gateway.lines.filter((line) => line.includes(`"${sentence}"`));

  it('the motor runs within seconds, and the log says why', async () => {
    await measure(ponds[0] ?? '', 6.5);
    expect(motor(1)).toBe(false);
    water[0] = 3.7;
    await motorIs(1, true, 10_000);
    const [order] = await orders(1);
    expect(order).toMatchObject({
      origin: 'SAFETY',
      target_status: 'ON',
      // a second of a busy machine is a minute of the farm, and an age is told
      reason: expect.stringMatching(
        /^oxygen in pond V-01: 3\.70 mg\/L( \d min ago)?, at or below the ON level \(4\.00 mg\/L\)$/,
      ),
    });
    // what it wrote comes by another way than its order
    const [line, ...more] = await until(
      () => said('oxygen asks for aeration'),
      (lines) => lines.length > 0,
    );
    expect(more).toEqual([]);
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      controlPoint: 'CP-1',
      pond: 'V-01',
      oxygenMgL: 3.7,
      levelMgL: 4,
    });
  });

  it('the box loses its power in the middle: it goes on as it was, without a new order', {
    timeout: 180_000,
  }, async () => {
    water[0] = 4.5;
    const before = (await orders(1)).length;
    await gateway.kill();
    await gateway.start();
    await until(
      () => fleet.state(point(1).device_id)?.is_connected,
      (isConnected) => isConnected === true,
    );
    expect(motor(1)).toBe(true);
    expect(await orders(1)).toHaveLength(before);
  });

  it('recovered, it rests after the minimum run', { timeout: 180_000 }, async () => {
    const [on] = (await orders(1)).filter(({ target_status }) => target_status === 'ON');
    water[0] = 5.6;
    await motorIs(1, false, 40_000);
    const [off] = await orders(1);
    expect(off).toMatchObject({ origin: 'SAFETY', target_status: 'OFF' });
    const ranMs = Date.parse(String(off?.['issued_at'])) - Date.parse(String(on?.['issued_at']));
    expect(ranMs).toBeGreaterThanOrEqual(15 * MINUTE);
  });

  it('somebody turned it off: only an emergency goes over that', { timeout: 180_000 }, async () => {
    await gateway.call('POST', `/control-points/${point(1).id}/turn-off`, { token });
    water[0] = 3.4;
    await measure(ponds[0] ?? '', 3.4);
    await until(
      () => said('oxygen asks for aeration'),
      (lines) => lines.length >= 2,
    );
    expect(motor(1)).toBe(false);
    water[0] = 2.7;
    await motorIs(1, true, 10_000);
    await until(
      () => said('oxygen emergency: aeration is ON whatever was ordered'),
      (lines) => lines.length > 0,
    );
    expect((await orders(1))[0]).toMatchObject({
      origin: 'SAFETY',
      // the age of the reading is told where it has one
      reason: expect.stringMatching(
        /^oxygen in pond V-01: 2\.70 mg\/L( 1 min ago)?, at or below the emergency level \(3\.00 mg\/L\)$/,
      ),
    });
  });

  it('the pond next to it, as low but without set points, was never switched', async () => {
    water[1] = 2;
    await measure(ponds[1] ?? '', 2);
    expect(motor(2)).toBe(false);
    expect(await orders(2)).toEqual([]);
  });
});
