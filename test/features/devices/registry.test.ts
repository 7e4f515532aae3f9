import { expect, it } from 'vitest';
import { controlFactsQueries } from '#adapters/sql/queries/control-facts.ts';
import { createRegistry } from '#features/devices/registry.ts';
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
});
