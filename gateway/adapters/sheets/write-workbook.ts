import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ZipFile } from 'yazl';
import type { Cell } from '#contract/csv-cells.ts';
import { plainNumber } from '#contract/plain-number.ts';
import type { CellKind, PackPart, TableRows } from '#core/packed-file.ts';

// A workbook (ECMA-376) written row by row. The library that reads workbooks holds all cells of one that it writes: of
// 100,000 lines 500 MB, where these take 100 MB however many lines there are.

type Columns = Extract<PackPart, { sheet: string }>['columns'];

/** As many rows as a sheet can have, its heading among them; what is more stands on the next sheet. */
const MOST_ROWS = 1_048_576;
const MOST_LETTERS = 32_767;
const LONGEST_NAME = 31;
/** Days from the first day of a workbook to 1 January 1970. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Places in the list of formats below. Text is said to be text: edited, it still is no formula. */
const STYLE: Readonly<Record<CellKind | 'heading', number>> = {
  number: 0,
  heading: 1,
  day: 2,
  time: 3,
  moment: 4,
  text: 5,
};
const FORMATS = [0, 49, 14, 21, 22, 49];
const WIDTHS: Readonly<Record<CellKind, number>> = { number: 11, day: 12, time: 10, moment: 18, text: 18 };

export type WorkbookWriter = {
  sheet: (name: string, columns: Columns) => void;
  rows: (rows: TableRows) => Promise<void>;
  end: () => void;
};

/** Writes the parts of a workbook into `zip`, which its caller ends; `mostRows` per sheet. */
export function workbookWriter(zip: ZipFile, mostRows = MOST_ROWS): WorkbookWriter {
  const names: string[] = [];
  let open: { stream: PassThrough; name: string; columns: Columns; row: number; part: number } | null = null;
  const addXml = (path: string, xml: string) => zip.addBuffer(Buffer.from(HEAD + xml), path);
  // parts of no kind of their own are sheets: how many there will be is not known yet
  addXml(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  );
  addXml(
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  );
  addXml('xl/styles.xml', styles());

  function begin(name: string, columns: Columns, part: number): void {
    close();
    const stream = new PassThrough();
    names.push(unlikeOthers(part === 1 ? name : `${name} ${part}`, names));
    zip.addReadStream(stream, `xl/worksheets/sheet${names.length}.xml`);
    stream.write(
      `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`,
    );
    for (const [at, { heading, is }] of columns.entries()) {
      const width = Math.min(40, Math.max(WIDTHS[is], heading.length + 2));
      stream.write(`<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
    }
    const heads = columns.map(({ heading }, at) => textCell(`${letters(at)}1`, heading, STYLE.heading));
    stream.write(`</cols><sheetData><row r="1">${heads.join('')}</row>`);
    open = { stream, name, columns, row: 1, part };
  }
  function close(): void {
    open?.stream.end('</sheetData></worksheet>');
    open = null;
  }
  return {
    sheet: (name, columns) => begin(name, columns, 1),
    async rows(rows) {
      for (let from = 0; from < rows.length && open !== null; ) {
        if (open.row >= mostRows) begin(open.name, open.columns, open.part + 1);
        const here = rows.slice(from, from + mostRows - open.row);
        const text = here.map((cells, n) => rowXml(open?.columns ?? [], cells, (open?.row ?? 0) + n + 1));
        from += here.length;
        open.row += here.length;
        if (!open.stream.write(text.join(''))) await once(open.stream, 'drain');
      }
    },
    end() {
      close();
      const sheets = names.map(
        (name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 2}"/>`,
      );
      addXml(
        'xl/workbook.xml',
        `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets.join('')}</sheets></workbook>`,
      );
      const parts = names.map(
        (_, at) =>
          `<Relationship Id="rId${at + 2}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
      );
      addXml(
        'xl/_rels/workbook.xml.rels',
        `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/styles" Target="styles.xml"/>${parts.join('')}</Relationships>`,
      );
    },
  };
}

function styles(): string {
  const formats = FORMATS.map(
    (format, at) =>
      `<xf numFmtId="${format}" fontId="${at === STYLE.heading ? 1 : 0}" fillId="0" borderId="0" applyNumberFormat="1"/>`,
  );
  return `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellXfs count="${formats.length}">${formats.join('')}</cellXfs></styleSheet>`;
}

function rowXml(columns: Columns, cells: readonly Cell[], row: number): string {
  let xml = `<row r="${row}">`;
  for (let at = 0; at < columns.length; at++) {
    const cell = cells[at] ?? null;
    if (cell === null || cell === '') continue;
    const is = columns[at]?.is ?? 'text';
    const figure = typeof cell === 'number' ? cell : serialOf(cell, is);
    const place = `${letters(at)}${row}`;
    if (figure === null) xml += textCell(place, String(cell), STYLE.text);
    else
      xml += `<c r="${place}" s="${STYLE[is === 'text' ? 'number' : is]}"><v>${plainNumber(figure)}</v></c>`;
  }
  return `${xml}</row>`;
}

const SHAPE = {
  day: /^\d{4}-\d\d-\d\d$/,
  moment: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
};

/** Days since the first day of a workbook; null: it is none. */
function serialOf(text: string, is: CellKind): number | null {
  if (is === 'text' || is === 'number' || !SHAPE[is].test(text)) return null;
  if (is === 'time') return Date.parse(`1970-01-01T${text}Z`) / DAY_MS;
  return Date.parse(`${text.replace(' ', 'T')}${is === 'day' ? 'T00:00:00' : ''}Z`) / DAY_MS + EPOCH_DAYS;
}

const textCell = (place: string, text: string, style: number): string =>
  `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text.slice(0, MOST_LETTERS))}</t></is></c>`;

/** What XML cannot hold at all; a carriage return alone it would read as another sign. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Reads as an escaped sign in a workbook. */
const LIKE_ESCAPED = /_(?=x[0-9a-f]{4}_)/gi;
const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '_x000D_',
};

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(NOT_IN_XML, '')
    .replaceAll(LIKE_ESCAPED, '_x005F_')
    .replaceAll(/[&<>"\r]/g, (sign) => SIGNS[sign] ?? '');

/** `A` for 0, `AA` for 26. */
function letters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letters(Math.floor(at / 26) - 1) + last;
}

function unlikeOthers(name: string, others: readonly string[]): string {
  const plain = name.replaceAll(/[[\]:*?/\\]/g, '-').slice(0, LONGEST_NAME);
  const isTaken = others.some((other) => other.toLowerCase() === plain.toLowerCase());
  return isTaken ? `${plain.slice(0, LONGEST_NAME - 4)} ${others.length + 1}` : plain;
}
