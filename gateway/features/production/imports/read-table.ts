import { AppError } from '#core/errors.ts';

/** A line of the file as a spreadsheet numbers it: the header is row 1. */
export type TableRow = { row: number; cells: string[] };

export type Table = {
  separator: ',' | ';' | '\t';
  encoding: 'utf-8' | 'windows-1252' | 'utf-16le';
  header: string[];
  /** The rows below the header, read anew each time; an empty one has no cells. */
  rows: () => Generator<TableRow>;
};

/** Longer files are to be cut: an import must end before its connection does. */
export const MOST_ROWS = 50_000;
// What no sheet of a farm has: whatever is sent, a row is read in a moment.
const MOST_CELLS = 1_000;
const MOST_LETTERS = 32_767;
/** Of a first line without end, more would not tell another separator. */
const LOOKED_AT = 65_536;

const SEPARATORS = [';', ',', '\t'] as const;
/** Excel writes so which separator follows. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/;
/** What our own exports put before a text that begins like a formula. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r])/;

/** Opens a file as spreadsheets write them. Throws 422 for one that is no table of text. */
export function openTable(bytes: Uint8Array): Table {
  const { text, encoding } = decoded(bytes);
  if (text.includes('\u0000')) throw notATable('The file is not a text file: save the sheet as CSV');
  const told = SEPARATOR_LINE.exec(text);
  const start = told === null ? 0 : told[0].length;
  const separator = SEPARATORS.find((sign) => sign === told?.[1]) ?? separatorOf(text);
  const rows = () => readRows(text, start, separator);
  const first = firstOf(rows());
  if (first === null) throw notATable('The file is empty: the first row must name the columns');
  return {
    separator,
    encoding,
    header: first.cells,
    *rows() {
      for (const each of rows()) if (each.row > first.row) yield each;
    },
  };
}

function firstOf(rows: Iterable<TableRow>): TableRow | null {
  for (const each of rows) if (each.cells.length > 0) return each;
  return null;
}

function decoded(bytes: Uint8Array): Pick<Table, 'encoding'> & { text: string } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'utf-16le' };
  try {
    // a byte order mark is dropped
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    // what spreadsheets in Brazil save as plain "CSV"; every byte means something in it
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}

/** The separator that stands most often in the first line, outside quotes. */
function separatorOf(text: string): Table['separator'] {
  const end = text.slice(0, LOOKED_AT).search(/[\r\n]/);
  const line = text.slice(0, Math.min(end === -1 ? LOOKED_AT : end, LOOKED_AT)).replaceAll(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((sign) => ({ sign, count: line.split(sign).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most), { sign: ',' as const, count: 1 })
    .sign;
}

/**
 * Rows of RFC 4180, and of what programs make of it: any line end, quotes inside a plain cell. Empty ones have no cells.
 * Throws 422 for more rows, cells or letters than a sheet of a farm has.
 */
function* readRows(text: string, start: number, separator: string): Generator<TableRow> {
  let at = start;
  for (let row = 1; at < text.length; row += 1) {
    // twice as many: empty ones are no rows
    if (row > 2 * MOST_ROWS) throw tooManyRows();
    const cells: string[] = [];
    for (;;) {
      if (cells.length === MOST_CELLS) throw notATable(`Row ${row} has more than ${MOST_CELLS} columns`);
      const cell = text[at] === '"' ? quotedCell(text, at, row) : plainCell(text, at, separator);
      cells.push(cell.value.trim().replace(ESCAPED_FORMULA, ''));
      at = cell.end;
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 2;
    else if (text[at] === '\r' || text[at] === '\n') at += 1;
    else if (at < text.length) throw notATable(`Row ${row}: something stands behind a closing quote`);
    yield { row, cells: cells.some((cell) => cell !== '') ? cells : [] };
  }
}

type Cell = { value: string; end: number };

function plainCell(text: string, start: number, separator: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') {
    end += 1;
    if (end - start > MOST_LETTERS) throw cellTooLong();
  }
  return { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number, row: number): Cell {
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw notATable(`Row ${row}: a quote is opened and never closed`);
    if (quote - start > MOST_LETTERS) throw cellTooLong();
    if (text[quote + 1] !== '"')
      return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 };
    from = quote + 2;
  }
}

const cellTooLong = () => notATable(`A cell is longer than ${MOST_LETTERS} letters`);

export const tooManyRows = () => notATable(`The file has more than ${MOST_ROWS} rows: send it in parts`);

export function notATable(detail: string): AppError {
  return new AppError(422, detail, { code: 'NOT_A_TABLE' });
}
