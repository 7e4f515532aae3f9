import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportLook } from '#contract/resources/imports.ts';
import { type App, body, startApp } from '#test/app.ts';
import { lastYearsCycle } from '#test/brazilian-workbook.ts';
import { onBothEngines } from '#test/databases.ts';
import { reportOf, sendFile } from '#test/import-file.ts';
import { writesOf } from '#test/staffed-farm.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

onBothEngines('a look at a file', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const look = async (farm: StockedFarm, file: string | Uint8Array, query = '') =>
    body(
      await sendFile(app, farm, 'look', { file, query, media: 'application/octet-stream' }),
    ) as unknown as ImportLook;
  const columnsOf = ({ columns }: ImportLook) => columns.map(({ heading, column }) => [heading, column]);

  it('tells sheets, what each holds, and what its columns are, and writes nothing', async () => {
    const farm = await aStockedFarm(app);
    const before = await writesOf(app);
    const told = await look(farm, lastYearsCycle());
    expect(told).toMatchObject({
      file: 'xlsx',
      sheets: [
        { name: 'Povoamento', kind: 'batches' },
        { name: 'Biometria', kind: 'biometries' },
      ],
      sheet: 'Povoamento',
      kind: 'batches',
      header_row: 3,
      missing: [],
      twice: [],
      remembered: null,
    });
    expect(await writesOf(app)).toBe(before);
    const weighings = await look(farm, lastYearsCycle(), '&sheet=Biometria');
    expect(weighings).toMatchObject({ sheet: 'Biometria', kind: 'biometries', header_row: 2 });
    expect(columnsOf(weighings)).toEqual([
      ['Lote', 'batch'],
      ['Data', 'date'],
      ['Amostra', 'sample_size'],
      ['Peso médio (g)', 'average_weight_g'],
      ['Obs.', 'notes'],
    ]);
    expect(weighings.columns[3]).toMatchObject({ unit: 'g', examples: ['1,2', '2,6', '4,1'] });
  });

  it.each([
    ['viveiro;data;od;ph\nV-1;01/02/2025;5;8\n', 'measurements'],
    ['lote;data;racao;1º trato;2º trato\nL;01/02/2025;35%;10;12\n', 'feeding'],
    ['lote;data;peso médio (g)\nL;01/02/2025;5,2\n', 'biometries'],
    ['data;animal;cor\n01/02/2025;gato;preto\n', null],
  ])('proposes what the rows are by what the headings name alone (%#)', async (file, kind) => {
    const farm = await aStockedFarm(app);
    expect(await look(farm, file)).toMatchObject({ kind });
  });

  it('names what is missing or twice there; both are mended by saying it', async () => {
    const farm = await aStockedFarm(app);
    const twice = 'lote;data;peso médio;peso médio (g)\nL;01/03/2026;5,2;5,3\n'.replace(
      'L;',
      `${farm.batch.batch_code};`,
    );
    expect(await look(farm, twice)).toMatchObject({ missing: ['sample_size'], twice: ['average_weight_g'] });
    const mended = await look(farm, twice, '&columns=4=-');
    expect(mended).toMatchObject({ missing: ['sample_size'], twice: [] });
    const query = '&columns=4=-&sample_size=100';
    expect(reportOf(await sendFile(app, farm, 'biometries', { file: twice, query }))).toMatchObject({
      to_import: 1,
      errors: [],
    });
  });

  it('of a file that is none says why by code', async () => {
    const farm = await aStockedFarm(app);
    const refused = async (file: string) =>
      body(await sendFile(app, farm, 'look', { file })) as { code: string; errors: { code: string }[] };
    for (const [file, code] of [
      ['', 'EMPTY_FILE'],
      ['a\u0000b', 'FILE_NOT_TEXT'],
      ['viveiro;od\n"V-1;5\n', 'ROW_BROKEN'],
    ] as const)
      expect(await refused(file)).toMatchObject({ code: 'NOT_A_TABLE', errors: [{ code }] });
  });

  it('remembers how the last sheet of this form was read, on that farm alone', async () => {
    const farm = await aStockedFarm(app);
    const sheet = (day: string) => `viveiro;data;leitura da sonda\nV-1;${day};5.1\n`;
    const said = '&columns=3=dissolved_oxygen@mg/L&date_order=day_first';
    const sent = await sendFile(app, farm, 'measurements', {
      file: sheet('01/02/2025'),
      query: `${said.replace('/L', '%2FL')}&dry_run=false`,
    });
    expect(reportOf(sent)).toMatchObject({ imported: 1 });
    const next = await look(farm, sheet('02/02/2025'), '&kind=measurements');
    expect(next.remembered).toEqual({
      columns: '3=dissolved_oxygen@mg/L',
      decimal: null,
      date_order: 'day_first',
    });
    const other = await aStockedFarm(app);
    expect((await look(other, sheet('02/02/2025'), '&kind=measurements')).remembered).toBeNull();
    // another form is another sheet
    const file = 'viveiro;data;leitura\nV-1;02/02/2025;5.1\n';
    expect((await look(farm, file, '&kind=measurements')).remembered).toBeNull();
  });
});
