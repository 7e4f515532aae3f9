import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// What a farm may have so many of is counted and written in one step, however many people write at the same moment.

const MOST = 200;

onBothEngines('of what a farm may have two hundred of', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  it.each<[string, (farm: StockedFarm) => string, object]>([
    [
      'notes of one pond and day',
      ({ ponds }) => `/ponds/${ponds[0]?.id}/records`,
      { kind: 'NOTE', text: 'Água verde' },
    ],
    [
      'deliveries and counts of one day',
      ({ farmId }) => `/farms/${farmId}/feed-stock/entries`,
      { kind: 'DELIVERY', product: 'Ração 35', quantity_kg: 25 },
    ],
    ['open tasks', ({ farmId }) => `/farms/${farmId}/tasks`, { text: 'Limpar a tela' }],
  ])('%s none is one too many when twenty are written at once', async (_what, pathOf, sent) => {
    const write = () => app.call('POST', pathOf(farm), { token: farm.token, body: sent });
    for (let n = 0; n < MOST - 5; n += 1) {
      const reply = await write();
      expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    }
    const statuses = (await Promise.all(Array.from({ length: 20 }, write))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(15);
  });
});
