import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import type { MeterUseAnswer } from '#contract/resources/meter-readings.ts';
import { type App, joinFarm, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { codesOf, type Report, reportOf, sendFile } from '#test/import-file.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

onBothEngines('readings of electricity meters from a file', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const forReal = '&dry_run=false';
  const look = async (farm: StockedFarm, file: string, query = ''): Promise<Report> =>
    reportOf(await sendFile(app, farm, 'meters', { file, query }));
  const readings = async ({ token, farmId }: StockedFarm) =>
    (await app.call('GET', `/farms/${farmId}/records?kind=METER`, { token })).body as RecordAnswer[];
  const shown = async (farm: StockedFarm) =>
    (await readings(farm)).map(({ meter, happened_at, amount, unit, meter_factor, meter_change }) => [
      meter,
      happened_at,
      amount,
      unit,
      meter_factor,
      meter_change,
    ]);

  const SHIFTS =
    'Medidor;Data;Hora;Leitura (kWh);Responsável\nBombas;01/02/2026;06:00;1.000,5;Zé\nBombas;01/02/2026;18:00;1.060,5;Zé\nBombas;02/02/2026;06:00;1.100,5;Ana\n';

  it('become the readings that somebody wrote down by hand, and are counted as those', async () => {
    const farm = await aStockedFarm(app);
    const report = await look(farm, SHIFTS, forReal);
    expect([report.errors, report.warnings, report.imported]).toEqual([[], [], 3]);
    expect(await shown(farm)).toEqual([
      ['Bombas', '2026-02-02T09:00:00.000Z', 1100.5, 'kWh', null, null],
      ['Bombas', '2026-02-01T21:00:00.000Z', 1060.5, 'kWh', null, null],
      ['Bombas', '2026-02-01T09:00:00.000Z', 1000.5, 'kWh', null, null],
    ]);
    const path = `/farms/${farm.farmId}/energy/meters?start_date=2026-02-01&end_date=2026-02-01`;
    const use = (await app.call('GET', path, { token: farm.token })).body as MeterUseAnswer;
    expect(use.total_kwh).toBe(100);
  });

  it('that are on record already come in once, whoever wrote them and however the meter is spelled', async () => {
    const farm = await aStockedFarm(app);
    const path = `/farms/${farm.farmId}/records`;
    const typed = { meter: ' bombas', amount: 1060.5, happened_at: '2026-02-01T18:00:00-03:00' };
    expect((await app.call('POST', path, { token: farm.token, body: typed })).status).toBe(201);
    const first = await look(farm, SHIFTS, forReal);
    expect([first.imported, first.already_there, codesOf(first.notes)]).toEqual([
      2,
      1,
      [[3, null, 'SAME_TIME_SAME_VALUES']],
    ]);
    expect((await look(farm, SHIFTS, forReal)).imported).toBe(0);
  });

  it('show less than before only with a word about it', async () => {
    const farm = await aStockedFarm(app);
    await look(farm, SHIFTS, forReal);
    const head = 'medidor;data;hora;leitura;troca\n';
    const back = await look(farm, `${head}Bombas;03/02/2026;06:00;12;\nBombas;04/02/2026;06:00;40;\n`);
    expect(codesOf(back.warnings)).toEqual([[2, 'counter', 'METER_WENT_BACK']]);
    const told = await look(farm, `${head}Bombas;03/02/2026;06:00;12;trocado\n`, forReal);
    expect([told.warnings, (await shown(farm))[0]?.at(-1)]).toEqual([[], 'CHANGED']);
    const odd = await look(farm, `${head}Bombas;05/02/2026;06:00;52;talvez\n`);
    expect(codesOf(odd.errors)).toEqual([[2, 'meter_change', 'METER_CHANGE_INVALID']]);
  });

  it('keep the factor of their meter where the file has none, and one meter may be said for all rows', async () => {
    const farm = await aStockedFarm(app);
    await look(farm, 'medidor;data;leitura;fator\nTrafo;01/02/2026;10;40\n', forReal);
    await look(farm, 'data;leitura\n02/02/2026;12\n', `${forReal}&meter=trafo`);
    expect((await shown(farm)).map((reading) => reading[4])).toEqual([40, 40]);
  });

  it.each([
    ['data;hora;consumo (kWh)\n01/02/2026;06:00;60\n', 'The file has no column meter'],
    ['medidor;data;kWh\nBombas;01/02/2026;60\n', 'The file has no column counter'],
  ])('are no amounts that were used: %j is refused', async (file, words) => {
    const reply = await sendFile(app, await aStockedFarm(app), 'meters', { file });
    expect([reply.status, (reply.body as { detail: string }).detail]).toEqual([
      422,
      expect.stringContaining(words),
    ]);
  });

  it('in MWh are read as kWh, and a figure that no counter shows is refused', async () => {
    const farm = await aStockedFarm(app);
    const report = await look(farm, 'medidor;data;leitura (MWh)\nBombas;01/02/2026;1,25\n');
    expect(report.reading.preview.map(({ after }) => after['counter'])).toEqual([1250]);
    const wrong = await look(farm, 'medidor;data;leitura\nBombas;01/02/2026;-5\nBombas;02/02/2026;x\n');
    expect(codesOf(wrong.errors)).toEqual([
      [2, 'counter', 'INVALID'],
      [3, 'counter', 'NOT_A_NUMBER'],
    ]);
  });

  it.each(['pt-BR', 'en', 'es'])('have a template in %s, whose example is no reading', async (language) => {
    const farm = await aStockedFarm(app);
    const template = await app.call('GET', '/imports/meters/template.csv', {
      token: farm.token,
      headers: { 'Accept-Language': language },
    });
    const report = await look(farm, String(template.body));
    expect([report.errors, report.questions, report.to_import, report.left_out]).toEqual([[], [], 0, 1]);
    expect(report.ignored_columns).toEqual([]);
  });

  it('are proposed as that by their headings, and go with one undo', async () => {
    const farm = await aStockedFarm(app);
    const seen = await app.call('POST', `/imports/look?farm_id=${farm.farmId}`, {
      token: farm.token,
      body: SHIFTS,
      headers: { 'Content-Type': 'text/csv' },
    });
    expect(seen.body).toMatchObject({ kind: 'meters', missing: [] });
    await look(farm, SHIFTS, forReal);
    const list = await app.call('GET', `/imports/?farm_id=${farm.farmId}`, { token: farm.token });
    const id = (list.body as ImportRecordAnswer[])[0]?.id ?? '';
    expect((await app.call('POST', `/imports/${id}/undo`, { token: farm.token })).status).toBe(202);
    await expect.poll(() => readings(farm), { timeout: 20_000 }).toEqual([]);
    expect((await look(farm, SHIFTS, forReal)).imported).toBe(3);
  });

  it('are brought by who manages the farm alone', async () => {
    const farm = await aStockedFarm(app);
    const operator = await app.signUp();
    await joinFarm(app, farm, operator, 'OPERATOR');
    const sender = { farmId: farm.farmId, token: operator.token };
    const reply = await sendFile(app, sender, 'meters', { file: SHIFTS, query: forReal });
    expect([reply.status, await readings(farm)]).toEqual([403, []]);
  });
});
