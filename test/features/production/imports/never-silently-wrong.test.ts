import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { codesOf, type Report, reportOf, sendFile } from '#test/import-file.ts';
import { writesOf } from '#test/staffed-farm.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

onBothEngines('files of the past', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const forReal = '&dry_run=false';
  const look = async (farm: StockedFarm, kind: string, file: string, query = ''): Promise<Report> =>
    reportOf(await sendFile(app, farm, kind, { file, query }));
  const get = (farm: StockedFarm, path: string) => app.call('GET', path, { token: farm.token });
  /** The values of one column, as they would be stored. */
  const column = (report: Report, name: string) => report.reading.preview.map(({ after }) => after[name]);
  const water = (heading: string, ...values: string[]) =>
    `viveiro;data;${heading}\n${values.map((value, n) => `V-1;${13 + n}/02/2026;${value}\n`).join('')}`;

  describe('numbers', () => {
    const HEAD =
      'Lote;Viveiro;Espécie;Data de povoamento;Data da despesca;População inicial;Peso inicial (g);Sobrevivência\n';

    it('a larva of 0.003 g never weighs 3 g, whatever the rest of its file writes', async () => {
      const farm = await aStockedFarm(app);
      const report = await look(
        farm,
        'batches',
        `${HEAD}A-1;V-1;vannamei;13/03/2025;20/06/2025;150000;0.003;72,5\n`,
      );
      expect([report.errors, column(report, 'initial_avg_weight')]).toEqual([[], [0.003]]);
      const mixed = await look(
        farm,
        'batches',
        `${HEAD}A-1;V-1;vannamei;13/03/2025;20/06/2025;1;0,004;70\nA-2;V-1;vannamei;13/03/2025;20/06/2025;1;0,004;70\nA-3;V-1;vannamei;13/03/2025;20/06/2025;1;0.003;70\n`,
      );
      expect(codesOf(mixed.errors)).toEqual([[4, 'initial_avg_weight', 'NOT_A_NUMBER']]);
    });

    it('150.000 larvae beside 0,003 g are read as a Brazilian stocking sheet means them', async () => {
      const farm = await aStockedFarm(app);
      const report = await look(
        farm,
        'batches',
        `${HEAD}A-1;V-1;vannamei;13/03/2025;20/06/2025;150.000;0,003;72,5\n`,
      );
      expect([report.errors, column(report, 'initial_count')]).toEqual([[], [150_000]]);
    });

    it('ammonia of 0.050 beside commas is 0.05 mg/L', async () => {
      const farm = await aStockedFarm(app);
      const report = await look(
        farm,
        'measurements',
        'viveiro;data;OD;amônia\nV-1;13/02/2026;5,5;0.050\nV-1;14/02/2026;5,25;0.012\n',
      );
      expect([report.errors, column(report, 'ammonia')]).toEqual([[], [0.05, 0.012]]);
    });

    it('read as thousands because of other columns are told', async () => {
      const farm = await aStockedFarm(app);
      const { batch_code } = farm.batch;
      const report = await look(
        farm,
        'feeding',
        `lote;data;tipo;kg;preço\n${batch_code};13/01/2026;35 %;12.500;6,20\n`,
      );
      expect(codesOf(report.warnings)).toEqual([
        [2, 'quantity_kg', 'READ_AS_THOUSANDS'],
        [2, 'quantity_kg', 'LARGE_QUANTITY'],
      ]);
    });
  });

  describe('columns', () => {
    it('with values and no heading are told, and between semicolons the rest is read', async () => {
      const farm = await aStockedFarm(app);
      const file = 'viveiro;data;od;;temperatura\nV-1;13/02/2026;4,1;8,1;27,5;31\n';
      const report = await look(farm, 'measurements', file);
      expect([codesOf(report.warnings), column(report, 'temperature')]).toEqual([
        [
          [2, null, 'NO_HEADING'],
          [2, null, 'NO_HEADING'],
        ],
        [27.5],
      ]);
    });

    it.each([
      [
        ['0,85', '0,7'],
        [2, 3],
      ],
      [['0,85', '70'], []],
      [['0', '85%'], []],
    ])('survival of %j is told where it may be a part of one', async (rates, rows) => {
      const farm = await aStockedFarm(app);
      const head = 'lote;viveiro;especie;povoamento;despesca;quantidade;peso_inicial_g;sobrevivencia\n';
      const lines = rates.map((rate, n) => `B${n};V-1;vannamei;13/03/2025;20/06/2025;1000;0,5;${rate}\n`);
      const report = await look(farm, 'batches', head + lines.join(''));
      expect(codesOf(report.warnings)).toEqual(
        rows.map((row) => [row, 'estimated_survival_rate', 'SHARE_NOT_PERCENT']),
      );
    });

    it('of prices are told where they go with the amounts, and not where they are those of a kilogram', async () => {
      const farm = await aStockedFarm(app);
      const sheet = (...rows: [string, string][]) =>
        `lote;data;tipo;kg;Custo (R$)\n${rows.map(([kg, cost], n) => `${farm.batch.batch_code};${13 + n}/02/2026;35 %;${kg};${cost}\n`).join('')}`;
      const whole = await look(farm, 'feeding', sheet(['25', '155,00'], ['26', '161,20'], ['30', '186,00']));
      expect(whole.warnings.filter(({ code }) => code === 'PRICE_OF_ALL')).toHaveLength(3);
      const each = await look(farm, 'feeding', sheet(['25', '6,20'], ['26', '6,30'], ['30', '6,20']));
      expect(each.warnings.filter(({ code }) => code === 'PRICE_OF_ALL')).toEqual([]);
      expect(codesOf(each.notes)).toEqual([[1, 'cost_per_kg', 'PRICE_OF_KG']]);
    });
  });

  describe('units', () => {
    it.each([
      ['Nitrito (µg/L)', '50,5', 'nitrite', 0.0505],
      ['Transparência (m)', '0,35', 'transparency', 35],
      ['Temperatura (°F)', '86', 'temperature', 30],
      ['Oxigênio (ppm)', '5,5', 'dissolved_oxygen', 5.5],
      ['Salinidade (‰)', '20', 'salinity', 20],
      ['Transparência', '35 cm', 'transparency', 35],
      ['Transparência', '0,35 m', 'transparency', 35],
    ])('%s of %s is read as what it is', async (heading, value, name, stored) => {
      const report = await look(await aStockedFarm(app), 'measurements', water(heading, value));
      expect([report.errors, column(report, name)]).toEqual([[], [stored]]);
    });

    it.each(['OD %', 'DO%', '% OD', 'O.D. (%)'])('%s is saturation, not mg/L', async (heading) => {
      const farm = await aStockedFarm(app);
      const file = `viveiro;data;${heading};Temperatura;Salinidade\nV-1;13/02/2026;20,5;28;20\n`;
      const report = await look(farm, 'measurements', file);
      expect(column(report, 'dissolved_oxygen')).toEqual([expect.closeTo(1.44, 1)]);
      expect(codesOf(report.notes)).toEqual([[1, 'dissolved_oxygen', 'CONVERTED']]);
    });

    it.each([
      ['Salin.', '20,5', 'salinity', 20.5],
      ['Transp. (cm)', '35', 'transparency', 35],
      ['Secchi', '35', 'transparency', 35],
      ['T °C', '28,4', 'temperature', 28.4],
      ['O.D.', '5,2', 'dissolved_oxygen', 5.2],
      ['Oxígeno disuelto', '5,2', 'dissolved_oxygen', 5.2],
      ['Alc. total', '90,5', 'alkalinity', 90.5],
      ['N-NO3', '4,5', 'nitrate', 4.5],
      ['Nitrato como NO3 (mg/L)', '10,5', 'nitrate', 2.37200019],
      ['Nitrito (N-NO2)', '0,25', 'nitrite', 0.25],
      ['Nitrito (µg/L N)', '250,5', 'nitrite', 0.2505],
    ])('%s of %s is read as what it is, and told where it changes', async (heading, value, name, stored) => {
      const report = await look(await aStockedFarm(app), 'measurements', water(heading, value));
      expect([report.errors, report.ignored_columns]).toEqual([[], []]);
      expect(column(report, name)).toEqual([expect.closeTo(stored, 6)]);
      expect(report.notes.map(({ code }) => code)).toEqual(
        Number(value.replace(',', '.')) === stored ? [] : ['CONVERTED'],
      );
    });

    it('nitrogen or the ion is asked where a heading leaves it open, and the answer is heard', async () => {
      const farm = await aStockedFarm(app);
      const file = water('NO2', '0,5');
      const report = await look(farm, 'measurements', file);
      expect(codesOf(report.errors)[0]).toEqual([1, 'nitrite', 'BASIS_NOT_SAID']);
      const asIon = await look(farm, 'measurements', file, '&columns=3%3Dnitrite%40mg/L%20NO2');
      expect([asIon.errors, column(asIon, 'nitrite')]).toEqual([[], [expect.closeTo(0.1522, 4)]]);
      const asNitrogen = await look(farm, 'measurements', file, '&columns=3%3Dnitrite%40mg/L%20N');
      expect([asNitrogen.errors, column(asNitrogen, 'nitrite')]).toEqual([[], [0.5]]);
    });

    it('nitrite of which nothing is said is read as nitrogen, and told', async () => {
      const report = await look(await aStockedFarm(app), 'measurements', water('Nitritos (mg/L)', '0,5'));
      expect([report.errors, column(report, 'nitrite')]).toEqual([[], [0.5]]);
      expect(codesOf(report.notes)).toEqual([[1, 'nitrite', 'READ_AS_BASIS']]);
    });

    it('total ammonia comes in only on a farm whose basis it is, and amonio is told as what it was read', async () => {
      const farm = await aStockedFarm(app);
      const told = async (heading: string) =>
        codesOf((await look(farm, 'measurements', water(heading, '1,2', '0,8'))).errors)[0];
      expect(await told('Amônia total')).toEqual([1, 'ammonia', 'OTHER_AMMONIA']);
      expect(await told('N-NH3')).toEqual([1, 'ammonia', 'BASIS_NOT_SAID']);
      const amonio = await look(farm, 'measurements', water('Amonio', '0,02'));
      expect(codesOf(amonio.warnings)).toEqual([[1, 'ammonia', 'READ_AS_BASIS']]);
      await app.call('PUT', `/farms/${farm.farmId}/science`, {
        token: farm.token,
        body: { water: { ammoniaBasis: 'TAN' } },
      });
      const total = await look(farm, 'measurements', water('NAT (mg/L)', '1,2'));
      expect([total.errors, column(total, 'ammonia')]).toEqual([[], [1.2]]);
      expect(await told('Amônia tóxica (N-NH3)')).toEqual([1, 'ammonia', 'OTHER_AMMONIA']);
    });

    it('oxygen in % of saturation becomes mg/L at the temperature and salinity of its row, and is told', async () => {
      const farm = await aStockedFarm(app);
      const file = 'viveiro;data;OD (%);Temperatura;Salinidade\nV-1;13/02/2026;20,5;28;20\n';
      const report = await look(farm, 'measurements', file);
      expect(column(report, 'dissolved_oxygen')).toEqual([expect.closeTo(1.44, 1)]);
      expect(codesOf(report.notes)).toEqual([[1, 'dissolved_oxygen', 'CONVERTED']]);
      const dry = await look(
        farm,
        'measurements',
        'viveiro;data;OD (%);Temperatura\nV-1;13/02/2026;20,5;28\n',
      );
      expect(codesOf(dry.errors)).toEqual([[2, 'dissolved_oxygen', 'SALINITY_NEEDED']]);
      const fresh = await look(
        farm,
        'measurements',
        'viveiro;data;OD (%);Temperatura\nV-1;13/02/2026;20,5;28\n',
        '&salinity=0',
      );
      expect(column(fresh, 'dissolved_oxygen')).toEqual([expect.closeTo(1.6, 2)]);
    });

    it('conductivity becomes salinity: sea water of 53 mS/cm at 25 °C has 35', async () => {
      const report = await look(
        await aStockedFarm(app),
        'measurements',
        'viveiro;data;Salinidade (mS/cm);Temperatura\nV-1;13/02/2026;53,06;25\n',
      );
      expect(column(report, 'salinity')).toEqual([expect.closeTo(35, 1)]);
    });

    it('that a column cannot be read from are refused by name, until somebody says the unit', async () => {
      const farm = await aStockedFarm(app);
      const file = water('Nitrito (mmol/L)', '0,5');
      const report = await look(
        farm,
        'measurements',
        `${file}`.replace('\n', ';pH\n').replaceAll(/(0,5)\n/g, '$1;8\n'),
      );
      expect(report.errors).toMatchObject([
        {
          row: 1,
          column: 'nitrite',
          code: 'UNIT_NOT_KNOWN',
          message: expect.stringContaining('mmol/L') as string,
        },
      ]);
      const said = await look(farm, 'measurements', file, `&columns=${encodeURIComponent('3=nitrite@mg/L')}`);
      expect([said.errors, column(said, 'nitrite')]).toEqual([[], [0.5]]);
    });

    it('oxygen in mg/L and in % in one file: the first is read', async () => {
      const report = await look(await aStockedFarm(app), 'measurements', water('OD (%);OD (mg/L)', '80;5,5'));
      expect([column(report, 'dissolved_oxygen'), report.ignored_columns]).toEqual([[5.5], ['OD (%)']]);
    });
  });

  describe('dates', () => {
    const rows = (dates: readonly string[]) =>
      `pond,date,ph\n${dates.map((date) => `V-1,${date},8.1\n`).join('')}`;
    const twelve = Array.from({ length: 12 }, (_, n) => `01/${String(n + 1).padStart(2, '0')}/2025`);

    it('with the month first are known by any day above 12, for the whole column', async () => {
      const report = await look(await aStockedFarm(app), 'measurements', rows(['02/01/2026', '02/13/2026']));
      expect([report.reading.date_order, report.questions, column(report, 'date')]).toEqual([
        'month_first',
        [],
        ['2026-02-01T03:00:00.000Z', '2026-02-13T03:00:00.000Z'],
      ]);
    });

    it('that tell nothing are asked about: the dry run says the reading, and nothing comes in unanswered', async () => {
      const farm = await aStockedFarm(app);
      const report = await look(farm, 'measurements', rows(twelve));
      expect(report.questions).toMatchObject([
        { code: 'DATE_ORDER', column: 'date', proposed: 'month_first' },
      ]);
      const before = await writesOf(app);
      const refused = await sendFile(app, farm, 'measurements', { file: rows(twelve), query: forReal });
      expect([refused.status, body(refused)['code'], await writesOf(app)]).toEqual([
        422,
        'IMPORT_QUESTION',
        before,
      ]);
      const said = await look(farm, 'measurements', rows(twelve), `${forReal}&date_order=day_first`);
      expect([said.imported, said.questions, column(said, 'date')[1]]).toEqual([
        12,
        [],
        '2025-02-01T03:00:00.000Z',
      ]);
    });

    it('twelve days in a row are asked about in a sheet in Portuguese, too', async () => {
      const file = `viveiro;data;ph\n${twelve.map((date) => `V-1;${date};8,1\n`).join('')}`;
      const report = await look(await aStockedFarm(app), 'measurements', file);
      expect(report.questions).toMatchObject([{ proposed: 'month_first' }]);
    });

    it('in the hour that a clock skipped are told', async () => {
      const farm = await aStockedFarm(app);
      const made = await app.call('POST', '/farms/', {
        token: farm.token,
        body: { name: 'Northern farm', timezone: 'America/New_York' },
      });
      const farmId = String(body(made)['id']);
      await app.call('POST', '/ponds/', { token: farm.token, body: { farm_id: farmId, cod: 'V-1' } });
      const file = 'pond,date,time,ph\nV-1,2025-03-09,02:15,8\nV-1,2025-03-09,02:45,8\n';
      const report = await look({ ...farm, farmId }, 'measurements', file);
      expect(codesOf(report.warnings).slice(0, 2)).toEqual([
        [2, 'date', 'CLOCK_GAP'],
        [3, 'date', 'CLOCK_GAP'],
      ]);
    });
  });

  describe('rows', () => {
    it('of a feed without a price are refused: nothing is free because nobody wrote what it cost', async () => {
      const farm = await aStockedFarm(app);
      const file = `lote;data;tipo;kg\n${farm.batch.batch_code};13/01/2026;35 %;2,5\n`;
      expect(codesOf((await look(farm, 'feeding', file)).errors)).toEqual([[2, 'cost_per_kg', 'REQUIRED']]);
      const priced = await look(farm, 'feeding', file, '&cost_per_kg=6.2');
      expect([priced.errors, priced.warnings]).toEqual([[], []]);
      const free = await look(farm, 'feeding', file, '&cost_per_kg=0');
      expect(codesOf(free.warnings)).toEqual([[2, 'quantity_kg', 'FEED_WITHOUT_COST']]);
    });

    it('are warned of as those entered by hand are: a weight that fell by half', async () => {
      const farm = await aStockedFarm(app);
      const { batch_code } = farm.batch;
      const file = `lote;data;amostra;peso_medio_g\n${batch_code};13/02/2026;100;8,5\n${batch_code};20/02/2026;100;3,9\n`;
      expect(codesOf((await look(farm, 'biometries', file)).warnings)).toEqual([
        [3, 'total_weight_g', 'WEIGHT_FELL_BY_HALF'],
      ]);
    });

    it('a hundred times the rest of their column are told', async () => {
      const report = await look(
        await aStockedFarm(app),
        'measurements',
        water('nitrito', '0,21', '0,25', '0,19', '23,5'),
      );
      expect(codesOf(report.warnings)).toEqual([[5, 'nitrite', 'OUTLIER']]);
    });

    it('that are alike in one file are told, and come in', async () => {
      const farm = await aStockedFarm(app);
      const line = `${farm.batch.batch_code};13/01/2026;35 %;2,5;6\n`;
      const report = await look(farm, 'feeding', `lote;data;tipo;kg;preço\n${line}${line}`);
      expect([report.to_import, codesOf(report.warnings)]).toEqual([2, [[3, null, 'IDENTICAL_ROW']]]);
    });

    it('of an export sent back into its own batch double nothing', async () => {
      const farm = await aStockedFarm(app);
      const { batch_code, id } = farm.batch;
      const pond = farm.ponds[0]?.id;
      const files = [
        [
          'feeding',
          `lote;data;hora;tipo;kg;preço\n${`${batch_code};13/01/2026;06:00;35 %;2,5;6\n`.repeat(2)}${batch_code};14/01/2026;06:00;35 %;3,1;6\n`,
          `/exports/feeding/csv?batch_id=${id}`,
          `&batch_id=${id}`,
        ],
        [
          'biometries',
          `lote;data;amostra;peso total\n${batch_code};13/01/2026;50;100,5\n`,
          `/exports/biometries/csv?batch_id=${id}`,
          `&batch_id=${id}`,
        ],
        [
          'measurements',
          'viveiro;data;hora;OD;pH;salinidade\nV-1;13/01/2026;06:00;4,1;8,2;20\nV-1;13/01/2026;15:00;7,35;8,6;20\n',
          `/exports/water-quality/csv?pond_id=${pond}`,
          `&pond_id=${pond}`,
        ],
      ] as const;
      for (const [kind, file, path, of] of files) {
        const first = await look(farm, kind, file, forReal);
        const exported = String((await get(farm, path)).body);
        const again = await look(farm, kind, exported, `${forReal}${of}`);
        expect([kind, again.errors, again.imported, again.already_there]).toEqual([
          kind,
          [],
          0,
          first.imported,
        ]);
        expect(again.notes.every(({ code }) => code.startsWith('SAME_'))).toBe(true);
        expect(String((await get(farm, path)).body)).toBe(exported);
      }
    });

    it('that correct what is on record are told, and not taken for it', async () => {
      const farm = await aStockedFarm(app);
      const file = (od: string) => `viveiro;data;hora;OD\nV-1;13/01/2026;06:00;${od}\n`;
      await look(farm, 'measurements', file('4,1'), forReal);
      const corrected = await look(farm, 'measurements', file('5,1'));
      expect([corrected.to_import, codesOf(corrected.warnings)]).toEqual([
        1,
        [[2, null, 'OTHER_VALUE_THERE']],
      ]);
    });

    it('that are wrong can be left out by number', async () => {
      const farm = await aStockedFarm(app);
      const file = water('pH', '8,1', 'muito', '8,2');
      expect((await sendFile(app, farm, 'measurements', { file, query: forReal })).status).toBe(422);
      const report = await look(farm, 'measurements', file, `${forReal}&skip=3`);
      expect([report.imported, report.skipped, report.errors]).toEqual([2, 1, []]);
    });

    it('of totals, without values and below detection are told as that', async () => {
      const report = await look(
        await aStockedFarm(app),
        'measurements',
        'Planilha da água;;;\n;;;\nviveiro;data;OD;nitrito\nV-1;13/02/2026;5,5;<0,05\nV-1;14/02/2026;---;n.d.\nMédia;;5,5;\n',
      );
      expect([report.reading.header_row, report.to_import, report.left_out, report.errors]).toEqual([
        3,
        1,
        2,
        [],
      ]);
      expect(codesOf(report.notes)).toEqual([
        [4, 'nitrite', 'NO_VALUE'],
        [5, null, 'EMPTY_ROW'],
        [6, null, 'TOTALS_LINE'],
      ]);
    });

    it('are spoken of in the language of their reader', async () => {
      const farm = await aStockedFarm(app);
      const file = water('pH', 'muito');
      const inPortuguese = reportOf(await sendFile(app, farm, 'measurements', { file, language: 'pt-BR' }));
      const inEnglish = reportOf(await sendFile(app, farm, 'measurements', { file, language: 'en' }));
      expect([inPortuguese.errors[0]?.message, inEnglish.errors[0]?.message]).toEqual([
        '"muito" não é um número com vírgula decimal, como nesta coluna',
        '"muito" is not a number with a decimal comma, as in this column',
      ]);
      expect(inEnglish.errors[0]?.code).toBe('NOT_A_NUMBER');
    });
  });

  describe('a sheet of a farm', () => {
    it('with a column per meal becomes a feeding per meal, held against its total', async () => {
      const farm = await aStockedFarm(app);
      const code = farm.batch.batch_code;
      const file = `Lote;Data;1º trato;2º trato;3º trato;Total\n${code};13/01/2026;1,5;1,5;2;5\n${code};14/01/2026;1,5;;2;4\n`;
      const report = await look(farm, 'feeding', file, '&feed_type=35&cost_per_kg=6');
      expect([report.errors, report.rows, report.to_import]).toEqual([[], 2, 5]);
      expect(codesOf(report.warnings)).toEqual([[3, 'quantity_kg', 'TOTAL_DIFFERS']]);
    });

    it('with a column per hour becomes a measurement per hour, and what has none stands apart', async () => {
      const file = 'Viveiro;Data;OD 6h;OD 15h;Temp. 6h;pH\nV-1;13/02/2026;4,1;7,9;27,5;8,2\n';
      const report = await look(await aStockedFarm(app), 'measurements', file);
      expect(report.errors).toEqual([]);
      expect(
        report.reading.preview.map(({ after }) => [after['date'], after['dissolved_oxygen'], after['ph']]),
      ).toEqual([
        ['2026-02-13T03:00:00.000Z', null, 8.2],
        ['2026-02-13T09:00:00.000Z', 4.1, null],
        ['2026-02-13T18:00:00.000Z', 7.9, null],
      ]);
    });

    it('with two lines of headings is read, whether units or hours stand in the second', async () => {
      const farm = await aStockedFarm(app);
      const units = await look(
        farm,
        'measurements',
        'Viveiro;Data;Oxigênio;Transparência\n;;(mg/L);(m)\nV-1;13/02/2026;4,1;0,35\n',
      );
      expect([units.errors, column(units, 'transparency')]).toEqual([[], [35]]);
      const hours = await look(
        farm,
        'measurements',
        ';;OD;;pH\nViveiro;Data;6h;15h;\nV-1;13/02/2026;4,1;7,9;\n',
      );
      expect([hours.errors, column(hours, 'dissolved_oxygen')]).toEqual([[], [4.1, 7.9]]);
    });
  });
});
