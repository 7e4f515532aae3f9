import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Signs of disease that somebody saw at a pond, and what a laboratory found. The clock of the tests stands at 2 March, noon
// UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;
const february = (day: number) => `2026-02-${String(day).padStart(2, '0')}T12:00:00.000Z`;
const SIGNS = {
  kind: 'DISEASE',
  signs: ['LETHARGY', 'EMPTY_GUT', 'WHITE_FAECES'],
  affected_percent: 12.5,
  severity: 'MODERATE',
  disease: 'EHP',
  text: 'Na bandeja, de manhã',
} as const;
const PCR = {
  kind: 'LAB',
  source: 'Laboratório do Porto',
  sample: 'TISSUE',
  method: 'PCR',
  disease: 'WSSV',
  result: 'NEGATIVE',
  report_number: 'LP-118',
} as const;

onBothEngines('disease and laboratory in the records of a farm', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  let pondId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
    pondId = farm.ponds[0]?.id ?? '';
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(method: string, path: string, sent?: unknown) {
    const reply = await send(method, path, sent);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  const write = (sent: object) => call('POST', `/ponds/${pondId}/records`, sent);
  const refused = async (sent: object) => {
    const reply = await send('POST', `/ponds/${pondId}/records`, sent);
    const { errors } = body(reply) as { errors?: { path: string }[] };
    return [reply.status, errors?.[0]?.path];
  };
  const codesOf = (answer: Told) =>
    ((answer['warnings'] ?? []) as { code: string }[]).map(({ code }) => code);

  it('signs are kept as they were seen, with their share; what nobody said stays unknown', async () => {
    const made = await write({ ...SIGNS, happened_at: february(20) });
    expect(made).toMatchObject({ ...SIGNS, happened_at: february(20), result: null, sample: null });
    expect(await call('GET', `/records/${String(made['id'])}`)).toEqual(made);
    const kept = (await call('GET', `/ponds/${pondId}/records?kind=DISEASE`)) as unknown as Told[];
    expect(kept.map(({ id }) => id)).toContain(made['id']);
    expect(await write({ kind: 'DISEASE', signs: ['RED_BODY'] })).toMatchObject({
      signs: ['RED_BODY'],
      affected_percent: null,
      disease: null,
      severity: null,
    });
    // nobody affected is a figure, and not nobody's word
    expect(await write({ ...SIGNS, affected_percent: 0 })).toMatchObject({ affected_percent: 0 });
  });

  it('signs that say nothing, or more than all animals, are refused', async () => {
    expect(await refused({ kind: 'DISEASE' })).toEqual([422, 'signs']);
    expect(await refused({ ...SIGNS, affected_percent: 101 })).toEqual([422, 'affected_percent']);
    expect((await refused({ ...SIGNS, signs: ['BLUE'] }))[0]).toBe(422);
    expect((await refused({ ...SIGNS, signs: ['LETHARGY', 'LETHARGY'] }))[0]).toBe(422);
  });

  it('a result is of one disease and method; a positive one of a listed disease says who is to be told', async () => {
    const negative = await write({ ...PCR, happened_at: february(20), result_on: '2026-02-24' });
    expect(negative).toMatchObject({ ...PCR, happened_at: february(20), result_on: '2026-02-24' });
    expect(codesOf(negative)).toEqual([]);
    expect(codesOf(await write({ ...PCR, result: 'POSITIVE' }))).toEqual(['LISTED_DISEASE']);
    expect(codesOf(await write({ ...PCR, disease: 'EHP', result: 'POSITIVE' }))).toEqual([]);
    expect(codesOf(await write({ ...SIGNS, disease: 'WSSV' }))).toEqual([]);
  });

  it('a sample is written down before its result comes, which is filled in once; a figure has its unit', async () => {
    const { result: _result, ...sampled } = PCR;
    const sent = await write({ ...sampled, happened_at: february(20) });
    expect(sent).toMatchObject({ result: null, result_on: null, amount: null });
    const path = `/records/${String(sent['id'])}`;
    expect(await call('PUT', path, { result: 'INCONCLUSIVE', result_on: '2026-02-23' })).toMatchObject({
      result: 'INCONCLUSIVE',
      result_on: '2026-02-23',
      disease: 'WSSV',
    });
    const counted = { ...sampled, method: 'BACTERIOLOGY_TCBS', sample: 'WATER', disease: 'VIBRIOSIS' };
    expect(await write({ ...counted, amount: 0, unit: 'CFU/mL' })).toMatchObject({ amount: 0, result: null });
    expect(await write({ ...counted, amount: 2e9, unit: 'CFU/mL' })).toMatchObject({ amount: 2e9 });
    expect(await refused({ ...counted, amount: 100 })).toEqual([422, 'unit']);
    expect(await refused({ ...counted, amount: 1, unit: 'kg' })).toEqual([422, 'unit']);
    expect(await refused({ ...sampled, disease: 'OTHER' })).toEqual([422, 'disease_name']);
    expect(await refused({ ...PCR, happened_at: february(20), result_on: '2026-02-19' })).toEqual([
      422,
      'result_on',
    ]);
    expect(await refused({ ...PCR, result_on: '2026-03-09' })).toEqual([422, 'result_on']);
    // the same of a correction
    expect((await send('PUT', path, { result_on: '2026-02-19' })).status).toBe(422);
    expect((await send('PUT', path, { amount: 5 })).status).toBe(422);
    expect((await send('PUT', path, { signs: ['LETHARGY'] })).status).toBe(422);
    expect((await send('PUT', path, { disease: null })).status).toBe(422);
  });

  it('a dose stays above nothing, and a treatment takes no result', async () => {
    const dose = { kind: 'TREATMENT', product: 'Cal', product_kind: 'LIME', amount: 5, unit: 'kg' };
    const path = `/records/${String((await write(dose))['id'])}`;
    for (const wrong of [{ amount: 0 }, { amount: null }, { amount: 2e6 }, { unit: null }, { unit: 'Ct' }])
      expect((await send('PUT', path, wrong)).status, JSON.stringify(wrong)).toBe(422);
    expect((await send('PUT', path, { result: 'POSITIVE' })).status).toBe(422);
  });

  it('larvae that a laboratory tested before they came are of their batch; its note stays without a kind', async () => {
    const path = `/batches/${farm.batch.id}/records`;
    const larvae = { ...PCR, sample: 'POSTLARVAE', happened_at: '2025-12-28T12:00:00.000Z' };
    const made = await call('POST', path, larvae);
    expect(made).toMatchObject({ kind: 'LAB', batch_id: farm.batch.id, pond_id: null, sample: 'POSTLARVAE' });
    expect(await call('POST', path, { text: 'Larvas ativas' })).toMatchObject({ kind: 'NOTE' });
    expect((await send('POST', path, { kind: 'TREATMENT' })).status).toBe(422);
    expect((await send('PUT', `/records/${String(made['id'])}`, { pond_id: pondId })).status).toBe(422);
  });

  it('an operator records and corrects his own, and whoever reads alone does neither', async () => {
    const [operator, viewer] = [await app.signUp({ role: 'VIEWER' }), await app.signUp({ role: 'VIEWER' })];
    await joinFarm(app, farm, operator, 'OPERATOR');
    await joinFarm(app, farm, viewer, 'VIEWER');
    const own = await send('POST', `/ponds/${pondId}/records`, SIGNS, operator.token);
    expect(own.status).toBe(201);
    const path = `/records/${String(body(own)['id'])}`;
    expect((await send('PUT', path, { signs: ['SOFT_SHELL'] }, operator.token)).status).toBe(200);
    expect(body(await send('GET', path, undefined, viewer.token))['signs']).toEqual(['SOFT_SHELL']);
    expect((await send('PUT', path, { signs: [] }, viewer.token)).status).toBe(403);
    expect((await send('POST', `/ponds/${pondId}/records`, PCR, viewer.token)).status).toBe(403);
  });

  it('the file of the farm holds both, and asks for one kind of them', async () => {
    await write({ ...SIGNS, responsible: 'Zé', happened_at: february(3) });
    const counted = { method: 'BACTERIOLOGY_TCBS', sample: 'WATER', disease: 'VIBRIOSIS', result: null };
    const figure = { ...PCR, ...counted, amount: 400, unit: 'CFU/mL', result_on: '2026-02-05' };
    await write({ ...figure, happened_at: february(3) });
    const day = 'start_date=2026-02-03&end_date=2026-02-03';
    const linesOf = async (kind: string) =>
      String((await send('GET', `/exports/records/csv?farm_id=${farm.farmId}&kind=${kind}&${day}`)).body)
        .trim()
        .split('\r\n')
        .slice(1);
    expect(await linesOf('DISEASE')).toEqual([
      `2026-02-03,09:00:00,DISEASE,V-1,${farm.batch.batch_code},,,,,,"Na bandeja, de manhã",Zé,,,,LETHARGY EMPTY_GUT WHITE_FAECES,12.5,MODERATE,EHP,,,,,,,,,,,,`,
    ]);
    expect(await linesOf('LAB')).toEqual([
      `2026-02-03,09:00:00,LAB,V-1,${farm.batch.batch_code},,,,400,CFU/mL,,,Laboratório do Porto,,,,,,VIBRIOSIS,,WATER,BACTERIOLOGY_TCBS,,2026-02-05,LP-118,,,,,,`,
    ]);
  });
});
