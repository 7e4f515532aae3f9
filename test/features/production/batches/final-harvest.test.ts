import { afterAll, beforeAll, expect, it } from 'vitest';
import { aBatch, aPondToStock, type StockedPond, warned } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import type { App } from '#test/staffed-farm.ts';

// 100,000 postlarvae of 10 mg were stocked on 31 January 2026; 85 % are believed alive.

onBothEngines('the final harvest', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE']);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const post = (path: string, sent: Record<string, unknown>) =>
    app.call('POST', path, { token: farm.token, body: sent });
  const get = async (path: string) => body(await app.call('GET', path, { token: farm.token }));
  const weighedBatch = async (grams: number) => {
    const id = await aBatch(app, farm);
    await post('/biometries/', {
      batch_id: id,
      measurement_date: '2026-03-01T12:00:00Z',
      sample_size: 100,
      total_weight_g: grams * 100,
    });
    return id;
  };

  it.each([
    ['a count', { final_weight_kg: 600, final_count: 40_000 }, 600],
    ['a mean weight', { final_weight_kg: 600, final_average_weight_g: 15 }, 600],
    ['a count and a mean weight', { final_count: 40_000, final_average_weight_g: 15 }, 600],
    ['a count alone: the last weighing weighs it', { final_count: 40_000 }, 480],
  ])('records the survival from %s: 40,000 of 100,000', async (_what, told, kg) => {
    const id = await weighedBatch(12);
    const reply = await post(`/batches/${id}/finish`, told);
    expect(reply).toMatchObject({
      status: 200,
      body: { survival_rate: 40, final_count: 40_000, final_weight_kg: kg },
    });
    expect(await get(`/batches/${id}`)).toMatchObject({ survival_rate: 40, current_biomass_kg: kg });
    expect(await get(`/exports/batch/${id}/summary`)).toMatchObject({ survival_rate: 40 });
  });

  // IJDR 2014: three ponds of a hectare in India, 2010, 150,000 monodon each; kg and survival as published.
  it.each([
    [86.6, 4390],
    [95.6, 4928],
    [72.6, 3150],
  ])('of a published harvest tells its survival, %s %%', async (percent, kg) => {
    const id = await aBatch(app, farm, { initial_count: 150_000, species: 'Penaeus monodon' });
    const told = { final_weight_kg: kg, final_count: Math.round(percent * 1_500) };
    expect(body(await post(`/batches/${id}/finish`, told))['survival_rate']).toBe(percent);
    expect(await get(`/batches/${id}`)).toMatchObject({ survival_rate: percent, current_biomass_kg: kg });
    expect(await get(`/exports/batch/${id}/summary`)).toMatchObject({ survival_rate: percent });
  });

  it('animals taken before count among those that survived', async () => {
    const id = await weighedBatch(12);
    await post(`/batches/${id}/harvests`, { quantity: 20_000, weight_kg: 240 });
    const reply = await post(`/batches/${id}/finish`, { final_weight_kg: 480, final_count: 30_000 });
    expect(body(reply)).toMatchObject({ survival_rate: 50, final_count: 30_000, harvested_kg: 240 });
    expect(await get(`/batches/${id}`)).toMatchObject({ survival_rate: 50, harvested_count: 20_000 });
  });

  it('more than were stocked is told, and never a survival above 100 %', async () => {
    const id = await weighedBatch(12);
    const reply = await post(`/batches/${id}/finish`, { final_count: 130_000 });
    expect(warned(reply)).toEqual(['IMPLIED_SURVIVAL_ABOVE_100']);
    expect(body(reply)['survival_rate']).toBe(100);
  });

  it('a mean weight alone counts nothing, and is refused', async () => {
    const id = await weighedBatch(12);
    expect(await post(`/batches/${id}/finish`, { final_average_weight_g: 15 })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'final_average_weight_g' }] },
    });
    expect(await get(`/batches/${id}`)).toMatchObject({ status: 'ACTIVE' });
  });

  it.each([
    ['ACTIVE', null, { biomass_of: 'ALIVE', final_count: null }, 85_000, 1_020],
    [
      'finish',
      { final_weight_kg: 600, final_count: 40_000 },
      { biomass_of: 'HARVEST', final_count: 40_000 },
      0,
      600,
    ],
    [
      'finish',
      { final_weight_kg: 607, final_average_weight_g: 15.1 },
      { biomass_of: 'HARVEST', final_count: 40_199 },
      0,
      607,
    ],
    ['finish', {}, { biomass_of: 'HARVEST', final_count: 85_000 }, 0, 1_020],
    ['abort', { reason: 'Mancha branca' }, { biomass_of: 'END', final_count: null }, 0, 1_020],
  ])(
    '%s %j: every answer tells the same of who lives and what the biomass is of',
    async (act, told, end, alive, kg) => {
      const id = await weighedBatch(12);
      if (told !== null) {
        const reply = await post(`/batches/${id}/${act}`, told);
        if (act === 'finish')
          expect(body(reply)).toMatchObject({ final_count: end.final_count, final_weight_kg: kg });
      }
      const answers = await Promise.all(
        [`/batches/${id}`, `/batches/${id}/stats`, `/exports/batch/${id}/summary`].map(get),
      );
      for (const answer of answers) {
        expect(answer).toMatchObject({ ...end, current_population: alive });
        expect(answer['current_biomass_kg'] ?? answer['estimated_biomass_kg']).toBe(kg);
      }
    },
  );

  it('leaves no animal alive in any pond', async () => {
    const id = await weighedBatch(12);
    await post(`/batches/${id}/finish`, { final_weight_kg: 600 });
    expect(await get(`/batches/${id}`)).toMatchObject({ current_population: 0, ponds: [] });
    expect(await get(`/exports/batch/${id}/summary`)).toMatchObject({ current_population: 0 });
    const lost = await weighedBatch(12);
    await post(`/batches/${lost}/abort`, { reason: 'Mancha branca' });
    expect(await get(`/batches/${lost}`)).toMatchObject({ current_population: 0, ponds: [] });
  });

  it('money received counts as received; the asked price counts for the rest alone', async () => {
    const id = await weighedBatch(12);
    await post(`/batches/${id}/harvests`, { quantity: 20_000, weight_kg: 240, price_per_kg: 30 });
    // 65,000 of 12 g live
    const asked = await get(`/financial/profitability/${id}?selling_price_per_kg=20`);
    expect(asked).toMatchObject({
      estimated_biomass_kg: 1_020,
      projected_revenue: 240 * 30 + 780 * 20,
      sold_kg: 240,
      received_revenue: 7_200,
    });
    const ended = await post(`/batches/${id}/finish`, { final_weight_kg: 700, price_per_kg: 25 });
    expect(body(ended)['revenue']).toBe(17_500);
    expect(await get(`/financial/profitability/${id}?selling_price_per_kg=20`)).toMatchObject({
      projected_revenue: 7_200 + 17_500,
      sold_kg: 940,
    });
  });

  it('feed on record that turns a day into a loss is told, and nothing is called certain', async () => {
    const id = await aBatch(app, farm);
    const weigh = (day: string, grams: number) =>
      post('/biometries/', {
        batch_id: id,
        measurement_date: day,
        sample_size: 100,
        total_weight_g: grams * 100,
      });
    await weigh('2026-02-20T12:00:00Z', 9);
    await weigh('2026-03-01T12:00:00Z', 11);
    const path = `/financial/optimal-harvest/${id}?market_price_per_kg=18&daily_operational_cost=100`;
    const before = await get(path);
    expect(before).toMatchObject({ recommendation: 'CONTINUE', confidence: expect.any(Number) as unknown });
    for (const day of ['24', '25', '26', '27', '28'])
      await post('/feeding/', {
        batch_id: id,
        feed_type: '35%',
        quantity_kg: 84,
        cost_per_kg: 6.5,
        feed_date: `2026-02-${day}T12:00:00Z`,
      });
    const after = await get(path);
    expect(after).toMatchObject({
      recommendation: 'CONTINUE',
      analysis: before['analysis'],
      confidence: null,
      explanation: expect.stringMatching(
        /60,0 kg por dia a R\$ 6,50, custa R\$ 390,00.*cada dia a mais perde/,
      ) as unknown,
      suggestion: expect.stringContaining('se não incluem, marque a despesca') as unknown,
    });
    expect(after['explanation']).not.toContain('certo com');
  });
});
