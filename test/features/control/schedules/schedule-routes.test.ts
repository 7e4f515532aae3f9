import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// Fortaleza is three hours behind UTC all year.
const SIX_PM = '2026-03-02T21:00:00.000Z';
const SIX_AM = '2026-03-03T09:00:00.000Z';

onBothEngines('schedules', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  let point: MadeControlPoint;
  beforeAll(async () => {
    app = await startApp(engine, ['--start-step-s', '5']);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    app.clock.set(Date.parse('2026-03-02T12:00:00Z'));
    ({ token, farmId } = await aFarmWith(app));
    point = await aControlPoint(app, { token, farmId });
  });

  const post = (input: Record<string, unknown>, id = point.id) =>
    app.call('POST', `/control-points/${id}/schedules`, { token, body: input });
  const night = { action: 'ON', start_time: SIX_PM, end_time: SIX_AM, repeat_pattern: 'DAILY' };
  const wanted = async (id = point.id) =>
    body(await app.call('GET', `/control-points/${id}`, { token }))['target_status'];
  const at = async (instant: string) => {
    app.clock.set(Date.parse(instant));
    await app.control.executor.tick();
  };
  const triggers = async () => {
    const logs = await app.call('GET', `/logs/control-points/${point.id}`, { token });
    return (logs.body as { action: string; details: Record<string, unknown> }[]).filter(
      ({ action }) => action === 'schedule_trigger',
    );
  };

  it('switch at their time and log it, with no internet and nobody there', async () => {
    expect((await post(night)).status).toBe(201);
    await at('2026-03-02T20:59:59Z');
    expect(await wanted()).toBe('OFF');
    await at('2026-03-02T21:00:01Z');
    expect(await wanted()).toBe('ON');
    await at('2026-03-03T09:00:00Z');
    expect(await wanted()).toBe('OFF');
    expect((await triggers()).map(({ details }) => [details['action'], details['late_s']])).toEqual([
      ['OFF', 0],
      ['ON', 1],
    ]);
  });

  it('are caught up once after a stop, and the lateness is told', async () => {
    await post(night);
    await at('2026-03-02T20:59:50Z');
    await at('2026-03-02T21:07:00Z');
    expect(await wanted()).toBe('ON');
    await at('2026-03-02T21:07:01Z');
    expect((await triggers()).map(({ details }) => details['late_s'])).toEqual([420]);
  });

  const change = (id: unknown, input: object) =>
    app.call('PATCH', `/schedules/${String(id)}`, { token, body: input });
  const erase = (id: unknown) => app.call('DELETE', `/schedules/${String(id)}`, { token });
  /** What the control point is told a moment later. */
  const soon = async () => {
    // past the slot of an earlier start
    app.clock.advance(6_000);
    await app.control.executor.tick();
    return wanted();
  };
  const AT_SEVEN = '2026-03-02T22:00:00Z';

  it('entered within their own window run now, and the answer says so', async () => {
    app.clock.set(Date.parse(AT_SEVEN));
    const made = await post(night);
    expect([made.status, body(made)]).toMatchObject([201, { takes_effect: 'NOW', warnings: [] }]);
    expect(await soon()).toBe('ON');
    await at('2026-03-03T09:00:00Z');
    expect(await wanted()).toBe('OFF');
  });

  it('entered outside their window wait for it', async () => {
    expect(body(await post(night))).toMatchObject({ takes_effect: 'NEXT_EVENT', warnings: [] });
    expect(await soon()).toBe('OFF');
  });

  it('entered within their own window end an order that is older than it, and stand behind a later one', async () => {
    await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    const other = await aControlPoint(app, { token, farmId });
    app.clock.set(Date.parse(AT_SEVEN));
    await app.call('POST', `/control-points/${other.id}/turn-off`, { token });
    expect(body(await post(night))).toMatchObject({ takes_effect: 'NOW' });
    const ordered = body(await post(night, other.id));
    expect(ordered).toMatchObject({ takes_effect: 'NEXT_EVENT', warnings: [{ code: 'ORDER_HOLDS' }] });
    expect([await soon(), await wanted(other.id)]).toEqual(['ON', 'OFF']);
  });

  it('that would stop what runs stop it at their next event, or at once if that was asked for', async () => {
    const made = body(await post(night));
    await at('2026-03-02T21:00:01Z');
    app.clock.set(Date.parse(AT_SEVEN));
    const shorter = { end_time: '2026-03-02T21:30:00Z' };
    const waits = await app.call('PATCH', `/schedules/${String(made['id'])}`, {
      token,
      body: shorter,
      headers: { 'Accept-Language': 'en' },
    });
    expect(body(waits)).toMatchObject({
      takes_effect: 'NEXT_EVENT',
      warnings: [
        {
          code: 'KEEPS_RUNNING',
          message: expect.stringContaining('keeps running until the next schedule event, 2026-03-03 18:00'),
        },
      ],
    });
    expect(await soon()).toBe('ON');
    await at('2026-03-03T21:29:00Z');
    expect(await wanted()).toBe('ON');
    await at('2026-03-03T21:30:00Z');
    expect(await wanted()).toBe('OFF');
    await at('2026-03-04T21:10:00Z');
    expect(await wanted()).toBe('ON');
    const now = await change(made['id'], { end_time: '2026-03-02T21:05:00Z', apply_now: true });
    expect(body(now)).toMatchObject({ takes_effect: 'NOW', warnings: [] });
    expect(await soon()).toBe('OFF');
  });

  it('paused or deleted leave what runs running', async () => {
    const made = body(await post(night));
    await at(AT_SEVEN);
    expect(body(await change(made['id'], { end_time: '2026-03-03T10:00:00Z' }))).toMatchObject({
      takes_effect: 'NOW',
      warnings: [],
    });
    const paused = body(await change(made['id'], { is_active: false }));
    expect(paused).toMatchObject({ takes_effect: 'NEXT_EVENT', warnings: [] });
    expect(await soon()).toBe('ON');
    expect(body(await change(made['id'], { is_active: true }))).toMatchObject({ takes_effect: 'NOW' });
    expect((await erase(made['id'])).status).toBe(204);
    expect(await soon()).toBe('ON');
    await at('2026-03-03T09:00:00Z');
    expect(await wanted()).toBe('ON');
  });

  it('a pause within the night waits when it is entered, and gives way at once when it is taken away', async () => {
    const rest = {
      action: 'OFF',
      start_time: '2026-03-02T21:30:00Z',
      end_time: '2026-03-02T23:00:00Z',
      repeat_pattern: 'DAILY',
    };
    await post(night);
    await at(AT_SEVEN);
    const late = body(await post(rest));
    expect(late).toMatchObject({ takes_effect: 'NEXT_EVENT', warnings: [{ code: 'KEEPS_RUNNING' }] });
    expect(await soon()).toBe('ON');
    await at('2026-03-03T21:30:01Z');
    expect(await wanted()).toBe('OFF');
    expect((await erase(late['id'])).status).toBe(204);
    expect(await soon()).toBe('ON');
    // entered to act at once, and then paused itself
    const again = body(await post({ ...rest, apply_now: true }));
    expect(again).toMatchObject({ takes_effect: 'NOW' });
    expect(await soon()).toBe('OFF');
    expect(body(await change(again['id'], { is_active: false }))).toMatchObject({ takes_effect: 'NOW' });
    expect(await soon()).toBe('ON');
  });

  it('within one another are a union: the end of the short one ends nothing', async () => {
    await post(night);
    await post({ ...night, start_time: '2026-03-03T05:00:00Z', end_time: '2026-03-03T07:00:00Z' });
    await at('2026-03-02T20:59:59Z');
    for (const [instant, target] of [
      ['2026-03-02T21:00:01Z', 'ON'],
      ['2026-03-03T05:00:01Z', 'ON'],
      ['2026-03-03T07:00:01Z', 'ON'],
      ['2026-03-03T09:00:01Z', 'OFF'],
    ] as const) {
      await at(instant);
      expect(await wanted()).toBe(target);
    }
    // both tell their start and end, and only those that switched say so
    expect(
      (await triggers()).map(({ details }) => [details['action'], details['edge'], details['acted']]),
    ).toEqual([
      ['OFF', 'end', true],
      ['OFF', 'end', false],
      ['ON', 'start', false],
      ['ON', 'start', true],
    ]);
  });

  it('within a window of another that began later say who decides', async () => {
    const rest = { action: 'OFF', start_time: '2026-03-02T21:30:00Z', end_time: '2026-03-02T23:00:00Z' };
    await post(rest);
    await at(AT_SEVEN);
    const covered = body(await post(night));
    expect(covered).toMatchObject({
      takes_effect: 'NEXT_EVENT',
      warnings: [{ code: 'OTHER_SCHEDULE_DECIDES' }],
    });
    expect(await soon()).toBe('OFF');
    await at('2026-03-02T23:00:00Z');
    expect(await wanted()).toBe('ON');
  });

  it('read in another zone start at once what they now ask for, and stop nothing', async () => {
    // half past eleven at night in Fortaleza is half past midnight, on Tuesday, in Noronha
    await post({
      action: 'ON',
      start_time: '2026-03-03T02:30:00Z',
      end_time: '2026-03-03T05:30:00Z',
      repeat_pattern: 'WEEKLY',
      days_of_week: [2],
    });
    const zone = (timezone: string) => app.call('PUT', `/farms/${farmId}`, { token, body: { timezone } });
    await at('2026-03-10T03:00:00Z');
    expect(await wanted()).toBe('OFF');
    expect((await zone('America/Noronha')).status).toBe(200);
    expect(await soon()).toBe('ON');
    expect((await zone('America/Fortaleza')).status).toBe(200);
    expect(await soon()).toBe('ON');
    await at('2026-03-11T05:29:00Z');
    expect(await wanted()).toBe('ON');
    await at('2026-03-11T05:30:00Z');
    expect(await wanted()).toBe('OFF');
  });

  it('wait behind an order of a person until their next event', async () => {
    await post(night);
    await at('2026-03-02T21:00:01Z');
    await app.call('POST', `/control-points/${point.id}/turn-off`, { token });
    await at('2026-03-02T22:00:00Z');
    expect(await wanted()).toBe('OFF');
    await at('2026-03-03T21:00:00Z');
    expect(await wanted()).toBe('ON');
  });

  it('start the motors of a farm one after the other', async () => {
    const others = [await aControlPoint(app, { token, farmId }), await aControlPoint(app, { token, farmId })];
    for (const { id } of [point, ...others]) await post(night, id);
    const running = async () => {
      const states = await Promise.all([point, ...others].map(({ id }) => wanted(id)));
      return states.filter((state) => state === 'ON').length;
    };
    await at('2026-03-02T21:00:00Z');
    expect(await running()).toBe(1);
    await at('2026-03-02T21:00:04Z');
    expect(await running()).toBe(1);
    await at('2026-03-02T21:00:05Z');
    expect(await running()).toBe(2);
    await at('2026-03-02T21:00:10Z');
    expect(await running()).toBe(3);
    await at('2026-03-03T09:00:00Z');
    expect(await running()).toBe(0);
  });

  it('with the same action, pattern and start are one', async () => {
    const first = body(await post(night));
    const second = body(await post({ ...night, end_time: '2026-03-03T08:00:00Z', description: 'shorter' }));
    expect(second).toMatchObject({
      id: first['id'],
      end_time: '2026-03-03T08:00:00.000Z',
      description: 'shorter',
    });
    const list = await app.call('GET', `/control-points/${point.id}/schedules`, { token });
    expect(list.body).toHaveLength(1);
  });

  it('of a farm are told at once, each as its control point tells it, in pages, and of no other farm', async () => {
    const second = await aControlPoint(app, { token, farmId });
    await post(night);
    await post({ ...night, action: 'OFF', is_active: false }, second.id);
    await post({ ...night, start_time: '2026-03-02T15:00:00.000Z' }, second.id);
    const other = await aFarmWith(app);
    const others = await aControlPoint(app, other);
    await app.call('POST', `/control-points/${others.id}/schedules`, { token: other.token, body: night });
    const of = (query: string, as = token) => app.call('GET', `/schedules/?${query}`, { token: as });
    const single = async (id: string) =>
      (await app.call('GET', `/control-points/${id}/schedules`, { token })).body as { id: string }[];
    const all = (await of(`farm_id=${farmId}`)).body as { id: string }[];
    const byPoint = [point.id, second.id].toSorted();
    expect(all).toEqual((await Promise.all(byPoint.map(single))).flat());
    expect(all).toHaveLength(3);
    expect((await of(`farm_id=${farmId}&skip=1&limit=1`)).body).toEqual(all.slice(1, 2));
    await app.call('DELETE', `/control-points/${second.id}`, { token });
    expect((await of(`farm_id=${farmId}`)).body).toEqual(await single(point.id));
    expect([(await of(`farm_id=${farmId}`, other.token)).status, (await of('')).status]).toEqual([404, 422]);
  });

  it('take a bare date as the start of that day on the farm', async () => {
    expect(body(await post({ action: 'ON', start_time: '2026-03-05' }))['start_time']).toBe(
      '2026-03-05T03:00:00.000Z',
    );
  });

  describe('that cannot be', () => {
    it.each([
      ['a day twice', { repeat_pattern: 'WEEKLY', days_of_week: [1, 1] }, 'days_of_week'],
      ['a day out of range', { repeat_pattern: 'WEEKLY', days_of_week: [0] }, 'days_of_week'],
      ['a week without days', { repeat_pattern: 'WEEKLY' }, 'days_of_week'],
      ['days without a week', { repeat_pattern: 'DAILY', days_of_week: [1] }, 'days_of_week'],
      ['an end before the start', { end_time: '2026-03-02T20:00:00Z' }, 'end_time'],
      ['longer than a day, daily', { repeat_pattern: 'DAILY', end_time: '2026-03-04T21:00:00Z' }, 'end_time'],
      ['no action', { action: 'MAYBE' }, 'action'],
      ['no time', { start_time: 'tonight' }, 'start_time'],
    ])('are refused: %s', async (_what, fields, path) => {
      const refused = await post({ action: 'ON', start_time: SIX_PM, ...fields });
      expect(refused.status).toBe(422);
      expect(body(refused)['errors']).toMatchObject([{ path }]);
      const list = await app.call('GET', `/control-points/${point.id}/schedules`, { token });
      expect(list.body).toEqual([]);
    });
  });
});
