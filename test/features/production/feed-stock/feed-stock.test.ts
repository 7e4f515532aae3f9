import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Feed that comes to a farm, is fed and is counted. The clock of the tests stands at 2 March, noon UTC; the farm is three
// hours behind it.

type Told = Record<string, unknown>;
const day = (n: number, hour = 12) => new Date(Date.UTC(2026, 1, n, hour)).toISOString();

onBothEngines('feed stock', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(method: string, path: string, sent?: unknown) {
    const reply = await send(method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  async function aFarm() {
    farm = await aStockedFarm(app, {
      initial_count: 100_000,
      initial_avg_weight: 8,
      start_date: '2026-01-01',
    });
  }
  const enter = (sent: Told) => call('POST', `/farms/${farm.farmId}/feed-stock/entries`, sent);
  const refused = (sent: Told) => send('POST', `/farms/${farm.farmId}/feed-stock/entries`, sent);
  const deliver = (sent: Told) => enter({ kind: 'DELIVERY', product: 'Ração 35', ...sent });
  const count = (sent: Told) => enter({ kind: 'COUNT', product: 'Ração 35', ...sent });
  const feed = (quantity_kg: number, feed_date: string, feed_type = 'ração 35') =>
    call('POST', '/feeding/', { batch_id: farm.batch.id, feed_type, quantity_kg, cost_per_kg: 6, feed_date });
  const stock = () => call('GET', `/farms/${farm.farmId}/feed-stock`);
  const entries = async () =>
    (await call('GET', `/farms/${farm.farmId}/feed-stock/entries`)) as unknown as Told[];
  const products = async () => (await stock())['products'] as Told[];
  const codesOf = (answer: Told) =>
    ((answer['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);

  it('is left by product and lot as it came, less what was fed of it', async () => {
    await aFarm();
    await deliver({ bags: 20, bag_kg: 25, lot: 'A', happened_at: '2026-02-01', price_per_kg: 6.2 });
    await deliver({ quantity_kg: 400, lot: 'B', happened_at: day(10) });
    await deliver({ quantity_kg: 300, product: 'Ração 40', happened_at: day(11) });
    await feed(450, day(12));
    await feed(100, day(13), 'ração 40');
    await feed(90, day(14));
    expect(await products()).toMatchObject([
      {
        product: 'Ração 35',
        received_kg: 900,
        used_kg: 540,
        corrected_kg: 0,
        left_kg: 360,
        lots: [{ lot: 'B', left_kg: 360, is_expired: false }],
      },
      { product: 'Ração 40', left_kg: 200, lots: [{ lot: null, left_kg: 200 }] },
    ]);
    expect(await entries()).toMatchObject([
      { product: 'Ração 40', left_kg: 200 },
      { lot: 'B', left_kg: 360, quantity_kg: 400, bags: null },
      { lot: 'A', left_kg: 0, quantity_kg: 500, bags: 20, bag_kg: 25, total_cost: 3_100 },
    ]);
    // a bare day begins on the farm
    expect((await entries())[2]?.['happened_at']).toBe('2026-02-01T03:00:00.000Z');
  });

  it('is put right by a count that tells the difference, also one that is of days ago', async () => {
    await aFarm();
    await deliver({ quantity_kg: 600, happened_at: day(1) });
    await feed(90, day(5));
    await feed(50, day(20));
    const counted = await count({ quantity_kg: 480, happened_at: day(10) });
    expect(counted).toMatchObject({ expected_kg: 510, difference_kg: -30, quantity_kg: 480 });
    expect(await stock()).toMatchObject({ left_kg: 430 });
    // a feeding before it that is entered late is in what was counted
    await feed(20, day(8));
    expect(await stock()).toMatchObject({ left_kg: 430 });
    expect((await entries())[0]).toMatchObject({ expected_kg: 490, difference_kg: -10 });
  });

  it('leaves as a file, oldest entry first, with the differences of counts', async () => {
    await aFarm();
    await deliver({ bags: 4, bag_kg: 25, lot: 'A', happened_at: day(3) });
    await count({ quantity_kg: 90.5, happened_at: day(4) });
    const text = String((await send('GET', `/exports/feed-stock/csv?farm_id=${farm.farmId}`)).body);
    expect(text.split('\r\n')).toEqual([
      'date,time,kind,product,lot,quantity_kg,bags,bag_kg,protein_percent,pellet_mm,price_per_kg,supplier,expires_on,expected_kg,difference_kg,left_kg,notes',
      '2026-02-03,09:00:00,DELIVERY,Ração 35,A,100,4,25,,,,,,,,90.5,',
      '2026-02-04,09:00:00,COUNT,Ração 35,,90.5,,,,,,,,100,-9.5,,',
      '',
    ]);
  });

  it('after a correction is as if it had been entered right at first', async () => {
    await aFarm();
    const wrong = await deliver({ bags: 10, bag_kg: 25, happened_at: day(3) });
    await feed(100, day(4));
    const corrected = await call('PUT', `/feed-stock/${String(wrong['id'])}`, { bags: 12 });
    expect(corrected).toMatchObject({ quantity_kg: 300, bags: 12, bag_kg: 25, left_kg: 200 });
    expect(await call('PUT', `/feed-stock/${String(wrong['id'])}`, { quantity_kg: 310 })).toMatchObject({
      quantity_kg: 310,
      bags: null,
      left_kg: 210,
    });
    const twice = await deliver({ quantity_kg: 999, happened_at: day(3) });
    await call('DELETE', `/feed-stock/${String(twice['id'])}`);
    expect(await stock()).toMatchObject({ left_kg: 210 });
    const log = await call('GET', `/logs/farm/${farm.farmId}/control-points?include=all&limit=50`);
    expect(JSON.stringify(log)).toContain('Delivery of Ração 35, 2026-02-03');
  });

  it('is refused where the weight is told twice or not at all, or a count has what only a delivery has', async () => {
    await aFarm();
    const delivery = { kind: 'DELIVERY', product: 'Ração 35' };
    expect(await refused(delivery)).toMatchObject({ status: 422, body: { errors: [{ code: 'NO_WEIGHT' }] } });
    expect(await refused({ ...delivery, bags: 2 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'NO_WEIGHT' }] },
    });
    expect(await refused({ ...delivery, bags: 2, bag_kg: 25, quantity_kg: 60 })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'BAGS_DIFFER' }] },
    });
    expect(await refused({ ...delivery, quantity_kg: 1, happened_at: '2026-03-05' })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'TOO_FAR_AHEAD' }] },
    });
    const counted = await count({ quantity_kg: 5 });
    expect(await send('PUT', `/feed-stock/${String(counted['id'])}`, { supplier: 'x' })).toMatchObject({
      status: 422,
      body: { errors: [{ code: 'OTHER_KIND' }] },
    });
    expect(await refused({ ...delivery, id: counted['id'], quantity_kg: 1 })).toMatchObject({ status: 409 });
  });

  it('lasts by what was fed in seven days and by what the animals will eat, and is warned of once', async () => {
    await aFarm();
    const { batch } = farm;
    await deliver({ quantity_kg: 1_000, happened_at: day(1) });
    for (const n of [23, 24, 25, 26, 27, 28]) await feed(20, day(n));
    await feed(20, '2026-03-01T12:00:00.000Z');
    const before = await stock();
    // 100,000 animals of some 8 g and more
    expect(before['coming_ration_kg']).toBeGreaterThan(20);
    expect(before).toMatchObject({ left_kg: 860, daily_use_kg: 20, warn_days: 7 });
    const [product] = await products();
    expect(product).toMatchObject({ days_left_by_use: 43, is_low: false });
    expect(product?.['days_left']).toBe(Math.floor((860 / Number(before['coming_ration_kg'])) * 10) / 10);
    const told = async () =>
      ((await call('GET', '/notifications/?limit=100'))['notifications'] as Told[]).filter(
        ({ data }) =>
          (data as Told | null)?.['event'] === 'feed_low' && (data as Told)['farm_id'] === farm.farmId,
      );
    const look = () => app.ticks.find(({ name }) => name === 'feed that runs out')?.run();
    await look();
    expect(await told()).toEqual([]);
    await count({ quantity_kg: 100 });
    await look();
    await look();
    expect(await told()).toMatchObject([{ data: { product: 'Ração 35', left_kg: 100 } }]);
    expect((await told())[0]?.['message']).toContain('100 kg');
    // the farm wants to know later
    await call('PUT', `/farms/${farm.farmId}/science`, { feedStock: { warnDays: 1 } });
    expect((await products())[0]).toMatchObject({ is_low: false });
    // nothing that lives eats nothing
    await call('POST', `/batches/${batch.id}/finish`, { final_weight_kg: 800 });
    expect(await stock()).toMatchObject({ coming_ration_kg: 0 });
  });

  it('lasts by what the animals will eat where no meal was written down: that is no sign of none', async () => {
    await aFarm();
    await deliver({ quantity_kg: 30, happened_at: day(20) });
    await deliver({ quantity_kg: 10, happened_at: day(20), product: 'Ração 40' });
    const told = await stock();
    const lasts = Math.floor((40 / Number(told['coming_ration_kg'])) * 10) / 10;
    expect(told['days_left']).toBeCloseTo(lasts, 1);
    expect(told['products']).toMatchObject([
      { days_left_by_use: null, days_left: lasts, is_low: true },
      { days_left_by_use: null, days_left: lasts, is_low: true },
    ]);
  });

  it('names the lot that has expired to whoever feeds of it', async () => {
    await aFarm();
    await deliver({ quantity_kg: 50, lot: 'VELHO', expires_on: '2026-02-10', happened_at: day(1) });
    await deliver({ quantity_kg: 50, lot: 'NOVO', expires_on: '2026-08-10', happened_at: day(2) });
    expect(codesOf(await feed(1, day(10)))).not.toContain('FEED_EXPIRED');
    const fed = await feed(1, day(11));
    expect(codesOf(fed)).toContain('FEED_EXPIRED');
    expect(JSON.stringify(fed['warnings'])).toContain('VELHO');
    expect((await products())[0]?.['lots']).toMatchObject([
      { lot: 'VELHO', is_expired: true },
      { lot: 'NOVO', is_expired: false },
    ]);
    await count({ quantity_kg: 0, lot: 'VELHO', happened_at: day(12) });
    expect(codesOf(await feed(1, day(13)))).not.toContain('FEED_EXPIRED');
  });

  it('is written by who works on the farm, read by who may see it, and unknown to others', async () => {
    await aFarm();
    const operator = await app.signUp({ role: 'VIEWER' });
    const viewer = await app.signUp({ role: 'VIEWER' });
    const stranger = await app.signUp();
    const owner = { token: farm.token, farmId: farm.farmId };
    await joinFarm(app, owner, operator, 'OPERATOR');
    await joinFarm(app, owner, viewer, 'VIEWER');
    const technician = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, owner, technician, 'TECHNICIAN');
    const path = `/farms/${farm.farmId}/feed-stock/entries`;
    const sent = { kind: 'DELIVERY', product: 'x', quantity_kg: 5, price_per_kg: 6 };
    const made = await send('POST', path, sent, operator.token);
    expect(made.status).toBe(201);
    const own = `/feed-stock/${String(body(made)['id'])}`;
    expect((await send('POST', path, sent, viewer.token)).status).toBe(403);
    expect((await send('GET', own, undefined, viewer.token)).status).toBe(200);
    expect((await send('PUT', own, { notes: 'y' }, operator.token)).status).toBe(200);
    expect((await send('PUT', own, { notes: 'y' }, viewer.token)).status).toBe(403);
    // a technician sees what there is, and no price of it
    const seenBy = async (token: string) => {
      const [one, all] = [
        await send('GET', own, undefined, token),
        await send('GET', path, undefined, token),
      ];
      return [body(one), ...(all.body as Told[])].map(({ price_per_kg, total_cost, quantity_kg }) => [
        quantity_kg,
        price_per_kg,
        total_cost,
      ]);
    };
    expect([await seenBy(technician.token), await seenBy(viewer.token)]).toEqual([
      [
        [5, null, null],
        [5, null, null],
      ],
      [
        [5, 6, 30],
        [5, 6, 30],
      ],
    ]);
    for (const [method, where] of [
      ['GET', `/farms/${farm.farmId}/feed-stock`],
      ['GET', path],
      ['POST', path],
      ['GET', own],
    ] as const)
      expect((await send(method, where, method === 'POST' ? sent : undefined, stranger.token)).status).toBe(
        404,
      );
  });
});
