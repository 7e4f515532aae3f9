import { type CellObject, utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { type Report, reportOf, sendFile } from '#test/import-file.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf, isWhole } from '#test/turn.ts';

// Any sheet of measurements, with columns as farms, laboratories and loggers head them, in any format and manner of a country: each
// figure comes in as it was meant, or the reader is told of it or asked. What a file says does not depend on the database.

/** `to`: what is stored of what was written. */
type Way = { heading: string; to: (written: number) => number; most: number };
const same = (value: number) => value;
const way = (heading: string, most: number, to = same): Way => ({ heading, most, to });
const COLUMNS: Readonly<Record<string, readonly Way[]>> = {
  temperature: [
    way('Temperatura (°C)', 40),
    way('T °C', 40),
    way('Temp.', 40),
    way('Temp °F', 104, (f) => ((f - 32) * 5) / 9),
    way('Water Temp (F)', 104, (f) => ((f - 32) * 5) / 9),
  ],
  dissolved_oxygen: [
    way('OD', 15),
    way('O.D. (mg/L)', 15),
    way('Oxígeno disuelto', 15),
    way('DO conc, mg/L', 15),
  ],
  ph: [way('pH', 10), way('pH da água', 10)],
  salinity: [way('Salin.', 45), way('Sal psu', 45), way('Salinidad (ppt)', 45)],
  alkalinity: [
    way('Alc. total', 300),
    way('Alkalinity (mg/L CaCO3)', 300),
    way('Alcalinidade (meq/L)', 6, (v) => v * 50.04),
  ],
  ammonia: [
    way('Amônia', 2),
    way('TAN', 5),
    way('N-NH3', 2),
    way('Amonio', 2),
    way('Amônia tóxica (N-NH3)', 1),
  ],
  nitrite: [
    way('Nitrito (N-NO2)', 5),
    way('NO2', 5),
    way('Nitritos (µg/L)', 5000, (v) => v / 1000),
    way('NO2 como NO2', 5, (v) => v * 0.30447),
  ],
  nitrate: [way('N-NO3', 60), way('Nitrate (as NO3)', 200, (v) => v * 0.2259), way('NO3', 60)],
  transparency: [way('Transp. (cm)', 120), way('Secchi', 120), way('Transparência (m)', 1.2, (v) => v * 100)],
};

const column = fc
  .constantFrom(...Object.keys(COLUMNS))
  .chain((name) => fc.record({ name: fc.constant(name), way: fc.constantFrom(...(COLUMNS[name] ?? [])) }));
const sheet = fc.record({
  columns: fc.uniqueArray(column, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
  rows: fc.array(
    fc.record({
      day: fc.integer({ min: 0, max: 700 }),
      minute: fc.option(fc.integer({ min: 1, max: 1439 }), { nil: null }),
      // of each column's range; how many decimals it is written with
      shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
      decimals: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
      gone: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  format: fc.constantFrom('xlsx' as const, 'ods' as const, 'csv' as const, 'csv' as const),
  separator: fc.constantFrom(',', ';', '\t'),
  decimal: fc.constantFrom(',', '.'),
  dates: fc.constantFrom('dd/mm/yyyy' as const, 'mm/dd/yyyy' as const, 'yyyy-mm-dd' as const),
  isGrouped: fc.boolean(),
  isOfText: fc.boolean(),
});
type Sheet = typeof sheet extends fc.Arbitrary<infer Drawn> ? Drawn : never;

type Written = { file: Uint8Array; expected: Record<string, number | string>[] };

function written(drawn: Sheet): Written {
  const { columns, decimal, dates, isGrouped, separator, format, isOfText } = drawn;
  // who writes the month first heads his columns in English
  const heads = dates === 'mm/dd/yyyy' ? ['Pond', 'Date'] : ['Viveiro', 'Data'];
  const texts: string[][] = [[...heads, ...columns.map(({ way: { heading } }) => heading)]];
  const cells: CellObject[][] = [(texts[0] ?? []).map((v) => ({ t: 's', v }))];
  const expected: Written['expected'] = [];
  for (const row of drawn.rows) {
    const wall = new Date(Date.UTC(2024, 0, 1 + row.day, 0, row.minute ?? 0));
    const [year = '', month = '', day = ''] = wall.toISOString().slice(0, 10).split('-');
    const time = row.minute === null ? '' : ` ${wall.toISOString().slice(11, 16)}`;
    const date = {
      'dd/mm/yyyy': `${day}/${month}/${year}`,
      'mm/dd/yyyy': `${month}/${day}/${year}`,
      'yyyy-mm-dd': `${year}-${month}-${day}`,
    }[dates];
    const told: Record<string, number | string> = {
      date: new Date(wall.getTime() + 3 * 3_600_000).toISOString(),
    };
    const line = ['V-1', `${date}${time}`];
    const serial: CellObject = {
      t: 'n',
      v: wall.getTime() / 86_400_000 + 25_569,
      z: 'dd/mm/yyyy',
    };
    const sheetLine: CellObject[] = [
      { t: 's', v: 'V-1' },
      isOfText ? { t: 's', v: `${date}${time}` } : serial,
    ];
    for (const [at, { name, way: is }] of columns.entries()) {
      if (row.gone[at] === true && at > 0) {
        line.push('');
        sheetLine.push({ t: 'z' });
        continue;
      }
      const value = Number((is.most * (row.shares[at] ?? 0)).toFixed(row.decimals[at]));
      const plain = value.toFixed(row.decimals[at]);
      const [whole = '', fraction] = plain.split('.');
      const mark = decimal === ',' ? '.' : ',';
      const grouped = isGrouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, mark) : whole;
      const text = fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
      line.push(text);
      sheetLine.push(isOfText ? { t: 's', v: text } : { t: 'n', v: value });
      told[name] = is.to(value);
    }
    texts.push(line);
    cells.push(sheetLine);
    expected.push(told);
  }
  if (format === 'csv') {
    const quoted = (text: string) => (text.includes(separator) ? `"${text}"` : text);
    return {
      file: new TextEncoder().encode(texts.map((line) => line.map(quoted).join(separator)).join('\r\n')),
      expected,
    };
  }
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(cells), 'Água');
  return { file: new Uint8Array(write(book, { type: 'array', bookType: format }) as ArrayBuffer), expected };
}

/** Columns that the reader is told of or asked about. */
const toldOf = (report: Report): Set<string | null> =>
  new Set(
    [...report.errors, ...report.warnings, ...report.notes, ...report.questions].map(
      ({ column: name }) => name,
    ),
  );

let app: App;
let farm: StockedFarm;
beforeAll(async () => {
  app = await startApp('sqlite');
  farm = await aStockedFarm(app, { batch_code: 'L-1' });
});
afterAll(() => app.close());

it('is never read as something else without a word', async () => {
  let silent = 0;
  await fc.assert(
    fc.asyncProperty(sheet, async (drawn) => {
      const { file, expected } = written(drawn);
      const reply = await sendFile(app, farm, 'measurements', { file });
      if (reply.status === 422) {
        // a file that is refused as a whole says why
        expect(body(reply)['code']).toBe('NOT_A_TABLE');
        return;
      }
      const report = reportOf(reply);
      const told = toldOf(report);
      for (const [at, { after, row }] of report.reading.preview.entries()) {
        const meant = expected[row - 2];
        expect(meant, `row ${at}`).toBeDefined();
        for (const [name, value] of Object.entries(meant ?? {})) {
          if (told.has(name)) continue;
          silent += 1;
          const read = after[name];
          if (typeof value === 'string') expect([name, read]).toEqual([name, value]);
          else expect([name, read]).toEqual([name, expect.closeTo(value, 3)]);
        }
      }
      // a row that does not come in is told, too
      const gone = expected.length - report.reading.preview.length;
      if (gone > 0) expect(report.errors.length + report.notes.length).toBeGreaterThan(0);
    }),
    { numRuns: drawsOf(40, 2) },
  );
  // most of it is simply read
  expect(silent).toBeGreaterThan(isWhole ? 60 : 15);
});
