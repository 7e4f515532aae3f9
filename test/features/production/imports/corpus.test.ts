import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CellObject, utils, write } from '@e965/xlsx';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { codesOf, reportOf, sendFile } from '#test/import-file.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';
import { drawsOf } from '#test/turn.ts';

type Value = string | number | null | { near: number };
type Expected = {
  kind: string;
  columns: string[];
  rows: Value[][];
  query?: string;
  /** Pond of all rows, for loggers that know none. */
  pond?: string;
  logger?: string;
  questions?: string[];
  errors?: [number, string | null, string][];
  /** What is told of values that come in as they stand; left out: not looked at. */
  warnings?: [number, string | null, string][];
  left_out?: number;
  /** Words of a refusal of the whole file. */
  refused?: string;
};

const FOLDER = new URL('../../../files/', import.meta.url);
const EXPECTED = JSON.parse(readFileSync(new URL('expected.json', FOLDER), 'utf8')) as Record<
  string,
  Expected
>;
const expectedOf = (value: Value) =>
  typeof value === 'object' && value !== null ? (expect.closeTo(value.near, 1) as unknown) : value;

// What a file says does not depend on the database: once is enough.
describe('a file', () => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp('sqlite');
    farm = await aStockedFarm(app, { batch_code: 'L-1' });
  });
  afterAll(() => app.close());

  it.each(Object.entries(EXPECTED))('%s is read to the last cell, or asked about', async (name, expected) => {
    const file = readFileSync(fileURLToPath(new URL(name, FOLDER)));
    const pond = farm.ponds.find(({ cod }) => cod === expected.pond)?.id;
    const query = `${expected.query ?? ''}${pond === undefined ? '' : `&pond_id=${pond}`}`;
    const reply = await sendFile(app, farm, expected.kind, { file, query });
    if (expected.refused !== undefined) {
      expect([reply.status, body(reply)['detail']]).toEqual([422, expect.stringContaining(expected.refused)]);
      return;
    }
    const report = reportOf(reply);
    expect(codesOf(report.errors)).toEqual(expected.errors ?? []);
    if (expected.warnings !== undefined) expect(codesOf(report.warnings)).toEqual(expected.warnings);
    expect(report.questions.map(({ code }) => code)).toEqual(expected.questions ?? []);
    expect([report.reading.logger, report.left_out >= (expected.left_out ?? 0)]).toEqual([
      expected.logger ?? null,
      true,
    ]);
    if (expected.columns.length === 0) return;
    const rows = report.reading.preview.map(({ after }) => expected.columns.map((column) => after[column]));
    expect(rows).toEqual(expected.rows.map((row) => row.map(expectedOf)));
  });

  it('written by any program in any manner says the same when it is read', async () => {
    const row = fc.record({
      day: fc.integer({ min: 0, max: 300 }),
      minute: fc.integer({ min: 0, max: 1439 }),
      oxygen: fc.integer({ min: 0, max: 20_000 }),
      nitrite: fc.integer({ min: 0, max: 99_999 }),
      alkalinity: fc.integer({ min: 0, max: 1_000 }),
    });
    const manner = fc.record({
      as: fc.constantFrom('xlsx' as const, 'biff8' as const, 'ods' as const, 'csv' as const, 'csv' as const),
      isBrazilian: fc.boolean(),
      separator: fc.constantFrom(';', ',', '\t'),
      encoding: fc.constantFrom('utf8' as const, 'utf16le' as const, 'latin1' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), manner, async (rows, how) => {
        const sent = rows.map((each) => ({
          wall: new Date(Date.UTC(2025, 0, 1 + each.day, 0, each.minute)),
          values: [each.oxygen / 1000, each.nitrite / 1000, each.alkalinity] as const,
        }));
        const { file, query } = written(sent, how);
        const report = reportOf(await sendFile(app, farm, 'measurements', { file, query }));
        expect(report.errors).toEqual([]);
        expect(
          report.reading.preview.map(({ after }) => [
            after['date'],
            after['dissolved_oxygen'],
            after['nitrite'],
            after['alkalinity'],
          ]),
        ).toEqual(
          sent.map(({ wall, values }) => [new Date(wall.getTime() + 3 * 3_600_000).toISOString(), ...values]),
        );
      }),
      { numRuns: drawsOf(60) },
    );
  });
});

type Sent = { wall: Date; values: readonly [number, number, number] };
type Manner = {
  as: 'xlsx' | 'biff8' | 'ods' | 'csv';
  isBrazilian: boolean;
  separator: string;
  encoding: 'utf8' | 'utf16le' | 'latin1';
};

/** A sheet as a program of that country writes it; numbers with the digits they have, three at most. */
function written(
  rows: readonly Sent[],
  { as, isBrazilian, separator, encoding }: Manner,
): { file: Uint8Array; query: string } {
  const heads = isBrazilian
    ? ['Viveiro', 'Data', 'Hora', 'Oxigênio', 'Nitrito', 'Alcalinidade']
    : ['pond', 'date', 'time', 'dissolved_oxygen', 'nitrite', 'alkalinity'];
  if (as !== 'csv') {
    const cells = rows.map(({ wall, values }): (string | CellObject)[] => {
      const serial = wall.getTime() / 86_400_000 + 25_569;
      const day = Math.floor(serial);
      return [
        'V-1',
        { t: 'n', v: day, z: isBrazilian ? 'dd/mm/yyyy' : 'm/d/yy' },
        { t: 'n', v: serial - day, z: 'hh:mm' },
        ...values.map((v): CellObject => ({ t: 'n', v })),
      ];
    });
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([heads, ...cells]), 'Plan1');
    return { file: new Uint8Array(write(book, { type: 'array', bookType: as }) as ArrayBuffer), query: '' };
  }
  const decimal = isBrazilian ? ',' : '.';
  // a comma that parts cells is quoted where it is a decimal mark
  const cellOf = (text: string) => (text.includes(separator) ? `"${text}"` : text);
  const lines = rows.map(({ wall, values }) => {
    const [year = '', month = '', day = ''] = wall.toISOString().slice(0, 10).split('-');
    const date = isBrazilian ? `${day}/${month}/${year}` : `${month}/${day}/${year}`;
    const numbers = values.map((value) => String(value).replace('.', decimal));
    return ['V-1', date, wall.toISOString().slice(11, 16), ...numbers].map(cellOf).join(separator);
  });
  const text = [heads.join(separator), ...lines].join('\r\n');
  const bytes = Buffer.from(encoding === 'utf16le' ? `\uFEFF${text}` : text, encoding);
  const mark = isBrazilian ? 'comma' : 'point';
  return { file: bytes, query: `&decimal=${mark}&date_order=${isBrazilian ? 'day_first' : 'month_first'}` };
}
