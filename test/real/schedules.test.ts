import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { type Json, type Point, type RealFarm, startFarm } from './a-farm.ts';
import { canMoveClocks, until } from './started-gateway.ts';

// What schedules do when real time passes: windows within windows, and schedules that are changed in their middle.

const S = 1_000;
/** Motors wait for no slot here, and there may be many; what is looked at are schedules. */
const ARGS = ['--start-step-s', '0', '--local-plan', 'ENTERPRISE'];
/** A schedule acts at the next second; the rest is the answer's way and a busy machine. */
const SOON_MS = 5_000;

/** Times are seconds from now on the clock of the program. */
type Window = { action: 'ON' | 'OFF'; from: number; to: number };

function on(farm: RealFarm, now: () => number) {
  const iso = (at: number) => new Date(at).toISOString();
  return {
    async enter(point: Point, { action, from, to }: Window, more: Json = {}): Promise<Json> {
      const times = { start_time: iso(now() + from * S), end_time: iso(now() + to * S) };
      return farm.post(`/control-points/${point.id}/schedules`, { action, ...times, ...more });
    },
    async change(id: unknown, input: Json): Promise<Json> {
      const answer = await farm.ask('PATCH', `/schedules/${String(id)}`, input);
      expect(answer.status).toBe(200);
      // a success answers the schedule
      return answer.body as Json;
    },
    async erase(id: unknown): Promise<void> {
      expect((await farm.ask('DELETE', `/schedules/${String(id)}`)).status).toBe(204);
    },
    ago: (seconds: number) => iso(now() - seconds * S),
    in: (seconds: number) => iso(now() + seconds * S),
    becomes: (point: Point, target: 'ON' | 'OFF', withinMs = SOON_MS) =>
      until(
        () => farm.target(point),
        (shown) => shown === target,
        withinMs,
      ),
    /** Asked again and again for so long, it is always this. */
    async stays(point: Point, target: 'ON' | 'OFF', forMs: number): Promise<void> {
      const end = performance.now() + forMs;
      while (performance.now() < end) {
        expect(await farm.target(point)).toBe(target);
        await pause(100);
      }
    },
  };
}

// a farm minute of the controllers that are alone takes six seconds
const SPEED = 10;

describe.concurrent('schedules of a running program', () => {
  let farm: RealFarm;
  let at: ReturnType<typeof on>;
  /** Of its own gateway: that of one loses its power, that of the other dies for good. */
  let cut: RealFarm;
  let lost: RealFarm | null;
  let fleet: Fleet | null = null;
  beforeAll(async () => {
    [farm, cut, lost] = await Promise.all([
      startFarm({ args: ARGS }),
      startFarm({ args: ARGS }),
      canMoveClocks ? startFarm({ args: ARGS, speed: SPEED }) : null,
    ]);
    at = on(farm, farm.wallMs);
  });
  afterAll(async () => {
    await fleet?.stop();
    for (const each of [farm, cut, lost]) await each?.close();
  });

  // the longest first: only a few run at the same time
  it.skipIf(!canMoveClocks)(
    'controllers alone go on over the end of a window inside another, and end a pause',
    async () => {
      const farm = lost;
      if (farm === null) throw new Error('no gateway');
      const points = [await farm.point(), await farm.point()];
      const [union, rest] = points;
      if (union === undefined || rest === undefined) throw new Error('no control points');
      const keys = await Promise.all(points.map((point) => farm.key(point)));
      const running = startFleet({
        controllers: points.map((point, n) => ({
          device_id: point.device_id,
          mqtt_id: point.mqtt_id,
          key: keys[n] ?? '',
          transport: 'mqtt' as const,
        })),
        httpBase: farm.http,
        mqttUrl: farm.mqtt,
        seed: 5,
        speed: SPEED,
      });
      fleet = running;
      const isOn = (point: Point) => running.state(point.device_id)?.current_status === 'ON';
      const lists = new Map<string, number>();
      running.listen((event) => {
        if (event.kind === 'heard' && event.message.kind === 'schedule')
          lists.set(event.device_id, event.message.schedule.tr.length);
      });
      // taken before the answer, so that it is never behind
      const since = performance.now();
      const shown = Date.parse(String((await farm.get('/system/clock'))['server_time']));
      const now = () => shown + (performance.now() - since) * SPEED;
      const at = on(farm, now);
      for (const point of points) await at.enter(point, { action: 'ON', from: -60, to: 3_600 });
      // far enough ahead that a busy machine has handed the lists over by then
      await at.enter(union, { action: 'ON', from: 400, to: 460 });
      const inner = await at.enter(rest, { action: 'OFF', from: 400, to: 460 });
      await until(
        () => points.filter(isOn).length,
        (count) => count === 2,
      );
      await until(
        () => points.filter(({ device_id }) => (lists.get(device_id) ?? 0) >= 4).length,
        (count) => count === 2,
      );
      await farm.kill();
      // alone by then, by the copy that each of them keeps
      await until(
        () => isOn(rest),
        (runs) => !runs,
        120_000,
      );
      expect(now()).toBeGreaterThanOrEqual(Date.parse(String(inner['start_time'])) - 2 * S);
      expect(isOn(union)).toBe(true);
      await until(
        () => isOn(rest),
        (runs) => runs,
      );
      expect(now()).toBeGreaterThanOrEqual(Date.parse(String(inner['end_time'])) - 2 * S);
      await pause((60 * S) / SPEED);
      expect([isOn(union), isOn(rest)]).toEqual([true, true]);
      expect(running.state(union.device_id)?.starts).toBe(1);
    },
  );

  it('a box whose power is cut comes back after the end of the inner window and stands as the outer one says', async () => {
    const at = on(cut, cut.wallMs);
    const [union, rest, late] = [await cut.point(), await cut.point(), await cut.point()];
    for (const point of [union, rest]) await at.enter(point, { action: 'ON', from: -60, to: 600 });
    await at.enter(union, { action: 'ON', from: 3, to: 9 });
    const inner = await at.enter(rest, { action: 'OFF', from: 3, to: 9 });
    // what a change left running is not forgotten either
    const made = await at.enter(late, { action: 'ON', from: -60, to: 600 });
    await at.becomes(late, 'ON');
    await at.change(made['id'], { end_time: at.ago(5) });
    await at.becomes(rest, 'OFF', 3 * S + SOON_MS);
    await cut.kill();
    await until(cut.wallMs, (now) => now > Date.parse(String(inner['end_time'])) + 500);
    await cut.start();
    for (const point of [union, rest, late]) await at.becomes(point, 'ON', 15 * S);
    for (const point of [union, rest, late]) await at.stays(point, 'ON', S);
  });

  it('two ON windows are a union: the end of the short one ends nothing', async () => {
    const point = await farm.point();
    await at.enter(point, { action: 'ON', from: 2, to: 16 });
    await at.enter(point, { action: 'ON', from: 4, to: 8 });
    await at.becomes(point, 'ON', 2 * S + SOON_MS);
    await at.stays(point, 'ON', 9 * S);
    await at.becomes(point, 'OFF', 16 * S);
  });

  it('an OFF window inside an ON window is a pause', async () => {
    const point = await farm.point();
    await at.enter(point, { action: 'ON', from: 2, to: 30 });
    await at.enter(point, { action: 'OFF', from: 6, to: 12 });
    await at.becomes(point, 'ON', 2 * S + SOON_MS);
    await at.becomes(point, 'OFF', 6 * S + SOON_MS);
    await at.becomes(point, 'ON', 6 * S + SOON_MS);
  });

  it('one entered within its own window runs now, over an order from before it, and ends in time', async () => {
    const point = await farm.point();
    await farm.post(`/control-points/${point.id}/turn-off`);
    await pause(2_100);
    const made = await at.enter(point, { action: 'ON', from: -1, to: 10 });
    expect(made).toMatchObject({ takes_effect: 'NOW', warnings: [] });
    await at.becomes(point, 'ON');
    await at.becomes(point, 'OFF', 10 * S + SOON_MS);
  });

  it('an end moved to before now keeps the motor running, until that is to be applied', async () => {
    const point = await farm.point();
    const made = await at.enter(point, { action: 'ON', from: -60, to: 600 });
    await at.becomes(point, 'ON');
    const waits = await at.change(made['id'], { end_time: at.ago(10) });
    expect(waits).toMatchObject({ takes_effect: 'NEXT_EVENT', warnings: [{ code: 'KEEPS_RUNNING' }] });
    await at.stays(point, 'ON', 3 * S);
    expect(await at.change(made['id'], { apply_now: true })).toMatchObject({ takes_effect: 'NOW' });
    await at.becomes(point, 'OFF');
  });

  it('an end of tonight that is moved on holds, and so does one moved nearer', async () => {
    const point = await farm.point();
    const made = await at.enter(point, { action: 'ON', from: -60, to: 4 });
    expect(await at.change(made['id'], { end_time: at.in(10) })).toMatchObject({ takes_effect: 'NOW' });
    await at.becomes(point, 'ON');
    await at.stays(point, 'ON', 6 * S);
    await at.becomes(point, 'OFF', 6 * S + SOON_MS);
    const again = await at.enter(point, { action: 'ON', from: -1, to: 60 });
    await at.becomes(point, 'ON');
    await at.change(again['id'], { end_time: at.in(3) });
    await at.becomes(point, 'OFF', 3 * S + SOON_MS);
  });

  it('taken away in their middle: a pause ends at once, an ON window leaves what runs running', async () => {
    const point = await farm.point();
    const long = await at.enter(point, { action: 'ON', from: -60, to: 600 });
    await at.becomes(point, 'ON');
    const rest = await at.enter(point, { action: 'OFF', from: 1, to: 500 });
    await at.becomes(point, 'OFF');
    await at.erase(rest['id']);
    await at.becomes(point, 'ON');
    await at.change(long['id'], { is_active: false });
    await at.stays(point, 'ON', 2 * S);
    await at.erase(long['id']);
    await at.stays(point, 'ON', 3 * S);
  });

  it('an order against them holds to the next event, and the plan says until when', async () => {
    const point = await farm.point();
    await at.enter(point, { action: 'ON', from: -60, to: 600 });
    await at.becomes(point, 'ON');
    // another window for ON: who decides changes, and the level does not
    const second = await at.enter(point, { action: 'ON', from: 6, to: 500 });
    await farm.post(`/control-points/${point.id}/turn-off`);
    const { plan } = await farm.get(`/control-points/${point.id}`);
    expect(plan).toMatchObject({
      cause: 'LOCAL_ORDER',
      scheduled: 'ON',
      off_schedule: true,
      until: second['start_time'],
    });
    await at.stays(point, 'OFF', 2 * S);
    await at.becomes(point, 'ON', 6 * S + SOON_MS);
  });
});
