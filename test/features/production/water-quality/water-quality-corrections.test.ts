import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothEngines } from '#test/databases.ts';
import { outcomeOf, refused } from '#test/staffed-farm.ts';
import { HOUR, MINUTE, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

onBothEngines('a measurement that is corrected', (_open, engine) => {
  let farm: WaterFarm;
  beforeAll(async () => {
    farm = await startWaterFarm(engine);
  });
  afterAll(() => farm.close());

  const correct = async (id: string, body: object) => {
    const reply = await farm.ask('PUT', `/water-quality/${id}`, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return reply.body as Record<string, unknown>;
  };
  const unresolved = async (pond: string) => (await farm.alertsOf(pond, '?resolved=false')).alerts;

  /** Readings of oxygen a minute apart, newest last. */
  async function readings(pond: string, ...values: number[]) {
    const made = [];
    for (const dissolved_oxygen of values) {
      farm.clock.advance(MINUTE);
      made.push(await farm.measure(pond, { dissolved_oxygen }));
    }
    return made.map(({ id }) => id) as [string, ...string[]];
  }

  test('has the new values, keeps the others, and the log knows both', async () => {
    const { id, created_at } = await farm.measure(await farm.pond(), {
      ph: 8,
      temperature: 29,
      notes: 'cloudy',
    });
    farm.clock.advance(MINUTE);
    const after = await correct(id, { ph: 8.2, temperature: null });
    expect(after).toMatchObject({
      id,
      ph: 8.2,
      temperature: null,
      notes: 'cloudy',
      created_at,
      updated_at: farm.now(),
    });
    expect(await farm.get(`/water-quality/${id}`)).toMatchObject({ ph: 8.2, temperature: null });
    const [entry] = (
      await farm.get<{ entity_id: string; action: string; user_id: string; details: object }[]>(
        `/logs/farm/${farm.farmId}/control-points?include=all`,
      )
    ).filter(({ entity_id }) => entity_id === id);
    expect(entry).toMatchObject({
      action: 'update',
      user_id: farm.owner.user.id,
      details: { before: { ph: 8, temperature: 29 }, after: { ph: 8.2, temperature: null } },
    });
  });

  test('that says nothing new changes nothing', async () => {
    const { id, ...made } = await farm.measure(await farm.pond(), { ph: 8 });
    expect(await correct(id, {})).toMatchObject({ updated_at: null, created_at: made.created_at });
    expect(await correct(id, { ph: 8 })).toMatchObject({ updated_at: null });
  });

  test('keeps at least one value', async () => {
    const { id } = await farm.measure(await farm.pond(), { ph: 8 });
    const outcome = await outcomeOf(farm, () => farm.ask('PUT', `/water-quality/${id}`, { ph: null }));
    expect(outcome).toEqual(refused(422, 'temperature'));
  });

  test('with an outdated If-Match is refused', async () => {
    const { id } = await farm.measure(await farm.pond(), { ph: 8 });
    await correct(id, { ph: 8.1 });
    const outcome = await outcomeOf(farm, () =>
      farm.ask('PUT', `/water-quality/${id}`, { ph: 8.3 }, { 'If-Match': '"1"' }),
    );
    expect(outcome).toEqual(refused(412));
  });

  test('a slip of the pen that is put right ends its alert', async () => {
    const pond = await farm.pond();
    const [id] = await readings(pond, 0.6);
    await correct(id, { dissolved_oxygen: 6 });
    expect((await farm.alertsOf(pond)).alerts).toMatchObject([{ resolved: true }]);
  });

  test('a good value that was a bad one raises the alert it should have', async () => {
    const pond = await farm.pond();
    const [id] = await readings(pond, 6);
    await correct(id, { dissolved_oxygen: 3.2 });
    expect(await unresolved(pond)).toMatchObject([{ type: 'LOW_OXYGEN', value: 3.2, severity: 'MEDIUM' }]);
    expect(await farm.told(pond)).toHaveLength(1);
  });

  test('what is older than a day raises no alert of now, however it is corrected or what is deleted after it', async () => {
    const pond = await farm.pond();
    const { id } = await farm.measure(pond, { dissolved_oxygen: 6 });
    farm.clock.advance(26 * HOUR);
    await correct(id, { dissolved_oxygen: 1.2 });
    expect(await unresolved(pond)).toEqual([]);
    expect((await farm.alertsOf(pond)).alerts).toMatchObject([{ value: 1.2, resolved: true }]);
    expect(await farm.told(pond)).toEqual([]);
    const again = await farm.measure(pond, { dissolved_oxygen: 6, measurement_date: farm.now(-25 * HOUR) });
    await correct(again.id, { dissolved_oxygen: 1.1 });
    await correct(again.id, { measurement_date: '2001-05-01T03:00:00Z' });
    await farm.ask('DELETE', `/water-quality/${id}`);
    expect(await unresolved(pond)).toEqual([]);
    expect(await farm.told(pond)).toEqual([]);
  });

  test('a value that is worse than it was said to be tells again', async () => {
    const pond = await farm.pond();
    const [id] = await readings(pond, 3.8);
    farm.clock.advance(MINUTE);
    await correct(id, { dissolved_oxygen: 2.8 });
    expect(await unresolved(pond)).toMatchObject([{ value: 2.8, severity: 'HIGH' }]);
    expect((await farm.told(pond)).map(({ data }) => data['severity'])).toEqual(['LOW', 'HIGH']);
  });

  test('a good value entered by mistake and deleted brings the alert back', async () => {
    const pond = await farm.pond();
    const [, wrong = ''] = await readings(pond, 3.2, 8);
    expect(await unresolved(pond)).toEqual([]);
    expect((await farm.ask('DELETE', `/water-quality/${wrong}`)).status).toBe(204);
    expect(await unresolved(pond)).toMatchObject([{ value: 3.2, resolved_at: null }]);
    expect((await farm.latest(pond)).status).toBe('WARNING');
  });

  test('a bad value that is deleted takes its alert along; what was before it stands', async () => {
    const pond = await farm.pond();
    const [, bad = ''] = await readings(pond, 6, 2);
    await farm.ask('DELETE', `/water-quality/${bad}`);
    expect(await unresolved(pond)).toEqual([]);
    expect((await farm.latest(pond)).dissolved_oxygen).toBe(6);
    expect((await farm.ask('GET', `/water-quality/${bad}`)).status).toBe(404);
    expect(await farm.logged(bad)).toEqual(['delete']);
  });

  test('one of several bad values that is put right leaves the others open', async () => {
    const pond = await farm.pond();
    const [first] = await readings(pond, 3.2, 3.1);
    await correct(first, { dissolved_oxygen: 6 });
    expect(await unresolved(pond)).toMatchObject([{ value: 3.1 }]);
  });

  test('the newest bad value that is put right ends the whole episode', async () => {
    const pond = await farm.pond();
    const [, newest = ''] = await readings(pond, 3.2, 3.1);
    await correct(newest, { dissolved_oxygen: 6 });
    expect(await unresolved(pond)).toEqual([]);
  });

  test('a reading moved behind a newer one no longer speaks for now', async () => {
    const pond = await farm.pond();
    const [, wrong = ''] = await readings(pond, 6, 2);
    await correct(wrong, { measurement_date: farm.now(-HOUR) });
    expect(await unresolved(pond)).toEqual([]);
    expect((await farm.latest(pond)).dissolved_oxygen).toBe(6);
  });

  test('an old value that is corrected does not touch tonight', async () => {
    const pond = await farm.pond();
    const [old] = await readings(pond, 6, 3.2);
    await correct(old, { dissolved_oxygen: 9 });
    expect(await unresolved(pond)).toMatchObject([{ value: 3.2 }]);
    await correct(old, { dissolved_oxygen: 1 });
    expect(await unresolved(pond)).toMatchObject([{ value: 3.2 }]);
    expect((await farm.alertsOf(pond)).summary).toMatchObject({
      total_alerts: 2,
      unresolved: 1,
      high_severity: 1,
    });
    expect(await farm.told(pond)).toHaveLength(1);
  });

  test('an alert that a person has resolved stays resolved', async () => {
    const pond = await farm.pond();
    const [id] = await readings(pond, 3.2);
    const [alert] = await unresolved(pond);
    await farm.ask('PUT', `/alerts/${alert?.id}/resolve`);
    await correct(id, { dissolved_oxygen: 3.1 });
    expect((await farm.alertsOf(pond)).alerts).toMatchObject([{ resolved: true, value: 3.1 }]);
  });
});
