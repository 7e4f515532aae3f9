import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Electricity meters that people read at each shift. The clock of the tests stands at 2 March, noon UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;

onBothEngines('readings of an electricity meter', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  const read = async (at: string, amount: number, more: object = {}) => {
    const sent = { kind: 'METER', meter: 'Pump house', happened_at: `2026-${at}:00-03:00`, amount, ...more };
    const reply = await send('POST', `/farms/${farm.farmId}/records`, sent);
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    return body(reply);
  };
  const codes = (made: Told) => ((made['warnings'] ?? []) as Told[]).map(({ code }) => code);
  const use = async (start: string, end: string) =>
    body(await send('GET', `/farms/${farm.farmId}/energy/meters?start_date=${start}&end_date=${end}`));
  const kwhOf = (told: Told) => (told['days'] as Told[]).map(({ date, kwh }) => [date, kwh]);

  it('a reading has meter, figure, time and reader, and is read back as it was written', async () => {
    const made = await read('02-20T06:00', 1000, { responsible: 'Zé' });
    expect(made).toMatchObject({
      kind: 'METER',
      meter: 'Pump house',
      amount: 1000,
      unit: 'kWh',
      responsible: 'Zé',
      pond_id: null,
      farm_id: farm.farmId,
      happened_at: '2026-02-20T09:00:00.000Z',
    });
    expect(body(await send('GET', `/records/${String(made['id'])}`))).toEqual(made);
    const listed = await send('GET', `/farms/${farm.farmId}/records?kind=METER`);
    expect(listed.body).toEqual([made]);
  });

  it('each shift and day has what was used between its readings, at the tariff of the farm', async () => {
    await read('02-20T14:00', 1040);
    await read('02-20T22:00', 1100);
    await read('02-21T06:00', 1180);
    const told = await use('2026-02-20', '2026-02-20');
    expect(told).toMatchObject({ shifts: ['06:00', '14:00', '22:00'], total_kwh: 180, total_cost: 117 });
    const shifts = (told['stretches'] as Told[]).map(({ shift, shifts: of, kwh, cost }) => [
      shift,
      of,
      kwh,
      cost,
    ]);
    expect(shifts).toEqual([
      ['06:00', 1, 40, 26],
      ['14:00', 1, 60, 39],
      ['22:00', 1, 80, 52],
    ]);
    expect(told['days']).toMatchObject([{ date: '2026-02-20', kwh: 180, cost: 117, missing: [] }]);
  });

  it('a shift that nobody read is said, and what lies around it stays together', async () => {
    await read('02-21T22:00', 1300);
    await read('02-22T14:00', 1420);
    const told = await use('2026-02-21', '2026-02-22');
    expect(kwhOf(told)).toEqual([
      ['2026-02-21', null],
      ['2026-02-22', null],
    ]);
    expect((told['days'] as Told[]).map(({ missing }) => missing)).toEqual([
      [{ meter: 'Pump house', shift: '14:00' }],
      [
        { meter: 'Pump house', shift: '06:00' },
        { meter: 'Pump house', shift: '22:00' },
      ],
    ]);
    expect(told['stretches']).toMatchObject([
      { date: '2026-02-21', shift: '06:00', shifts: 2, kwh: 120 },
      { date: '2026-02-21', shift: '22:00', shifts: 2, kwh: 120 },
    ]);
  });

  it('before a meter was first read nobody owed a reading, and what is not known yet is not nothing', async () => {
    const told = await use('2026-02-17', '2026-02-20');
    expect((told['days'] as Told[]).map(({ missing }) => missing)).toEqual([[], [], [], []]);
    expect(await use('2026-02-17', '2026-02-19')).toMatchObject({ total_kwh: null, total_cost: null });
  });

  it('less than before is kept and doubted, until somebody says why', async () => {
    await read('02-23T06:00', 99_990, { meter: 'Office' });
    const lower = await read('02-23T14:00', 15, { meter: 'Office' });
    expect(codes(lower)).toEqual(['METER_WENT_BACK']);
    // it is one meter, however its name is written
    const written = await read('02-23T10:00', 10, { meter: ' OFFICE ' });
    expect(codes(written)).toEqual(['METER_WENT_BACK']);
    await send('DELETE', `/records/${String(written['id'])}`);
    const stretch = async () =>
      ((await use('2026-02-23', '2026-02-23'))['stretches'] as Told[]).filter(
        ({ meter }) => meter === 'Office',
      );
    expect(await stretch()).toMatchObject([{ kwh: null, cost: null, unknown: 'WENT_BACK' }]);
    const path = `/records/${String(lower['id'])}`;
    expect(codes(body(await send('PUT', path, { meter_change: 'ROLLED_OVER' })))).toEqual([]);
    expect(await stretch()).toMatchObject([{ kwh: 25, unknown: null }]);
    await send('PUT', path, { meter_change: 'CHANGED' });
    expect(await stretch()).toMatchObject([{ kwh: null, unknown: 'CHANGED' }]);
    // what is written down later, of a time before, is held against what follows it
    expect(codes(await read('02-20T10:00', 5000))).toEqual(['METER_WENT_BACK']);
  });

  it('the factor of a meter behind transformers counts, however its name is written', async () => {
    await read('02-25T06:00', 10, { meter: 'Substation', meter_factor: 40 });
    await read('02-25T14:00', 12, { meter: 'SUBSTATION', meter_factor: 40 });
    const told = (await use('2026-02-25', '2026-02-25'))['stretches'] as Told[];
    expect(told.filter(({ meter }) => meter === 'SUBSTATION')).toMatchObject([{ kwh: 80 }]);
  });

  it('an operator reads a meter; what it cost is for those who see money; a pond has no meter', async () => {
    const operator = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, { token: farm.token, farmId: farm.farmId }, operator, 'OPERATOR');
    const sent = { kind: 'METER', meter: 'Gate', amount: 1 };
    expect((await send('POST', `/farms/${farm.farmId}/records`, sent, operator.token)).status).toBe(201);
    const path = `/farms/${farm.farmId}/energy/meters`;
    expect((await send('GET', path, undefined, operator.token)).status).toBe(403);
    const pond = farm.ponds[0]?.id ?? '';
    expect((await send('POST', `/ponds/${pond}/records`, sent)).status).toBe(422);
  });

  it('what the meters counted enters the cost of no batch: the bill does, once', async () => {
    const cost = async () =>
      body(await send('GET', `/financial/cost-per-kg/${farm.batch.id}`))['total_energy_cost'];
    const before = Number(await cost());
    await read('02-27T06:00', 9_000);
    await read('02-28T06:00', 9_400);
    expect((await use('2026-02-27', '2026-02-27'))['total_cost']).toBeGreaterThan(0);
    expect(await cost()).toBe(before);
    const bill = {
      batch_id: farm.batch.id,
      category: 'ENERGY',
      amount: 260,
      description: 'Enel',
      expense_date: '2026-02-28',
    };
    expect((await send('POST', '/financial/expenses', bill)).status).toBe(201);
    expect(await cost()).toBe(before + 260);
  });

  it('what a reading must say is asked for', async () => {
    const post = async (sent: object) =>
      (await send('POST', `/farms/${farm.farmId}/records`, { kind: 'METER', ...sent })).status;
    expect(await post({ meter: 'Gate' })).toBe(422);
    expect(await post({ amount: 5 })).toBe(422);
    expect(await post({ meter: 'Gate', amount: -1 })).toBe(422);
    const made = await read('02-26T06:00', 7, { meter: 'Gate' });
    const path = `/records/${String(made['id'])}`;
    expect((await send('PUT', path, { amount: null })).status).toBe(422);
    expect((await send('PUT', path, { step: 'LIMING' })).status).toBe(422);
    expect((await send('PUT', path, { unit: 'kg' })).status).toBe(422);
  });

  it('the file of the farm tells meter, factor and change', async () => {
    const span = 'start_date=2026-02-25&end_date=2026-02-25';
    const file = await send('GET', `/exports/records/csv?farm_id=${farm.farmId}&kind=METER&${span}`);
    const [header = '', line = ''] = String(file.body).split('\r\n');
    expect(header).toMatch(/,step,ended_on,meter,meter_factor,meter_change$/);
    expect(line).toMatch(/^2026-02-25,06:00:00,METER,.*,10,kWh,.*,Substation,40,$/);
  });
});
