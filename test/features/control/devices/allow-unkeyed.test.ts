import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type App,
  aControlPoint,
  aFarmWith,
  body,
  joinFarm,
  type MadeControlPoint,
  startApp,
  startAppBeside,
} from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';

const REFUSED = {
  status: 401,
  body: { code: 'DEVICE_KEY_REQUIRED', detail: expect.stringContaining('allow_unkeyed') },
};

const heartbeat = (app: App, { device_id }: MadeControlPoint, key?: string, current_status = 'OFF') =>
  app.call('POST', '/devices/heartbeat', {
    body: { device_id, current_status },
    ...(key === undefined ? {} : { token: key }),
  });

async function newKey(app: App, { id }: MadeControlPoint, token: string): Promise<string> {
  return String(body(await app.call('POST', `/control-points/${id}/device-key`, { token }))['key']);
}

onBothEngines('calls without a key', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let first: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token: first } = await aFarmWith(app));
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ token, farmId } = await aFarmWith(app));
  });

  const aPoint = async () => {
    const made = await aControlPoint(app, { token, farmId });
    app.clock.advance(1_000);
    return made;
  };
  const said = (point: MadeControlPoint, key?: string) => heartbeat(app, point, key);
  const useAKey = async (point: MadeControlPoint) => {
    const key = await newKey(app, point, token);
    expect((await said(point, key)).status).toBe(200);
    app.clock.advance(1_000);
    return key;
  };
  const settings = (point: MadeControlPoint, who = token) =>
    app.call('GET', `/control-points/${point.id}/settings`, { token: who });
  const allow = (point: MadeControlPoint, allow_unkeyed: unknown, who = token, more = {}) =>
    app.call('PUT', `/control-points/${point.id}/settings`, {
      token: who,
      body: { allow_unkeyed, ...more },
    });
  const isAllowed = async (point: MadeControlPoint) => body(await settings(point))['allow_unkeyed'];

  it('are taken on a farm where no key was ever used, however many were made', async () => {
    const old = await aPoint();
    await newKey(app, await aPoint(), token);
    const point = await aPoint();
    expect([(await said(old)).status, (await said(point)).status]).toEqual([200, 200]);
    expect([await isAllowed(old), await isAllowed(point)]).toEqual([true, true]);
  });

  it('are refused for control points made after a key of their farm was used, and the others go on', async () => {
    const old = await aPoint();
    await useAKey(await aPoint());
    const point = await aPoint();
    expect((await said(old)).status).toBe(200);
    expect(await said(point)).toMatchObject(REFUSED);
    expect(await app.call('GET', `/devices/status/${point.device_id}`)).toMatchObject(REFUSED);
    expect(
      await app.call('PUT', `/iot/shadow/${point.device_id}`, { body: { current_status: 'ON' } }),
    ).toMatchObject(REFUSED);
    expect([await isAllowed(old), await isAllowed(point)]).toEqual([true, false]);
    const shown = body(await app.call('GET', `/control-points/${point.id}`, { token }));
    expect(shown).toMatchObject({ last_heartbeat: null, is_online: false, current_status: null });
  });

  it('that are refused are shown to technicians at the door, until that controller is heard', async () => {
    // who was first on this box works on it
    const owner = first;
    const farm = await app.call('POST', '/farms/', { token: owner, body: { name: 'Fazenda Leste' } });
    const on = { token: owner, farmId: String(body(farm)['id']) };
    const keyed = await aControlPoint(app, on);
    app.clock.advance(1_000);
    await said(keyed, await newKey(app, keyed, owner));
    app.clock.advance(1_000);
    const point = await aControlPoint(app, on);
    const atTheDoor = async (path: string) =>
      ((await app.call('GET', path, { token: owner })).body as { device_id: string }[]).filter(
        ({ device_id }) => device_id === point.device_id,
      );
    await said(point);
    expect(await atTheDoor('/devices/seen')).toMatchObject([{ reason: 'no_key', via: 'http', count: 1 }]);
    expect(await atTheDoor('/adoption/queue')).toMatchObject([
      { reason: 'no_key', control_point: { id: point.id } },
    ]);
    await allow(point, true, owner);
    app.clock.advance(1_000);
    expect((await said(point)).status).toBe(200);
    expect(await atTheDoor('/devices/seen')).toEqual([]);
    expect(await atTheDoor('/adoption/queue')).toEqual([]);
  });

  it('are taken on another farm, where no key was used', async () => {
    await useAKey(await aPoint());
    const other = await aFarmWith(app);
    const point = await aControlPoint(app, other);
    expect((await said(point)).status).toBe(200);
  });

  it('stay refused when the key that was used goes: by rotations, with its device, with its control point', async () => {
    const keyed = await aPoint();
    await useAKey(keyed);
    const point = await aPoint();
    await useAKey(keyed);
    await useAKey(keyed);
    expect(await said(point)).toMatchObject(REFUSED);
    await app.call('PUT', `/control-points/${keyed.id}`, {
      token,
      body: { device_id: `${keyed.device_id}b` },
    });
    // the name is new, and the control point has had a key
    expect(await said({ ...keyed, device_id: `${keyed.device_id}b` })).toMatchObject(REFUSED);
    expect(await said(point)).toMatchObject(REFUSED);
    expect((await app.call('DELETE', `/control-points/${keyed.id}`, { token })).status).toBe(204);
    expect(await said(point)).toMatchObject(REFUSED);
    expect(await said(await aPoint())).toMatchObject(REFUSED);
  });

  it('are what a person set, whatever the rule says, and the rule holds again when that is taken back', async () => {
    const old = await aPoint();
    await useAKey(await aPoint());
    const point = await aPoint();
    expect(await allow(point, true)).toMatchObject({ status: 200, body: { allow_unkeyed: true } });
    expect((await said(point)).status).toBe(200);
    expect(await allow(old, false)).toMatchObject({ status: 200, body: { allow_unkeyed: false } });
    expect(await said(old)).toMatchObject(REFUSED);
    expect(await allow(point, null)).toMatchObject({ status: 200, body: { allow_unkeyed: false } });
    expect(await said(point)).toMatchObject(REFUSED);
    expect(await allow(old, null)).toMatchObject({ status: 200, body: { allow_unkeyed: true } });
    expect((await said(old)).status).toBe(200);
  });

  it('are left as they are by other settings, and by all settings sent back as they were shown', async () => {
    const point = await aPoint();
    await app.call('PUT', `/control-points/${point.id}/settings`, { token, body: { min_on_s: 30 } });
    const shown = body(await settings(point));
    await app.call('PUT', `/control-points/${point.id}/settings`, { token, body: shown });
    const row = () => app.control.registry.byId(point.id)?.row;
    expect(row()).toMatchObject({ min_on_s: 30, allow_unkeyed: null });
    const before = await settings(point);
    const both = await allow(point, false, token, { min_on_s: 45 });
    expect(both.headers.get('etag')).toBe((await settings(point)).headers.get('etag'));
    expect(both.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(row()).toMatchObject({ min_on_s: 45, allow_unkeyed: false });
    expect((await allow(point, 'yes')).status).toBe(400);
  });

  it('are never taken once the own key was used, and switching them on says so', async () => {
    const point = await aPoint();
    await allow(point, false);
    await allow(point, true);
    const key = await useAKey(point);
    expect((await said(point)).status).toBe(401);
    expect(await isAllowed(point)).toBe(false);
    expect(await allow(point, true)).toMatchObject({ status: 409, body: { code: 'DEVICE_KEY_IN_USE' } });
    await app.call('DELETE', `/control-points/${point.id}/device-key`, { token });
    expect((await said(point)).status).toBe(401);
    expect((await said(point, key)).status).toBe(401);
  });

  it('are switched by a technician and those above, by no viewer and no stranger', async () => {
    const point = await aPoint();
    const statuses: Record<string, number> = {};
    for (const role of ['MANAGER', 'TECHNICIAN', 'VIEWER']) {
      const person = await app.signUp();
      await joinFarm(app, { token, farmId }, person, role);
      statuses[role] = (await allow(point, false, person.token)).status;
      await allow(point, null);
    }
    statuses['stranger'] = (await allow(point, false, (await app.signUp()).token)).status;
    expect(statuses).toEqual({ MANAGER: 200, TECHNICIAN: 200, VIEWER: 403, stranger: 404 });
    expect(await isAllowed(point)).toBe(true);
    await allow(point, false);
    const logs = (await app.call('GET', `/logs/control-points/${point.id}`, { token })).body;
    expect((logs as object[])[0]).toMatchObject({
      action: 'update',
      details: { before: { allow_unkeyed: true }, settings: { allow_unkeyed: false } },
    });
  });

  it('are shown as not proved, until a report comes with a key or from a user', async () => {
    const point = await aPoint();
    const proved = async () => [
      body(await app.call('GET', `/control-points/${point.id}`, { token }))['is_proved'],
      body(await app.call('GET', `/devices/status/${point.device_id}`, { token }))['is_proved'],
      body(await app.call('GET', `/control-points/${point.id}/shadow`, { token }))['presence'],
    ];
    const all = (is_proved: boolean | null) => [is_proved, is_proved, expect.objectContaining({ is_proved })];
    expect(await proved()).toEqual(all(null));
    await said(point);
    expect(await proved()).toEqual(all(false));
    await said(point, token);
    expect(await proved()).toEqual(all(true));
    await said(point);
    await useAKey(point);
    expect(await proved()).toEqual(all(true));
  });
});

describe('calls without a key', () => {
  it('are judged alike after a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'unkeyed-'));
    const first = await startApp('sqlite', ['--data', data]);
    const { token, farmId } = await aFarmWith(first);
    const old = await aControlPoint(first, { token, farmId });
    const keyed = await aControlPoint(first, { token, farmId });
    first.clock.advance(1_000);
    await heartbeat(first, keyed, await newKey(first, keyed, token));
    await first.call('DELETE', `/control-points/${keyed.id}`, { token });
    first.clock.advance(1_000);
    const point = await aControlPoint(first, { token, farmId });
    await first.close();
    const again = await startApp('sqlite', ['--data', data]);
    expect((await heartbeat(again, old)).status).toBe(200);
    expect(await heartbeat(again, point)).toMatchObject(REFUSED);
    await again.close();
    rmSync(data, { recursive: true, force: true });
  });
});

describeOnPostgres('calls without a key to a hosted instance that takes them', () => {
  const HOSTED = ['--role', 'hosted', '--allow-unkeyed-devices', '1'];

  it('are refused by every process once a key was used at one', async () => {
    const one = await startApp('postgres', HOSTED);
    const other = await startAppBeside(one, HOSTED);
    const { token, farmId } = await aFarmWith(one);
    const keyed = await aControlPoint(one, { token, farmId });
    one.clock.advance(1_000);
    await heartbeat(one, keyed, await newKey(one, keyed, token));
    one.clock.advance(1_000);
    const point = await aControlPoint(one, { token, farmId });
    expect(await heartbeat(one, point)).toMatchObject(REFUSED);
    await expect.poll(async () => (await heartbeat(other, point)).status).toBe(401);
    expect(await heartbeat(other, point)).toMatchObject(REFUSED);
    await other.close();
    await one.close();
  });
});
