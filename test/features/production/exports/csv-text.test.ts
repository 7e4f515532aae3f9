import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from '#core/csv-text.ts';
import { attachment } from '#features/production/exports/file-name.ts';
import { readStrictCsv } from '#test/read-csv.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.constantFrom('"', ',', ';', '\r', '\n', '=', '+', '-', '@', '\t', 'a', ' ', "'", 'ç'), {
      maxLength: 8,
    })
    .map((signs) => signs.join('')),
);

describe('a line of CSV', () => {
  it('is read back cell by cell, whatever stands in it', () => {
    const separators = fc.constantFrom('comma' as const, 'semicolon' as const);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), separators, (cells, separator) => {
        const written = csvText({ separator }).row(cells);
        const [row = []] = readStrictCsv(written, separator === 'comma' ? ',' : ';');
        expect(
          row.map((cell, n) => (/^'[=+\-@\t\r]/.test(cell) && cells[n] !== cell ? cell.slice(1) : cell)),
        ).toEqual(cells);
      }),
    );
  });

  it('never begins a text as a formula does', () => {
    fc.assert(
      fc.property(text, (cell) => {
        const [[first = ''] = []] = readStrictCsv(csvText({}).row([cell]));
        expect(first).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+55 85 9999', "'+55 85 9999"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['35 %; peletizada', '"35 %; peletizada"'],
    [-2.5, '-2.5'],
    [0, '0'],
    [null, ''],
    ['', ''],
  ])('writes %j as %s', (cell, written) => {
    expect(csvText({}).row([cell])).toBe(`${written}\r\n`);
  });

  it('has decimal commas between semicolons', () => {
    expect(csvText({ separator: 'semicolon', bom: '1' }).row([1.5, -0.25, 'a,b'])).toBe(
      '1,5;-0,25;"a,b"\r\n',
    );
  });
});

describe('the name of a file', () => {
  it('keeps what people wrote, for old clients without accents', () => {
    expect(attachment(['alimentação', 'Lote 3'], 'csv')).toBe(
      `attachment; filename="alimentacao_Lote-3.csv"; filename*=UTF-8''alimenta%C3%A7%C3%A3o_Lote-3.csv`,
    );
  });

  it('is one harmless header, whatever the batch is called', () => {
    const name = fc.oneof(
      text,
      fc.constantFrom(
        '../../etc/passwd',
        'a"; filename="b.exe',
        'CON',
        'x\r\nSet-Cookie: a=b',
        '\u202Egpj.exe',
        '🦐',
        '.',
        '',
      ),
    );
    fc.assert(
      fc.property(name, (code) => {
        const header = attachment(['relatório', code], 'csv');
        expect(header).toMatch(/^attachment; filename="[\w.-]+\.csv"; filename\*=UTF-8''[\w.%-]+\.csv$/);
        const [, plain = ''] = /filename="([^"]*)"/.exec(header) ?? [];
        expect(plain).not.toMatch(/\.\.|^\./);
        const [, encoded = ''] = /UTF-8''(.*)$/.exec(header) ?? [];
        expect(decodeURIComponent(encoded)).not.toMatch(/[\p{C}/\\:*?"<>|]/u);
      }),
    );
  });
});
