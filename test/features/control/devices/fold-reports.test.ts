import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';

// A controller may make the disk write 20 MB a day; what it says beyond that counts, and is stored in lines.

type Row = Record<string, unknown>;
const MINUTE = 60_000;

describe('a controller that changes without end', () => {
  let app: App;
  let token: string;
  let point: MadeControlPoint;
  beforeEach(async () => {
    app = await startApp('sqlite');
    let farmId: string;
    ({ token, farmId } = await aFarmWith(app));
    point = await aControlPoint(app, { token, farmId });
  });
  afterEach(() => app.close());

  const controller = () => ({
    controlPointId: point.id,
    deviceId: point.device_id,
    mqttId: point.mqtt_id,
    keyId: '',
  });
  const says = (current_status: 'ON' | 'OFF', more: Row = {}) =>
    app.control.door.heartbeat(controller(), { current_status, ...more });
  const tells = (n: number, k: 'brownout' | 'boot') => {
    app.clock.advance(1);
    return app.control.door.event(controller(), { id: `event-${n}`, k });
  };
  const logs = async (action: string) =>
    ((await app.call('GET', `/logs/control-points/${point.id}?limit=2000`, { token })).body as Row[]).filter(
      (row) => row['action'] === action,
    );
  const stored = async () =>
    (
      await app.database.readLong
        .selectFrom('control_points')
        .select('current_status')
        .where('id', '=', point.id)
        .executeTakeFirstOrThrow()
    ).current_status;
  const shown = async () => body(await app.call('GET', `/control-points/${point.id}`, { token }));
  const flapping = async (times: number) => {
    for (let n = 0; n < times; n += 1) await says(n % 2 === 0 ? 'ON' : 'OFF');
  };

  it('three hundred times in a day is stored change by change', async () => {
    await flapping(300);
    expect(await logs('status_changed')).toHaveLength(300);
    expect(await logs('reports_folded')).toEqual([]);
  });

  it('is stored in one line every ten minutes, while every answer shows its newest state at once', async () => {
    await flapping(401);
    const asTheyCame = (await logs('status_changed')).length;
    expect(asTheyCame).toBeLessThan(320);
    expect(await shown()).toMatchObject({ current_status: 'ON' });
    app.clock.advance(9 * MINUTE);
    await says('OFF');
    await app.control.flushPresence();
    expect(await shown()).toMatchObject({ current_status: 'OFF' });
    expect(await logs('status_changed')).toHaveLength(asTheyCame);
    expect(app.control.folded().get(point.id)).toMatchObject({ count: 402 - asTheyCame });
    app.clock.advance(MINUTE);
    await app.control.flushPresence();
    const [line, ...others] = await logs('status_changed');
    expect(others).toHaveLength(asTheyCame);
    expect(line).toMatchObject({
      origin: 'DEVICE',
      details: { to: 'OFF', folded: 402 - asTheyCame, first_at: expect.any(String) },
    });
    expect(await stored()).toBe('OFF');
  });

  it('is told once, to those who may act', async () => {
    await flapping(400);
    app.clock.advance(20 * MINUTE);
    await flapping(400);
    const told = body(await app.call('GET', '/notifications/', { token }))['notifications'] as Row[];
    expect(told.filter(({ data }) => (data as Row)['event'] === 'reports_folded')).toMatchObject([
      { type: 'SYSTEM', data: { control_point_id: point.id } },
    ]);
    expect(await logs('reports_folded')).toHaveLength(1);
  });

  it('and comes to rest has its last state stored soon, and what it does next as it comes', async () => {
    await flapping(400);
    await says('ON');
    app.clock.advance(15 * MINUTE);
    await app.control.flushPresence();
    expect(await stored()).toBe('ON');
    expect(app.control.folded().size).toBe(0);
    const lines = (await logs('status_changed')).length;
    await says('OFF');
    expect(await logs('status_changed')).toHaveLength(lines + 1);
  });

  it('loses nothing at a stop', async () => {
    await flapping(401);
    await app.control.flushPresence([], 'all');
    expect(await stored()).toBe('ON');
  });

  it('still has every order of a person settled at once', async () => {
    await flapping(400);
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token, body: { for_s: 60 } });
    const version = Number((await shown())['version']);
    await says('ON', { version, epoch: point.epoch });
    const [order] = (await app.call('GET', `/control-points/${point.id}/orders`, { token })).body as Row[];
    expect(order).toMatchObject({ state: 'APPLIED' });
  });

  it('and events without end are one line of each kind', async () => {
    for (let n = 0; n < 600; n += 1) await tells(n, n % 2 === 0 ? 'brownout' : 'boot');
    const asTheyCame = (await logs('device_boot')).length;
    expect(asTheyCame).toBeLessThan(240);
    app.clock.advance(10 * MINUTE);
    await app.control.flushPresence();
    const [line, ...others] = await logs('device_boot');
    expect(others).toHaveLength(asTheyCame);
    expect(line).toMatchObject({ details: { folded: 300 - asTheyCame, event_id: 'event-599' } });
    expect((await logs('device_brownout'))[0]).toMatchObject({ details: { event_id: 'event-598' } });
  });

  it('names a version a little ahead is followed, one far ahead is left out and told once', async () => {
    const before = Number((await shown())['version']);
    await says('OFF', { version: before + 1_000, epoch: point.epoch });
    expect((await shown())['version']).toBe(before + 1_000);
    for (const version of [before + 2_001, 2 ** 52, 1e30]) await says('ON', { version, epoch: point.epoch });
    expect(await shown()).toMatchObject({ version: before + 1_000, current_status: 'ON' });
    expect(await logs('version_refused')).toHaveLength(1);
    await says('OFF', { version: 2 ** 52, epoch: 'another' });
    expect((await shown())['version']).toBe(before + 1_000);
  });

  it('and versions without end moves ours by a bounded number of writes', async () => {
    for (let n = 0; n < 900; n += 1) {
      const version = Number(app.control.registry.byId(point.id)?.row.version) + 1;
      await says('OFF', { version, epoch: point.epoch });
    }
    const { row } = app.control.registry.byId(point.id) ?? {};
    expect(row?.rev).toBeLessThan(700);
  });
});
