import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// What is given to a pond, its water that is exchanged, and what people note. The clock of the tests stands at 2 March, noon
// UTC; the farm is three hours behind it.

const two = (n: number) => String(n).padStart(2, '0');
const february = (day: number, hour = 12) => `2026-02-${two(day)}T${two(hour)}:00:00.000Z`;
const OXYTETRACYCLINE = {
  kind: 'TREATMENT',
  product: 'Oxitetraciclina 50 %',
  product_kind: 'MEDICATION',
  product_lot: 'OTC-0815',
  amount: 2.5,
  unit: 'kg',
  text: 'Vibriose',
  responsible: 'Dra. Ana',
  withdrawal_days: 28,
} as const;

onBothEngines('records of a farm', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const send = (
    method: string,
    path: string,
    sent?: unknown,
    more: { token?: string; language?: string } = {},
  ) =>
    app.call(method, path, {
      token: more.token ?? farm.token,
      body: sent,
      headers: { 'Accept-Language': more.language ?? 'en' },
    });
  async function call(method: string, path: string, sent?: unknown) {
    const reply = await send(method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const write = (pondId: string, sent: object) => call('POST', `/ponds/${pondId}/records`, sent);
  const list = async (path: string) => (await call('GET', path)) as unknown as Record<string, unknown>[];
  const codesOf = (answer: Record<string, unknown>) =>
    ((answer['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);
  async function aBatch(pondId: string, start_date = '2026-02-01') {
    const { id } = await aBatchIn(
      app,
      { farmId: farm.farmId, ownerId: farm.userId, pondId },
      { batch_code: crypto.randomUUID(), initial_count: 100_000, initial_avg_weight: 8, start_date },
    );
    return id;
  }
  /** A pond of its own, so that treatments of other tests are not of its batches. */
  async function aPond(sizeM2 = 5_000) {
    const made = await call('POST', '/ponds/', {
      farm_id: farm.farmId,
      cod: crypto.randomUUID().slice(0, 8),
      size_m2: sizeM2,
      depth_m: 1.5,
      pond_type: 'FATTENING',
    });
    return String(made['id']);
  }

  it('of a batch that has ended are none of what is done in its pond afterwards', async () => {
    const pond = await aPond();
    const ended = await aBatch(pond, '2026-01-01');
    await call('POST', `/batches/${ended}/finish`, {
      actual_harvest_date: february(10),
      final_weight_kg: 500,
    });
    const before = await write(pond, { ...OXYTETRACYCLINE, happened_at: february(5) });
    const after = await write(pond, { ...OXYTETRACYCLINE, happened_at: february(20) });
    expect([before['batches'], after['batches']]).toMatchObject([[{ id: ended }], []]);
  });
  it('a treatment is kept with product, lot, dose, reason, who gave it and its withdrawal period', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    const made = await write(pondId, { ...OXYTETRACYCLINE, happened_at: february(20) });
    expect(made).toMatchObject({
      ...OXYTETRACYCLINE,
      pond_id: pondId,
      happened_at: february(20),
      harvest_from: '2026-03-21',
      batches: [{ id: batch }],
      created_by: farm.userId,
    });
    expect(made['warnings']).toBe(undefined);
    expect(await call('GET', `/records/${String(made['id'])}`)).toEqual(made);
    expect(await list(`/ponds/${pondId}/records`)).toEqual([made]);
    expect(await list(`/ponds/${pondId}/records?kind=NOTE`)).toEqual([]);
    expect(await list(`/batches/${batch}/records`)).toEqual([made]);
    expect((await list(`/farms/${farm.farmId}/records`)).map(({ id }) => id)).toContain(made['id']);
  });

  it('a bare date is the start of that day on the farm; without a date it is now', async () => {
    const pondId = await aPond();
    expect(await write(pondId, { ...OXYTETRACYCLINE, happened_at: '2026-02-20' })).toMatchObject({
      happened_at: '2026-02-20T03:00:00.000Z',
    });
    const now = await write(pondId, { kind: 'NOTE', text: 'Água verde' });
    expect(Math.abs(Date.parse(String(now['happened_at'])) - app.clock.now())).toBeLessThan(1_000);
  });

  it('a harvest inside a withdrawal period is kept and asked about; on its first free day nothing is asked', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    await write(pondId, { ...OXYTETRACYCLINE, withdrawal_days: 5, happened_at: february(20) });
    const harvest = (harvest_date: string) =>
      call('POST', `/batches/${batch}/harvests`, { harvest_date, quantity: 10, weight_kg: 0.1 });
    expect(codesOf(await harvest(february(24)))).toEqual(['WITHDRAWAL_PERIOD']);
    // the fifth day ends within the 25th, and by the day of the farm 2 h UTC is still the 25th there
    expect(codesOf(await harvest(february(25, 20)))).toEqual(['WITHDRAWAL_PERIOD']);
    expect(codesOf(await harvest(february(26, 2)))).toEqual(['WITHDRAWAL_PERIOD']);
    expect(codesOf(await harvest(february(26, 4)))).toEqual([]);
    // before the treatment nothing was there to wait for
    expect(codesOf(await harvest(february(19)))).toEqual([]);
    // whoever writes down a harvest of that day can ask first, though the batch is free today
    const on = (day: string) => call('GET', `/batches/${batch}/withdrawal?day=${day}`);
    expect(await call('GET', `/batches/${batch}`)).toMatchObject({ withdrawal: null });
    expect(await on('2026-02-25')).toMatchObject({
      day: '2026-02-25',
      withdrawal: { harvest_from: '2026-02-26', treatments: [{ product: OXYTETRACYCLINE.product }] },
    });
    expect(await on('2026-02-26')).toMatchObject({ withdrawal: null });
    expect((await send('GET', `/batches/${batch}/withdrawal?day=soon`)).status).toBe(422);
  });

  it('the last harvest, the batch, the advice and the dashboard name the first free day', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    await write(pondId, { ...OXYTETRACYCLINE, happened_at: february(27) });
    const expected = {
      harvest_from: '2026-03-28',
      is_unknown: false,
      treatments: [{ product: OXYTETRACYCLINE.product, pond_id: pondId, harvest_from: '2026-03-28' }],
    };
    expect(await call('GET', `/batches/${batch}`)).toMatchObject({ withdrawal: expected });
    const advice = await call('GET', `/financial/optimal-harvest/${batch}?market_price_per_kg=25`);
    expect(advice).toMatchObject({ withdrawal: expected });
    expect(advice['suggestion']).toContain('harvest from 28 March 2026 on only');
    const ponds = (await call('GET', `/dashboard/ponds?farm_id=${farm.farmId}`))['ponds'] as Record<
      string,
      unknown
    >[];
    expect(ponds.find(({ pond_id }) => pond_id === pondId)).toMatchObject({ withdrawal: expected });
    const finished = await send(
      'POST',
      `/batches/${batch}/finish`,
      { final_weight_kg: 800 },
      { language: 'pt-BR' },
    );
    expect(finished).toMatchObject({
      status: 200,
      body: {
        status: 'FINISHED',
        warnings: expect.arrayContaining([
          {
            code: 'WITHDRAWAL_PERIOD',
            message: 'Carência de Oxitetraciclina 50 % (28 dias): despesca só a partir de 28/03/2026.',
          },
        ]),
      },
    });
  });

  it('a withdrawal period that nobody knows is no harmless one: it is told at once and asked at every harvest', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    const { withdrawal_days: _, ...unknown } = OXYTETRACYCLINE;
    const made = await write(pondId, { ...unknown, happened_at: february(2) });
    expect(made).toMatchObject({ withdrawal_days: null, harvest_from: null });
    expect(codesOf(made)).toEqual(['WITHDRAWAL_UNKNOWN']);
    expect(await call('GET', `/batches/${batch}`)).toMatchObject({
      withdrawal: { harvest_from: null, is_unknown: true },
    });
    const taken = await call('POST', `/batches/${batch}/harvests`, { quantity: 10, weight_kg: 0.1 });
    expect(codesOf(taken)).toEqual(['WITHDRAWAL_UNKNOWN']);
    // once it is read on the label, it is known for all that asks
    await call('PUT', `/records/${String(made['id'])}`, { withdrawal_days: 7 });
    expect(await call('GET', `/batches/${batch}`)).toMatchObject({ withdrawal: null });
  });

  it('lime and bacteria of the pond keep nobody from harvesting, and no days for a medication are asked about', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    const lime = { kind: 'TREATMENT', product: 'Calcário', product_kind: 'LIME', amount: 500, unit: 'kg' };
    expect(codesOf(await write(pondId, lime))).toEqual([]);
    expect(await call('GET', `/batches/${batch}`)).toMatchObject({ withdrawal: null });
    expect(codesOf(await write(pondId, { ...OXYTETRACYCLINE, withdrawal_days: 0 }))).toEqual([
      'NO_WITHDRAWAL',
    ]);
  });

  it('animals take the withdrawal along to another pond; those that came afterwards were not given it', async () => {
    const [first, second] = [await aPond(), await aPond()];
    const batch = await aBatch(first);
    await write(first, { ...OXYTETRACYCLINE, happened_at: february(10) });
    await call('POST', '/transfers/', {
      batch_id: batch,
      source_pond_id: first,
      destination_pond_id: second,
      quantity: 85_000,
      transfer_date: february(20),
    });
    const later = await aBatch(first, '2026-02-22');
    const taken = await call('POST', `/batches/${batch}/harvests`, {
      quantity: 1,
      weight_kg: 0.1,
      pond_id: second,
    });
    expect(codesOf(taken)).toContain('WITHDRAWAL_PERIOD');
    expect(await call('GET', `/batches/${later}`)).toMatchObject({ withdrawal: null });
    expect(await list(`/batches/${later}/records`)).toEqual([]);
  });

  it('a water exchange is kept as percent, cm or m³; what the pond cannot mean is asked', async () => {
    const pondId = await aPond(2_000);
    const exchange = (amount: number, unit: string) =>
      write(pondId, { kind: 'WATER_EXCHANGE', amount, unit, source: 'Rio', text: 'Amônia' });
    const made = await exchange(20, 'percent');
    expect(made).toMatchObject({ amount: 20, unit: 'percent', source: 'Rio', text: 'Amônia', product: null });
    expect(codesOf(made)).toEqual([]);
    const corrected = await call('PUT', `/records/${String(made['id'])}`, { source: 'Poço' });
    expect(corrected).toMatchObject({ source: 'Poço', amount: 20, unit: 'percent' });
    expect(codesOf(await exchange(30, 'cm'))).toEqual([]);
    expect(codesOf(await exchange(300, 'm3'))).toEqual([]);
    for (const [amount, unit] of [
      [80, 'percent'],
      [120, 'cm'],
      [2_000, 'm3'],
    ] as const)
      expect(codesOf(await exchange(amount, unit)), unit).toEqual(['LARGE_EXCHANGE']);
    expect(
      (await send('POST', `/ponds/${pondId}/records`, { kind: 'WATER_EXCHANGE', amount: 3, unit: 'kg' }))
        .status,
    ).toBe(422);
  });

  it('notes stand at ponds, batches and control points, with their author', async () => {
    const pondId = await aPond();
    const batch = await aBatch(pondId);
    const point = await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: crypto.randomUUID().slice(0, 8),
      device_id: crypto.randomUUID(),
      target_status: 'OFF',
    });
    const places = [`/ponds/${pondId}`, `/batches/${batch}`, `/control-points/${String(point['id'])}`];
    for (const place of places) {
      const made = await call('POST', `${place}/records`, { kind: 'NOTE', text: 'Trocar a correia' });
      expect(made).toMatchObject({ text: 'Trocar a correia', created_by: farm.userId });
      expect(await list(`${place}/records`)).toEqual([made]);
    }
    expect((await send('POST', `/batches/${batch}/records`, { kind: 'NOTE', text: '  ' })).status).toBe(422);
    expect((await send('POST', `/batches/${batch}/records`, { ...OXYTETRACYCLINE })).status).toBe(422);
  });

  it('records are corrected and deleted; old values stay in the log of the pond, and an old tag is refused', async () => {
    const pondId = await aPond();
    const made = await write(pondId, OXYTETRACYCLINE);
    const path = `/records/${String(made['id'])}`;
    const changed = await call('PUT', path, { amount: 3, text: 'Vibriose, segunda dose' });
    expect(changed).toMatchObject({ amount: 3, product_lot: 'OTC-0815', text: 'Vibriose, segunda dose' });
    const stale = await app.call('PUT', path, {
      token: farm.token,
      body: { amount: 9 },
      headers: { 'If-Match': '"1"' },
    });
    expect(stale.status).toBe(412);
    for (const wrong of [{ source: 'Rio' }, { unit: 'percent' }, { pond_id: crypto.randomUUID() }])
      expect((await send('PUT', path, wrong)).status, JSON.stringify(wrong)).toBe(422);
    const elsewhere = await aPond();
    expect(await call('PUT', path, { pond_id: elsewhere })).toMatchObject({ pond_id: elsewhere });
    await call('DELETE', path);
    expect((await send('GET', path)).status).toBe(404);
    expect(await list(`/ponds/${elsewhere}/records`)).toEqual([]);
    const log = await list(`/logs/ponds/${elsewhere}`);
    expect(log.filter(({ entity_id }) => entity_id === made['id']).map(({ action }) => action)).toEqual([
      'delete',
      'update',
      'update',
    ]);
  });

  it('sent twice under one id or key it stands once; a day has room for 200', async () => {
    const pondId = await aPond();
    const id = crypto.randomUUID();
    await write(pondId, { ...OXYTETRACYCLINE, id });
    expect((await send('POST', `/ponds/${pondId}/records`, { ...OXYTETRACYCLINE, id })).status).toBe(409);
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const twice = [1, 2].map(() =>
      app.call('POST', `/ponds/${pondId}/records`, {
        token: farm.token,
        body: OXYTETRACYCLINE,
        headers: key,
      }),
    );
    const [first, second] = [await twice[0], await twice[1]];
    expect(first?.body).toEqual(second?.body);
    expect(await list(`/ponds/${pondId}/records`)).toHaveLength(2);
    for (let n = 2; n < 200; n += 1) await write(pondId, { kind: 'NOTE', text: `${n}` });
    expect(await send('POST', `/ponds/${pondId}/records`, { kind: 'NOTE', text: '201' })).toMatchObject({
      status: 409,
      body: { code: 'TOO_MANY_RECORDS' },
    });
    expect(
      (await send('POST', `/ponds/${pondId}/records`, { kind: 'NOTE', text: 'x', happened_at: february(1) }))
        .status,
    ).toBe(201);
  });

  it('who is at the pond records and corrects his own; a technician notes at control points; a viewer reads', async () => {
    const pondId = await aPond();
    const [operator, technician, viewer] = [await app.signUp(), await app.signUp(), await app.signUp()];
    await joinFarm(app, farm, operator, 'OPERATOR');
    await joinFarm(app, farm, technician, 'TECHNICIAN');
    await joinFarm(app, farm, viewer, 'VIEWER');
    const path = `/ponds/${pondId}/records`;
    const own = await send('POST', path, OXYTETRACYCLINE, operator);
    expect(own.status).toBe(201);
    const owners = await write(pondId, OXYTETRACYCLINE);
    const at = (record: { id?: unknown }) => `/records/${String(record.id)}`;
    expect((await send('PUT', at(body(own)), { amount: 3 }, operator)).status).toBe(200);
    expect((await send('PUT', at(owners), { amount: 3 }, operator)).status).toBe(403);
    expect((await send('DELETE', at(owners), undefined, operator)).status).toBe(403);
    expect((await send('PUT', at(body(own)), { amount: 4 })).status).toBe(200);
    expect((await send('POST', path, OXYTETRACYCLINE, technician)).status).toBe(403);
    expect((await send('POST', path, OXYTETRACYCLINE, viewer)).status).toBe(403);
    expect((await send('GET', path, undefined, viewer)).status).toBe(200);
    const point = await call('POST', '/control-points/', {
      farm_id: farm.farmId,
      cod: crypto.randomUUID().slice(0, 8),
      device_id: crypto.randomUUID(),
      target_status: 'OFF',
    });
    const note = { kind: 'NOTE', text: 'Contator trocado' };
    const notes = `/control-points/${String(point['id'])}/records`;
    const noted = await send('POST', notes, note, technician);
    expect(noted.status).toBe(201);
    expect((await send('PUT', at(body(noted)), { text: 'Relé' }, technician)).status).toBe(200);
    const ownersNote = body(await send('POST', notes, note));
    expect((await send('PUT', at(ownersNote), { text: 'Relé' }, technician)).status).toBe(403);
    expect((await send('DELETE', at(body(noted)), undefined, technician)).status).toBe(204);
    expect((await send('POST', notes, note, viewer)).status).toBe(403);
    expect((await send('GET', at(owners), undefined, await app.signUp())).status).toBe(404);
  });

  it('products are proposed as they were last used; the file of the farm holds every record', async () => {
    const pondId = await aPond();
    await write(pondId, { ...OXYTETRACYCLINE, product: 'Florfenicol', happened_at: february(3) });
    await write(pondId, {
      ...OXYTETRACYCLINE,
      product: 'florfenicol',
      withdrawal_days: 12,
      happened_at: february(4),
    });
    const products = await list(`/farms/${farm.farmId}/products`);
    expect(products.filter(({ product }) => String(product).toLowerCase() === 'florfenicol')).toEqual([
      {
        product: 'florfenicol',
        product_kind: 'MEDICATION',
        unit: 'kg',
        withdrawal_days: 12,
        last_used_at: february(4),
      },
    ]);
    const day = 'start_date=2026-02-03&end_date=2026-02-04';
    const file = await send('GET', `/exports/records/csv?farm_id=${farm.farmId}&kind=TREATMENT&${day}`);
    expect(file.status).toBe(200);
    const { cod } = await call('GET', `/ponds/${pondId}`);
    expect(
      String(file.body)
        .split('\r\n')
        .filter((line) => line.includes(String(cod))),
    ).toEqual([
      `2026-02-03,09:00:00,TREATMENT,${String(cod)},,Florfenicol,MEDICATION,OTC-0815,2.5,kg,Vibriose,Dra. Ana,,28,2026-03-04,,,,,,,,,,,,,,,,`,
      `2026-02-04,09:00:00,TREATMENT,${String(cod)},,florfenicol,MEDICATION,OTC-0815,2.5,kg,Vibriose,Dra. Ana,,12,2026-02-17,,,,,,,,,,,,,,,,`,
    ]);
  });
});
