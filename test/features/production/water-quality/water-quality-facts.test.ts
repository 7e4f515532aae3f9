import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NotificationAnswer } from '#contract/resources/notifications.ts';
import { joinFarm } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { MINUTE, startWaterFarm, type WaterFarm } from './a-water-farm.ts';

// A measurement is judged by what stands at that moment, however often its pond was measured before.

onBothEngines('what counts for a measurement', (_open, engine) => {
  let farm: WaterFarm;
  beforeAll(async () => {
    farm = await startWaterFarm(engine);
  });
  afterAll(() => farm.close());

  const measure = (pond: string, values: object) => {
    farm.clock.advance(MINUTE);
    return farm.measure(pond, values);
  };
  const raised = async (pond: string, values: object) =>
    (await measure(pond, values)).alerts_triggered.map(({ type, threshold }) => [type, threshold]);
  const done = async (method: string, path: string, sent?: unknown) => {
    const { status } = await farm.ask(method, path, sent);
    expect(`${method} ${path} ${status < 300}`).toBe(`${method} ${path} true`);
  };

  test('a limit the farm sets counts for the next measurement, and so does taking it back', async () => {
    const pond = await farm.pond();
    const setLimit = (limit: number | null) =>
      done('PUT', `/farms/${farm.farmId}/science`, { water: { alerts: { LOW_OXYGEN: { limit } } } });
    expect(await raised(pond, { dissolved_oxygen: 4.5 })).toEqual([]);
    await setLimit(5);
    expect(await raised(pond, { dissolved_oxygen: 4.5 })).toEqual([['LOW_OXYGEN', 5]]);
    await setLimit(4.2);
    expect(await raised(await farm.pond(), { dissolved_oxygen: 4.5 })).toEqual([]);
    await setLimit(null);
    expect(await raised(await farm.pond(), { dissolved_oxygen: 3.9 })).toEqual([['LOW_OXYGEN', 4]]);
  });

  test('a pond that got another control point and another name is told of by these', async () => {
    const [first, second] = [await farm.controlPoint(), await farm.controlPoint()];
    const pond = await farm.pond({ control_point_id: first });
    await measure(pond, { dissolved_oxygen: 3.2 });
    await done('PUT', `/ponds/${pond}`, { control_point_id: second, cod: 'V-moved' });
    await measure(pond, { dissolved_oxygen: 2.2 });
    expect(
      (await farm.told(pond)).map(({ data }) => [data['control_point_id'], data['pond_cod'] === 'V-moved']),
    ).toEqual([
      [first, false],
      [second, true],
    ]);
  });

  test('who is no member any more is not told of the next alert; a new one is', async () => {
    const pond = await farm.pond();
    const toldTo = async ({ token }: { token: string }) => {
      const { body } = await farm.call('GET', '/notifications/?page_size=100', { token });
      // the answer of the interface
      const { notifications } = body as { notifications: NotificationAnswer[] };
      return notifications.filter(({ data }) => data['pond_id'] === pond).length;
    };
    const everybody = async () => [
      await toldTo(farm.owner),
      await toldTo(farm.technician),
      await toldTo(farm.stranger),
    ];
    await measure(pond, { dissolved_oxygen: 3.9 });
    expect(await everybody()).toEqual([1, 1, 0]);
    await done('DELETE', `/farms/${farm.farmId}/members/${farm.technician.user.id}`);
    await measure(pond, { dissolved_oxygen: 3.4 });
    expect(await everybody()).toEqual([2, 1, 0]);
    await joinFarm(farm, { token: farm.owner.token, farmId: farm.farmId }, farm.stranger, 'TECHNICIAN');
    await measure(pond, { dissolved_oxygen: 2.9 });
    expect(await everybody()).toEqual([3, 1, 1]);
  });

  test('a pond that was deleted takes no measurement', async () => {
    const pond = await farm.pond();
    await measure(pond, { dissolved_oxygen: 6 });
    await done('DELETE', `/ponds/${pond}`);
    const reply = await farm.ask('POST', '/water-quality/', { pond_id: pond, dissolved_oxygen: 6 });
    expect(reply.status).toBe(404);
  });
});
