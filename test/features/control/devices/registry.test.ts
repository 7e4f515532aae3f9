import { expect, it } from 'vitest';
import { controlFactsQueries } from '#adapters/sql/queries/control/control-facts.ts';
import { farm as farmResource } from '#contract/resources/farms.ts';
import { remove, restore } from '#core/changes.ts';
import { createOrderEnds } from '#features/control/devices/order-ends.ts';
import { createRegistry } from '#features/control/devices/registry.ts';
import { aControlPoint, aFarmWith, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

onBothEngines('what control keeps in memory', (_open, engine) => {
  it('is not set back by a row that was read just before somebody switched', async () => {
    const app = await startApp(engine);
    const farm = await aFarmWith(app);
    const point = await aControlPoint(app, farm);
    const queries = controlFactsQueries(app.database.read);
    let switching = async () => {
      switching = async () => undefined;
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token: farm.token });
    };
    const registry = createRegistry({
      sha256: String,
      orderEnds: createOrderEnds({ ...app.kernel, monotonic: app.clock.now, shownTime: null }),
      queries: {
        ...queries,
        async controlFacts(id) {
          const facts = await queries.controlFacts(id);
          await switching();
          return facts;
        },
      },
    });
    await registry.load();
    app.database.onCommit((committed) => void registry.follow(committed));
    expect((await registry.refresh(point.id))?.row.target_status).toBe('ON');
    expect(registry.byId(point.id)?.row.target_status).toBe('ON');
    await app.close();
  });

  it('is not set back by a reading of all that began before somebody switched, and forgets who is gone', async () => {
    const app = await startApp(engine);
    const farm = await aFarmWith(app);
    const [point, gone] = [await aControlPoint(app, farm), await aControlPoint(app, farm)];
    const queries = controlFactsQueries(app.database.read);
    let switching = async () => undefined as unknown;
    const registry = createRegistry({
      sha256: String,
      orderEnds: createOrderEnds({ ...app.kernel, monotonic: app.clock.now, shownTime: null }),
      queries: {
        ...queries,
        async *allControlFacts(which) {
          for await (const facts of queries.allControlFacts(which)) {
            await switching();
            yield facts;
          }
        },
      },
    });
    await registry.load();
    await app.call('DELETE', `/control-points/${gone.id}`, { token: farm.token });
    expect(registry.byId(gone.id)).not.toBeNull();
    app.database.onCommit((committed) => void registry.follow(committed));
    switching = () => app.call('POST', `/control-points/${point.id}/turn-on`, { token: farm.token });
    await registry.load();
    expect(registry.byId(point.id)?.row.target_status).toBe('ON');
    expect(registry.byId(gone.id)).toBeNull();
    await app.close();
  });

  it('is read again, where a hosted instance begins to run farms, of those without a gateway alone', async () => {
    const app = await startApp(engine);
    const [here, there] = [await aFarmWith(app), await aFarmWith(app)];
    const [own] = [await aControlPoint(app, here), await aControlPoint(app, there)];
    await app.database.read
      .insertInto('sync_farms')
      .values({ id: there.farmId, stream_id: 7, bound_at: '2026-03-02T10:00:00.000Z' })
      .execute();
    const read: string[] = [];
    const queries = controlFactsQueries(app.database.read);
    for await (const { row } of queries.allControlFacts('without gateway')) read.push(row.id);
    expect(read).toEqual([own.id]);
    await app.close();
  });

  it('is whole again when a farm that was deleted comes back: its keys, the orders of people, its schedules', async () => {
    const app = await startApp(engine);
    const farm = await aFarmWith(app);
    const point = await aControlPoint(app, farm);
    const say = (path: string, body?: unknown) =>
      app.call('POST', `/control-points/${point.id}/${path}`, { token: farm.token, body });
    await say('device-key');
    await say('turn-on', { for_s: 3_600 });
    await say('schedules', { action: 'ON', start_time: '2026-03-03T20:00:00Z', repeat_pattern: 'DAILY' });
    const known = app.control.registry.byId(point.id);
    expect([known?.keys.length, known?.manualOrders.length, known?.schedules.length]).toEqual([1, 1, 1]);
    await app.kernel.commit({ changes: [remove(farmResource, farm.farmId)], actor: null });
    expect(app.control.registry.byId(point.id)).toBeNull();
    const back: unknown[] = [];
    app.database.onCommit(() => void back.push(app.control.registry.byId(point.id)?.keys.length));
    await app.kernel.commit({ changes: [restore(farmResource, farm.farmId)], actor: null });
    // never there without its key: whoever says its name would be taken for it
    expect(back).not.toContain(0);
    await expect.poll(() => app.control.registry.byId(point.id)?.keys).toEqual(known?.keys);
    const view = app.control.registry.byId(point.id);
    expect([view?.manualOrders, view?.row.target_status]).toEqual([known?.manualOrders, 'ON']);
    expect(view?.schedules.map(({ id }) => id)).toEqual(known?.schedules.map(({ id }) => id));
    await app.close();
  });
});
