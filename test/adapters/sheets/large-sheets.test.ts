import { utils, type WorkSheet, write } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWorkbook, SHEET_BOUNDS, type SheetRow } from '#adapters/sheets/read-workbook.ts';
import { SheetTrouble } from '#adapters/sheets/sheet-trouble.ts';

// A sheet of a year of readings comes to the library in pieces; what it says is what it says when it is read whole.

const WHOLE = { ...SHEET_BOUNDS, wholeBytes: Number.MAX_SAFE_INTEGER };
const IN_PIECES = { ...SHEET_BOUNDS, wholeBytes: 0, pieceBytes: 300 };

async function read(bytes: Uint8Array, bounds = SHEET_BOUNDS) {
  const sheets = new Map<string, SheetRow[]>();
  const calls = { count: 0 };
  const told = await readWorkbook(
    bytes,
    (name, rows) => {
      calls.count += 1;
      sheets.set(name, [...(sheets.get(name) ?? []), ...rows]);
    },
    bounds,
  );
  return { told, calls: calls.count, sheets: told.sheets.map((name) => [name, sheets.get(name) ?? []]) };
}

const bytesOf = (sheets: Record<string, WorkSheet>, { isShared = false } = {}): Uint8Array => {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return new Uint8Array(
    write(book, { type: 'array', bookType: 'xlsx', compression: true, bookSST: isShared }) as ArrayBuffer,
  );
};

const aCell = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  fc.date({ min: new Date('1995-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
  fc.constantFrom('Água', '<row r="7">', '</sheetData>', '<0,05', 'n/d', '5,2', '</v>', 'ção & "aspas"'),
  fc.boolean(),
);
const aSheet = fc
  .array(fc.array(aCell, { maxLength: 6 }), { minLength: 1, maxLength: 60, size: 'max' })
  .chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      merges: fc.array(
        fc.record({
          from: fc.nat(rows.length - 1),
          down: fc.nat(40),
          column: fc.nat(5),
          right: fc.nat(2),
        }),
        { maxLength: 3 },
      ),
    }),
  )
  .map(({ rows, merges }) => {
    const sheet = utils.aoa_to_sheet(rows, { cellDates: true });
    // every third row is hidden, and must be told so whichever piece it comes in
    sheet['!rows'] = rows.map((_, at) => ({ hidden: at % 3 === 0 }));
    sheet['!merges'] = merges.map(({ from, down, column, right }) => ({
      s: { r: from, c: column },
      e: { r: from + down, c: column + right },
    }));
    return sheet;
  });

describe('a workbook that is read in pieces', () => {
  it('says what it says when it is read whole', async () => {
    let most = 0;
    let hidden = 0;
    await fc.assert(
      fc.asyncProperty(aSheet, aSheet, fc.boolean(), async (water, feed, isShared) => {
        const bytes = bytesOf({ Água: water, Ração: feed }, { isShared });
        const [whole, pieces] = [await read(bytes, WHOLE), await read(bytes, IN_PIECES)];
        most = Math.max(most, pieces.calls);
        expect(pieces.told).toEqual(whole.told);
        expect(pieces.sheets).toEqual(whole.sheets);
        hidden += JSON.stringify(pieces.sheets).split('isHidden').length - 1;
      }),
      { numRuns: 60 },
    );
    // or nothing would have been cut
    expect(most).toBeGreaterThan(20);
    expect(hidden).toBeGreaterThan(100);
  });

  it('is read whole where rows share a formula, whose text stands once', async () => {
    const sheet = utils.aoa_to_sheet(Array.from({ length: 200 }, (_, n) => [n, null]));
    for (let n = 0; n < 200; n += 1) sheet[`B${n + 1}`] = { t: 'z', f: `A${n + 1}*2` };
    const { sheets } = await read(bytesOf({ S: sheet }), IN_PIECES);
    expect(sheets).toEqual((await read(bytesOf({ S: sheet }), WHOLE)).sheets);
    expect(JSON.stringify(sheets)).toContain('=A200*2');
  });

  it('is refused with values below the last row that is read, and with parts longer than they say', async () => {
    const long = bytesOf({ S: utils.aoa_to_sheet(Array.from({ length: 300 }, (_, n) => [n])) });
    await expect(read(long, { ...IN_PIECES, rows: 200 })).rejects.toThrow(/below row 200/);
    const cut = long.slice();
    // the size that the directory tells of the sheet
    const at = Buffer.from(cut).lastIndexOf('xl/worksheets/sheet1.xml') - 46 + 24;
    new DataView(cut.buffer).setUint32(at, 20, true);
    await expect(read(cut, IN_PIECES)).rejects.toBeInstanceOf(SheetTrouble);
  });
});
