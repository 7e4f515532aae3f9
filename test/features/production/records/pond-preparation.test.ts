import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// What is done to a pond between two cycles. The clock of the tests stands at 2 March, noon UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;
const LIMING = {
  kind: 'PREPARATION',
  step: 'LIMING',
  happened_at: '2026-02-20T12:00:00.000Z',
  ended_on: '2026-02-21',
  product: 'Calcário dolomítico',
  product_lot: 'CD-7',
  amount: 600,
  unit: 'kg',
  responsible: 'Zé',
  text: 'pH do solo 5,8',
} as const;

onBothEngines('preparation of a pond', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  let emptyPond: string;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
    emptyPond = farm.ponds[1]?.id ?? '';
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  const write = async (sent: object) => {
    const reply = await send('POST', `/ponds/${emptyPond}/records`, sent);
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    return body(reply);
  };
  const refusedOf = (reply: { status: number; body: unknown }) => {
    const { errors } = reply.body as { errors?: { path: string; code: string }[] };
    return [reply.status, errors?.[0]?.path];
  };
  const refused = async (sent: object) =>
    refusedOf(await send('POST', `/ponds/${emptyPond}/records`, { ...LIMING, ...sent }));

  it('a step has a first and a last day, what was given and how much of it', async () => {
    const made = await write(LIMING);
    expect(made).toMatchObject({ ...LIMING, pond_id: emptyPond, product_kind: null, batches: [] });
    expect(body(await send('GET', `/records/${String(made['id'])}`))).toEqual(made);
    const listed = await send('GET', `/ponds/${emptyPond}/records?kind=PREPARATION`);
    expect(listed.body).toEqual([made]);
  });

  it('one that goes on has no last day yet; nobody is made to say an amount', async () => {
    const made = await write({ kind: 'PREPARATION', step: 'DRYING' });
    expect(made).toMatchObject({ step: 'DRYING', ended_on: null, amount: null, unit: null, product: null });
    const path = `/records/${String(made['id'])}`;
    expect(body(await send('PUT', path, { ended_on: '2026-03-02' }))['ended_on']).toBe('2026-03-02');
    expect(refusedOf(await send('PUT', path, { ended_on: '2026-03-01' }))).toEqual([422, 'ended_on']);
    // the day it began may not move beyond the last one, either
    const later = { happened_at: '2026-03-03T12:00:00Z' };
    expect(refusedOf(await send('PUT', path, later))).toEqual([422, 'ended_on']);
    expect(body(await send('PUT', path, { ended_on: null }))['ended_on']).toBe(null);
  });

  it('what cannot be is refused, with the field that is wrong; what is unlikely is kept and told', async () => {
    expect(await refused({ ended_on: '2026-02-19' })).toEqual([422, 'ended_on']);
    expect(await refused({ ended_on: '2026-03-09' })).toEqual([422, 'ended_on']);
    expect(await refused({ step: 'PAINTING' })).toEqual([422, 'step']);
    expect(await refused({ step: undefined })).toEqual([422, 'step']);
    expect(await refused({ amount: 0 })).toEqual([422, 'amount']);
    expect(await refused({ unit: null })).toEqual([422, 'unit']);
    expect(await refused({ unit: 'percent' })).toEqual([422, 'unit']);
    // 3,000 m²: 2 kg per m² is twenty tonnes per hectare
    const large = (await write({ ...LIMING, amount: 6_000 }))['warnings'] as Told[];
    expect(large.map(({ code }) => code)).toEqual(['LARGE_DOSE']);
    const treatment = { kind: 'TREATMENT', product: 'Cal', product_kind: 'LIME', amount: 2, unit: 'kg' };
    const made = await write(treatment);
    const path = `/records/${String(made['id'])}`;
    expect(refusedOf(await send('PUT', path, { product: null }))).toEqual([422, 'product']);
    expect(refusedOf(await send('PUT', path, { step: 'LIMING' }))).toEqual([422, 'step']);
  });

  it('an operator writes it down; a batch has none, as nothing lives there', async () => {
    const operator = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, { token: farm.token, farmId: farm.farmId }, operator, 'OPERATOR');
    const posted = await send('POST', `/ponds/${emptyPond}/records`, LIMING, operator.token);
    expect(posted.status).toBe(201);
    expect((await send('POST', `/batches/${farm.batch.id}/records`, LIMING)).status).toBe(422);
  });

  it('the file of the farm tells step and last day', async () => {
    const span = 'start_date=2026-02-20&end_date=2026-02-20';
    const file = await send('GET', `/exports/records/csv?farm_id=${farm.farmId}&kind=PREPARATION&${span}`);
    expect(String(file.body).split('\r\n')[1]).toBe(
      '2026-02-20,09:00:00,PREPARATION,V-2,,Calcário dolomítico,,CD-7,600,kg,"pH do solo 5,8",Zé,,,,,,,,,,,,,,,LIMING,2026-02-21,,,',
    );
  });
});
