import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { insert, remove, update } from '#core/changes.ts';
import type { Owned } from '#core/route.ts';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm, alertRow } from '#test/farm-rows.ts';
import { watch } from './watch.ts';

onBothEngines('the event stream', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let owner: SignedUp;
  let ids: Record<Owned, string>;
  const open: { close: () => void }[] = [];

  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await app.signUp();
    ids = await aFarm(app.kernel, owner.user.id);
  });
  afterEach(() => {
    for (const viewer of open.splice(0)) viewer.close();
  });

  async function view(token: string, query = '') {
    const viewer = await watch(`${app.base}/api/v1/events${query}`, token);
    open.push(viewer);
    return viewer;
  }
  const changeTarget = (target_status: 'ON' | 'OFF') =>
    app.kernel.commit({ changes: [update(controlPoint, ids.control_point, { target_status })], actor: null });

  /** Lives for an hour. */
  async function anotherToken(): Promise<string> {
    const login = await app.call('POST', '/auth/login', {
      body: { email: owner.user.email, password: 'camarao-123' },
    });
    return (login.body as { access_token: string }).access_token;
  }

  test('begins with a snapshot of the farms of the caller', async () => {
    const viewer = await view(owner.token);
    const { data } = await viewer.next('snapshot');
    expect(viewer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(data).toMatchObject({
      clock_quality: 'trusted',
      farms: [{ id: ids.farm, role: 'OWNER', timezone: 'America/Fortaleza' }],
      control_points: [{ id: ids.control_point, target_status: 'OFF', rev: 1, deleted: false }],
      presence: [
        { control_point_id: ids.control_point, is_online: false, last_heartbeat: '2026-03-01T12:00:00.000Z' },
      ],
      alerts: [{ id: ids.alert, status: 'ACTIVE' }],
      unread_notifications: 0,
    });
  });

  test('tells a change of the shadow and a new alert', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    await changeTarget('ON');
    const raised = alertRow({ id: randomUUID(), farm_id: ids.farm, control_point_id: ids.control_point });
    await app.kernel.commit({ changes: [insert(alert, raised)], actor: null });
    expect((await viewer.next('control_point')).data).toMatchObject({
      id: ids.control_point,
      target_status: 'ON',
      rev: 2,
      deleted: false,
    });
    expect((await viewer.next('alert')).data).toMatchObject({ id: raised.id, deleted: false });
    expect(viewer.names()).toEqual(['snapshot', 'control_point', 'alert']);
  });

  test('a stranger’s farm never appears', async () => {
    const stranger = await app.signUp();
    const own = await aFarm(app.kernel, stranger.user.id);
    const viewer = await view(stranger.token);
    await viewer.next('snapshot');
    await changeTarget('ON');
    app.events.tell(ids.farm, 'presence', silence(ids.control_point));
    await app.kernel.commit({
      changes: [update(controlPoint, own.control_point, { target_status: 'ON' })],
      actor: null,
    });
    await viewer.next('control_point');
    expect(JSON.stringify(viewer.heard)).not.toContain(ids.farm);
    expect(JSON.stringify(viewer.heard)).not.toContain(ids.control_point);
  });

  test('?farm_id= narrows it to one farm, and a farm of others is 404', async () => {
    const second = await aFarm(app.kernel, owner.user.id);
    const viewer = await view(owner.token, `?farm_id=${second.farm}`);
    const { data } = await viewer.next('snapshot');
    expect(data['farms']).toMatchObject([{ id: second.farm }]);
    await changeTarget('ON');
    await app.kernel.commit({
      changes: [update(controlPoint, second.control_point, { target_status: 'ON' })],
      actor: null,
    });
    expect((await viewer.next('control_point')).data['farm_id']).toBe(second.farm);
    const stranger = await app.signUp();
    expect((await view(stranger.token, `?farm_id=${ids.farm}`)).status).toBe(404);
    expect((await view(stranger.token, '?farm_id=nonsense')).status).toBe(422);
    expect((await view(stranger.token, `?farm_id=${ids.farm}&farm_id=${ids.farm}`)).status).toBe(422);
  });

  test('who joins a farm gets its snapshot on the open stream, who leaves hears no more of it', async () => {
    const helper = await app.signUp({ role: 'TECHNICIAN' });
    const viewer = await view(helper.token);
    expect((await viewer.next('snapshot')).data['farms']).toEqual([]);
    const membership = {
      id: randomUUID(),
      farm_id: ids.farm,
      user_id: helper.user.id,
      role: 'TECHNICIAN' as const,
      created_at: '2026-03-02T12:00:00.000Z',
      updated_at: null,
    };
    await app.kernel.commit({ changes: [insert(farmMember, membership)], actor: null });
    expect((await viewer.next('snapshot', 1)).data['farms']).toMatchObject([
      { id: ids.farm, role: 'TECHNICIAN' },
    ]);
    await app.kernel.commit({ changes: [remove(farmMember, membership.id)], actor: null });
    await changeTarget('ON');
    expect((await viewer.next('snapshot', 2)).data['farms']).toEqual([]);
    expect(viewer.names()).toEqual(['snapshot', 'snapshot', 'snapshot']);
  });

  test('a deleted farm leaves the stream with all that was on it', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    await app.kernel.commit({ changes: [remove(farm, ids.farm)], actor: null });
    expect((await viewer.next('snapshot', 1)).data).toMatchObject({
      farms: [],
      control_points: [],
      alerts: [],
    });
    expect(viewer.names()).toEqual(['snapshot', 'snapshot']);
  });

  test('logging out ends the streams of that token alone', async () => {
    const stays = await view(await anotherToken());
    const ends = await view(owner.token);
    await Promise.all([stays.next('snapshot'), ends.next('snapshot')]);
    await app.call('POST', '/auth/logout', { token: owner.token });
    expect((await ends.next('closed')).data).toEqual({ reason: 'signed_out' });
    await ends.end();
    await changeTarget('ON');
    await stays.next('control_point');
    expect(stays.names()).not.toContain('closed');
  });

  test('a changed password ends every stream of the user', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    await app.call('PUT', '/users/me', { token: owner.token, body: { password: 'outra-senha-9' } });
    expect((await viewer.next('closed')).data).toEqual({ reason: 'signed_out' });
    await viewer.end();
  });

  test('an expired token ends its stream', async () => {
    const viewer = await view(await anotherToken());
    await viewer.next('snapshot');
    app.clock.advance(61 * 60_000);
    app.events.beat();
    expect((await viewer.next('closed')).data).toEqual({ reason: 'token_expired' });
    await viewer.end();
  });

  test('presence is gathered: the newest of each controller counts', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    for (const consumption of [1, 2, 3]) {
      app.events.tell(ids.farm, 'presence', { ...silence(ids.control_point), consumption });
    }
    const { data } = await viewer.next('presence');
    expect(data).toEqual({
      farm_id: ids.farm,
      control_points: [{ ...silence(ids.control_point), consumption: 3 }],
    });
  });

  test('a beat proves the line', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    app.events.beat();
    app.events.tellAll('clock', { quality: 'trusted', server_time: '2026-03-02T12:00:00.000Z' });
    await viewer.next('clock');
    expect(viewer.state.comments).toBe(1);
  });

  test('a ticket opens one stream within 30 seconds, and no token stands in the address', async () => {
    const ticket = async () => {
      const got = await app.call('POST', '/events/ticket', { token: owner.token });
      expect(got.status).toBe(201);
      return (got.body as { ticket: string }).ticket;
    };
    const used = await ticket();
    expect(used).not.toContain(owner.token.split('.')[1]);
    const viewer = await watch(`${app.base}/api/v1/events?ticket=${used}`);
    open.push(viewer);
    await viewer.next('snapshot');
    const again = await watch(`${app.base}/api/v1/events?ticket=${used}`);
    // a clock that steps makes none older or younger
    const young = await ticket();
    const late = await ticket();
    app.stepWallClock(3_600_000);
    app.lookAtClock();
    const inTime = await watch(`${app.base}/api/v1/events?ticket=${young}`);
    open.push(inTime);
    expect(inTime.status).toBe(200);
    app.clock.advance(30_000);
    app.stepWallClock(-3_600_000);
    app.lookAtClock();
    const tooLate = await watch(`${app.base}/api/v1/events?ticket=${late}`);
    const forged = await watch(
      `${app.base}/api/v1/events?ticket=${late.slice(0, -2)}${late.endsWith('AA') ? 'BB' : 'AA'}`,
    );
    const nobody = await watch(`${app.base}/api/v1/events`);
    expect([again, tooLate, forged, nobody].map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  test('accounts without a farm by the dozen leave a farm its streams', async () => {
    const strangers = await Promise.all(Array.from({ length: 18 }, () => app.signUp()));
    const viewers = [];
    for (const { token } of strangers) for (let n = 0; n < 4; n += 1) viewers.push(await view(token));
    const statuses = viewers.map(({ status }) => status);
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 429]);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.at(-1)).toBe(503);
    const own = await view(owner.token);
    expect(own.status).toBe(200);
  });

  test('one user has twenty streams at most', async () => {
    const viewers = await Promise.all(Array.from({ length: 20 }, () => view(owner.token)));
    expect(viewers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const further = await view(owner.token);
    expect([further.status, (await further.body()).code]).toEqual([429, 'TOO_MANY_STREAMS']);
    viewers[0]?.close();
    await expect.poll(() => app.events.openStreams()).toBe(19);
    expect((await view(owner.token)).status).toBe(200);
  });

  test('a client that does not read is dropped, and the others are not kept waiting', async () => {
    const viewer = await view(owner.token);
    await viewer.next('snapshot');
    const deaf = connect(Number(new URL(app.base).port), '127.0.0.1');
    open.push({ close: () => deaf.destroy() });
    deaf.write(`GET /api/v1/events HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`);
    deaf.pause();
    await expect.poll(() => app.events.openStreams()).toBe(2);
    const before = app.events.droppedStreams();
    const large = {
      quality: 'trusted' as const,
      server_time: '2026-03-02T12:00:00.000Z',
      detail: 'x'.repeat(100_000),
    };
    for (let told = 0; app.events.droppedStreams() === before && told < 500; told += 1) {
      app.events.tellAll('clock', large);
      await viewer.next('clock', told);
    }
    expect(app.events.droppedStreams()).toBe(before + 1);
    expect(app.events.openStreams()).toBe(1);
    await changeTarget('ON');
    await viewer.next('control_point');
  });
});

function silence(control_point_id: string) {
  return { control_point_id, is_online: true, last_heartbeat: null, current_status: null, consumption: 0 };
}
