import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type App,
  aControlPoint,
  aFarmWith,
  body,
  joinFarm,
  type MadeControlPoint,
  startApp,
} from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

// Fortaleza is three hours behind UTC all year.
const night = {
  action: 'ON',
  start_time: '2026-03-02T21:00:00.000Z',
  end_time: '2026-03-03T09:00:00.000Z',
  repeat_pattern: 'DAILY',
};
const AT_SEVEN = '2026-03-02T22:00:00Z';

const move = (app: App, token: string, id: string, input: object, headers = {}) =>
  app.call('PATCH', `/schedules/${id}`, { token, body: input, headers });
const idsAt = async (app: App, token: string, pointId: string) =>
  ((await app.call('GET', `/control-points/${pointId}/schedules`, { token })).body as { id: string }[]).map(
    ({ id }) => id,
  );

onBothEngines('a schedule that is moved to another control point', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let from: MadeControlPoint;
  let to: MadeControlPoint;
  beforeAll(async () => {
    app = await startApp(engine, ['--start-step-s', '5']);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    app.clock.set(Date.parse('2026-03-02T12:00:00Z'));
    ({ token, farmId } = await aFarmWith(app));
    from = await aControlPoint(app, { token, farmId });
    to = await aControlPoint(app, { token, farmId });
  });

  const post = async (input: object, point: MadeControlPoint) => {
    const made = await app.call('POST', `/control-points/${point.id}/schedules`, { token, body: input });
    expect(made.status).toBe(201);
    return String(body(made)['id']);
  };
  const at = async (instant: string) => {
    app.clock.set(Date.parse(instant));
    await app.control.executor.tick();
  };
  const soon = async () => {
    app.clock.advance(6_000);
    await app.control.executor.tick();
    return targets();
  };
  const targets = () =>
    Promise.all(
      [from, to].map(
        async ({ id }) => body(await app.call('GET', `/control-points/${id}`, { token }))['target_status'],
      ),
    );
  const logs = async ({ id }: MadeControlPoint) => {
    const found = (await app.call('GET', `/logs/control-points/${id}`, { token })).body;
    return (found as { action: string; details: Record<string, unknown> }[]).filter(
      ({ action }) => action === 'update',
    );
  };

  it('is told by the new one alone, under its id, and both controllers are given a new list', async () => {
    const id = await post({ ...night, description: 'night' }, from);
    const revs = () =>
      [from, to].map((point) => app.control.registry.byId(point.id)?.row.schedule_rev ?? Number.NaN);
    const before = revs();
    const moved = await move(app, token, id, { control_point_id: to.id });
    expect([moved.status, body(moved)]).toMatchObject([
      200,
      { id, control_point_id: to.id, description: 'night', takes_effect: 'NEXT_EVENT', warnings: [] },
    ]);
    expect([await idsAt(app, token, from.id), await idsAt(app, token, to.id)]).toEqual([[], [id]]);
    expect(revs()).toEqual(before.map((rev) => rev + 1));
    const all = await app.call('GET', `/schedules/?farm_id=${farmId}`, { token });
    expect(all.body).toMatchObject([{ id, control_point_id: to.id }]);
    // the answer carries the entity's tag: it is good for the next change
    const tag = { 'If-Match': moved.headers.get('etag') ?? '' };
    expect((await move(app, token, id, { description: 'tag' }, tag)).status).toBe(200);
    expect((await move(app, token, id, { control_point_id: from.id }, tag)).status).toBe(412);
    expect((await logs(from))[0]).toMatchObject({ details: { schedule_id: id, moved_to: to.id } });
    expect((await logs(to))[0]).toMatchObject({ details: { schedule_id: id, moved_from: from.id } });
  });

  it('switches there from then on, and nothing where it was', async () => {
    const id = await post(night, from);
    await move(app, token, id, { control_point_id: to.id });
    await at('2026-03-02T21:00:01Z');
    expect(await targets()).toEqual(['OFF', 'ON']);
    await at('2026-03-03T09:00:01Z');
    expect(await targets()).toEqual(['OFF', 'OFF']);
  });

  it('within its window starts the new one at once, and what runs goes on until its next event', async () => {
    const rest = { ...night, start_time: '2026-03-03T02:00:00.000Z', end_time: '2026-03-03T03:00:00.000Z' };
    const id = await post(night, from);
    await post({ ...rest, action: 'OFF' }, from);
    await at('2026-03-02T21:00:01Z');
    app.clock.set(Date.parse(AT_SEVEN));
    const moved = body(await move(app, token, id, { control_point_id: to.id }));
    expect(moved).toMatchObject({ takes_effect: 'NOW' });
    expect(await soon()).toEqual(['ON', 'ON']);
    await at('2026-03-03T02:00:01Z');
    expect(await targets()).toEqual(['OFF', 'ON']);
  });

  it('that held the old one OFF lets it go ON at once by what is left', async () => {
    const pause = {
      ...night,
      action: 'OFF',
      start_time: '2026-03-02T21:30:00.000Z',
      end_time: '2026-03-02T23:00:00.000Z',
    };
    await post(night, from);
    const id = await post(pause, from);
    await at('2026-03-02T21:30:01Z');
    expect(await targets()).toEqual(['OFF', 'OFF']);
    app.clock.set(Date.parse(AT_SEVEN));
    await move(app, token, id, { control_point_id: to.id });
    expect(await soon()).toEqual(['ON', 'OFF']);
  });

  it('with apply_now acts at once at both, OFF too', async () => {
    await post({ ...night, action: 'OFF', start_time: '2026-03-02T20:00:00.000Z' }, from);
    const id = await post(night, from);
    await at('2026-03-02T21:00:01Z');
    expect(await targets()).toEqual(['ON', 'OFF']);
    app.clock.set(Date.parse(AT_SEVEN));
    const waits = body(await move(app, token, id, { control_point_id: to.id }, { 'Accept-Language': 'en' }));
    expect(waits).toMatchObject({
      takes_effect: 'NOW',
      warnings: [{ code: 'KEEPS_RUNNING', message: expect.stringContaining(from.cod) }],
    });
    expect(await soon()).toEqual(['ON', 'ON']);
    await move(app, token, id, { control_point_id: from.id });
    const now = body(await move(app, token, id, { control_point_id: to.id, apply_now: true }));
    expect(now).toMatchObject({ takes_effect: 'NOW', warnings: [] });
    expect(await soon()).toEqual(['OFF', 'ON']);
  });

  it('follows the control point that it stands at when one of both is deleted', async () => {
    const id = await post(night, from);
    await move(app, token, id, { control_point_id: to.id });
    expect((await app.call('DELETE', `/control-points/${from.id}`, { token })).status).toBe(204);
    expect(await idsAt(app, token, to.id)).toEqual([id]);
    await at('2026-03-02T21:00:01Z');
    expect(app.control.registry.byId(to.id)?.row.target_status).toBe('ON');
    await app.call('DELETE', `/control-points/${to.id}`, { token });
    expect((await move(app, token, id, { description: 'x' })).status).toBe(404);
  });

  it('stays where it is where one of that action, pattern and start stands there, or a siren, or no room is', async () => {
    const id = await post(night, from);
    await post({ ...night, end_time: '2026-03-03T08:00:00.000Z' }, to);
    const twin = await move(app, token, id, { control_point_id: to.id });
    expect([twin.status, body(twin)['code']]).toEqual([409, 'ALREADY_EXISTS']);
    const elsewhen = { control_point_id: to.id, start_time: '2026-03-02T20:00:00.000Z' };
    expect((await move(app, token, id, elsewhen)).status).toBe(200);
    const siren = await aControlPoint(app, { token, farmId });
    const marked = { token, body: { is_siren: true } };
    expect((await app.call('PUT', `/control-points/${siren.id}/settings`, marked)).status).toBe(200);
    const refused = await move(app, token, id, { control_point_id: siren.id });
    expect([refused.status, body(refused)['code']]).toEqual([409, 'IS_SIREN']);
    expect((await idsAt(app, token, to.id)).includes(id)).toBe(true);
  });

  it('goes to no other farm, and nobody learns which control points there are', async () => {
    const id = await post(night, from);
    const { id: second } = body(await app.call('POST', '/farms/', { token, body: { name: 'Sul' } }));
    // a plan of one farm makes no second
    const mine = typeof second === 'string' ? await aControlPoint(app, { token, farmId: second }) : null;
    const stranger = await aFarmWith(app);
    const theirs = await aControlPoint(app, stranger);
    const gone = await aControlPoint(app, { token, farmId });
    await app.call('DELETE', `/control-points/${gone.id}`, { token });
    const nowhere = '01890000-0000-7000-8000-00000000abcd';
    const ids = [theirs.id, gone.id, nowhere, ...(mine === null ? [] : [mine.id])];
    const answers = await Promise.all(ids.map((point) => move(app, token, id, { control_point_id: point })));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 422));
    expect(new Set(answers.map(({ body: told }) => JSON.stringify(told))).size).toBe(1);
    expect(body(await move(app, token, id, { control_point_id: null }))['errors']).toMatchObject([
      { path: 'control_point_id' },
    ]);
    // nor is it moved by whom it is none of their business
    expect((await move(app, stranger.token, id, { control_point_id: theirs.id })).status).toBe(404);
    const viewer = await app.signUp();
    await joinFarm(app, { token, farmId }, viewer, 'VIEWER');
    expect((await move(app, viewer.token, id, { control_point_id: to.id })).status).toBe(403);
    expect(await idsAt(app, token, from.id)).toEqual([id]);
  });

  it('is read where it stands after a restart', async () => {
    const id = await post(night, from);
    await move(app, token, id, { control_point_id: to.id });
    await app.control.registry.load();
    const at = (point: MadeControlPoint) =>
      app.control.registry.byId(point.id)?.schedules.map((row) => row.id);
    expect([at(from), at(to)]).toEqual([[], [id]]);
  });
});

onBothEngines('a schedule that is moved while gateway and cloud share the farm', (_open, engine) => {
  let apps: SyncedApps;
  let farmId: string;
  let cloud: string;
  let box: string;
  let points: MadeControlPoint[];
  beforeAll(async () => {
    apps = await syncedApps(engine, ['--start-step-s', '0']);
    const { hosted, gateway } = apps;
    const owner = await hosted.signUp({ email: 'owner@farm.test' });
    await apps.pairWith(owner);
    const { id } = await hosted.database.read.selectFrom('gateways').select('id').executeTakeFirstOrThrow();
    cloud = owner.token;
    const made = await hosted.call('POST', '/farms/', { token: cloud, body: { name: 'Norte' } });
    farmId = String(body(made)['id']);
    await hosted.call('POST', `/sync/gateways/${id}/farms`, { token: cloud, body: { farm_id: farmId } });
    await apps.settled();
    box = await apps.logInOnFarm('owner@farm.test');
    points = [];
    for (let n = 0; n < 3; n += 1) points.push(await aControlPoint(gateway, { token: box, farmId }));
    await apps.settled();
  });
  afterAll(() => apps.close());

  const sides = () => [
    { app: apps.gateway, token: box },
    { app: apps.hosted, token: cloud },
  ];
  const inMinutes = (minutes: number) => new Date(apps.gateway.clock.now() + minutes * 60_000).toISOString();
  /** Runs now, and for an hour. */
  const aSchedule = async () => {
    const [first] = points;
    const rule = { action: 'ON', start_time: inMinutes(-1), end_time: inMinutes(60) };
    const made = await apps.gateway.call('POST', `/control-points/${first?.id}/schedules`, {
      token: box,
      body: rule,
    });
    expect(made.status).toBe(201);
    await apps.settled();
    return String(body(made)['id']);
  };
  const placeOf = async (id: string) =>
    Promise.all(
      sides().map(async ({ app, token }) => {
        const all = (await app.call('GET', `/schedules/?farm_id=${farmId}`, { token })).body;
        return (all as { id: string; control_point_id: string }[]).find((row) => row.id === id)
          ?.control_point_id;
      }),
    );
  const target = (point: MadeControlPoint | undefined) =>
    apps.gateway.control.registry.byId(String(point?.id))?.row.target_status;

  it('at the gateway stands there in the cloud', async () => {
    const id = await aSchedule();
    const [, to] = points;
    expect((await move(apps.gateway, box, id, { control_point_id: to?.id })).status).toBe(200);
    await apps.settled();
    expect(await placeOf(id)).toEqual([to?.id, to?.id]);
    await apps.gateway.call('DELETE', `/schedules/${id}`, { token: box });
    await apps.settled();
  });

  it('in the cloud moves the motors at the farm: the new one starts, the old one goes on until its next event', async () => {
    const id = await aSchedule();
    const [first, , third] = points;
    await apps.gateway.control.executor.tick();
    expect([target(first), target(third)]).toEqual(['ON', 'OFF']);
    const before = apps.gateway.control.registry.byId(String(first?.id))?.row.schedule_rev ?? 0;
    expect((await move(apps.hosted, cloud, id, { control_point_id: third?.id })).status).toBe(200);
    await apps.settled();
    await apps.gateway.control.executor.tick();
    expect(await placeOf(id)).toEqual([third?.id, third?.id]);
    expect([target(first), target(third)]).toEqual(['ON', 'ON']);
    expect(apps.gateway.control.registry.byId(String(first?.id))?.row.schedule_rev).toBe(before + 1);
    expect(apps.gateway.control.registry.byId(String(first?.id))?.schedules).toEqual([]);
    await apps.gateway.call('DELETE', `/schedules/${id}`, { token: box });
    await apps.settled();
  });

  describe('on both sides at once', () => {
    it('stands on both where the later one put it, and people hear of the other', async () => {
      const id = await aSchedule();
      const [, second, third] = points;
      await apps.linkDown();
      expect((await move(apps.gateway, box, id, { control_point_id: second?.id })).status).toBe(200);
      apps.advance(5_000);
      expect((await move(apps.hosted, cloud, id, { control_point_id: third?.id })).status).toBe(200);
      await apps.linkUp();
      await apps.settled();
      expect(await placeOf(id)).toEqual([third?.id, third?.id]);
      const conflicts = await apps.hosted.database.read
        .selectFrom('sync_conflicts')
        .select(['id', 'field_group', 'dropped_json', 'kept_json'])
        .where('row_id', '=', id)
        .where('field_group', '=', 'place')
        .execute();
      expect(
        conflicts.map(({ dropped_json, kept_json }) => [JSON.parse(dropped_json), JSON.parse(kept_json)]),
      ).toEqual([[{ control_point_id: second?.id }, { control_point_id: third?.id }]]);
      const restored = await apps.hosted.call('POST', `/sync/conflicts/${conflicts[0]?.id}/restore`, {
        token: cloud,
      });
      expect(restored.status).toBe(200);
      await apps.settled();
      expect(await placeOf(id)).toEqual([second?.id, second?.id]);
      const seen = apps.gateway.control.registry.byId(String(second?.id))?.schedules.map((row) => row.id);
      expect(seen).toEqual([id]);
    });

    it('goes with the control point that the other side deleted meanwhile', async () => {
      const id = await aSchedule();
      const [first] = points;
      const doomed = await aControlPoint(apps.gateway, { token: box, farmId });
      await apps.settled();
      await apps.linkDown();
      expect((await move(apps.hosted, cloud, id, { control_point_id: doomed.id })).status).toBe(200);
      const gone = await apps.gateway.call('DELETE', `/control-points/${doomed.id}`, { token: box });
      expect(gone.status).toBe(204);
      await apps.linkUp();
      await apps.settled();
      expect(await placeOf(id)).toEqual([undefined, undefined]);
      expect(apps.gateway.control.registry.byId(String(first?.id))?.schedules).toEqual([]);
    });

    it('is kept where the control point that it left is deleted over there', async () => {
      const [, second] = points;
      const doomed = await aControlPoint(apps.gateway, { token: box, farmId });
      const rule = { action: 'ON', start_time: inMinutes(300) };
      const made = await apps.gateway.call('POST', `/control-points/${doomed.id}/schedules`, {
        token: box,
        body: rule,
      });
      const id = String(body(made)['id']);
      await apps.settled();
      await apps.linkDown();
      expect((await move(apps.hosted, cloud, id, { control_point_id: second?.id })).status).toBe(200);
      await apps.gateway.call('DELETE', `/control-points/${doomed.id}`, { token: box });
      await apps.linkUp();
      await apps.settled();
      expect(await placeOf(id)).toEqual([second?.id, second?.id]);
    });
  });
});
