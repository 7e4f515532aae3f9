import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Lots of harvests. The clock of the tests stands at 2 March, noon UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;

onBothEngines('harvest lots', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(method: string, path: string, sent?: unknown, token = farm.token) {
    const reply = await send(method, path, sent, token);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  async function aFarm() {
    farm = await aStockedFarm(app, {
      batch_code: 'L-7',
      initial_count: 100_000,
      initial_avg_weight: 10,
      estimated_survival_rate: 90,
      start_date: '2026-01-01',
    });
  }
  const harvest = (sent: Told = {}) =>
    call('POST', `/batches/${farm.batch.id}/harvests`, {
      quantity: 30_000,
      weight_kg: 300,
      price_per_kg: 18,
      ...sent,
    });
  const finish = (sent: Told = {}) =>
    call('POST', `/batches/${farm.batch.id}/finish`, { final_weight_kg: 600, price_per_kg: 20, ...sent });
  const lotsPath = () => `/batches/${farm.batch.id}/harvest-lots`;
  const enter = (sent: Told) => call('POST', lotsPath(), { weight_kg: 100, ...sent });
  const refused = (sent: Told) => send('POST', lotsPath(), { weight_kg: 100, ...sent });
  const lots = async () => (await call('GET', lotsPath())) as unknown as Told[];
  const profit = () =>
    call('GET', `/financial/profitability/${farm.batch.id}?selling_price_per_kg=25`) as Promise<Told>;
  const codesOf = (answer: Told) =>
    ((answer['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);
  async function staff(role: 'TECHNICIAN' | 'OPERATOR' | 'VIEWER') {
    const { token, user } = await app.signUp();
    await app.kernel.commit({
      actor: null,
      changes: [
        insert(farmMember, {
          id: randomUUID(),
          farm_id: farm.farmId,
          user_id: user.id,
          role,
          created_at: '2026-01-01T00:00:00.000Z',
        } as never),
      ],
    });
    return token;
  }

  it('are told with buyer, classes and transport, and get a code where nobody chose one', async () => {
    await aFarm();
    const { id: harvest_id } = await harvest({ harvest_date: '2026-03-01T10:00:00Z' });
    const made = await enter({
      harvest_id,
      pond_id: farm.ponds[0]?.id,
      average_weight_g: 12.5,
      classes: [
        { pieces_min: 70, pieces_max: 80, weight_kg: 60, price_per_kg: 24 },
        { pieces_min: 80, pieces_max: 100, weight_kg: 35.5, price_per_kg: 21 },
        { weight_kg: 4.5 },
      ],
      buyer: 'Frigorífico do Porto',
      buyer_tax_id: '12.345.678/0001-90',
      transport_document: 'GTA 4711',
      vehicle: 'ABC1D23',
      driver: 'João',
      loading_temperature_c: 2.5,
    });
    expect(made).toMatchObject({
      harvest_id,
      batch_code: 'L-7',
      lot_code: 'L-7-20260301-1',
      harvested_at: '2026-03-01T10:00:00.000Z',
      count: 8_000,
      average_weight_g: 12.5,
      revenue: 60 * 24 + 35.5 * 21,
      buyer: 'Frigorífico do Porto',
      loading_temperature_c: 2.5,
    });
    expect(codesOf(made)).toEqual([]);
    expect(await enter({ harvest_id, count: 5_000 })).toMatchObject({
      lot_code: 'L-7-20260301-2',
      average_weight_g: 20,
      revenue: null,
    });
    expect(await lots()).toMatchObject([{ lot_code: 'L-7-20260301-1' }, { lot_code: 'L-7-20260301-2' }]);
    expect(await call('GET', `/harvest-lots/${made['id']}`)).toMatchObject({ lot_code: 'L-7-20260301-1' });
  });

  it('bear a code once on a farm; one that is deleted frees it', async () => {
    await aFarm();
    const { id: harvest_id } = await harvest();
    const { id } = await enter({ harvest_id, lot_code: 'A-1' });
    expect(await refused({ harvest_id, lot_code: 'A-1' })).toMatchObject({ status: 400 });
    const other = await enter({ harvest_id, lot_code: 'A-2' });
    expect(await send('PUT', `/harvest-lots/${other['id']}`, { lot_code: 'A-1' })).toMatchObject({
      status: 400,
    });
    expect((await send('DELETE', `/harvest-lots/${id}`)).status).toBe(204);
    expect(await call('PUT', `/harvest-lots/${other['id']}`, { lot_code: 'A-1' })).toMatchObject({
      lot_code: 'A-1',
    });
  });

  it('are of a harvest: a partial one of the batch, or the final one once there was it', async () => {
    await aFarm();
    expect(await refused({})).toMatchObject({ status: 422, body: { errors: [{ code: 'NO_HARVEST' }] } });
    expect((await refused({ harvest_id: randomUUID() })).status).toBe(422);
    const { id: harvest_id } = await harvest({ harvest_date: '2026-03-01T10:00:00Z' });
    await finish({ actual_harvest_date: '2026-03-02T09:00:00Z' });
    expect(await enter({})).toMatchObject({ harvest_id: null, lot_code: 'L-7-20260302-1' });
    expect(await enter({ harvest_id })).toMatchObject({ harvest_id, lot_code: 'L-7-20260301-1' });
    expect(codesOf(await enter({ harvested_at: '2026-02-20T09:00:00Z' }))).toEqual(['OTHER_DAY']);
    expect((await refused({ harvested_at: '2025-12-20T09:00:00Z' })).status).toBe(422);
    expect((await refused({ harvested_at: '2026-03-20T09:00:00Z' })).status).toBe(422);
  });

  it('weigh no more than their classes leave, and together about what the harvest weighed', async () => {
    await aFarm();
    const { id: harvest_id } = await harvest();
    const classes = [{ pieces_min: 80, pieces_max: 100, weight_kg: 100.5 }];
    expect(await refused({ harvest_id, classes })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'CLASSES_ABOVE_LOT' }] },
    });
    expect(await refused({ harvest_id, count: 1, average_weight_g: 1 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'TOLD_TWICE' }] },
    });
    const { id } = await enter({ harvest_id, weight_kg: 200 });
    // ice, water and two scales
    expect(codesOf(await enter({ harvest_id, weight_kg: 120 }))).toEqual(['LOTS_ABOVE_HARVEST']);
    expect(await refused({ harvest_id, weight_kg: 20 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'LOTS_ABOVE_HARVEST' }] },
    });
    expect(await send('PUT', `/harvest-lots/${id}`, { weight_kg: 240 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'LOTS_ABOVE_HARVEST' }] },
    });
    const path = `/batches/${farm.batch.id}/harvests/${harvest_id}`;
    expect(codesOf(await call('PUT', path, { weight_kg: 290 }))).toEqual(['LOTS_ABOVE_HARVEST']);
    const corrected = await call('PUT', `/harvest-lots/${id}`, { buyer: 'Camarões do Mar' });
    expect([corrected['buyer'], codesOf(corrected)]).toEqual(['Camarões do Mar', ['LOTS_ABOVE_HARVEST']]);
    expect(await send('DELETE', path)).toMatchObject({ status: 409, body: { code: 'HARVEST_HAS_LOTS' } });
  });

  it('may weigh anything where the final harvest was only estimated, and say so', async () => {
    await aFarm();
    await finish({ final_weight_kg: undefined });
    expect(codesOf(await enter({ weight_kg: 2_000 }))).toEqual(['LOTS_ABOVE_HARVEST']);
  });

  it('tell of treatments whose withdrawal was not over, as the harvest does', async () => {
    await aFarm();
    await call('POST', `/ponds/${farm.ponds[0]?.id}/records`, {
      kind: 'TREATMENT',
      product: 'Florfenicol',
      product_kind: 'MEDICATION',
      amount: 2,
      unit: 'kg',
      withdrawal_days: 20,
      happened_at: '2026-02-25T12:00:00Z',
    });
    const { id: harvest_id } = await harvest();
    expect(codesOf(await enter({ harvest_id }))).toEqual(['WITHDRAWAL_PERIOD']);
  });

  it('bring the money of their classes in place of the price of the harvest, and no kilogram twice', async () => {
    await aFarm();
    const { id: harvest_id } = await harvest();
    expect(await profit()).toMatchObject({ sold_kg: 300, received_revenue: 300 * 18 });
    const classes = [{ pieces_min: 70, pieces_max: 80, weight_kg: 80, price_per_kg: 24 }];
    const { id } = await enter({ harvest_id, classes });
    const received = 80 * 24 + 220 * 18;
    expect(await profit()).toMatchObject({
      sold_kg: 300,
      received_revenue: received,
      received_by_lots: 80 * 24,
    });
    expect((await call('GET', `/batches/${farm.batch.id}/harvests`)) as unknown).toMatchObject([
      { price_per_kg: 18, revenue: received, lots_kg: 100 },
    ]);
    await finish();
    await enter({ classes: [{ pieces_min: 60, pieces_max: 70, weight_kg: 100, price_per_kg: 30 }] });
    expect(await profit()).toMatchObject({
      sold_kg: 900,
      received_revenue: received + 100 * 30 + 500 * 20,
      received_by_lots: 80 * 24 + 100 * 30,
    });
    await call('PUT', `/harvest-lots/${id}`, { classes: [] });
    expect(await profit()).toMatchObject({ received_revenue: 300 * 18 + 100 * 30 + 500 * 20 });
  });

  it('are corrected and deleted by who manages the farm; the log keeps the old values, without prices for others', async () => {
    await aFarm();
    const { id: harvest_id } = await harvest();
    const classes = [{ pieces_min: 70, pieces_max: 80, weight_kg: 80, price_per_kg: 24 }];
    const { id } = await enter({ harvest_id, classes, count: 9_000 });
    expect(
      await call('PUT', `/harvest-lots/${id}`, { average_weight_g: 12.5, buyer: 'Porto' }),
    ).toMatchObject({
      count: 8_000,
      buyer: 'Porto',
      classes,
    });
    const operator = await staff('OPERATOR');
    const technician = await staff('TECHNICIAN');
    expect(await call('GET', `/harvest-lots/${id}`, undefined, technician)).toMatchObject({
      revenue: null,
      classes: [{ pieces_min: 70, pieces_max: 80, weight_kg: 80, price_per_kg: null }],
    });
    expect(await send('PUT', `/harvest-lots/${id}`, { buyer: 'x' }, operator)).toMatchObject({ status: 403 });
    expect((await send('DELETE', `/harvest-lots/${id}`)).status).toBe(204);
    expect(await lots()).toEqual([]);
    const seenBy = async (token: string) =>
      (
        (await call(
          'GET',
          `/logs/farm/${farm.farmId}/control-points?include=all&limit=100`,
          undefined,
          token,
        )) as unknown as Told[]
      )
        .map(({ details }) => details as Told)
        .find((details) => details?.['record'] === 'harvest_lot' && details['after'] === undefined);
    expect(await seenBy(farm.token)).toMatchObject({ before: { classes: [{ price_per_kg: 24 }] } });
    const told = await seenBy(operator);
    expect(told).toMatchObject({ before: { classes: [{ weight_kg: 80 }] } });
    expect(JSON.stringify(told)).not.toContain('price_per_kg');
  });
});
