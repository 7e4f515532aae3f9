import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aProducingFarm, type ProducingFarm } from '../../production/dashboard/a-producing-farm.ts';

onBothEngines('cards of ponds in production', (_open, engine) => {
  let app: App;
  let farm: ProducingFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aProducingFarm(app);
  });
  afterAll(() => app.close());

  const get = async (path: string) =>
    (await app.call('GET', `/ponds/${path}`, { token: farm.owner.token })).body as Record<string, unknown>;

  it('each pond shows what lives in it; together they weigh what the batches weigh', async () => {
    const { ponds, summary } = await get(`summary-cards?farm_id=${farm.farmId}`);

    expect(summary).toEqual({ total_ponds: 4, active_ponds: 3, empty_ponds: 1, total_biomass_kg: 193.026 });
    expect(ponds).toMatchObject([
      {
        cod: 'V-01',
        active_batch: { id: farm.batches.weighed, days_active: 40, fca: 0.79 },
        status: 'ACTIVE',
        empty_since: null,
      },
      {
        cod: 'B-01',
        active_batch: {
          id: farm.batches.spread,
          batch_number: 'L-spread',
          days_active: 30,
          current_biomass_kg: 10,
          average_weight_g: 0.5,
          survival_rate: 80,
          weighed_at: '2026-03-01T11:00:00.000Z',
          fca: 0.18,
        },
        water_quality: null,
      },
      {
        cod: 'V-02',
        active_batch: { id: farm.batches.spread, current_biomass_kg: 30 },
        active_batches: [
          { id: farm.batches.spread },
          // nobody weighed it: its figures rest on the stocking
          { id: farm.batches.young, current_biomass_kg: 0.026, weighed_at: null },
        ],
      },
      {
        cod: 'V-03',
        active_batch: null,
        active_batches: [],
        status: 'EMPTY',
        empty_since: '2026-02-10T06:00:00.000Z',
      },
    ]);
  });

  it('the water is that of the newest measurement', async () => {
    const { ponds } = (await get('summary-cards')) as { ponds: { water_quality: unknown }[] };

    expect(ponds[0]?.water_quality).toEqual({
      last_measurement: '2026-03-02T08:00:00.000Z',
      temperature: 27.4,
      dissolved_oxygen: 3.6,
      ph: 7.9,
      source: 'manual',
      alerts_count: 0,
    });
  });

  it('a card tells the batch, its last weighing, the water and what was fed on this day of the farm', async () => {
    expect(await get(`${farm.ponds.single}/summary-card`)).toMatchObject({
      active_batch: {
        weighed_at: expect.stringMatching(/^2026-0[23]-/),
        id: farm.batches.weighed,
        batch_number: 'L-weighed',
        start_date: '2026-01-21',
        expected_harvest_date: null,
        days_active: 40,
        initial_population: 100_000,
        current_population: 76_500,
        current_biomass_kg: 153,
        average_weight_g: 2,
        survival_rate: 76.5,
        fca: 0.79,
      },
      latest_biometry: {
        date: '2026-03-02T11:00:00.000Z',
        average_weight_g: 2,
        sample_size: 100,
        coefficient_variation: 20,
      },
      latest_water_quality: {
        date: '2026-03-02T08:00:00.000Z',
        temperature: 27.4,
        dissolved_oxygen: 3.6,
        ph: 7.9,
        ammonia: 0.02,
        nitrite: null,
      },
      feeding_today: { total_kg: 11, feeds_count: 2, last_feed: '2026-03-02T11:00:00.000Z' },
    });
  });

  it('a feeding counts in the pond it names, else where most animals of the batch are', async () => {
    // 3 kg named the crowded pond; 4 kg named none, and three quarters of the batch live there
    expect((await get(`${farm.ponds.crowded}/summary-card`))['feeding_today']).toMatchObject({
      total_kg: 7,
      feeds_count: 2,
    });
    expect((await get(`${farm.ponds.shared}/summary-card`))['feeding_today']).toEqual({
      total_kg: 0,
      feeds_count: 0,
      last_feed: null,
    });
  });

  it('an empty pond shows nothing of the batch that was harvested in it', async () => {
    expect(await get(`${farm.ponds.empty}/summary-card`)).toMatchObject({
      active_batch: null,
      active_batches: [],
      latest_biometry: null,
      latest_water_quality: null,
    });
  });
});
