import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aProducingFarm, type ProducingFarm } from './a-producing-farm.ts';

onBothEngines('dashboards', (_open, engine) => {
  let app: App;
  let farm: ProducingFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aProducingFarm(app);
  });
  afterAll(() => app.close());

  const get = (path: string, token = farm.owner.token) =>
    app.call('GET', `/dashboard/${path}`, { token }) as Promise<{
      status: number;
      body: { ponds: Record<string, unknown>[]; batches: Record<string, unknown>[] };
    }>;
  const onFarm = (name: string, more = '') => get(`${name}?farm_id=${farm.farmId}${more}`);

  it('the overview counts ponds and batches in production', async () => {
    expect((await onFarm('overview')).body).toEqual({
      farm_id: farm.farmId,
      total_ponds: 4,
      active_batches: 3,
      total_active_alerts: 0,
      alerts_by_type: {},
    });
  });

  describe('of ponds', () => {
    it('a pond with one batch shows that batch', async () => {
      const { body } = await onFarm('ponds');

      expect(body.ponds.map(({ pond_cod, status }) => [pond_cod, status])).toEqual([
        ['V-01', 'ACTIVE'],
        ['B-01', 'ACTIVE'],
        ['V-02', 'ACTIVE'],
        ['V-03', 'EMPTY'],
      ]);
      // 100,000 × 85 % × 0.9 alive, at 2 g
      expect(body.ponds[0]).toEqual({
        pond_id: farm.ponds.single,
        pond_cod: 'V-01',
        pond_type: 'FATTENING',
        size_m2: 1000,
        has_active_batch: true,
        batch_id: farm.batches.weighed,
        batch_number: 'L-weighed',
        days_in_production: 40,
        current_population: 76_500,
        survival_rate: 76.5,
        current_biomass_kg: 153,
        biomass_per_m2: 0.153,
        average_weight_g: 2,
        status: 'ACTIVE',
        active_batches: 1,
        withdrawal: null,
      });
    });

    it('a batch that was spread counts in each pond with what lives there', async () => {
      const [, shared, crowded] = (await onFarm('ponds')).body.ponds;

      // 80,000 alive, of which 60,000 were moved, at 0.5 g
      expect(shared).toMatchObject({
        batch_id: farm.batches.spread,
        current_population: 20_000,
        current_biomass_kg: 10,
        biomass_per_m2: 0.02,
      });
      // beside 8,500 of 3 mg; the size of this pond is not known
      expect(crowded).toMatchObject({
        batch_id: farm.batches.spread,
        active_batches: 2,
        current_population: 68_500,
        current_biomass_kg: 30.026,
        biomass_per_m2: null,
      });
    });

    it('an empty pond has no figures', async () => {
      const { body } = await onFarm('ponds', '&skip=3');

      expect(body.ponds).toEqual([
        {
          pond_id: farm.ponds.empty,
          pond_cod: 'V-03',
          pond_type: null,
          size_m2: 2000,
          has_active_batch: false,
          batch_id: null,
          batch_number: null,
          days_in_production: null,
          current_population: null,
          survival_rate: null,
          current_biomass_kg: null,
          biomass_per_m2: null,
          average_weight_g: null,
          status: 'EMPTY',
          active_batches: 0,
          withdrawal: null,
        },
      ]);
    });
  });

  it('growth is held against the curve at the age of the last weighing', async () => {
    const { body } = await onFarm('growth-rates');

    expect(body.batches.map(({ batch_number }) => batch_number)).toEqual([
      'L-weighed',
      'L-spread',
      'L-young',
    ]);
    // the species' curve leads from 0.01 g to 1.906 g on day 40; 0.9 g came in the last ten days
    expect(body.batches[0]).toEqual({
      batch_id: farm.batches.weighed,
      batch_number: 'L-weighed',
      pond_cod: 'V-01',
      days_in_production: 40,
      species: 'Litopenaeus vannamei',
      current_weight_g: 2,
      expected_weight_g: 1.91,
      weight_difference_g: expect.closeTo(0.094, 3),
      growth_rate_percent: expect.closeTo(104.96, 1),
      status: 'ON_TRACK',
      weekly_growth_g: 0.63,
    });
  });

  it('a batch nobody has weighed is not judged', async () => {
    const young = (await onFarm('growth-rates', '&skip=2')).body.batches[0];

    expect(young).toMatchObject({
      current_weight_g: 0.003,
      weight_difference_g: null,
      growth_rate_percent: null,
      status: null,
      weekly_growth_g: 0,
    });
    expect(young?.['expected_weight_g']).toBeGreaterThan(0.003);
  });

  it('survival tells the dead from the living', async () => {
    const { body } = await onFarm('survival-rates', '&limit=2');

    expect(body.batches).toEqual([
      {
        batch_id: farm.batches.weighed,
        batch_number: 'L-weighed',
        pond_cod: 'V-01',
        days_in_production: 40,
        initial_population: 100_000,
        current_population: 76_500,
        expected_survival_rate: 94.26,
        survival_rate: 76.5,
        mortality_count: 23_500,
        status: 'ACCEPTABLE',
        missing: [],
      },
      expect.objectContaining({ batch_number: 'L-spread', current_population: 80_000, status: 'GOOD' }),
    ]);
  });

  it('feed efficiency rests on what was fed and gained; without feed it is not known', async () => {
    const { body } = await onFarm('feed-efficiency');

    // 120 kg of feed for 920 money; 153 kg now, 1 kg at stocking
    expect(body.batches[0]).toEqual({
      batch_id: farm.batches.weighed,
      batch_number: 'L-weighed',
      pond_cod: 'V-01',
      days_in_production: 40,
      total_feed_kg: 120,
      total_feed_cost: 920,
      current_biomass_kg: 153,
      biomass_gained_kg: 152,
      fca: 0.79,
      cost_per_kg_feed: 7.67,
      feed_cost_per_kg_shrimp: 6.05,
      efficiency_status: 'EXCELLENT',
      missing: [],
    });
    expect(body.batches[2]).toMatchObject({
      batch_number: 'L-young',
      total_feed_kg: 0,
      fca: null,
      cost_per_kg_feed: null,
      feed_cost_per_kg_shrimp: null,
      efficiency_status: null,
      missing: expect.arrayContaining(['FEED']),
    });
  });

  it('the biomass of a batch follows its weighings and what was known of its survival then', async () => {
    const { body } = await get(`biomass-trend?batch_id=${farm.batches.weighed}`);

    expect(body).toEqual({
      batch_id: farm.batches.weighed,
      batch_number: 'L-weighed',
      data_points: [
        { date: '2026-01-21', days_in_production: 0, biomass_kg: 0.85, average_weight_g: 0.01 },
        { date: '2026-02-20', days_in_production: 30, biomass_kg: 93.5, average_weight_g: 1.1 },
        { date: '2026-03-02', days_in_production: 40, biomass_kg: 153, average_weight_g: 2 },
      ],
    });
  });

  it('the trend of a finished batch ends with its harvest', async () => {
    const { body } = await get(`biomass-trend?batch_id=${farm.batches.finished}`);

    expect((body as unknown as { data_points: object[] }).data_points.at(-1)).toEqual({
      date: '2026-02-10',
      days_in_production: 101,
      biomass_kg: 800,
      average_weight_g: 9,
    });
  });

  it('a batch may be named by its number', async () => {
    const { body } = await get(`biomass-trend?batch_id=${farm.numberOfWeighed}`);

    expect(body).toMatchObject({ batch_id: farm.batches.weighed });
    expect((await get('biomass-trend?batch_id=17')).status).toBe(404);
    expect((await get('biomass-trend?batch_id=nothing')).status).toBe(422);
  });

  const NAMES = ['ponds', 'growth-rates', 'survival-rates', 'feed-efficiency'];

  it.each(NAMES)('%s without a farm shows all farms of the caller', async (name) => {
    const viewers = await get(name, farm.viewer.token);
    const strangers = await get(name, farm.stranger.token);
    const list = name === 'ponds' ? 'ponds' : 'batches';

    expect(viewers.body[list]).toHaveLength(name === 'ponds' ? 4 : 3);
    expect(strangers.body).toEqual({ [list]: [] });
  });

  it.each([...NAMES, 'overview'])('%s of somebody else’s farm is not found', async (name) => {
    expect((await get(`${name}?farm_id=${farm.farmId}`, farm.stranger.token)).status).toBe(404);
    expect((await get(`${name}?farm_id=1`)).status).toBe(422);
  });

  it('the trend of somebody else’s batch is not found', async () => {
    expect((await get(`biomass-trend?batch_id=${farm.batches.weighed}`, farm.stranger.token)).status).toBe(
      404,
    );
    expect((await get('biomass-trend')).status).toBe(422);
  });
});
