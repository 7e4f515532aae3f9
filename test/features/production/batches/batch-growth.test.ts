import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBatch, aPondToStock, type StockedPond } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { measured } from '#test/recorded-rows.ts';
import type { App } from '#test/staffed-farm.ts';

const EN = { 'Accept-Language': 'en' };

onBothEngines('how a batch grows', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const get = async (path: string, headers = {}) =>
    body(await app.call('GET', path, { token: farm.token, headers }));
  /** Mean weights, g, by day of the batch. */
  async function weighed(weights: Record<string, number>, fields: Record<string, unknown> = {}) {
    const id = await aBatch(app, farm, fields);
    for (const [day, averageG] of Object.entries(weights)) {
      const reply = await app.call('POST', '/biometries/', {
        token: farm.token,
        body: {
          batch_id: id,
          measurement_date: `${day}T12:00:00Z`,
          sample_size: 100,
          total_weight_g: averageG * 100,
        },
      });
      expect(reply.status).toBe(201);
    }
    return id;
  }

  describe('against the curve of its species', () => {
    it('the curve has stocking and every weighing, and the expected weight of that day', async () => {
      const id = await weighed({ '2026-02-10': 0.15, '2026-02-20': 0.4, '2026-03-02': 1.2 });
      const curve = await get(`/batches/${id}/growth-curve`);
      // expected: the table of the vannamei curve from 0.01 g, days 0, 10, 20 and 30
      expect(curve).toEqual({
        batch_id: id,
        batch_code: expect.any(String),
        days_active: 30,
        data_points: [
          { day: 0, real_weight_g: 0.01, expected_weight_g: 0.01 },
          { day: 10, real_weight_g: 0.15, expected_weight_g: expect.closeTo(0.125, 3) },
          { day: 20, real_weight_g: 0.4, expected_weight_g: expect.closeTo(0.447, 3) },
          { day: 30, real_weight_g: 1.2, expected_weight_g: expect.closeTo(1.03, 2) },
        ],
        performance: 'ABOVE_EXPECTED',
      });
    });

    it.each([
      // 1.032 g are expected on day 30; 5 % of it are 0.052 g
      [0.97, 'BELOW_EXPECTED'],
      [0.99, 'ON_TRACK'],
      [1.03, 'ON_TRACK'],
      [1.08, 'ON_TRACK'],
      [1.1, 'ABOVE_EXPECTED'],
    ])('%d g on day 30 is %s', async (averageG, performance) => {
      const id = await weighed({ '2026-03-02': averageG });
      expect(await get(`/batches/${id}/growth-curve`)).toMatchObject({ performance });
    });

    it('a batch never weighed has no performance and keeps its stocking weight', async () => {
      const id = await aBatch(app, farm);
      expect(await get(`/batches/${id}/growth-curve`)).toMatchObject({
        data_points: [{ day: 0, real_weight_g: 0.01, expected_weight_g: 0.01 }],
        performance: null,
      });
      expect(await get(`/batches/${id}/stats`)).toMatchObject({
        growth_rate_g_per_day: null,
        average_weight_g: 0.01,
      });
    });

    it('a pond measured at 22 °C every day is expected to hold 0.24 g on day 30, not 1.03', async () => {
      const own = await aPondToStock(app);
      const id = await aBatch(app, own);
      for (let day = 0; day < 30; day += 1) {
        const at = new Date(Date.UTC(2026, 0, 31 + day, 12)).toISOString();
        await measured(app, own.pondId, { measurement_date: at, temperature: 22 });
      }
      await app.call('POST', '/biometries/', {
        token: own.token,
        body: {
          batch_id: id,
          measurement_date: '2026-03-02T12:00:00Z',
          sample_size: 100,
          total_weight_g: 25,
        },
      });
      const curve = body(await app.call('GET', `/batches/${id}/growth-curve`, { token: own.token }));
      expect(curve['data_points']).toMatchObject([
        {},
        { day: 30, expected_weight_g: expect.closeTo(0.24, 2) },
      ]);
      expect(curve['performance']).toBe('ON_TRACK');
    });

    it('a black tiger follows its own curve: 2.02 g on day 30', async () => {
      const id = await weighed({ '2026-03-02': 2 }, { species: 'Camarão tigre (P. monodon)' });
      expect(await get(`/batches/${id}/growth-curve`)).toMatchObject({
        data_points: [{}, { expected_weight_g: expect.closeTo(2.02, 2) }],
        performance: 'ON_TRACK',
      });
    });
  });

  it('the figures of a batch: 1.19 g in 30 days are 0.0397 g a day', async () => {
    const id = await weighed({ '2026-03-02': 1.2 });
    await app.call('POST', '/feeding/', {
      token: farm.token,
      body: {
        batch_id: id,
        feed_type: 'x',
        quantity_kg: 151.5,
        cost_per_kg: 5,
        feed_date: '2026-03-01T12:00:00Z',
      },
    });
    expect(await get(`/batches/${id}/stats`)).toEqual({
      batch_id: id,
      days_active: 30,
      estimated_biomass_kg: 102,
      biomass_of: 'ALIVE',
      final_count: null,
      current_fca: 1.5,
      survival_rate: 85,
      growth_rate_g_per_day: 0.0397,
      total_feed_kg: 151.5,
      current_population: 85_000,
      average_weight_g: 1.2,
      // ln 120 / 30 days
      specific_growth_rate: 15.96,
      // nobody counted since the stocking
      missing: ['SURVIVAL'],
    });
  });

  describe('the analysis', () => {
    it('compares gains up to the last weighing and projects to the planned day', async () => {
      const id = await weighed({ '2026-03-02': 1.2 }, { expected_harvest_date: '2026-05-11' });
      const { analysis } = await get(`/batches/${id}/growth-analysis`);
      expect(analysis).toMatchObject({
        total_days: 30,
        initial_weight_g: 0.01,
        current_weight_g: 1.2,
        weight_gain_g: 1.19,
        adg: 0.0397,
        // (1.032 − 0.01) / 30
        expected_adg: expect.closeTo(0.0341, 4),
        // 1.19 / 1.022
        performance_percentage: expect.closeTo(116.4, 0),
        projected_harvest_date: '2026-05-11',
      });
      // on day 100 the standard pond holds 12.4 g; this one runs ahead of it
      const projectedG = (analysis as { projected_harvest_weight_g: number }).projected_harvest_weight_g;
      expect(projectedG).toBeGreaterThan(12.4);
      expect(projectedG).toBeLessThan(16);
    });

    it('without a plan projects to the harvest weight: 12 g about day 98 of the standard curve', async () => {
      const id = await aBatch(app, farm);
      const { analysis } = await get(`/batches/${id}/growth-analysis`);
      expect(analysis).toMatchObject({ adg: null, performance_percentage: null });
      const { projected_harvest_date, projected_harvest_weight_g } = analysis as Record<string, string>;
      // 31 January + 98 days is 9 May
      expect(['2026-05-08', '2026-05-09', '2026-05-10']).toContain(projected_harvest_date);
      expect(Number(projected_harvest_weight_g)).toBeCloseTo(12, 0);
    });

    it('speaks the language of the caller, with the figures of the batch', async () => {
      const id = await weighed({ '2026-03-02': 0.7 });
      const texts = async (headers: Record<string, string>) => {
        const { recommendations } = await get(`/batches/${id}/growth-analysis`, headers);
        return (recommendations as string[]).join(' ');
      };
      expect(await texts({})).toMatch(/0,700 g|0,70 g/);
      expect(await texts(EN)).toMatch(/0\.700 g|0\.70 g/);
    });

    it('of a harvested batch tells what it was, and recommends nothing', async () => {
      const id = await weighed({ '2026-03-01': 1.2 });
      await app.call('POST', `/batches/${id}/finish`, { token: farm.token, body: {} });
      expect(await get(`/batches/${id}/growth-analysis`)).toMatchObject({
        analysis: { projected_harvest_date: '2026-03-02', projected_harvest_weight_g: 1.2 },
        recommendations: [],
      });
    });
  });

  it('the chart has a line of what was weighed and a dashed one of what was expected', async () => {
    const id = await weighed({ '2026-03-02': 1.2 });
    expect(await get(`/batches/${id}/growth-chart`, EN)).toEqual({
      batch_id: id,
      batch_code: expect.any(String),
      chart_data: {
        labels: ['Day 0', 'Day 30'],
        datasets: [
          {
            label: 'Real weight (g)',
            data: [0.01, 1.2],
            borderColor: expect.stringMatching(/^#/),
            fill: false,
          },
          {
            label: 'Expected weight (g)',
            data: [0.01, 1.03],
            borderColor: expect.stringMatching(/^#/),
            fill: false,
            borderDash: [5, 5],
          },
        ],
      },
      // 1.2 / 1.032
      summary: { above_expected: true, variance_percentage: expect.closeTo(16.3, 0) },
    });
    expect(await get(`/batches/${id}/growth-chart`)).toMatchObject({
      chart_data: { labels: ['Dia 0', 'Dia 30'] },
    });
  });

  it('figures the farm has set for itself count: a farm that harvests at 20 g waits longer', async () => {
    const own = await aPondToStock(app);
    const id = await aBatch(app, own);
    const date = async () => {
      const reply = await app.call('GET', `/batches/${id}/growth-analysis`, { token: own.token });
      return (body(reply)['analysis'] as { projected_harvest_date: string }).projected_harvest_date;
    };
    const before = await date();
    await app.call('PUT', `/farms/${own.farmId}/science`, {
      token: own.token,
      body: { growth: { harvestWeightG: { vannamei: 20 } } },
    });
    expect((await date()) > before).toBe(true);
  });
});
