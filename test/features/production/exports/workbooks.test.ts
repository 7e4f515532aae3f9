import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { reportOf, sendFile } from '#test/import-file.ts';
import { readStrictCsv } from '#test/read-csv.ts';
import { asCsvCell, fetchFile, sheetsIn } from '#test/read-export.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const NASTY = [
  '=1+1',
  '@cmd',
  '+55 88',
  '-x',
  'a;b,c "d"',
  '<b>&amp;</b>',
  ' padded ',
  'ração 35 %',
  '_x0041_',
  'two\nlines',
];

onBothEngines('registers as workbooks', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  let paths: Record<string, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
    const { batch, farmId, ponds } = farm;
    const pond_id = ponds[0]?.id ?? '';
    const post = async (path: string, body: Record<string, unknown>) => {
      const reply = await app.call('POST', path, { token: farm.token, body });
      if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    };
    for (const [n, notes] of NASTY.entries()) {
      const at = `2026-02-${String(n + 10)}T0${n % 10}:15:30.000Z`;
      await post('/feeding/', {
        batch_id: batch.id,
        feed_type: notes,
        quantity_kg: 1.1 + n / 3,
        cost_per_kg: 6,
        feed_date: at,
        notes,
      });
      await post('/water-quality/', {
        pond_id,
        measurement_date: at,
        temperature: 27.3,
        dissolved_oxygen: 4.1 + n / 7,
        ph: 8,
        ammonia: 0.05,
        salinity: 20.5,
        alkalinity: 120,
        nitrate: 1.25,
      });
      await post(`/ponds/${pond_id}/records`, { kind: 'NOTE', happened_at: at, text: notes });
      await post(`/farms/${farmId}/feed-stock/entries`, {
        kind: 'DELIVERY',
        happened_at: at,
        product: notes,
        quantity_kg: 100.5,
        price_per_kg: 6.2,
        expires_on: '2026-12-31',
      });
    }
    await post('/biometries/', {
      batch_id: batch.id,
      pond_id,
      measurement_date: '2026-02-20T02:30:00.000Z',
      sample_size: 50,
      total_weight_g: 612.5,
    });
    await post(`/batches/${batch.id}/adjust-survival`, {
      dead_count: 40,
      cause: 'DISEASE',
      event_description: '=HYPERLINK("http://x")',
    });
    paths = {
      biometries: `batch_id=${batch.id}`,
      feeding: `batch_id=${batch.id}`,
      losses: `batch_id=${batch.id}`,
      'water-quality': `pond_id=${pond_id}`,
      records: `farm_id=${farmId}`,
      'feed-stock': `farm_id=${farmId}`,
    };
  });
  afterAll(() => app.close());

  const book = async (register: string, language = 'en') => {
    const file = await fetchFile(
      app,
      { token: farm.token, language },
      `/exports/${register}/xlsx?${paths[register]}`,
    );
    expect([register, file.status, file.type]).toEqual([register, 200, XLSX]);
    expect(file.name).toMatch(/^attachment; filename="[\w.-]+\.xlsx"; /);
    return file.bytes;
  };

  it('have the rows of the CSV files, cell by cell', async () => {
    for (const [register, query] of Object.entries(paths)) {
      const csv = await app.call('GET', `/exports/${register}/csv?${query}&columns=all`, {
        token: farm.token,
      });
      const [head = [], ...lines] = readStrictCsv(String(csv.body));
      const [sheet] = sheetsIn(await book(register));
      expect(sheet?.head.length).toBe(head.length);
      expect(lines.length).toBeGreaterThan(0);
      // the apostrophe that keeps a spreadsheet from running the text of a CSV file is not needed here
      expect(sheet?.rows.map((row) => row.map(asCsvCell))).toEqual(
        lines.map((line) => line.map((cell) => cell.replace(/^'(?=[=+\-@])/, ''))),
      );
    }
  });

  it('hold numbers as numbers, days and times as such, and nothing that a spreadsheet would run', async () => {
    for (const register of Object.keys(paths)) {
      const [sheet] = sheetsIn(await book(register));
      const cells = sheet?.rows.flat() ?? [];
      expect(cells.every(({ f }) => f === undefined)).toBe(true);
      expect(sheet?.rows[0]?.[0]).toMatchObject({ t: 'n', z: 'm/d/yy' });
      expect(cells.filter(({ t, v }) => t === 's' && /^[\d.]+$/.test(String(v)))).toEqual([]);
    }
    const [sheet] = sheetsIn(await book('feeding'));
    expect(sheet?.rows[0]?.map(({ t }) => t)).toEqual(['n', 's', 'n', 'n', 's']);
    expect(sheet?.rows[0]?.[1]).toMatchObject({ t: 's', v: '=1+1' });
  });

  it('are headed in the language of the reader, and the heading stays in sight', async () => {
    const heads = await Promise.all(
      ['pt-BR', 'en', 'es'].map(async (language) => sheetsIn(await book('water-quality', language))[0]),
    );
    expect(heads.map((sheet) => [sheet?.name, sheet?.head[2]])).toEqual([
      ['Qualidade da água', 'Temperatura (°C)'],
      ['Water quality', 'Temperature (°C)'],
      ['Calidad del agua', 'Temperatura (°C)'],
    ]);
  });

  it('go back in by the import, in each language, and double nothing', async () => {
    for (const language of ['pt-BR', 'en', 'es']) {
      for (const [register, kind, of] of [
        ['water-quality', 'measurements', paths['water-quality']],
        ['feeding', 'feeding', paths['feeding']],
        ['biometries', 'biometries', paths['biometries']],
      ] as const) {
        const report = reportOf(
          await sendFile(app, farm, kind, {
            file: await book(register, language),
            media: XLSX,
            query: `&dry_run=false&${of}`,
          }),
        );
        expect([language, kind, report.errors, report.questions, report.imported]).toEqual([
          language,
          kind,
          [],
          [],
          0,
        ]);
        expect(report.already_there).toBe(kind === 'biometries' ? 1 : NASTY.length);
      }
    }
  });

  it('hold every line of more than fit in one read, and are for those alone who may read', async () => {
    const other = await aStockedFarm(app);
    const pond_id = other.ponds[0]?.id ?? '';
    await app.kernel.commit({
      actor: null,
      changes: Array.from({ length: 1_201 }, (_, n) =>
        insert(measurement, {
          id: randomUUID(),
          pond_id,
          measurement_date: new Date(Date.UTC(2026, 1, 1) + n * 60_000).toISOString(),
          temperature: n / 100,
          dissolved_oxygen: null,
          ph: null,
          salinity: null,
          alkalinity: null,
          ammonia: null,
          nitrite: null,
          nitrate: null,
          transparency: null,
          notes: null,
          source: 'probe',
          created_by: null,
          clock_quality: 'trusted',
          created_at: '2026-02-01T00:00:00.000Z',
          updated_at: null,
        }),
      ),
    });
    const path = `/exports/water-quality/xlsx?pond_id=${pond_id}`;
    const { bytes } = await fetchFile(app, other, path);
    expect(sheetsIn(bytes)[0]?.rows.map((row) => row[2]?.v)).toEqual(
      Array.from({ length: 1_201 }, (_, n) => n / 100),
    );
    expect((await fetchFile(app, farm, path)).status).toBe(404);
  });
});
