import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import { aBatch, aPondToStock, type StockedPond, warned } from '#test/a-batch.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { type App, outcomeOf, refused } from '#test/staffed-farm.ts';

onBothEngines('partial harvests', (_open, engine) => {
  let app: App;
  let farm: StockedPond;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aPondToStock(app);
  });
  afterAll(() => app.close());

  const take = (id: string, fields: Record<string, unknown> = {}, headers = {}) =>
    app.call('POST', `/batches/${id}/harvests`, {
      token: farm.token,
      body: { quantity: 20_000, weight_kg: 22, ...fields },
      headers,
    });
  const state = async (id: string) => body(await app.call('GET', `/batches/${id}`, { token: farm.token }));
  async function weighedBatch(averageG = 1) {
    const id = await aBatch(app, farm);
    await app.call('POST', '/biometries/', {
      token: farm.token,
      body: {
        batch_id: id,
        measurement_date: '2026-03-01',
        sample_size: 100,
        total_weight_g: averageG * 100,
      },
    });
    return id;
  }

  it('take animals and weight out; what was harvested counts as grown', async () => {
    const id = await weighedBatch();
    await app.call('POST', '/feeding/', {
      token: farm.token,
      body: {
        batch_id: id,
        feed_type: 'x',
        quantity_kg: 129,
        cost_per_kg: 5,
        feed_date: '2026-03-01T12:00:00Z',
      },
    });
    const made = await take(id, { price_per_kg: 18.5, notes: 'rede' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        batch_id: id,
        pond_id: null,
        harvest_date: '2026-03-02T12:00:00.000Z',
        quantity: 20_000,
        weight_kg: 22,
        average_weight_g: 1.1,
        price_per_kg: 18.5,
        revenue: 407,
        notes: 'rede',
        warnings: [],
      },
    });
    // 85,000 − 20,000 of 1 g are 65 kg; with the 22 kg and without the 1 kg stocked 86 were gained: 129 / 86
    expect(await state(id)).toMatchObject({
      current_population: 65_000,
      current_biomass_kg: 65,
      harvested_count: 20_000,
      harvested_kg: 22,
      current_fca: 1.5,
    });
    const finished = await app.call('POST', `/batches/${id}/finish`, {
      token: farm.token,
      body: { final_weight_kg: 108 },
    });
    // 108 + 22 − 1 gained
    expect(finished.body).toMatchObject({ final_fca: 1, harvested_kg: 22 });
  });

  it('deaths after a harvest fall on those that were left', async () => {
    const id = await weighedBatch();
    await take(id, { quantity: 42_500, harvest_date: '2026-03-02T11:00:00Z' });
    await app.call('POST', `/batches/${id}/adjust-survival`, {
      token: farm.token,
      body: { event_description: 'Vibriose', severity: 0.5 },
    });
    // half of the 42,500 that were still there
    expect(await state(id)).toMatchObject({ current_population: 21_250, survival_rate: 42.5 });
  });

  it('are corrected and deleted, also after the batch was finished, with old and new in the audit', async () => {
    const id = await weighedBatch();
    const harvest = String(body(await take(id))['id']);
    await app.call('POST', `/batches/${id}/finish`, { token: farm.token, body: {} });
    const path = `/batches/${id}/harvests/${harvest}`;
    const corrected = await app.call('PUT', path, {
      token: farm.token,
      body: { quantity: 25_000, harvest_date: '2026-02-28' },
    });
    expect(corrected.body).toMatchObject({
      quantity: 25_000,
      weight_kg: 22,
      harvest_date: '2026-02-28T03:00:00.000Z',
    });
    expect(await state(id)).toMatchObject({ current_population: 0, current_biomass_kg: 60 });
    expect(
      await outcomeOf(app, () =>
        app.call('PUT', path, { token: farm.token, body: { quantity: 1 }, headers: { 'If-Match': '"1"' } }),
      ),
    ).toEqual(refused(412));
    expect((await app.call('DELETE', path, { token: farm.token })).status).toBe(204);
    expect(await state(id)).toMatchObject({ current_biomass_kg: 85, harvested_kg: 0 });
    const rows = await app.database.read
      .selectFrom('logs')
      .select(['action', 'details'])
      .where('entity_id', '=', harvest)
      .orderBy('id')
      .execute();
    expect(rows.map(({ action, details }) => [action, JSON.parse(details ?? '')])).toMatchObject([
      ['update', { record: 'harvest', before: { quantity: 20_000 }, after: { quantity: 25_000 } }],
      ['delete', { record: 'harvest', before: { quantity: 25_000, weight_kg: 22 } }],
    ]);
  });

  it('of more animals than are believed alive, or were stocked, are kept and told', async () => {
    const id = await weighedBatch();
    expect(warned(await take(id, { quantity: 90_000 }))).toEqual(['MORE_THAN_ESTIMATED']);
    expect(warned(await take(id, { quantity: 20_000 }))).toEqual(['IMPLIED_SURVIVAL_ABOVE_100']);
    expect(await state(id)).toMatchObject({ current_population: 0, current_biomass_kg: 0 });
  });

  it('are listed newest first, in pages; one of another batch is 404', async () => {
    const id = await weighedBatch();
    for (const day of ['2026-02-10', '2026-02-20', '2026-02-15'])
      await take(id, { harvest_date: day, quantity: 10 });
    const list = async (query = '') => {
      const reply = await app.call('GET', `/batches/${id}/harvests${query}`, { token: farm.token });
      return (reply.body as { harvest_date: string }[]).map(({ harvest_date }) => harvest_date.slice(0, 10));
    };
    expect(await list()).toEqual(['2026-02-20', '2026-02-15', '2026-02-10']);
    expect(await list('?skip=1&limit=1')).toEqual(['2026-02-15']);
    const other = await weighedBatch();
    const harvest = String(body(await take(other))['id']);
    expect(
      await outcomeOf(app, () =>
        app.call('DELETE', `/batches/${id}/harvests/${harvest}`, { token: farm.token }),
      ),
    ).toEqual(refused(404));
  });

  it.each([
    ['nobody', { quantity: 0 }, 'quantity'],
    ['no weight', { weight_kg: 0 }, 'weight_kg'],
    ['before the start', { harvest_date: '2026-01-30' }, 'harvest_date'],
    ['two days ahead', { harvest_date: '2026-03-05' }, 'harvest_date'],
    ['tomorrow, which would be missing from today', { harvest_date: '2026-03-03' }, 'harvest_date'],
    ['this evening', { harvest_date: '2026-03-02T20:00:00Z' }, 'harvest_date'],
    ['in a pond of nobody', { pond_id: '01900000-0000-7000-8000-00000000dead' }, 'pond_id'],
  ])('of %s are 422', async (_what, fields, field) => {
    const id = await weighedBatch();
    expect(await outcomeOf(app, () => take(id, fields))).toEqual(refused(422, field));
  });

  it('the same request with the same Idempotency-Key takes animals out once', async () => {
    const id = await weighedBatch();
    const headers = { 'Idempotency-Key': 'harvest-1' };
    await take(id, {}, headers);
    await take(id, {}, headers);
    expect(await state(id)).toMatchObject({ harvested_count: 20_000 });
  });

  it('show prices only to those who may read the farm’s finance', async () => {
    const id = await weighedBatch();
    await take(id, { price_per_kg: 20 });
    const technician = await app.signUp();
    await app.kernel.commit({
      actor: null,
      changes: [
        insert(farmMember, {
          id: app.kernel.newId(),
          farm_id: farm.farmId,
          user_id: technician.user.id,
          role: 'TECHNICIAN',
          created_at: '2026-03-01T12:00:00.000Z',
          updated_at: null,
        }),
      ],
    });
    const seenBy = async (token: string) =>
      (await app.call('GET', `/batches/${id}/harvests`, { token })).body as unknown[];
    expect(await seenBy(farm.token)).toMatchObject([{ price_per_kg: 20, revenue: 440 }]);
    expect(await seenBy(technician.token)).toMatchObject([
      { price_per_kg: null, revenue: null, weight_kg: 22 },
    ]);
  });
});
