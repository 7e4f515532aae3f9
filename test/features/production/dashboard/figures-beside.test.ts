import { afterAll, beforeAll, expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { insert } from '#core/changes.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { controlPointRow } from '#test/farm-rows.ts';
import { weighed } from '#test/recorded-rows.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Figures of the science beside those of the contract. The clock of the tests stands at 2 March, noon UTC.

onBothEngines('beside the figures of the contract', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  const pond = () => farm.ponds[0]?.id ?? '';
  const get = async (path: string) => body(await app.call('GET', path, { token: farm.token }));
  const put = (path: string, sent: unknown) => app.call('PUT', path, { token: farm.token, body: sent });
  beforeAll(async () => {
    app = await startApp(engine);
    // 80,000 of 12.5 g in 3,000 m²: 1,000 kg
    farm = await aStockedFarm(app, {
      initial_count: 100_000,
      estimated_survival_rate: 80,
      initial_avg_weight: 0.01,
      start_date: '2025-12-02',
    });
    await weighed(app, farm.batch.id, 12.5);
    await put(`/ponds/${pond()}`, { depth_m: 1.2 });
  });
  afterAll(() => app.close());

  it('a measurement tells oxygen as a share of saturation, unless something was not measured with it', async () => {
    const measure = async (fields: Record<string, number>) => {
      const made = await app.call('POST', '/water-quality/', {
        token: farm.token,
        body: { pond_id: pond(), measurement_date: '2026-03-02T11:00:00Z', ...fields },
      });
      return body(made)['oxygen_saturation_percent'];
    };
    // 6.81 mg/L saturate water of 28 °C and 25 ppt (Benson & Krause)
    expect(await measure({ dissolved_oxygen: 3.4, temperature: 28, salinity: 25 })).toBeCloseTo(49.9, 1);
    expect(await measure({ dissolved_oxygen: 3.4, temperature: 28 })).toBeNull();
    expect(await measure({ temperature: 28, salinity: 25 })).toBeNull();
  });

  it('the card of a pond tells what its aerators lack for what lives there', async () => {
    const aerationNow = async () => (await get(`/ponds/${pond()}/summary-card`))['aeration'];
    expect(await aerationNow()).toMatchObject({
      horsepower: 0,
      kg_per_horsepower: null,
      rating: 'RISKY',
      missing_horsepower: 2,
      proposed_set_points: { on_mg_l: 4, off_mg_l: 5, emergency_mg_l: 3.5 },
      advice:
        'Viveiro V-1: 1.000 kg para 0,0 cv de aeração; acrescente 2,0 cv antes desta noite ou despesque uma parte.',
      without_aerators: { from_mg_l: 4, to_mg_l: 2 },
    });
    await app.call('POST', '/aerators/', {
      token: farm.token,
      body: { pond_id: pond(), name: 'A', device_id: 'a-1', power_kw: 2 * 0.7457 },
    });
    expect(await aerationNow()).toMatchObject({
      horsepower: 2,
      kg_per_horsepower: 500,
      rating: 'ENOUGH',
      missing_horsepower: 0,
      advice: null,
    });
    await put(`/farms/${farm.farmId}/science`, { aeration: { kgPerHorsepower: { most: 400 } } });
    expect(await aerationNow()).toMatchObject({ rating: 'ADD_AERATION', missing_horsepower: 0.5 });
    const empty = await get(`/ponds/${farm.ponds[1]?.id}/summary-card`);
    expect(empty['aeration']).toBeNull();
  });

  it('survival stands beside what is usual on that day of the cycle', async () => {
    const [line] = (await get('/dashboard/survival-rates'))['batches'] as Record<string, unknown>[];
    // 85 % after 110 days, on day 90
    expect(line).toMatchObject({ survival_rate: 80, expected_survival_rate: 87.55 });
  });

  it('the advice on the harvest tells the price of larger shrimp, and the energy of each tonne once it is reported', async () => {
    const advice = () =>
      get(`/financial/optimal-harvest/${farm.batch.id}?market_price_per_kg=20&daily_operational_cost=100`);
    const before = await advice();
    expect(before['energy_estimate']).toMatchObject({ kwh_per_tonne: null, kwh_per_tonne_rating: null });
    const [week] = before['price_by_size'] as { days: number; weight_g: number; price_per_kg: number }[];
    expect(week?.days).toBe(7);
    expect(week?.weight_g).toBeGreaterThan(12.5);
    expect(week?.price_per_kg).toBeCloseTo(20 * ((week?.weight_g ?? 0) / 12.5) ** 0.45, 1);
    const id = app.kernel.newId();
    const row = {
      ...controlPointRow(id, farm.farmId, farm.userId),
      current_status: 'ON' as const,
      current_since: '2025-12-01T00:00:00.000Z',
    };
    await app.kernel.commit({ actor: null, changes: [insert(controlPoint, row)] });
    await put(`/ponds/${pond()}`, { control_point_id: id });
    const { kwh_per_tonne, kwh_per_tonne_rating } = (await advice())['energy_estimate'] as Record<
      string,
      unknown
    >;
    // 1.4914 kW for 90 days and 9 hours, 999 kg gained
    expect(kwh_per_tonne).toBeCloseTo(3_238, -1);
    expect(kwh_per_tonne_rating).toBe('BELOW_USUAL');
  });
});
