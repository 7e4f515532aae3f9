import { afterAll, beforeAll, expect, it } from 'vitest';
import { FARM_REGISTERS } from '#features/production/exports/farm-registers.ts';
import { HEADINGS, SHEETS } from '#features/production/exports/sheet-words.ts';
import { readHeader } from '#features/production/imports/read-header.ts';
import { LANGUAGES } from '#science/advice/language.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { codesOf, reportOf, sendFile } from '#test/import-file.ts';
import { fetchFile, sheetsIn } from '#test/read-export.ts';
import { filesInZip } from '#test/read-zip.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

/** Columns of a workbook that no import takes: what is told beside the record, and what is worked out. */
const NOT_TAKEN = new Set([
  'expected_harvest_date',
  'final_price_per_kg',
  'end_reason',
  'individual_weights_g',
  'source',
]);
const REGISTER = {
  batches: 'batches',
  biometries: 'biometries',
  feeding: 'feeding',
  measurements: 'water_quality',
} as const;

const KINDS = ['batches', 'biometries', 'feeding', 'measurements'] as const;

it.each(KINDS)('every heading of a workbook of %s is known to its import, in each language', (kind) => {
  const columns = FARM_REGISTERS.find(({ name }) => name === REGISTER[kind])?.columns ?? [];
  const shown = columns.filter(
    ({ name, heading, is }) => (is !== 'id' || heading !== undefined) && !NOT_TAKEN.has(name),
  );
  for (const language of LANGUAGES) {
    const headings = shown.map(({ name, heading }) => HEADINGS[heading ?? name]?.[language] ?? name);
    const { columns: read, ignored, refused, twice } = readHeader(kind, headings, new Map());
    expect([language, ignored, refused, twice, read.length]).toEqual([language, [], [], [], shown.length]);
  }
});

onBothEngines('the workbook of a whole farm', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
    const batch_id = farm.batch.id;
    const [one, two] = farm.ponds.map(({ id }) => id);
    const post = async (path: string, sent: Record<string, unknown>) => {
      const reply = await app.call('POST', path, { token: farm.token, body: sent });
      if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    };
    for (const [n, pond_id] of [one, one, two].entries())
      await post('/water-quality/', {
        pond_id,
        measurement_date: `2026-02-0${n + 1}T09:15:30.250Z`,
        dissolved_oxygen: 4.1 + n / 3,
        salinity: 20.5,
        ammonia: 0.04,
        nitrite: 0.2,
        transparency: 35,
        notes: n === 0 ? '=2+2; "água"' : null,
      });
    const feed = { batch_id, feed_type: '35 %', cost_per_kg: 6.2 };
    // two meals alike on one day, and one that says no pond
    for (const [pond_id, quantity_kg, at] of [
      [one, 12.5, '09:00'],
      [one, 12.5, '15:00'],
      [null, 3.333, '15:00'],
    ])
      await post('/feeding/', { ...feed, pond_id, quantity_kg, feed_date: `2026-02-01T${at}:00.000Z` });
    for (const total_weight_g of [200, 233.3333])
      await post('/biometries/', {
        batch_id,
        measurement_date: `2026-02-0${total_weight_g === 200 ? 1 : 8}T09:00:00.000Z`,
        sample_size: 50,
        total_weight_g,
      });
    await post('/transfers/', {
      batch_id,
      source_pond_id: one,
      destination_pond_id: two,
      quantity: 1_000,
      transfer_date: '2026-02-07T09:00:00.000Z',
    });
    await post(`/batches/${batch_id}/harvests`, {
      pond_id: one,
      quantity: 100,
      weight_kg: 1,
      price_per_kg: 30,
    });
  });
  afterAll(() => app.close());

  const workbook = async () => (await fetchFile(app, farm, `/exports/farm/${farm.farmId}/xlsx`)).bytes;
  const rowsOf = (bytes: Uint8Array) => sheetsIn(bytes).map(({ name, rows }) => [name, rows.length]);

  it.each(['pt-BR', 'en', 'es'])('sent back through each import doubles nothing (%s)', async (language) => {
    const before = rowsOf(await workbook());
    const { bytes } = await fetchFile(
      app,
      { token: farm.token, language },
      `/exports/farm/${farm.farmId}/xlsx`,
    );
    const told = [];
    for (const kind of KINDS) {
      const query = '&dry_run=false';
      const reply = await sendFile(app, farm, kind, {
        file: bytes,
        query,
        media: 'application/octet-stream',
      });
      const report = reportOf(reply);
      told.push([kind, codesOf(report.errors), report.imported, report.already_there]);
    }
    expect(told).toEqual([
      ['batches', [], 0, 1],
      ['biometries', [], 0, 2],
      ['feeding', [], 0, 3],
      ['measurements', [], 0, 3],
    ]);
    expect(rowsOf(await workbook())).toEqual(before);
  });

  it('its archive, sent back file by file, doubles nothing either', async () => {
    const before = rowsOf(await workbook());
    const { bytes } = await fetchFile(app, farm, `/exports/farm/${farm.farmId}/archive`);
    const files = filesInZip(bytes);
    const told = [];
    for (const kind of KINDS) {
      const file = files.get(`${REGISTER[kind]}.csv`) ?? '';
      const report = reportOf(await sendFile(app, farm, kind, { file, query: '&dry_run=false' }));
      told.push([kind, codesOf(report.errors), report.questions, report.imported, report.already_there]);
    }
    expect(told).toEqual([
      ['batches', [], [], 0, 1],
      ['biometries', [], [], 0, 2],
      ['feeding', [], [], 0, 3],
      ['measurements', [], [], 0, 3],
    ]);
    expect(rowsOf(await workbook())).toEqual(before);
  });

  it.each(['comma', 'semicolon'])(
    'its CSV files with a %s go back in, in each language',
    async (separator) => {
      const [pond] = farm.ponds;
      const of = { biometries: farm.batch.id, feeding: farm.batch.id, measurements: pond?.id ?? '' };
      for (const language of LANGUAGES)
        for (const [kind, id] of Object.entries(of)) {
          const register = kind === 'measurements' ? 'water-quality' : kind;
          const parent = kind === 'measurements' ? 'pond_id' : 'batch_id';
          const { bytes } = await fetchFile(
            app,
            { token: farm.token, language },
            `/exports/${register}/csv?${parent}=${id}&columns=all&separator=${separator}`,
          );
          const query = `&dry_run=false&${parent}=${id}`;
          const report = reportOf(await sendFile(app, farm, kind, { file: bytes, query }));
          expect([language, kind, codesOf(report.errors), report.questions, report.imported]).toEqual([
            language,
            kind,
            [],
            [],
            0,
          ]);
          expect(report.already_there).toBe(kind === 'feeding' ? 3 : 2);
        }
    },
  );

  it.each(LANGUAGES)('brought to an empty farm says the same there (%s)', async (language) => {
    const empty = await aStockedFarm(app, { batch_code: `other-${language}` });
    const bookOf = async ({ token, farmId }: StockedFarm) =>
      (await fetchFile(app, { token, language }, `/exports/farm/${farmId}/xlsx`)).bytes;
    const file = await bookOf(farm);
    for (const kind of KINDS) {
      const query = '&dry_run=false';
      const media = 'application/octet-stream';
      const report = reportOf(await sendFile(app, empty, kind, { file, query, media }));
      expect([kind, codesOf(report.errors), report.questions]).toEqual([kind, [], []]);
    }
    const names: string[] = KINDS.map((kind) => SHEETS[kind === 'measurements' ? 'water' : kind][language]);
    // all but that it came by a file
    const told = (sheets: ReturnType<typeof sheetsIn>) =>
      sheets
        .filter(({ name }) => names.includes(name))
        .map(({ name, rows }) => [
          name,
          rows
            .map((row) => row.map(({ v }) => (v === 'manual' ? 'import' : (v ?? null))))
            .filter((row) => !row.includes(empty.batch.batch_code))
            // of one instant either may come first
            .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
        ]);
    expect(told(sheetsIn(file))).toHaveLength(KINDS.length);
    expect(told(sheetsIn(await bookOf(empty)))).toEqual(told(sheetsIn(file)));
  });
});
