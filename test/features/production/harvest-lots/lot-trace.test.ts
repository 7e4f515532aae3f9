import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBatchIn, aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// From the hatchery to a lot and back. The clock of the tests stands at 2 March, noon UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;
const day = (n: number, hour = 12) => new Date(Date.UTC(2026, 1, n, hour)).toISOString();

onBothEngines('traces of lots', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    farm = await aStockedFarm(app, {
      batch_code: 'L-7',
      larva_origin: 'Larvas do Aracati, lote 88',
      initial_count: 100_000,
      initial_avg_weight: 8,
      start_date: '2026-01-01',
    });
  });

  const send = (method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: farm.token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(method: string, path: string, sent?: unknown) {
    const reply = await send(method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const pond = (n: number) => farm.ponds[n]?.id ?? '';
  const deliver = (sent: Told) =>
    call('POST', `/farms/${farm.farmId}/feed-stock/entries`, {
      kind: 'DELIVERY',
      product: 'Ração 35',
      ...sent,
    });
  const feed = (quantity_kg: number, feed_date: string, sent: Told = {}) =>
    call('POST', '/feeding/', {
      batch_id: farm.batch.id,
      feed_type: 'ração 35',
      quantity_kg,
      cost_per_kg: 6,
      feed_date,
      ...sent,
    });
  const treat = (pondId: string, sent: Told) =>
    call('POST', `/ponds/${pondId}/records`, {
      kind: 'TREATMENT',
      product: 'Probiótico Vida',
      product_kind: 'PROBIOTIC',
      amount: 2,
      unit: 'L',
      withdrawal_days: 0,
      ...sent,
    });
  async function lotOn(at: string, sent: Told = {}, batchId = farm.batch.id) {
    const { id: harvest_id } = await call('POST', `/batches/${batchId}/harvests`, {
      quantity: 10_000,
      weight_kg: 100,
      harvest_date: at,
    });
    return call('POST', `/batches/${batchId}/harvest-lots`, { harvest_id, weight_kg: 100, ...sent });
  }
  const trace = (lot: Told) => call('GET', `/harvest-lots/${String(lot['id'])}/trace`) as Promise<Told>;
  const recall = (query: string) => call('GET', `/farms/${farm.farmId}/trace?${query}`) as Promise<Told>;
  const lotsOf = (answer: Told) =>
    (answer['harvest_lots'] as Told[]).map(({ lot_code, certainty }) => [lot_code, certainty]);

  it('tell of a lot its hatchery, ponds, moves, feed by delivery, treatments, water, losses and weights', async () => {
    await deliver({ quantity_kg: 100, lot: 'A', supplier: 'Rações do Norte', happened_at: day(1) });
    await deliver({ quantity_kg: 100, lot: 'B', happened_at: day(5) });
    await feed(60, day(3));
    await feed(60, day(10));
    await feed(5, day(10), { feed_type: 'Artêmia' });
    await call('POST', '/transfers/', {
      batch_id: farm.batch.id,
      source_pond_id: pond(0),
      destination_pond_id: pond(1),
      quantity: 20_000,
      transfer_date: day(6),
    });
    await treat(pond(1), { product_lot: 'P-9', happened_at: day(8) });
    // before the animals came
    await treat(pond(1), { product_lot: 'P-8', happened_at: day(2) });
    await call('POST', `/ponds/${pond(0)}/records`, {
      kind: 'WATER_EXCHANGE',
      amount: 20,
      unit: 'percent',
      happened_at: day(9),
    });
    await call('POST', `/batches/${farm.batch.id}/adjust-survival`, {
      event_description: 'low oxygen',
      cause: 'LOW_OXYGEN',
      dead_count: 500,
      lost_at: day(9),
    });
    await call('POST', '/biometries/', {
      batch_id: farm.batch.id,
      measurement_date: day(9),
      sample_size: 100,
      total_weight_g: 1_000,
    });
    for (const [n, temperature] of [26, 28, 33].entries())
      await call('POST', '/water-quality/', { pond_id: pond(0), temperature, measurement_date: day(4 + n) });
    const lot = await lotOn(day(12), { buyer: 'Porto' });
    // after the lot
    await feed(30, day(14));
    await treat(pond(0), { product_lot: 'P-10', happened_at: day(14) });
    expect(await trace(lot)).toMatchObject({
      lot: { lot_code: 'L-7-20260212-1', buyer: 'Porto' },
      day: '2026-02-12',
      farm: { name: 'Fazenda Sul' },
      batch: { batch_code: 'L-7', larva_origin: 'Larvas do Aracati, lote 88', initial_count: 100_000 },
      harvest: { kind: 'PARTIAL', weight_kg: 100, lots_kg: 100, is_weighed: true },
      ponds: [
        { pond_cod: 'V-1', from: '2026-01-01', to: null },
        { pond_cod: 'V-2', from: '2026-02-06', to: null },
      ],
      transfers: [{ source_pond_cod: 'V-1', destination_pond_cod: 'V-2', quantity: 20_000 }],
      feeds: [
        { feed_type: 'Artêmia', kg: 5 },
        {
          feed_type: 'ração 35',
          kg: 120,
          first_fed_at: day(3),
          last_fed_at: day(10),
          unknown_lot_kg: 0,
        },
      ],
      treatments: [{ pond_cod: 'V-2', product: 'Probiótico Vida', product_lot: 'P-9', amount: 2, unit: 'L' }],
      water_exchanges: [{ pond_cod: 'V-1', amount: 20, unit: 'percent' }],
      losses: [{ cause: 'LOW_OXYGEN', dead_count: 500 }],
      weighings: [{ pond_cod: null, average_weight_g: 10, sample_size: 100 }],
      water: [
        {
          pond_cod: 'V-1',
          measurements: 3,
          parameters: [{ parameter: 'temperature', least: 26, mean: 29, most: 33 }],
        },
        { pond_cod: 'V-2', measurements: 0, parameters: [] },
      ],
      withdrawal: null,
    });
    const [artemia, ration] = (await trace(lot))['feeds'] as { lots: Told[] }[];
    // a meal that names no product of the stock is taken of what there is, after those that name one
    expect(artemia?.lots).toMatchObject([{ lot: 'B', kg: 5 }]);
    expect(ration?.lots).toMatchObject([
      { lot: 'A', supplier: 'Rações do Norte', kg: 100 },
      { lot: 'B', kg: 20 },
    ]);
  });

  it('tell what was seen of a disease and what laboratories found, from the larvae on to the day of the lot', async () => {
    const found = (at: string, sent: Told) =>
      call('POST', at, {
        kind: 'LAB',
        source: 'Lab',
        sample: 'TISSUE',
        method: 'PCR',
        disease: 'WSSV',
        ...sent,
      });
    const inPond = `/ponds/${pond(0)}/records`;
    const larvae = { sample: 'POSTLARVAE', result: 'NEGATIVE', happened_at: '2025-12-28T12:00:00.000Z' };
    await found(`/batches/${farm.batch.id}/records`, larvae);
    const counted = { method: 'BACTERIOLOGY_TCBS', disease: 'VIBRIOSIS', amount: 400, unit: 'CFU/mL' };
    await found(inPond, { ...counted, happened_at: day(5) });
    await found(inPond, { disease: 'IMNV', happened_at: day(8) });
    const signs = { kind: 'DISEASE', signs: ['OPAQUE_MUSCLE'], affected_percent: 3, disease: 'IMNV' };
    await call('POST', inPond, { ...signs, happened_at: day(7) });
    // in a pond without the animals, and after the lot
    await found(`/ponds/${pond(1)}/records`, { result: 'POSITIVE', happened_at: day(5) });
    await found(inPond, { result: 'POSITIVE', happened_at: day(20) });
    await call('POST', inPond, { ...signs, happened_at: day(20) });
    const lot = await lotOn(day(12));
    const told = await trace(lot);
    expect(told['signs_of_disease']).toMatchObject([
      { pond_cod: 'V-1', signs: ['OPAQUE_MUSCLE'], affected_percent: 3, disease: 'IMNV' },
    ]);
    expect(told['laboratory']).toMatchObject([
      { pond_cod: null, sample: 'POSTLARVAE', disease: 'WSSV', result: 'NEGATIVE' },
      { pond_cod: 'V-1', disease: 'VIBRIOSIS', result: null, amount: 400, unit: 'CFU/mL' },
      { pond_cod: 'V-1', disease: 'IMNV', result: null, amount: null },
    ]);
    expect(told['treatments']).toEqual([]);
    const file = await send('GET', `/exports/harvest-lot/${String(lot['id'])}/trace/csv`);
    expect(String(file.body).split('\r\n')).toEqual(
      expect.arrayContaining([
        'signs_of_disease,2026-02-07,09:00:00,V-1,IMNV SUSPECTED,,3,percent,OPAQUE_MUSCLE',
        'laboratory,2025-12-28,09:00:00,,WSSV,,,,"NEGATIVE; Lab; POSTLARVAE; PCR"',
        'laboratory,2026-02-05,09:00:00,V-1,VIBRIOSIS,,400,CFU/mL,"Lab; TISSUE; BACTERIOLOGY_TCBS"',
        'laboratory,2026-02-08,09:00:00,V-1,IMNV,,,,"NOT_KNOWN_YET; Lab; TISSUE; PCR"',
      ]),
    );
  });

  it('tell in one request which lots had a lot of feed, by the books or possibly', async () => {
    await deliver({ quantity_kg: 100, lot: 'A', happened_at: day(1) });
    await deliver({ quantity_kg: 100, lot: 'B', happened_at: day(5) });
    await feed(60, day(3));
    const before = await lotOn(day(4));
    await feed(60, day(10));
    const after = await lotOn(day(12), { buyer: 'Porto', transport_document: 'GTA 1' });
    const second = await aBatchIn(
      app,
      { farmId: farm.farmId, ownerId: farm.userId, pondId: pond(1) },
      { batch_code: 'L-8', start_date: '2026-01-10' },
    );
    await feed(3, day(11), { batch_id: second.id, feed_type: 'Artêmia' });
    const other = await lotOn(day(13), {}, second.id);
    expect(lotsOf(await recall('product_lot=a'))).toEqual([
      [before['lot_code'], 'BY_BOOKS'],
      [after['lot_code'], 'BY_BOOKS'],
    ]);
    const answer = await recall('product_lot=B');
    expect(answer).toMatchObject({
      deliveries: [{ lot: 'B', quantity_kg: 100, left_kg: 77 }],
      harvest_lots: [{ id: after['id'], buyer: 'Porto', transport_document: 'GTA 1' }, { id: other['id'] }],
    });
    expect(lotsOf(answer)).toEqual([
      [after['lot_code'], 'BY_BOOKS'],
      [other['lot_code'], 'BY_BOOKS'],
    ]);
    expect(lotsOf(await recall('product=ARTEMIA'))).toEqual([[other['lot_code'], 'RECORDED']]);
    expect(lotsOf(await recall('product_lot=Z'))).toEqual([]);
    expect((await send('GET', `/farms/${farm.farmId}/trace`)).status).toBe(422);
  });

  it('tell which lots had a lot of a product, and where it is not known which lot was given', async () => {
    await treat(pond(0), { product_lot: 'P-9', happened_at: day(8) });
    const earlier = await lotOn(day(7));
    const later = await lotOn(day(9));
    expect(lotsOf(await recall('product_lot=p-9'))).toEqual([[later['lot_code'], 'RECORDED']]);
    await treat(pond(0), { happened_at: day(6) });
    expect(lotsOf(await recall('product_lot=p-9'))).toEqual([
      [earlier['lot_code'], 'POSSIBLE'],
      [later['lot_code'], 'RECORDED'],
    ]);
    expect((await recall('product_lot=p-9'))['batches']).toMatchObject([
      {
        batch_code: 'L-7',
        status: 'ACTIVE',
        population: 65_000,
        received: [
          { kind: 'TREATMENT', certainty: 'RECORDED', lot: 'P-9' },
          { kind: 'TREATMENT', certainty: 'POSSIBLE', lot: null },
        ],
      },
    ]);
    expect(lotsOf(await recall('product=probiotico vida'))).toHaveLength(2);
  });

  it('tell that a batch of another farm of the owner had it, and not how many of it live there', async () => {
    const other = await call('POST', '/farms/', { name: 'Sul' });
    const there = await call('POST', '/ponds/', { farm_id: other['id'], cod: 'S-1', size_m2: 1_000 });
    const { id: batch_id } = await aBatchIn(
      app,
      { farmId: String(other['id']), ownerId: farm.userId, pondId: String(there['id']) },
      { batch_code: 'S-7', initial_count: 50_000, initial_avg_weight: 4, start_date: '2026-01-05' },
    );
    await call('POST', '/transfers/', {
      batch_id,
      source_pond_id: there['id'],
      destination_pond_id: pond(0),
      quantity: 10_000,
      average_weight: 5,
      transfer_date: day(5),
    });
    await treat(pond(0), { product_lot: 'Q-1', happened_at: day(8) });
    const told = (await recall('product_lot=q-1'))['batches'] as Told[];
    expect(new Map(told.map(({ batch_code, population }) => [batch_code, population]))).toEqual(
      new Map<unknown, unknown>([
        ['L-7', 85_000],
        ['S-7', null],
      ]),
    );
  });

  it('leave as files: the lots of a farm, and all that is on record of one', async () => {
    await deliver({ quantity_kg: 100, lot: 'A', happened_at: day(1) });
    await feed(60, day(3));
    await treat(pond(0), { product_lot: 'P-9', happened_at: day(8) });
    const classes = [{ pieces_min: 70, pieces_max: 80, weight_kg: 60, price_per_kg: 24 }];
    const lot = await lotOn(day(12), { buyer: '=Porto', classes });
    const files = await send('GET', `/exports/harvest-lots/csv?farm_id=${farm.farmId}`);
    expect(files.status).toBe(200);
    expect(String(files.body).split('\r\n').slice(0, 2)).toEqual([
      'date,time,lot_code,batch,harvest,pond,weight_kg,count,average_weight_g,classes,revenue,buyer,buyer_tax_id,' +
        'transport_document,vehicle,driver,loading_temperature_c,notes',
      "2026-02-12,09:00:00,L-7-20260212-1,L-7,PARTIAL,,100,,,70/80: 60 kg x 24,1440,'=Porto,,,,,,",
    ]);
    const trace = await send('GET', `/exports/harvest-lot/${String(lot['id'])}/trace/csv`);
    expect(trace.headers.get('content-disposition')).toContain('traceability_L-7-20260212-1.csv');
    expect(String(trace.body).split('\r\n')).toEqual(
      expect.arrayContaining([
        'section,date,time,pond,name,lot,value,unit,details',
        'stocking,2026-01-01,,V-1,"Litopenaeus vannamei; SPF","Larvas do Aracati, lote 88",100000,animals,8 g',
        'feed_lot,2026-02-01,09:00:00,,Ração 35,A,60,kg,',
        'treatment,2026-02-08,09:00:00,V-1,Probiótico Vida,P-9,2,L,"PROBIOTIC; harvest_from 2026-02-08"',
      ]),
    );
  });
});
