import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('control points', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app));
  });
  afterAll(() => app.close());

  const create = (fields: Record<string, unknown>, by = token) =>
    app.call('POST', '/control-points/', {
      token: by,
      body: { farm_id: farmId, cod: 'CP', device_id: 'dev', target_status: 'off', ...fields },
    });

  it('are created without a reported state and with a name at the broker', async () => {
    const made = await create({ cod: 'CP-A', device_id: 'estufa nº 1' });
    expect(made.status).toBe(201);
    expect(body(made)).toMatchObject({
      target_status: 'OFF',
      current_status: null,
      last_heartbeat: null,
      consumption: 0,
      is_online: false,
      mqtt_id: expect.stringMatching(/^d-[0-9a-f]{16}$/),
    });
  });

  describe('that cannot be', () => {
    it.each([
      ['without a code', { cod: undefined }, 'cod'],
      ['without a device', { device_id: '' }, 'device_id'],
      ['with a state that is none', { target_status: 'MAYBE' }, 'target_status'],
      ['on no farm', { farm_id: 'norte' }, 'farm_id'],
    ])('are refused with 400: %s', async (_what, fields, path) => {
      const refused = await create({ cod: 'CP-X', device_id: 'dev-x', ...fields });
      expect(refused.status).toBe(400);
      expect(body(refused)['errors']).toMatchObject([{ path }]);
    });

    it('are refused with 400 when code or device are taken, naming the field', async () => {
      await create({ cod: 'CP-T', device_id: 'dev-t' });
      expect(body(await create({ cod: 'CP-T', device_id: 'dev-t2' }))['errors']).toMatchObject([
        { path: 'cod' },
      ]);
      expect(body(await create({ cod: 'CP-T2', device_id: 'dev-t' }))['errors']).toMatchObject([
        { path: 'device_id' },
      ]);
    });

    it('are made by one of two people who take the same code at the same moment', async () => {
      const replies = await Promise.all([
        create({ cod: 'CP-RACE', device_id: 'race-1' }),
        create({ cod: 'CP-RACE', device_id: 'race-2' }),
      ]);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 400]));
    });
  });

  it('of a farm of somebody else are not to be created or seen', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const stranger = await app.signUp();
    expect((await create({ cod: 'CP-S', device_id: 'dev-s' }, stranger.token)).status).toBe(404);
    expect((await app.call('GET', `/control-points/${point.id}`, { token: stranger.token })).status).toBe(
      404,
    );
    expect(
      (await app.call('POST', `/control-points/${point.id}/turn-on`, { token: stranger.token })).status,
    ).toBe(404);
    expect((await app.call('GET', '/control-points/', { token: stranger.token })).body).toEqual([]);
    const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token });
    expect(orders.body).toEqual([]);
  });

  it('change code and device; the old device is unknown from then on', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const changed = await app.call('PUT', `/control-points/${point.id}`, {
      token,
      body: { device_id: 'replacement-1' },
    });
    expect(body(changed)).toMatchObject({ cod: point.cod, device_id: 'replacement-1' });
    const heartbeat = (device_id: string) =>
      app.call('POST', '/devices/heartbeat', { body: { device_id, current_status: 'ON' } });
    expect((await heartbeat(point.device_id)).status).toBe(404);
    expect((await heartbeat('replacement-1')).status).toBe(200);
  });

  it('when deleted leave their ponds without one', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: 'V-1', control_point_id: point.id },
    });
    expect(body(pond)['control_point_id']).toBe(point.id);
    expect((await app.call('DELETE', `/control-points/${point.id}`, { token })).status).toBe(204);
    const shown = await app.call('GET', `/ponds/${String(body(pond)['id'])}`, { token });
    expect(body(shown)['control_point_id']).toBeNull();
    expect((await app.call('DELETE', `/control-points/${point.id}`, { token })).status).toBe(404);
  });

  it('without a schedule give their controller none, so that it holds what a person ordered', async () => {
    const point = await aControlPoint(app, { token, farmId });
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const schedule = await app.call('GET', `/devices/schedule/${point.device_id}`, { token });
    expect(body(schedule)).toMatchObject({ tr: [], weekly: [] });
  });

  it('have settings within sense', async () => {
    const point = await aControlPoint(app, { token, farmId });
    const path = `/control-points/${point.id}/settings`;
    expect(body(await app.call('GET', path, { token }))).toEqual({
      fail_safe: 'HOLD',
      min_on_s: 60,
      min_off_s: 60,
      start_group: null,
      start_order: null,
      do_on: null,
      do_off: null,
      do_emergency: null,
      is_siren: false,
      allow_unkeyed: true,
    });
    const put = (sent: Record<string, unknown>) => app.call('PUT', path, { token, body: sent });
    expect(body(await put({ do_on: 4, do_off: 5, do_emergency: 3 }))).toMatchObject({
      do_on: 4,
      do_off: 5,
      do_emergency: 3,
    });
    expect(body(await put({ do_off: 4.2 }))['detail']).toBe(
      'do_off: must be above do_on (4) by at least 0.3 mg/L',
    );
    expect(body(await put({ do_emergency: 3.8 }))['errors']).toMatchObject([{ path: 'do_emergency' }]);
    expect((await put({ do_on: null, do_emergency: 4.9 })).status).toBe(400);
    expect((await put({ do_on: 4.7 })).status).toBe(200);
    expect((await put({ do_on: 4 })).status).toBe(200);
    expect((await put({ min_off_s: -1 })).status).toBe(400);
    expect((await put({ fail_safe: 'EXPLODE' })).status).toBe(400);
    expect(body(await app.call('GET', path, { token }))).toMatchObject({
      do_on: 4,
      do_off: 5,
      min_off_s: 60,
    });
  });

  it('keep what holds when the zone of the farm changes in the night', async () => {
    const made = await app.call('POST', '/farms/', { token, body: { name: 'Zona' } });
    const zoneFarm = String(body(made)['id']);
    const point = await aControlPoint(app, { token, farmId: zoneFarm });
    app.clock.set(Date.parse('2026-03-02T12:00:00Z'));
    await app.call('POST', `/control-points/${point.id}/schedules`, {
      token,
      body: {
        action: 'ON',
        start_time: '2026-03-02T21:00:00Z',
        end_time: '2026-03-03T09:00:00Z',
        repeat_pattern: 'DAILY',
      },
    });
    app.clock.set(Date.parse('2026-03-03T23:00:00Z'));
    await app.control.executor.tick();
    await app.call('PUT', `/farms/${zoneFarm}`, { token, body: { timezone: 'Asia/Tokyo' } });
    await app.control.executor.tick();
    expect(body(await app.call('GET', `/control-points/${point.id}`, { token }))['target_status']).toBe('ON');
  });
});
