import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zoneClock } from '#core/zone-clock.ts';
import {
  dayCell,
  decimalMarkOf,
  instantCell,
  integerCell,
  numberCell,
} from '#features/production/imports/read-cells.ts';
import { openTable } from '#features/production/imports/read-table.ts';

const comma = { mark: 'comma', isSure: true } as const;
const point = { mark: 'point', isSure: true } as const;
const CODE = (read: object) => ('code' in read ? read.code : read);

describe('a number', () => {
  it.each([
    ['1,5', 'comma'],
    ['1.5', 'point'],
    ['1.234,5', 'comma'],
    ['1,234.5', 'point'],
    ['1.234.567', 'comma'],
    ['1.234', null],
    ['1,234', null],
    ['12345', null],
    ['0,0123', 'comma'],
    ['0.003', 'point'],
    ['-0,250', 'comma'],
    ['', null],
  ])('%s betrays the decimal mark %s', (cell, mark) => {
    expect(decimalMarkOf(cell)).toBe(mark);
  });

  it.each([
    ['1.234,5', comma, 1234.5],
    ['-0,25', comma, -0.25],
    ['1 234,5', comma, 1234.5],
    ['0.003', point, 0.003],
    ['1.234', comma, 1234],
    ['1.234', point, 1.234],
    ['1,234.5', point, 1234.5],
    ['.5', point, 0.5],
    ['850', comma, 850],
  ])('%s is read in the manner of its file', (cell, manner, value) => {
    expect(numberCell(cell, manner)).toEqual({ value });
  });

  it.each(['1.5', 'abc', '1,2,3', '12,', '1e5', '--1', '1.23,4', '0.003', '12 5', 'NaN', '∞', '0x10'])(
    '%s is none in a file of commas',
    (cell) => {
      expect(CODE(numberCell(cell, comma))).toBe('NOT_A_NUMBER');
    },
  );

  it('of animals is whole: 100.000 is never a hundred', () => {
    expect(integerCell('100.000', comma)).toEqual({ value: 100_000 });
    expect(CODE(integerCell('100.000', point))).toBe('NOT_A_WHOLE_NUMBER');
    for (const mark of ['comma', 'point'] as const)
      expect(CODE(integerCell('100.000', { mark, isSure: false }))).toBe('AMBIGUOUS_NUMBER');
    expect(integerCell('100.0', point)).toEqual({ value: 100 });
    expect(CODE(integerCell('1,5', comma))).toBe('NOT_A_WHOLE_NUMBER');
  });

  it('that may be two numbers is refused while the file does not tell', () => {
    expect(CODE(numberCell('1.234', { mark: 'comma', isSure: false }))).toBe('AMBIGUOUS_NUMBER');
    expect(numberCell('1,234', { mark: 'comma', isSure: false })).toEqual({ value: 1.234 });
  });

  it('is the same after being written with decimal commas', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (thousandths) => {
        const text = (thousandths / 1000).toFixed(3).replace('.', ',');
        expect(numberCell(text, comma)).toEqual({ value: thousandths / 1000 });
      }),
    );
  });
});

describe('a date', () => {
  const fortaleza = zoneClock('America/Fortaleza');
  it.each([
    ['2026-03-01', '2026-03-01'],
    ['01/03/2026', '2026-03-01'],
    ['1/3/2026', '2026-03-01'],
    ['01.03.2026', '2026-03-01'],
    ['29/02/2024', '2024-02-29'],
    ['1/3/26', '2026-03-01'],
    ['1 mar 2026', '2026-03-01'],
    ['1º de março de 2026', '2026-03-01'],
    ['2026/03/01', '2026-03-01'],
    ['March 1, 2026', '2026-03-01'],
  ])('%s is %s', (cell, value) => {
    expect(dayCell(cell)).toEqual({ value });
  });

  it.each([
    '29/02/2026',
    '31/04/2026',
    '03/13/2026',
    '26/03/01',
    '45000',
    'ontem',
    '01/01/1999',
    '2026-00-10',
  ])('%s is none', (cell) => {
    expect(CODE(dayCell(cell))).toBe('NOT_A_DATE');
  });

  it.each([
    ['01/03/2026', '', '2026-03-01T03:00:00.000Z'],
    ['01/03/2026', '06:30', '2026-03-01T09:30:00.000Z'],
    ['01/03/2026', '6h30', '2026-03-01T09:30:00.000Z'],
    ['01/03/2026', '6:30 PM', '2026-03-01T21:30:00.000Z'],
    ['1/3/26 12:30:00 AM', '', '2026-03-01T03:30:00.000Z'],
    ['01/03/2026 06:30', '', '2026-03-01T09:30:00.000Z'],
    ['2026-03-01T06:30:15', '', '2026-03-01T09:30:15.000Z'],
    ['2026-03-01T06:30:00Z', '', '2026-03-01T06:30:00.000Z'],
    ['2026-03-01 06:30+01:00', '', '2026-03-01T05:30:00.000Z'],
  ])('%s with the time "%s" is %s on the farm', (cell, time, value) => {
    expect(instantCell(cell, time, fortaleza)).toEqual({ value });
  });

  it('with a time that is none is refused', () => {
    expect(CODE(instantCell('01/03/2026', '25:00', fortaleza))).toBe('NOT_A_TIME');
  });
});

describe('a file', () => {
  const open = (text: string) => {
    const table = openTable(Buffer.from(text));
    return {
      separator: table.separator,
      header: table.header,
      rows: [...table.rows()].filter(({ cells }) => cells.length > 0),
    };
  };

  it('is read whatever its separators and line ends, and keeps the row numbers of the spreadsheet', () => {
    expect(open('sep=;\r\na;b\r\n1,5;"x;y"\r\n\r\n;\r\n"l1\nl2";z')).toEqual({
      separator: ';',
      header: ['a', 'b'],
      rows: [
        { row: 2, cells: ['1,5', 'x;y'] },
        { row: 5, cells: ['l1\nl2', 'z'] },
      ],
    });
    expect(open('a\tb\rc\td').rows).toEqual([{ row: 2, cells: ['c', 'd'] }]);
    expect(open('\uFEFFa,b\n"say ""hi""",2\n').rows).toEqual([{ row: 2, cells: ['say "hi"', '2'] }]);
  });

  it('saved by a Brazilian spreadsheet keeps its accents', () => {
    const table = openTable(Buffer.from('observação;temperatura\r\nchuva à noite;28,1\r\n', 'latin1'));
    expect([table.encoding, table.header[0], [...table.rows()][0]?.cells[0]]).toEqual([
      'windows-1252',
      'observação',
      'chuva à noite',
    ]);
    const wide = openTable(Buffer.from('\uFEFFração\r\n1\r\n', 'utf16le'));
    expect([wide.encoding, wide.header]).toEqual(['utf-16le', ['ração']]);
  });

  it('loses what our export put before a formula', () => {
    expect(open("a,b\n'=1+1,'tis\n").rows[0]?.cells).toEqual(['=1+1', "'tis"]);
  });

  it.each([
    ['', 'empty'],
    ['\n\n', 'empty'],
    ['a,b\n"open', 'never closed'],
    ['a,b\n"x"y,z', 'behind a closing quote'],
    ['a\u0000b', 'not a text file'],
    [
      '--x1\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ndata;ph\r\n2026-01-01;8\r\n--x1--',
      'send the file alone',
    ],
  ])('%j is refused in plain words', (text, words) => {
    expect(() => open(text)).toThrow(words);
  });

  it('of any bytes is a table or is refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const rows = [...openTable(bytes).rows()];
          const isRow = (cells: readonly unknown[]) =>
            cells.length === 0 || cells.some((cell) => cell !== '');
          expect(rows.every(({ row, cells }) => row > 1 && isRow(cells))).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ status: 422 });
        }
      }),
    );
  });
});
