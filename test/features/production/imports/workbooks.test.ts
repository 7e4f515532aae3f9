import { type CellObject, utils, type WorkSheet, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { codesOf, type Report, reportOf, sendFile } from '#test/import-file.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// What a workbook is does not depend on the database: once is enough.
describe('a workbook', () => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp('sqlite');
    farm = await aStockedFarm(app);
  });
  afterAll(() => app.close());

  const number = (v: number, z?: string): CellObject => ({ t: 'n', v, ...(z === undefined ? {} : { z }) });
  const sheetOf = (rows: readonly (readonly (string | CellObject | null)[])[]): WorkSheet =>
    utils.aoa_to_sheet(rows.map((row) => [...row]));
  const fileOf = (sheets: Record<string, WorkSheet>, bookType: 'xlsx' | 'biff8' | 'ods'): Uint8Array => {
    const book = utils.book_new();
    for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
    return new Uint8Array(write(book, { type: 'array', bookType, compression: true }) as ArrayBuffer);
  };
  const look = async (file: Uint8Array, query = ''): Promise<Report> =>
    reportOf(await sendFile(app, farm, 'measurements', { file, query, media: 'application/octet-stream' }));
  const after = (report: Report, ...names: string[]) =>
    report.reading.preview.map((row) => names.map((name) => row.after[name]));

  /** 13 February 2026, 06:00, as spreadsheets count days. */
  const DAY = 46_066;

  it.each([
    ['xlsx', 'xlsx'],
    ['biff8', 'xls'],
    ['ods', 'ods'],
  ] as const)(
    'as %s is read to the last cell: dates, times and numbers as they are held',
    async (bookType, file) => {
      const sheet = sheetOf([
        ['Fazenda Sul, controle da água', null],
        [null],
        ['Viveiro', 'Data', 'Hora', 'OD (mg/L)', 'Nitrito'],
        ['V-1', number(DAY, 'dd/mm/yyyy'), number(0.25, 'hh:mm'), number(4.1), number(0.003)],
        ['V-1', number(DAY + 1, 'dd/mm/yyyy'), number(0.625, 'hh:mm'), number(7.25), number(1.234)],
      ]);
      const report = await look(fileOf({ Água: sheet }, bookType));
      expect([report.errors, report.questions, report.reading.file, report.format.separator]).toEqual([
        [],
        [],
        file,
        null,
      ]);
      expect(after(report, 'date', 'dissolved_oxygen', 'nitrite')).toEqual([
        ['2026-02-13T09:00:00.000Z', 4.1, 0.003],
        ['2026-02-14T18:00:00.000Z', 7.25, 1.234],
      ]);
    },
  );

  it('carries a merged pond or date down, and only what its sheet merged', async () => {
    const rows = [
      ['Viveiro', 'Data', 'OD', 'pH'],
      ['V-1', '13/02/2026', number(4.1), number(8)],
      [null, '14/02/2026', number(4.2), number(8)],
    ];
    const merged = sheetOf(rows);
    merged['!merges'] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
    const report = await look(fileOf({ Plan1: merged }, 'xlsx'));
    expect([report.to_import, codesOf(report.notes)]).toEqual([2, [[3, 'pond', 'CARRIED_DOWN']]]);
    const plain = await look(fileOf({ Plan1: sheetOf(rows) }, 'xlsx'));
    expect(codesOf(plain.errors)).toEqual([[3, 'pond', 'REQUIRED']]);
  });

  it('has per cent as people see them, and what a formula could not reckon as no value', async () => {
    const sheet = sheetOf([
      ['Viveiro', 'Data', 'OD (%)', 'Temperatura', 'Salinidade', 'pH'],
      ['V-1', number(DAY, 'd/m/yy'), number(0.8, '0%'), number(28), number(20), { t: 'e', v: 0x07 }],
    ]);
    const report = await look(fileOf({ Plan1: sheet }, 'xlsx'));
    expect(after(report, 'dissolved_oxygen', 'ph')).toEqual([[expect.closeTo(5.61, 1), null]]);
    expect(codesOf(report.notes)).toContainEqual([2, 'ph', 'NO_VALUE']);
  });

  it('of several sheets is read where most columns are named, or where somebody says', async () => {
    const water = sheetOf([
      ['Viveiro', 'Data', 'OD'],
      ['V-1', '13/02/2026', number(4.1)],
    ]);
    const other = sheetOf([
      ['Viveiro', 'Data', 'pH'],
      ['V-1', '13/02/2026', number(8.1)],
    ]);
    const file = fileOf({ Capa: sheetOf([['Fazenda Sul']]), Água: water, Outra: other }, 'xlsx');
    expect((await look(file)).reading.sheet).toBe('Água');
    expect((await look(file, '&sheet=Outra')).reading.sheet).toBe('Outra');
  });

  it('whose days and months a spreadsheet of another country swapped is refused; of one manner it is read', async () => {
    const head = ['Viveiro', 'Data', 'OD'];
    const held = (day: number) => ['V-1', number(day, 'm/d/yy'), number(4.1)];
    const text = (day: string) => ['V-1', day, number(4.2)];
    // 11 and 12 February, opened as 2 November and 2 December; the 13th was no month
    const swapped = sheetOf([head, held(46_328), held(46_358), text('13/02/2026'), text('14/02/2026')]);
    expect(codesOf((await look(fileOf({ Plan1: swapped }, 'xlsx'))).errors)).toContainEqual([
      1,
      'date',
      'DATES_SWAPPED',
    ]);
    for (const rows of [
      [held(DAY), held(DAY + 1), text('15/02/2026')],
      [held(DAY - 6), text('08/02/2026'), text('13/02/2026')],
    ]) {
      const report = await look(fileOf({ Plan1: sheetOf([head, ...rows]) }, 'xlsx'), '&date_order=day_first');
      expect([report.errors, report.to_import]).toEqual([[], rows.length]);
    }
  });

  it('with a sheet for each pond tells of those that it does not read', async () => {
    const ofPond = (oxygen: number) =>
      sheetOf([
        ['Data', 'OD'],
        ['13/02/2026', number(oxygen)],
      ]);
    const file = fileOf({ 'V-1': ofPond(4.1), 'V-2': ofPond(5.1), Capa: sheetOf([['Fazenda Sul']]) }, 'xlsx');
    const [pond, second] = farm.ponds.map(({ id }) => `&pond_id=${id}`);
    const told = (report: Report) =>
      report.warnings.map(({ code, message }) => [code, /"V-\d"/.exec(message)?.[0]]);
    expect(told(await look(file, pond))).toEqual([['OTHER_SHEET', '"V-2"']]);
    expect(told(await look(file, `${second}&sheet=V-2`))).toEqual([]);
    expect(told(await look(file, `${pond}&sheet=V-2`))).toEqual([['OTHER_POND_NAMED', undefined]]);
  });

  it('that is damaged, or unpacks to more than it says, is refused in plain words', async () => {
    const good = fileOf(
      {
        Plan1: sheetOf([
          ['Viveiro', 'Data', 'OD'],
          ['V-1', '13/02/2026', number(4.1)],
        ]),
      },
      'xlsx',
    );
    const cut = good.subarray(0, good.length - 40);
    const bomb = withSizes(good, 500 * 1_048_576);
    const small = withSizes(good, 3);
    for (const file of [cut, bomb, small]) {
      const reply = await sendFile(app, farm, 'measurements', { file, media: 'application/octet-stream' });
      expect([reply.status, body(reply)['code'], String(body(reply)['detail'])]).toEqual([
        422,
        'NOT_A_TABLE',
        expect.stringContaining('workbook'),
      ]);
    }
  });
});

/** The archive, with another unpacked size told for each of its files. */
function withSizes(file: Uint8Array, size: number): Uint8Array {
  const changed = file.slice();
  const view = new DataView(changed.buffer);
  for (let at = 0; at < changed.length - 46; at += 1) {
    if (view.getUint32(at, true) === 0x02014b50 && view.getUint16(at + 10, true) === 8)
      view.setUint32(at + 24, size, true);
    if (view.getUint32(at, true) === 0x02014b50 && size > 1e6) view.setUint32(at + 24, size, true);
  }
  return changed;
}
