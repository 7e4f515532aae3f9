import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { isHeldTooLong } from '#features/alarms/alerts/watch-held-off.ts';
import type { Night } from '#science/night.ts';
import { stocking } from '#test/a-batch.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Of the constants, where the place of a farm is not known: 18:00 to 05:30 in Fortaleza, three hours behind UTC. */
const DUSK = Date.UTC(2026, 2, 2, 21);
const DAWN = Date.UTC(2026, 2, 3, 8, 30);

describe('a motor that a person switched off', () => {
  const night: Night = { isNight: true, duskMs: DUSK, dawnMs: DAWN };
  const hold = { orderId: 'o', since: DUSK, until: null, scheduled: 'ON' as const };

  test.each([
    ['stands for half an hour of the night', { since: DUSK + HOUR }, DUSK + HOUR + 30 * MINUTE, false],
    ['stands for more than that', { since: DUSK + HOUR }, DUSK + HOUR + 30 * MINUTE + 1, true],
    ['stands since noon', { since: DUSK - 6 * HOUR }, DUSK + 30 * MINUTE, false],
    [
      'stands since noon, and half an hour of the night',
      { since: DUSK - 6 * HOUR },
      DUSK + 31 * MINUTE,
      true,
    ],
    ['stands by day', { since: DUSK - 6 * HOUR }, DUSK - 1, false],
    ['stands soon after dawn', { since: DAWN - 10 * MINUTE }, DAWN + 2 * HOUR - 1, true],
    ['stands two hours after dawn', { since: DAWN - 10 * MINUTE }, DAWN + 2 * HOUR, false],
    ['is off by its schedules, too', { scheduled: 'OFF' }, DUSK + HOUR, false],
    ['has no schedules', { scheduled: null }, DUSK + HOUR, true],
    ['is to come back soon', { until: DUSK + 2 * HOUR }, DUSK + HOUR, true],
    ['should have come back by day', { since: DUSK - 6 * HOUR, until: DUSK - 5 * HOUR }, DUSK - HOUR, true],
    [
      'was to come back a moment ago',
      { since: DUSK - 6 * HOUR, until: DUSK - HOUR },
      DUSK - HOUR + MINUTE,
      false,
    ],
  ] as const)('and that %s: told %s', (_words, facts, now, isIt) => {
    expect(isHeldTooLong({ ...hold, ...facts }, night, now)).toBe(isIt);
  });

  test('is not told where nobody can tell the night, unless its time is over', () => {
    const until = DUSK - HOUR;
    expect([
      isHeldTooLong(hold, null, DUSK + 5 * HOUR),
      isHeldTooLong({ ...hold, until }, null, DUSK),
    ]).toEqual([false, true]);
  });
});

onBothEngines('the motor of a stocked pond that a person switched off', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' }));
  });
  afterAll(() => app.close());

  async function call(method: string, path: string, fields?: unknown): Promise<Record<string, unknown>> {
    const reply = await app.call(method, path, { token, ...(fields === undefined ? {} : { body: fields }) });
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return body(reply);
  }

  /** At eight in the evening of the farm, on from six to six by its schedule. */
  async function aPoint({ isStocked = true, hasSchedule = true } = {}) {
    app.clock.set(Math.max(DUSK, app.clock.now()) + 26 * HOUR);
    const day = Math.floor((app.clock.now() - DUSK) / (24 * HOUR)) * 24 * HOUR + DUSK;
    app.clock.set(day);
    const point = await aControlPoint(app, { token, farmId });
    const pond = await call('POST', '/ponds/', {
      farm_id: farmId,
      cod: `V-${point.cod}`,
      control_point_id: point.id,
    });
    if (isStocked)
      await call('POST', '/batches/', stocking(String(pond['id']), { start_date: isoOf(day).slice(0, 10) }));
    if (hasSchedule)
      await call('POST', `/control-points/${point.id}/schedules`, {
        action: 'ON',
        start_time: new Date(day + 10 * MINUTE).toISOString(),
        end_time: new Date(day + 12 * HOUR).toISOString(),
      });
    const beat = (current_status: string) =>
      call('POST', '/devices/heartbeat', { device_id: point.device_id, current_status });
    await beat('OFF');
    await pass(2 * HOUR, point.device_id);
    return { ...point, beat };
  }

  /** Its controller does as it is told. */
  async function pass(ms: number, deviceId: string, stepMs = 5 * MINUTE): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      app.clock.advance(stepMs);
      await app.control.executor.tick();
      const { target_status } = await call('POST', '/devices/heartbeat', {
        device_id: deviceId,
        current_status: app.control.registry.byDeviceId(deviceId)[0]?.row.target_status,
      });
      expect(['ON', 'OFF']).toContain(target_status);
      await app.watches.tick();
    }
  }
  const told = async (id: string) => {
    const reply = await app.call('GET', '/alerts/?type=OFF_SCHEDULE', { token });
    return (reply.body as Record<string, unknown>[]).filter((alert) => alert['control_point_id'] === id);
  };
  const turn = (id: string, to: 'on' | 'off', fields = {}) =>
    call('POST', `/control-points/${id}/turn-${to}`, fields);

  test('is told once after half an hour of the night, and ends when it runs again', async () => {
    const { id, device_id } = await aPoint();
    await turn(id, 'off');
    await pass(30 * MINUTE, device_id);
    const early = await told(id);
    await pass(10 * MINUTE, device_id);
    const [alert] = await told(id);
    await pass(2 * HOUR, device_id);
    const later = await told(id);
    await turn(id, 'on');
    await pass(10 * MINUTE, device_id);
    expect([early, alert, later.map((row) => row['id']), await told(id)]).toMatchObject([
      [],
      { severity: 'HIGH', message: expect.stringMatching(/desligado por uma pessoa às 20:00 e não volta/) },
      [alert?.['id']],
      [],
    ]);
    const notices = await call('GET', '/notifications/?page_size=100');
    expect(JSON.stringify(notices).split('"alert_type":"OFF_SCHEDULE"').length - 1).toBe(1);
  });

  test('ends when the order does', async () => {
    const { id, device_id } = await aPoint();
    await turn(id, 'off', { for_s: 3_600 });
    await pass(40 * MINUTE, device_id);
    const during = await told(id);
    await pass(30 * MINUTE, device_id);
    expect([during.map(({ message }) => message), await told(id)]).toEqual([
      [expect.stringMatching(/só volta às 21:00/)],
      [],
    ]);
  });

  test('is nobody’s trouble while it is locked out, in an empty pond, or off by its schedule', async () => {
    const locked = await aPoint();
    await call('POST', `/control-points/${locked.id}/lock-out`, { reason: 'belt' });
    await pass(2 * HOUR, locked.device_id);
    const empty = await aPoint({ isStocked: false });
    await turn(empty.id, 'off');
    await pass(2 * HOUR, empty.device_id);
    const scheduled = await aPoint({ hasSchedule: false });
    await call('POST', `/control-points/${scheduled.id}/schedules`, {
      action: 'OFF',
      start_time: new Date(app.clock.now() + MINUTE).toISOString(),
      end_time: new Date(app.clock.now() + 5 * HOUR).toISOString(),
    });
    await pass(10 * MINUTE, scheduled.device_id);
    await turn(scheduled.id, 'off');
    await pass(2 * HOUR, scheduled.device_id);
    expect([await told(locked.id), await told(empty.id), await told(scheduled.id)]).toEqual([[], [], []]);
  });

  test('and that has no schedule is told, too; a person who resolved it is not told of that hold again', async () => {
    const { id, device_id } = await aPoint({ hasSchedule: false });
    await turn(id, 'on');
    await pass(10 * MINUTE, device_id);
    await turn(id, 'off');
    await pass(40 * MINUTE, device_id);
    const [alert] = await told(id);
    await call('PUT', `/alerts/${String(alert?.['id'])}/resolve`);
    await pass(60 * MINUTE, device_id);
    const quiet = await told(id);
    await turn(id, 'on');
    await pass(10 * MINUTE, device_id);
    await turn(id, 'off');
    await pass(40 * MINUTE, device_id);
    expect([alert !== undefined, quiet, (await told(id)).length]).toEqual([true, [], 1]);
  });
});
