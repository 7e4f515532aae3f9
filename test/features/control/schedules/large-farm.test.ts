import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, type MadeControlPoint, startApp } from '#test/app.ts';

const SECOND = 1_000;
const COUNT = 130;
const AT_ONCE = 10;

describe('a farm with more control points than one look acts on', () => {
  let app: App;
  let token: string;
  const points: MadeControlPoint[] = [];

  beforeAll(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    ({ token } = farm);
    for (let made = 0; made < COUNT; made += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, () =>
        aControlPoint(app, { ...farm, target_status: 'ON' }),
      );
      points.push(...(await Promise.all(some)));
    }
    await app.control.executor.tick();
  });
  afterAll(() => app.close());

  it('switches all of them when all have the same schedule, and tells of each once', async () => {
    const start_time = new Date(app.clock.now() + 60 * SECOND).toISOString();
    const body = { action: 'OFF', start_time };
    for (let made = 0; made < COUNT; made += AT_ONCE) {
      const some = points.slice(made, made + AT_ONCE);
      await Promise.all(
        some.map(({ id }) => app.call('POST', `/control-points/${id}/schedules`, { token, body })),
      );
    }
    app.clock.advance(61 * SECOND);
    for (let tick = 0; tick < 4; tick += 1) {
      await app.control.executor.tick();
      app.clock.advance(SECOND);
    }
    const shown = (await app.call('GET', '/control-points/', { token })).body as { target_status: string }[];
    expect(shown.filter(({ target_status }) => target_status === 'OFF')).toHaveLength(COUNT);
    const told = await Promise.all(
      points.map(async ({ id }) => {
        const logs = await app.call('GET', `/logs/control-points/${id}`, { token });
        return (logs.body as { action: string }[]).filter(({ action }) => action === 'schedule_trigger')
          .length;
      }),
    );
    expect(told).toEqual(points.map(() => 1));
  });
});
