import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, type Reply, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { readStrictCsv } from '#test/read-csv.ts';
import { writesOf } from '#test/staffed-farm.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

onBothEngines('imports', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  function send(
    farm: Pick<StockedFarm, 'token' | 'farmId'>,
    kind: string,
    text: string,
    query = '',
  ): Promise<Reply> {
    return app.call('POST', `/imports/${kind}?farm_id=${farm.farmId}${query}`, {
      token: farm.token,
      body: text,
      headers: { 'Content-Type': 'text/csv' },
    });
  }
  const forReal = '&dry_run=false';
  const get = (farm: StockedFarm, path: string) => app.call('GET', path, { token: farm.token });
  const waterOf = async (farm: StockedFarm) => {
    const reply = await get(farm, `/exports/water-quality/csv?pond_id=${farm.ponds[0]?.id}`);
    return readStrictCsv(String(reply.body)).slice(1);
  };

  const WATER =
    'viveiro;data;hora;Temperatura (°C);OD;pH;Observações\r\nV-1;01/02/2026;06:00;27,5;4,1;7,9;chuva\r\nv-1;02/02/2026;06:00;28;;8,05;\r\n';

  describe('a dry run', () => {
    it('is what happens when nothing else is said: it tells what would come in, and writes nothing', async () => {
      const farm = await aStockedFarm(app);
      const before = await writesOf(app);
      const reply = await send(farm, 'measurements', WATER);
      expect(reply).toMatchObject({ status: 200 });
      expect(reply.body).toEqual({
        kind: 'measurements',
        dry_run: true,
        rows: 2,
        to_import: 2,
        imported: 0,
        already_there: 0,
        errors_total: 0,
        errors: [],
        warnings_total: 0,
        warnings: [],
        notes_total: 0,
        notes: [],
        skipped: 0,
        left_out: 0,
        questions: [],
        ignored_columns: [],
        format: { separator: ';', decimal: 'comma', encoding: 'utf-8' },
        reading: expect.objectContaining({
          file: 'csv',
          sheet: null,
          logger: null,
          header_row: 1,
          date_order: 'day_first',
        }) as unknown,
      });
      expect(await writesOf(app)).toBe(before);
      expect(await waterOf(farm)).toEqual([]);
    });

    it('names row and column of everything that is wrong, and the columns it does not know', async () => {
      const farm = await aStockedFarm(app);
      const text = [
        'pond,date,ph,temperature,shoe size',
        'V-9,2026-02-01,8,28,42',
        'V-1,2026-02-30,8,28,42',
        'V-1,2026-02-01,8.5x,28,42',
        'V-1,2026-02-01,15,99,42',
        ',2026-02-01,8,28,42',
        'V-1,2026-02-01,8,28,42',
        'V-1,2026-02-01,,,42',
        'V-1,2030-02-01,8,28,42',
      ].join('\n');
      const report = body(await send(farm, 'measurements', text));
      expect(report).toMatchObject({
        rows: 8,
        to_import: 1,
        errors_total: 8,
        ignored_columns: ['shoe size'],
      });
      const errors = report['errors'] as { row: number; column: string; code: string }[];
      expect(errors.map(({ row, column, code }) => [row, column, code])).toEqual([
        [2, 'pond', 'UNKNOWN'],
        [3, 'date', 'NOT_A_DATE'],
        [4, 'ph', 'NOT_A_NUMBER'],
        [5, 'temperature', 'INVALID'],
        [5, 'ph', 'INVALID'],
        [6, 'pond', 'REQUIRED'],
        [8, 'temperature', 'INVALID'],
        [9, 'date', 'IN_THE_FUTURE'],
      ]);
    });

    it('tells what is unlikely, row by row, and lets it come in', async () => {
      const farm = await aStockedFarm(app);
      const water = 'viveiro;data;od;ph\nV-1;01/02/2026;45;8\nV-1;02/02/2026;5;11,2\nV-1;03/02/2026;5;8\n';
      expect(body(await send(farm, 'measurements', water, forReal))).toMatchObject({
        imported: 3,
        warnings_total: 2,
        warnings: [
          {
            row: 2,
            column: 'dissolved_oxygen',
            message: expect.stringContaining('% de saturação') as unknown,
          },
          { row: 3, column: 'ph', code: 'PH_UNUSUAL' },
        ],
      });
      const { batch_code } = farm.batch;
      const weighed = `lote;data;amostra;peso_medio_g\n${batch_code};01/02/2026;100;5,1\n${batch_code};08/02/2026;100;612\n`;
      expect(body(await send(farm, 'biometries', weighed))).toMatchObject({
        to_import: 2,
        warnings: [{ row: 3, column: 'total_weight_g', code: 'IMPLAUSIBLE_WEIGHT' }],
      });
    });

    it('takes the pond of a weighing, and knows it again in the file of all columns', async () => {
      const farm = await aStockedFarm(app);
      const text = `lote;viveiro;data;amostra;peso_medio_g\n${farm.batch.batch_code};V-1;08/02/2026;100;5,1\n${farm.batch.batch_code};;09/02/2026;100;5,2\n`;
      expect(body(await send(farm, 'biometries', text, forReal))).toMatchObject({ imported: 2 });
      const path = `/exports/biometries/csv?batch_id=${farm.batch.id}&columns=all`;
      const lines = String((await get(farm, path)).body).split('\r\n');
      expect(lines.map((line) => line.split(',').at(-1))).toEqual(['pond', 'V-1', '', '']);
      const wrong = `lote;viveiro;data;amostra;peso_medio_g\n${farm.batch.batch_code};V-99;10/02/2026;100;5,3\n`;
      expect(body(await send(farm, 'biometries', wrong))['errors']).toMatchObject([
        { column: 'pond', code: 'UNKNOWN' },
      ]);
    });

    it('shows at most 200 errors of all it counts', async () => {
      const farm = await aStockedFarm(app);
      const text = `pond,date,ph\n${'V-1,nie,8\n'.repeat(450)}`;
      const report = body(await send(farm, 'measurements', text));
      expect([report['errors_total'], (report['errors'] as unknown[]).length]).toEqual([450, 200]);
    });
  });

  describe('an import', () => {
    it('brings every row, marked as imported, and raises no alert about the past', async () => {
      const farm = await aStockedFarm(app);
      const reply = await send(farm, 'measurements', WATER.replace('4,1', '1,1'), forReal);
      expect(reply.body).toMatchObject({ dry_run: false, imported: 2, errors_total: 0 });
      expect(await waterOf(farm)).toEqual([
        ['2026-02-01', '06:00:00', '27.5', '1.1', '7.9', '', '', ''],
        ['2026-02-02', '06:00:00', '28', '', '8.05', '', '', ''],
      ]);
      const rows = await app.database.read
        .selectFrom('measurements')
        .select(['source', 'notes', 'created_by'])
        .where('pond_id', '=', farm.ponds[0]?.id ?? '')
        .orderBy('measurement_date')
        .execute();
      expect(rows).toEqual([
        { source: 'import', notes: 'chuva', created_by: farm.userId },
        { source: 'import', notes: null, created_by: farm.userId },
      ]);
      const alerts = await app.database.read
        .selectFrom('alerts')
        .select('id')
        .where('farm_id', '=', farm.farmId)
        .execute();
      expect(alerts).toEqual([]);
    });

    it('sent again changes nothing, and rows that are equal are as many things', async () => {
      const farm = await aStockedFarm(app);
      const code = farm.batch.batch_code;
      const text = `lote;data;tipo de ração;quantidade (kg);custo por kg\n${`${code};05/01/2026;35 %;2,5;6\n`.repeat(3)}${code};06/01/2026;35 %;3;6\n`;
      expect(body(await send(farm, 'feeding', text, forReal))).toMatchObject({ imported: 4 });
      const before = await writesOf(app);
      expect(body(await send(farm, 'feeding', text))).toMatchObject({ to_import: 0, already_there: 4 });
      expect(body(await send(farm, 'feeding', text, forReal))).toMatchObject({
        imported: 0,
        already_there: 4,
      });
      expect(await writesOf(app)).toBe(before);
      // a row more is the only one that is new
      const longer = `${text}${code};07/01/2026;35 %;3;6\n`;
      expect(body(await send(farm, 'feeding', longer, forReal))).toMatchObject({
        imported: 1,
        already_there: 4,
      });
    });

    it('with one wrong row brings none: 422 with its row and column', async () => {
      const farm = await aStockedFarm(app);
      const before = await writesOf(app);
      const good = `V-1;01/02/2026;8\n`.repeat(120);
      const reply = await send(
        farm,
        'measurements',
        `viveiro;data;ph\n${good}V-1;01/02/2026;muito\n`,
        forReal,
      );
      expect(reply).toMatchObject({
        status: 422,
        body: {
          detail: expect.stringContaining('row 122, ph'),
          code: 'IMPORT_NOT_VALID',
          errors: [{ row: 122, column: 'ph', code: 'NOT_A_NUMBER', message: expect.any(String) }],
        },
      });
      expect(await writesOf(app)).toBe(before);
    });

    it('longer than one commit comes in whole', async () => {
      const farm = await aStockedFarm(app);
      const lines = Array.from({ length: 430 }, (_, n) => {
        const at = new Date(Date.UTC(2026, 0, 1, 3) + n * 3_600_000).toISOString();
        return `V-1,${at},${(7 + n / 1000).toFixed(3)}`;
      });
      const reply = await send(
        farm,
        'measurements',
        `pond,date,ph\n${lines.join('\n')}`,
        `${forReal}&decimal=point`,
      );
      expect(reply.body).toMatchObject({ rows: 430, imported: 430 });
      expect(await waterOf(farm)).toHaveLength(430);
    });

    it('longer than one commit is in the log with its first rows: a power cut leaves none that no entry names', async () => {
      const farm = await aStockedFarm(app);
      const seen: { hasRows: boolean; entry: unknown }[] = [];
      app.database.onCommit(({ rows }) => {
        const hasRows = rows.some(({ table }) => table === 'measurements');
        const entry = rows.find(({ table, after }) => table === 'logs' && after['action'] === 'import');
        if (hasRows || entry !== undefined) seen.push({ hasRows, entry: entry?.after['details'] });
      });
      const lines = Array.from({ length: 60 }, (_, n) => {
        const at = new Date(Date.UTC(2026, 0, 1, 3) + n * 3_600_000).toISOString();
        return `V-1,${at},${(7 + n / 1000).toFixed(3)}`;
      });
      const text = `pond,date,ph\n${lines.join('\n')}`;
      expect((await send(farm, 'measurements', text, `${forReal}&decimal=point`)).status).toBe(200);
      const [first, ...others] = seen;
      expect(first).toEqual({ hasRows: true, entry: { kind: 'measurements', imported: 60 } });
      expect(others.length).toBeGreaterThan(0);
      expect(others.every(({ hasRows, entry }) => hasRows && entry === undefined)).toBe(true);
    });

    it('stands in the log of the farm', async () => {
      const farm = await aStockedFarm(app);
      await send(farm, 'measurements', WATER, forReal);
      const logs = await get(farm, `/logs/farm/${farm.farmId}/control-points?include=all`);
      expect(logs.body).toContainEqual(
        expect.objectContaining({ action: 'import', details: { kind: 'measurements', imported: 2 } }),
      );
    });
  });

  describe('past batches', () => {
    const HEAD =
      'Lote;Viveiro;Espécie;Data de povoamento;Data da despesca;População inicial;Peso inicial (g);Sobrevivência;Biomassa final (kg)\n';

    it('come in harvested, with the density that follows from the pond', async () => {
      const farm = await aStockedFarm(app);
      const text = `${HEAD}A-1;V-1;vannamei;01/03/2025;20/06/2025;90.000;0,003;72,5;810\n`;
      expect((await send(farm, 'batches', text, forReal)).body).toMatchObject({ imported: 1 });
      const list = await get(farm, '/batches/?status=FINISHED');
      expect(list.body).toMatchObject([
        {
          batch_code: 'A-1',
          pond_id: farm.ponds[0]?.id,
          start_date: '2025-03-01',
          actual_harvest_date: '2025-06-20T03:00:00.000Z',
          initial_count: 90_000,
          initial_density: 30,
          estimated_survival_rate: 72.5,
          final_weight_kg: 810,
          status: 'FINISHED',
          lineage: '-',
        },
      ]);
      // found by its number, as any other
      const [{ numeric_id }] = list.body as [{ numeric_id: number }];
      expect((await get(farm, `/exports/batch/${numeric_id}/summary`)).body).toMatchObject({
        batch_name: 'A-1',
        days_of_culture: 111,
        current_biomass_kg: 810,
      });
      expect(body(await send(farm, 'batches', text, forReal))).toMatchObject({
        imported: 0,
        already_there: 1,
      });
    });

    it('with a code that another batch bears, or that stands twice, are refused', async () => {
      const farm = await aStockedFarm(app);
      const line = (code: string, kg: string) =>
        `${code};V-1;vannamei;01/03/2025;20/06/2025;90000;0,003;70;${kg}\n`;
      const text = HEAD + line(farm.batch.batch_code, '810') + line('B-1', '810') + line('B-1', '811');
      const report = body(await send(farm, 'batches', text));
      expect(report['errors']).toMatchObject([
        { row: 2, column: 'batch_code', code: 'ALREADY_EXISTS' },
        { row: 4, column: 'batch_code', code: 'DUPLICATE' },
      ]);
    });

    it('tell the density that follows with the digits a density has', async () => {
      const farm = await aStockedFarm(app);
      const text = `${HEAD}D-1;V-1;vannamei;01/03/2025;20/06/2025;100.000;0,003;72,5;810\n`;
      await send(farm, 'batches', text, forReal);
      const list = await get(farm, '/batches/?status=FINISHED');
      expect(list.body).toMatchObject([{ batch_code: 'D-1', initial_density: 33.33 }]);
    });

    it('must end after they began', async () => {
      const farm = await aStockedFarm(app);
      const text = `${HEAD}C-1;V-1;vannamei;01/03/2025;28/02/2025;90000;0,003;70;1\n`;
      expect(body(await send(farm, 'batches', text))['errors']).toMatchObject([
        { row: 2, column: 'actual_harvest_date', code: 'BEFORE_BATCH_START' },
      ]);
    });
  });

  describe('weighings', () => {
    it('come from a total or from an average, and from our own export', async () => {
      const farm = await aStockedFarm(app);
      const code = farm.batch.batch_code;
      const text = `batch,date,sample_size,total_weight_g,average_weight_g\n${code},2026-01-20,50,100.5,\n${code},2026-01-27,40,,3.25\n`;
      expect((await send(farm, 'biometries', text, forReal)).body).toMatchObject({ imported: 2 });
      const path = `/exports/biometries/csv?batch_id=${farm.batch.id}`;
      const exported = String((await get(farm, path)).body);
      const other = await aStockedFarm(app);
      const again = await send(
        other,
        'biometries',
        exported,
        `${forReal}&batch_id=${other.batch.numeric_id}`,
      );
      expect(again.body).toMatchObject({ imported: 2, errors_total: 0 });
      const back = String((await get(other, `/exports/biometries/csv?batch_id=${other.batch.id}`)).body);
      expect(back).toBe(exported);
    });

    it('before the batch began are refused', async () => {
      const farm = await aStockedFarm(app);
      const text = `lote;data;amostra;peso médio (g)\n${farm.batch.batch_code};31/12/2025;10;1,5\n`;
      expect(body(await send(farm, 'biometries', text))['errors']).toMatchObject([
        { row: 2, column: 'date', code: 'BEFORE_BATCH_START' },
      ]);
    });
  });

  describe('a file that cannot be read', () => {
    it('lacks a column, has it twice, or is none: 422', async () => {
      const farm = await aStockedFarm(app);
      const replies = await Promise.all(
        ['pond,ph\nV-1,8', 'pond,date,data,ph\nV-1,2026-01-01,2026-01-01,8', '', '\u0000'].map(
          async (text) => {
            for (;;) {
              const reply = await send(farm, 'measurements', text);
              if (reply.status !== 503) return reply;
            }
          },
        ),
      );
      expect(replies.map((reply) => [reply.status, body(reply)['code']])).toEqual(
        replies.map(() => [422, 'NOT_A_TABLE']),
      );
      expect(body(replies[0] as Reply)['detail']).toContain('date');
    });

    it('is of another kind (415), too large (413), or sent by somebody who may not (403, 404, 401)', async () => {
      const farm = await aStockedFarm(app);
      const path = `/imports/measurements?farm_id=${farm.farmId}`;
      const json = await app.call('POST', path, { token: farm.token, body: {} });
      const large = await send(farm, 'measurements', 'x'.repeat(8 * 1_048_576 + 1));
      const stranger = await app.signUp();
      const other = await send({ ...farm, token: stranger.token }, 'measurements', WATER);
      const nobody = await app.call('POST', path, { body: WATER, headers: { 'Content-Type': 'text/csv' } });
      expect([json, large, other, nobody].map(({ status }) => status)).toEqual([415, 413, 404, 401]);
    });
  });

  it('a file is called by its name alone, without folders and without what nobody sees', async () => {
    const named = async (name: string) => {
      const farm = await aStockedFarm(app);
      const query = `?dry_run=false&farm_id=${farm.farmId}&file_name=${encodeURIComponent(name)}`;
      const sent = await app.call('POST', `/imports/measurements${query}`, {
        token: farm.token,
        body: WATER,
        headers: { 'Content-Type': 'text/csv' },
      });
      expect([name, sent.status]).toEqual([name, 200]);
      const path = `/imports/?farm_id=${farm.farmId}&limit=1`;
      const [newest] = (await app.call('GET', path, { token: farm.token })).body as { file_name: string }[];
      return newest?.file_name;
    };
    expect(await named('../../etc/água.csv')).toBe('água.csv');
    expect(await named('C:\\dados\\tanque \u202Evsc.xslx')).toBe('tanque vsc.xslx');
    expect(await named('camarão 🦐.csv')).toBe('camarão 🦐.csv');
    expect(await named('/')).toBe(null);
  });

  describe('headings', () => {
    it('are known with their unit in brackets; what is text keeps it', async () => {
      const farm = await aStockedFarm(app);
      const water =
        'Viveiro;Data;Oxigênio (mg/L);Fosfato total (mg/L);Alcalinidade [mg/L];pH (água)\nV-1;01/02/2026;5,5;0,1;120;8\n';
      expect(body(await send(farm, 'measurements', water))).toMatchObject({
        to_import: 1,
        ignored_columns: ['Fosfato total (mg/L)'],
      });
      await send(farm, 'measurements', water, forReal);
      expect(await waterOf(farm)).toMatchObject([['2026-02-01', '00:00:00', '', '5.5', '8', '', '', '']]);
      const code = farm.batch.batch_code;
      const fed = `Lote;Data;Ração;Ração (kg);Preço (R$/kg)\n${code};01/02/2026;35 %;12,5;6,2\n`;
      expect(body(await send(farm, 'feeding', fed))).toMatchObject({ to_import: 1, ignored_columns: [] });
    });

    it('a sheet of Ecuador is read by its own words, and pounds become kilograms', async () => {
      const farm = await aStockedFarm(app, { start_date: '2026-01-01' });
      const water =
        'Piscina;Fecha;Hora;Oxígeno disuelto (mg/L);Temperatura (°C);Salinidad;Amonio\n' +
        'V-1;05/ene/2026;06:00;4,2;28,4;20;0,02\n';
      const read = await send(farm, 'measurements', water, forReal);
      expect(body(read)).toMatchObject({ to_import: 1, ignored_columns: [], errors: [] });
      const code = farm.batch.batch_code;
      const fed =
        'Lote;Fecha;Balanceado;Balanceado (lb);Precio (USD/lb)\n' +
        `${code};13/02/2026;35 %;100;0,5\n` +
        'Promedio;;;100;\n';
      const feeding = await send(farm, 'feeding', fed, forReal);
      expect(body(feeding)).toMatchObject({ to_import: 1, left_out: 1, ignored_columns: [], errors: [] });
      const rows = String((await get(farm, `/exports/feeding/csv?batch_id=${farm.batch.id}`)).body);
      expect(rows).toContain('45.359');
      const meals = `Lote;Fecha;Ración 1 (lb);Ración 2 (lb);Total (lb)\n${code};14/02/2026;40;60;100\n`;
      const asked = '&feed_type=35&cost_per_kg=1.1';
      expect(body(await send(farm, 'feeding', meals, asked))).toMatchObject({ to_import: 2, warnings: [] });
    });
  });

  describe('a template', () => {
    it('is taken back as it is, in each language, and its example is no data', async () => {
      for (const language of ['pt-BR', 'en', 'es']) {
        const farm = await aStockedFarm(app, { batch_code: `L-2025-01`, start_date: '2025-01-01' });
        await app.call('POST', '/ponds/', { token: farm.token, body: { farm_id: farm.farmId, cod: 'V-01' } });
        for (const kind of ['biometries', 'feeding', 'measurements']) {
          const reply = await app.call('GET', `/imports/${kind}/template.csv`, {
            token: farm.token,
            headers: { 'Accept-Language': language },
          });
          const report = await send(farm, kind, String(reply.body));
          expect([language, kind, report.body]).toEqual([
            language,
            kind,
            expect.objectContaining({
              rows: 1,
              to_import: 0,
              left_out: 1,
              notes: [expect.objectContaining({ row: 2, code: 'TEMPLATE_EXAMPLE' })],
              errors: [],
              ignored_columns: [],
            }),
          ]);
        }
      }
    });
  });
});
