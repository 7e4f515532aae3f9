import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ComparedBatch } from '#contract/resources/dashboard.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { created } from '#test/staffed-farm.ts';
import { hearStatements } from '../../../../scripts/bench/hear-statements.ts';
import { aProducingFarm, type ProducingFarm } from './a-producing-farm.ts';

// The clock of the tests stands at 2 March 2026, noon UTC.

type Told = { total: number; batches: ComparedBatch[] };
type Figures = Record<string, number | null | string[]>;

onBothEngines('batches side by side', (_open, engine) => {
  let app: App;
  let farm: ProducingFarm;
  let sold: string;
  const as = (token: string) => async (path: string) =>
    (await app.call('GET', path, { token })).body as Figures & Told;
  const compared = async (query = `farm_id=${farm.farmId}`, token = farm.owner.token): Promise<Told> =>
    as(token)(`/dashboard/batch-comparison?${query}`);
  const lineOf = async (id: string, token = farm.owner.token) =>
    (await compared(undefined, token)).batches.find(({ batch_id }) => batch_id === id);

  // before anything is prepared
  const listening = hearStatements();
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aProducingFarm(app);
    sold = await aSoldBatch(app, farm);
  });
  afterAll(async () => {
    listening.stop();
    await app.close();
  });

  it('every batch has the figures that its own pages tell', async () => {
    const get = as(farm.owner.token);
    const { total, batches } = await compared();
    expect([total, batches.length]).toEqual([5, 5]);
    for (const line of batches) {
      const stats = await get(`/batches/${line.batch_id}/stats`);
      const cost = await get(`/financial/cost-per-kg/${line.batch_id}`);
      const profit = await get(`/financial/profitability/${line.batch_id}?selling_price_per_kg=0`);
      expect(line).toMatchObject({
        days_in_production: stats['days_active'],
        survival_rate: stats['survival_rate'],
        biomass_of: stats['biomass_of'],
      });
      const same: [number | null, unknown][] = [
        [line.average_weight_g, stats['average_weight_g']],
        [line.fca, stats['current_fca']],
        [line.total_feed_kg, stats['total_feed_kg']],
        [line.produced_kg, cost['estimated_biomass_kg']],
        [line.cost_per_kg, cost['cost_per_kg']],
        [line.margin_percent, profit['profit_margin_percentage']],
        [line.revenue_per_kg, Number(profit['received_revenue']) / Number(profit['sold_kg'])],
      ];
      // what nobody recorded is null, and what is not null is the same
      for (const [figure, elsewhere] of same)
        if (figure !== null) expect(figure).toBeCloseTo(Number(elsewhere), 2);
      if (line.growth_g_per_week !== null)
        expect(line.growth_g_per_week / 7).toBeCloseTo(Number(stats['growth_rate_g_per_day']), 2);
      expect(line.missing).toEqual(expect.arrayContaining(stats['missing'] as string[]));
    }
  });

  it('a batch that was sold whole tells its yield by area and its margin', async () => {
    // 300 + 600 kg of half a hectare in 59 days; 900 × 20 received, 3,000 for feed and 1,500 besides
    expect(await lineOf(sold)).toMatchObject({
      status: 'FINISHED',
      end_date: '2026-03-01',
      days_in_production: 59,
      ponds: [{ pond_cod: 'V-09', size_m2: 5000 }],
      produced_kg: 900,
      is_estimated: false,
      area_m2: 5000,
      kg_per_ha: 1800,
      kg_per_ha_day: 30.51,
      cost_per_kg: 5,
      revenue_per_kg: 20,
      margin_percent: 75,
      missing_costs: [],
    });
  });

  it('a yield counts the ponds that gave it, and not the nursery that was left', async () => {
    const { ponds, area_m2, kg_per_ha, missing } = (await lineOf(farm.batches.spread)) ?? {};
    // 20,000 animals are in the nursery yet; how large the other pond is nobody told
    expect(ponds?.map(({ pond_cod }) => pond_cod)).toEqual(['B-01', 'V-02']);
    expect([area_m2, kg_per_ha]).toEqual([null, null]);
    expect(missing).toContain('POND_SIZE');
    await created(
      app.call('POST', '/transfers/', {
        token: farm.owner.token,
        body: {
          batch_id: farm.batches.spread,
          source_pond_id: farm.ponds.shared,
          destination_pond_id: farm.ponds.single,
          quantity: 20_000,
          average_weight: 0.5,
          transfer_date: '2026-03-02T11:30:00Z',
        },
      }),
    );
    const left = await lineOf(farm.batches.spread);
    expect(left?.ponds.map(({ pond_cod }) => pond_cod)).toEqual(['V-02', 'V-01']);
  });

  it('what nobody recorded is null, and never nothing', async () => {
    // never weighed, never fed, nothing spent
    expect(await lineOf(farm.batches.young)).toMatchObject({
      average_weight_g: null,
      growth_g_per_week: null,
      fca: null,
      total_feed_kg: null,
      produced_kg: null,
      kg_per_ha: null,
      kg_per_ha_day: null,
      cost_per_kg: null,
      revenue_per_kg: null,
      margin_percent: null,
      missing: ['WEIGHING', 'SURVIVAL', 'FEED', 'POND_SIZE'],
      missing_costs: ['FEED', 'EXPENSES'],
    });
    // 800 kg of 0.2 ha, without a price
    expect(await lineOf(farm.batches.finished)).toMatchObject({
      produced_kg: 800,
      kg_per_ha: 4000,
      revenue_per_kg: null,
      margin_percent: null,
      cost_per_kg: null,
    });
  });

  it('money is for those who may see it', async () => {
    expect(await lineOf(sold, farm.technician.token)).toMatchObject({
      produced_kg: 900,
      sees_money: false,
      cost_per_kg: null,
      revenue_per_kg: null,
      margin_percent: null,
      missing_costs: [],
    });
    expect(await lineOf(sold, farm.viewer.token)).toMatchObject({ sees_money: true, margin_percent: 75 });
  });

  it('lists come by status and page, last entered first, of one farm or all of the caller’s', async () => {
    expect((await compared(`farm_id=${farm.farmId}&status=finished`)).total).toBe(2);
    const all = (await compared('')).batches.map(({ batch_id }) => batch_id);
    expect(all).toHaveLength(5);
    const whole = await app.call('GET', '/dashboard/batch-comparison', { token: farm.owner.token });
    expect(whole.headers.get('x-total-count')).toBe('5');
    const page = await compared('skip=1&limit=2');
    expect(page.total).toBe(5);
    expect(page.batches.map(({ batch_id }) => batch_id)).toEqual(all.slice(1, 3));
    expect(await compared('', farm.stranger.token)).toEqual({ total: 0, batches: [] });
    const refused = await app.call('GET', `/dashboard/batch-comparison?farm_id=${farm.farmId}`, {
      token: farm.stranger.token,
    });
    expect(refused.status).toBe(404);
  });

  it.skipIf(engine !== 'sqlite')('more batches cost no more statements', async () => {
    const heard = async (query: string) => {
      const before = listening.heard.length;
      await compared(query);
      return listening.heard.length - before;
    };
    const one = await heard(`farm_id=${farm.farmId}&limit=1`);
    expect(one).toBeGreaterThan(5);
    expect(await heard(`farm_id=${farm.farmId}`)).toBe(one);
  });
});

/** Stocked on 1 January in half a hectare, fed, harvested in two parts at 20 a kilogram, each expense recorded. */
async function aSoldBatch(app: App, { farmId, owner }: ProducingFarm): Promise<string> {
  const send = (path: string, body: object) => app.call('POST', path, { token: owner.token, body });
  const pond = await created(send('/ponds/', { farm_id: farmId, cod: 'V-09', size_m2: 5000 }));
  const id = await created(
    send('/batches/', {
      pond_id: pond,
      batch_code: 'L-sold',
      species: 'Litopenaeus vannamei',
      lineage: 'SPF',
      larva_origin: 'Aqua',
      start_date: '2026-01-01',
      initial_count: 100_000,
      initial_avg_weight: 0.01,
      initial_density: 20,
      estimated_survival_rate: 90,
    }),
  );
  await created(
    send('/biometries/', {
      batch_id: id,
      measurement_date: '2026-02-20T12:00:00Z',
      sample_size: 100,
      total_weight_g: 1000,
    }),
  );
  await created(
    send('/feeding/', {
      batch_id: id,
      quantity_kg: 600,
      cost_per_kg: 5,
      feed_type: '35 %',
      feed_date: '2026-02-01T12:00:00Z',
    }),
  );
  await created(
    send('/financial/expenses', {
      batch_id: id,
      category: 'LABOR',
      amount: 1500,
      description: 'Mão de obra',
      expense_date: '2026-02-10',
    }),
  );
  await created(
    send(`/batches/${id}/harvests`, {
      harvest_date: '2026-02-21T12:00:00Z',
      quantity: 30_000,
      weight_kg: 300,
      price_per_kg: 20,
    }),
  );
  const finished = await send(`/batches/${id}/finish`, {
    actual_harvest_date: '2026-03-01T12:00:00Z',
    final_weight_kg: 600,
    final_count: 55_000,
    price_per_kg: 20,
  });
  expect(finished.status).toBe(200);
  return id;
}
