import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// Fortaleza is three hours behind UTC all year.
const NOON = '2026-03-02T15:00:00.000Z';
const SIX_PM = '2026-03-02T21:00:00.000Z';
const SIX_AM = '2026-03-03T09:00:00.000Z';

type Segment = Record<'from' | 'until' | 'target' | 'cause', string> &
  Record<'schedule_id' | 'order_id', string | null> & { control_point_id?: string };

onBothEngines('what control points will do', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let point: MadeControlPoint;
  beforeAll(async () => {
    app = await startApp(engine, ['--start-step-s', '1']);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    app.clock.set(Date.parse(NOON));
    ({ token, farmId } = await aFarmWith(app));
    point = await aControlPoint(app, { token, farmId });
  });

  const night = { action: 'ON', start_time: SIX_PM, end_time: SIX_AM, repeat_pattern: 'DAILY' };
  const path = () => `/control-points/${point.id}`;
  const enter = async (input: object, id = point.id) =>
    body(await app.call('POST', `/control-points/${id}/schedules`, { token, body: input }));
  const timeline = async (of = path(), hours = 24) => {
    const answer = await app.call('GET', `${of}/timeline?hours=${hours}`, { token });
    expect(answer.status).toBe(200);
    return answer.body as Segment[];
  };
  const plan = async () => body(await app.call('GET', path(), { token }))['plan'];

  it('is told with schedules and orders, by the function that switches them', async () => {
    const { id } = await enter(night);
    expect(await plan()).toEqual({
      cause: 'BASE',
      since: NOON,
      until: SIX_PM,
      then: 'ON',
      scheduled: null,
      off_schedule: false,
    });
    app.clock.set(Date.parse('2026-03-02T22:00:00.000Z'));
    await app.control.executor.tick();
    const off = body(await app.call('POST', `${path()}/turn-off`, { token, body: { for_s: 1_800 } }));
    expect(await plan()).toMatchObject({
      cause: 'LOCAL_ORDER',
      until: '2026-03-02T22:30:00.000Z',
      scheduled: 'ON',
      off_schedule: true,
    });
    const list = await app.call('GET', '/control-points/', { token });
    expect((list.body as { plan: object }[])[0]?.plan).toEqual(await plan());
    const order = { order_id: off['order_id'], schedule_id: null, cause: 'LOCAL_ORDER', target: 'OFF' };
    const schedule = { order_id: null, schedule_id: id, cause: 'SCHEDULE' };
    expect(await timeline()).toEqual([
      { from: '2026-03-02T22:00:00.000Z', until: '2026-03-02T22:30:00.000Z', ...order },
      { from: '2026-03-02T22:30:00.000Z', until: SIX_AM, ...schedule, target: 'ON' },
      { from: SIX_AM, until: '2026-03-03T21:00:00.000Z', ...schedule, target: 'OFF' },
      { from: '2026-03-03T21:00:00.000Z', until: '2026-03-03T22:00:00.000Z', ...schedule, target: 'ON' },
    ]);
  });

  it('is told of a lock-out for as long as was asked, and of a farm for all its points', async () => {
    const other = await aControlPoint(app, { token, farmId });
    const stranger = await aFarmWith(app);
    await aControlPoint(app, stranger);
    await enter(night, other.id);
    await app.call('POST', `${path()}/lock-out`, { token, body: { reason: 'propeller' } });
    const all = await timeline(`/farms/${farmId}`, 12);
    expect(all.map(({ control_point_id, target, cause }) => [control_point_id, target, cause])).toEqual([
      [point.id, 'OFF', 'LOCK_OUT'],
      [other.id, 'OFF', 'BASE'],
      [other.id, 'ON', 'SCHEDULE'],
    ]);
    for (const id of [point.id, other.id]) {
      const ofFarm = all.filter(({ control_point_id }) => control_point_id === id);
      const own = await timeline(`/control-points/${id}`, 12);
      expect(ofFarm.map(({ control_point_id: _id, ...segment }) => segment)).toEqual(own);
    }
  });

  it('is told with what the water asks now', async () => {
    await app.call('PUT', `${path()}/settings`, { token, body: { do_emergency: 2 } });
    const pond = await app.call('POST', '/ponds/', {
      token,
      body: {
        farm_id: farmId,
        cod: 'V-1',
        pond_type: 'FATTENING',
        size_m2: 900,
        depth_m: 1.2,
        aerator_count: 1,
        control_point_id: point.id,
      },
    });
    const reading = { pond_id: body(pond)['id'], dissolved_oxygen: 1.2 };
    expect((await app.call('POST', '/water-quality/', { token, body: reading })).status).toBe(201);
    await app.control.oxygen.settled();
    expect(await plan()).toMatchObject({ cause: 'EMERGENCY_OXYGEN', until: null });
    expect(await timeline(path(), 192)).toMatchObject([{ target: 'ON', cause: 'EMERGENCY_OXYGEN' }]);
  });

  it('is fail-safe while the clock is not to be trusted', async () => {
    await enter(night);
    await app.control.executor.tick();
    app.stepWallClock(56 * 365 * 86_400_000);
    expect(await plan()).toMatchObject({ cause: 'FAIL_SAFE', until: null, scheduled: null });
    expect(await timeline()).toMatchObject([{ target: 'OFF', cause: 'FAIL_SAFE', schedule_id: null }]);
    app.stepWallClock(-56 * 365 * 86_400_000);
    await app.call('POST', '/system/clock', { token, body: {} });
  });

  it('is told for one to 192 hours, and to whoever may read the farm', async () => {
    const { token: stranger } = await aFarmWith(app);
    for (const of of [path(), `/farms/${farmId}`]) {
      for (const hours of ['0', '193', '1.5', 'all'])
        expect((await app.call('GET', `${of}/timeline?hours=${hours}`, { token })).status).toBe(422);
      expect((await app.call('GET', `${of}/timeline`, { token: stranger })).status).toBe(404);
      expect((await app.call('GET', `${of}/timeline`)).status).toBe(401);
    }
    const [segment] = (await app.call('GET', `${path()}/timeline`, { token })).body as Segment[];
    expect(Date.parse(segment?.until ?? '') - Date.parse(segment?.from ?? '')).toBe(48 * 3_600_000);
  });
});

describe('a farm of many control points', () => {
  it('is told in two thousand segments at most, each point to the same share', async () => {
    const app = await startApp('sqlite');
    const { token, farmId } = await aFarmWith(app);
    const points = [await aControlPoint(app, { token, farmId }), await aControlPoint(app, { token, farmId })];
    const start = app.clock.now();
    for (const { id } of points) {
      for (let n = 0; n < 90; n += 1) {
        const at = (minutes: number) => new Date(start + (n * 15 + minutes) * 60_000).toISOString();
        const input = { action: 'ON', start_time: at(1), end_time: at(6), repeat_pattern: 'DAILY' };
        await app.call('POST', `/control-points/${id}/schedules`, { token, body: input });
      }
    }
    const answer = await app.call('GET', `/farms/${farmId}/timeline?hours=192`, { token });
    const segments = answer.body as Segment[];
    const shares = points.map(
      ({ id }) => segments.filter(({ control_point_id }) => control_point_id === id).length,
    );
    expect(shares).toEqual([1000, 1000]);
    await app.close();
  });
});
