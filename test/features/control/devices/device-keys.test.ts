import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('a controller over HTTP', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let point: MadeControlPoint;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token } = await aFarmWith(app));
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    // a key that was used on a farm changes what holds for its newer control points
    farmId = String(body(await app.call('POST', '/farms/', { token, body: { name: 'Fazenda Sul' } }))['id']);
    point = await aControlPoint(app, { token, farmId });
  });

  const heartbeat = (key?: string, fields: Record<string, unknown> = {}) =>
    app.call('POST', '/devices/heartbeat', {
      body: { device_id: point.device_id, current_status: 'OFF', ...fields },
      ...(key === undefined ? {} : { token: key }),
    });
  const newKey = async () =>
    String(body(await app.call('POST', `/control-points/${point.id}/device-key`, { token }))['key']);
  const keys = async () =>
    (await app.call('GET', `/control-points/${point.id}/device-key`, { token })).body as { state: string }[];

  it('is served without a key from the farm network, and the audit says so', async () => {
    expect((await heartbeat()).status).toBe(200);
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    expect((logs.body as { action: string; details: unknown }[])[0]).toMatchObject({
      action: 'status_changed',
      details: { authenticated: false, via: 'http' },
    });
  });

  it('is not cut off by issuing a key, only by using it', async () => {
    const key = await newKey();
    expect((await heartbeat()).status).toBe(200);
    expect((await heartbeat(key)).status).toBe(200);
    const refused = await heartbeat();
    expect(refused.status).toBe(401);
    expect(body(refused)['code']).toBe('DEVICE_KEY_REQUIRED');
    expect((await heartbeat('a-wrong-key')).status).toBe(401);
  });

  it('may use the old and the new key while they are changed, and the old one for a day', async () => {
    const old = await newKey();
    await heartbeat(old);
    const fresh = await newKey();
    expect((await heartbeat(old)).status).toBe(200);
    expect((await heartbeat(fresh)).status).toBe(200);
    expect((await heartbeat(old)).status).toBe(200);
    expect((await keys()).map(({ state }) => state).sort()).toEqual(['active', 'retiring']);
    app.clock.advance(25 * 3_600_000);
    expect((await heartbeat(old)).status).toBe(401);
    expect((await heartbeat(fresh)).status).toBe(200);
  });

  it.each([13, -13])('may use the old key for a day, whatever the clock does by %i h', async (hours) => {
    const old = await newKey();
    await heartbeat(old);
    await heartbeat(await newKey());
    const retiresAt = () =>
      Date.parse(
        app.control.registry.byId(point.id)?.keys.find(({ state }) => state === 'retiring')?.retires_at ?? '',
      );
    const step = async (by: number, isOver = false) => {
      const before = retiresAt();
      app.stepWallClock(by * 3_600_000);
      app.lookAtClock();
      if (!isOver || by < 0) await expect.poll(retiresAt).toBe(before + by * 3_600_000);
    };
    await step(hours);
    await step(hours);
    app.clock.advance(23 * 3_600_000);
    expect((await heartbeat(old)).status).toBe(200);
    app.clock.advance(2 * 3_600_000);
    expect((await heartbeat(old)).status).toBe(401);
    await step(-hours, true);
    await step(-hours, true);
    expect((await heartbeat(old)).status).toBe(401);
  });

  it('is out once its keys are revoked, until it gets another', async () => {
    const key = await newKey();
    await heartbeat(key);
    expect((await app.call('DELETE', `/control-points/${point.id}/device-key`, { token })).status).toBe(204);
    expect((await heartbeat(key)).status).toBe(401);
    expect((await heartbeat()).status).toBe(401);
    const other = await newKey();
    expect((await heartbeat(other)).status).toBe(200);
    expect((await keys()).map(({ state }) => state)).toEqual(['active']);
  });

  it('has its key stored as a hash only, and never shown again', async () => {
    const key = await newKey();
    const rows = await app.database.read.selectFrom('device_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(JSON.stringify(await keys())).not.toContain(key);
    expect(JSON.stringify(app.sentences)).not.toContain(key);
  });

  it('may be played by a user with access, not by a stranger', async () => {
    const key = await newKey();
    await heartbeat(key);
    expect((await heartbeat(token)).status).toBe(200);
    const stranger = await app.signUp();
    expect((await heartbeat(stranger.token)).status).toBe(404);
  });

  it('gets schedule and configuration as MQTT pushes them', async () => {
    const key = await newKey();
    const config = await app.call('GET', `/devices/config/${point.device_id}`, { token: key });
    expect(body(config)).toMatchObject({
      heartbeat_s: 30,
      fail_safe: 'HOLD',
      min_on_s: 60,
      utc_offset_s: -10_800,
    });
    const before = body(await heartbeat(key));
    await app.call('PUT', `/control-points/${point.id}/settings`, { token, body: { fail_safe: 'ON' } });
    const after = body(await heartbeat(key));
    expect(after['config_rev']).not.toBe(before['config_rev']);
    expect(body(await app.call('GET', `/devices/config/${point.device_id}`, { token: key }))).toMatchObject({
      fail_safe: 'ON',
      rev: after['config_rev'],
    });
    const schedule = await app.call('GET', `/devices/schedule/${point.device_id}`, { token: key });
    expect(body(schedule)['rev']).toBe(after['schedule_rev']);
  });

  it('that proves nothing tells what the motor does and no more, and hears what it is to do and no more', async () => {
    const turned = await app.call('POST', `/control-points/${point.id}/turn-on`, { token });
    const { version, epoch } = body(await heartbeat(token));
    const said = {
      current_status: 'ON',
      power_ok: false,
      version: 900,
      epoch,
      consumption: 9.9,
      ended: true,
    };
    const answer = await heartbeat(undefined, said);
    expect(answer).toMatchObject({ status: 200 });
    expect(body(answer)).toEqual({ target_status: 'ON' });
    const shown = body(await app.call('GET', `/devices/status/${point.device_id}`));
    expect(shown).toMatchObject({ current_status: 'ON', is_online: true });
    expect(shown['consumption']).not.toBe(9.9);
    expect(body(await app.call('GET', `/control-points/${point.id}`, { token }))['version']).toBe(version);
    // nobody confirms an order, cuts the power of a farm or reads its night by knowing a name
    const orders = await app.call('GET', `/control-points/${point.id}/orders`, { token });
    expect(orders.body).toMatchObject([{ id: body(turned)['order_id'], state: 'SENT' }]);
    await app.watches.tick();
    const alerts = (await app.call('GET', '/alerts/?include=all', { token })).body as { type: string }[];
    expect(alerts.filter(({ type }) => type === 'POWER_FAILURE')).toEqual([]);
    for (const what of ['schedule', 'config']) {
      const asked = await app.call('GET', `/devices/${what}/${point.device_id}`);
      expect(asked).toMatchObject({ status: 401, body: { code: 'DEVICE_KEY_REQUIRED' } });
    }
  });

  it('that nobody knows is told 404 and listed for technicians', async () => {
    const unknown = { device_id: 'nobody-7', current_status: 'ON' };
    expect((await app.call('POST', '/devices/heartbeat', { body: unknown })).status).toBe(404);
    await app.call('POST', '/iot/heartbeat', { body: unknown });
    const seen = await app.call('GET', '/devices/seen', { token });
    expect(seen.body).toMatchObject([{ device_id: 'nobody-7', via: 'http', reason: 'unknown', count: 2 }]);
    const stranger = await app.signUp();
    expect((await app.call('GET', '/devices/seen', { token: stranger.token })).status).toBe(403);
  });

  it('is online for a minute after its report, and remembered over a restart', async () => {
    await heartbeat(token, { consumption: 1.7 });
    const status = () => app.call('GET', `/devices/status/${point.device_id}`);
    expect(body(await status())).toMatchObject({ is_online: true, consumption: 1.7 });
    app.clock.advance(60_000);
    expect(body(await status())['is_online']).toBe(true);
    app.clock.advance(1);
    expect(body(await status())['is_online']).toBe(false);
    await app.control.flushPresence();
    const stored = await app.database.read
      .selectFrom('presence')
      .select(['heard_at_ms', 'consumption'])
      .where('id', '=', point.id)
      .executeTakeFirst();
    expect(stored).toEqual({
      heard_at_ms: Date.parse(String(body(await status())['last_heartbeat'])),
      consumption: 1.7,
    });
  });

  it('writes nothing for a heartbeat that changes nothing', async () => {
    await heartbeat();
    const changes = () =>
      app.database.read
        .selectFrom('sync_change')
        .select((f) => f.fn.countAll<number>().as('n'))
        .executeTakeFirst();
    const before = await changes();
    for (let n = 0; n < 5; n += 1) await heartbeat(undefined, { consumption: n, rssi: -60 - n });
    expect(await changes()).toEqual(before);
  });

  describe('that sends nonsense', () => {
    it.each([
      ['a status that is none', { current_status: 'MAYBE' }, 'current_status'],
      ['no status', { current_status: undefined }, 'current_status'],
      ['a negative power', { consumption: -1 }, 'consumption'],
      ['a text for a number', { rssi: 'strong' }, 'rssi'],
      ['a version that is no whole number', { version: 1.5 }, 'version'],
    ])('is told 422 for %s, and nothing changes', async (_what, fields, path) => {
      const refused = await heartbeat(undefined, fields);
      expect(refused.status).toBe(422);
      expect(body(refused)['errors']).toMatchObject([{ path }]);
      const shown = await app.call('GET', `/control-points/${point.id}`, { token });
      expect(body(shown)).toMatchObject({ current_status: null, last_heartbeat: null });
    });
  });

  it('reports, and a user orders, through the old shadow path', async () => {
    const path = `/iot/shadow/${point.device_id}`;
    expect(body(await app.call('PUT', path, { body: { current_status: 'on' } }))).toMatchObject({
      current_status: 'ON',
    });
    expect((await app.call('PUT', path, { body: { target_status: 'ON' } })).status).toBe(401);
    const ordered = await app.call('PUT', path, { token, body: { target_status: 'ON' } });
    expect(body(ordered)).toMatchObject({ target_status: 'ON' });
    expect(body(await app.call('GET', path))).toMatchObject({
      target_status: 'ON',
      current_status: 'ON',
      version: 2,
    });
  });
});

describe('a controller without a key, through a proxy', () => {
  it('is served from the farm network alone, and no header makes a stranger near', async () => {
    const app = await startApp('sqlite', ['--trusted-proxies', '127.0.0.1']);
    const { token, farmId } = await aFarmWith(app);
    const { device_id } = await aControlPoint(app, { token, farmId });
    const answers: Record<string, number> = {};
    for (const from of [
      '192.168.1.7',
      '203.0.113.9',
      '192.168.1.7, 203.0.113.9',
      '127.0.0.1',
      'unknown',
      '',
    ]) {
      const reply = await app.call('POST', '/devices/heartbeat', {
        body: { device_id, current_status: 'OFF' },
        headers: from === '' ? {} : { 'X-Forwarded-For': from },
      });
      answers[from] = reply.status;
    }
    expect(answers).toEqual({
      '192.168.1.7': 200,
      '203.0.113.9': 401,
      '192.168.1.7, 203.0.113.9': 401,
      '127.0.0.1': 401,
      unknown: 401,
      '': 401,
    });
    await app.close();
  });
});

describe('a hosted instance', () => {
  it('that was told to serves controllers without a key, from wherever they come', async () => {
    const told = ['--role', 'hosted', '--allow-unkeyed-devices', '1', '--trusted-proxies', '127.0.0.1'];
    const app = await startApp('sqlite', told);
    const { token, farmId } = await aFarmWith(app);
    const { device_id } = await aControlPoint(app, { token, farmId });
    const reply = await app.call('POST', '/devices/heartbeat', {
      body: { device_id, current_status: 'OFF' },
      headers: { 'X-Forwarded-For': '203.0.113.9' },
    });
    expect(reply.status).toBe(200);
    await app.close();
  });

  it('refuses controllers without a key, and does not tell which exist', async () => {
    const app = await startApp('sqlite', ['--role', 'hosted']);
    const { token, farmId } = await aFarmWith(app);
    const point = await aControlPoint(app, { token, farmId });
    for (const device_id of [point.device_id, 'nobody']) {
      const reply = await app.call('POST', '/devices/heartbeat', {
        body: { device_id, current_status: 'ON' },
      });
      expect(reply.status).toBe(401);
    }
    await app.close();
  });
});
