import { AppError } from '#core/errors.ts';
import type { Cell } from './read-cells.ts';

/** A line of the file as a spreadsheet numbers it: the first is row 1. */
export type TableRow = {
  row: number;
  cells: Cell[];
  /** What a merged cell further up or left says of cells that are empty, by position. */
  carried?: ReadonlyMap<number, Cell>;
  /** Nobody who looks at the sheet sees it. */
  isHidden?: true;
  /** Of the first row of a sheet: columns that nobody sees. */
  hiddenColumns?: readonly number[];
};

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be', 'macintosh', 'ibm850'] as const;

export type Table = {
  file: 'csv' | 'xlsx' | 'xls' | 'ods';
  sheet: string | null;
  separator: Separator | null;
  encoding: (typeof ENCODINGS)[number] | null;
  /** The first row that is not empty. */
  header: Cell[];
  /** The rows below that, read anew each time; an empty one has no cells. */
  rows: () => Iterable<TableRow>;
  /** All rows. */
  all: () => Iterable<TableRow>;
};

/** Longer files are to be cut: an import must end before its connection does. */
export const MOST_ROWS = 100_000;
// What no sheet of a farm has: whatever is sent, a row is read in a moment.
export const MOST_CELLS = 1_000;
export const MOST_LETTERS = 32_767;
/** Of a first line without end, more would not tell another separator. */
const LOOKED_AT = 65_536;

const SEPARATORS = [';', ',', '\t', '|'] as const;
type Separator = (typeof SEPARATORS)[number];
/** Excel writes so which separator follows. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/;
/** What our own exports put before a text that begins like a formula. */
const ESCAPED_FORMULA = /^'(?=[=+\-@\t\r])/;
/** How some write that a cell is text: `="4,1"`, `'4,1`. */
const SAID_TEXT = /^="([^"]*)"$|^'([\d.,:/ +-]*\d[\d.,:/ %-]*)'?$/;
/** What no font shows. */
const UNSEEN = /[\u200E\u200F\uFEFF]/;
const ALL_UNSEEN = new RegExp(UNSEEN, 'g');

/** A cell as it is seen, of whatever file. */
export function seenText(text: string): string {
  const seen = (UNSEEN.test(text) ? text.replaceAll(ALL_UNSEEN, '') : text).trim();
  // nearly every cell of a hundred thousand rows
  if (seen[0] !== "'" && seen[0] !== '=') return seen;
  if (ESCAPED_FORMULA.test(seen)) return seen.slice(1);
  const [, quoted, figure] = SAID_TEXT.exec(seen) ?? [];
  return (quoted ?? figure ?? seen).trim();
}

/** How programs send a form (RFC 7578), whatever they call it: its lines are none of the file's. */
const FORM = /^--[^\r\n]{1,70}\r?\ncontent-(?:disposition|type):/i;

/** Opens a file of text as spreadsheets and loggers write them. Throws 422 for one that is no table. */
export function openTable(bytes: Uint8Array): Table {
  const { text, encoding } = decoded(bytes);
  if (text.includes('\u0000'))
    throw notATable('The file is not a text file, nor a workbook', 'FILE_NOT_TEXT');
  if (FORM.test(text))
    throw notATable(
      'This is a form with a file in it: send the file alone, as the whole body',
      'FILE_NOT_TEXT',
    );
  const told = SEPARATOR_LINE.exec(text);
  const start = told === null ? 0 : told[0].length;
  const separator = SEPARATORS.find((sign) => sign === told?.[1]) ?? separatorOf(text);
  const all = () => readRows(text, start, separator);
  return tableOf({ file: 'csv', sheet: null, separator, encoding, all });
}

/** Throws 422 for a table without rows. */
export function tableOf(from: Omit<Table, 'header' | 'rows'>): Table {
  const first = firstOf(from.all());
  if (first === null)
    throw notATable('The file is empty: its first rows must name the columns', 'EMPTY_FILE');
  return {
    ...from,
    header: first.cells,
    *rows() {
      for (const each of from.all()) if (each.row > first.row) yield each;
    },
  };
}

function firstOf(rows: Iterable<TableRow>): TableRow | null {
  for (const each of rows) if (each.cells.length > 0) return each;
  return null;
}

function decoded(bytes: Uint8Array): { text: string; encoding: (typeof ENCODINGS)[number] } {
  const wide = wideIn(bytes);
  if (wide !== null) return { text: new TextDecoder(wide).decode(bytes), encoding: wide };
  try {
    // a byte order mark is dropped
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return nearlyUtf8(bytes) ?? narrow(bytes);
  }
}

/** One letter that is broken, as where a file was cut or put together, leaves all others what they are. */
function nearlyUtf8(bytes: Uint8Array): { text: string; encoding: 'utf-8' } | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\uFFFD/g)?.length ?? 0;
  const whole = text.match(/[\u00A0-\uFFFC]/g)?.length ?? 0;
  return whole > 4 * broken ? { text, encoding: 'utf-8' } : null;
}

/** Two bytes a letter: as the mark before it says, or as every other byte of plain letters does. */
function wideIn(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const looked = bytes.subarray(0, 512);
  if (looked.length < 4) return null;
  const empty = [0, 0];
  for (const [at, byte] of looked.entries()) if (byte === 0) empty[at % 2] = (empty[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = empty;
  const most = looked.length / 2;
  if (odd > 0.8 * most && even === 0) return 'utf-16le';
  return even > 0.8 * most && odd === 0 ? 'utf-16be' : null;
}

/** What a terminal of DOS wrote, from byte 128 on. */
const IBM850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0';
const EXPECTED = /[áàâãéêíóôõúüçÁÀÂÃÉÊÍÓÔÕÚÜÇºª°µ²³]/g;

/** Of one byte a letter: every byte means something in each encoding, and Portuguese only in one. */
function narrow(bytes: Uint8Array): { text: string; encoding: (typeof ENCODINGS)[number] } {
  const odd = bytes.filter((byte) => byte > 127).subarray(0, LOOKED_AT);
  const readers = {
    'windows-1252': (of: Uint8Array) => new TextDecoder('windows-1252').decode(of),
    macintosh: (of: Uint8Array) => new TextDecoder('macintosh').decode(of),
    ibm850: inIbm850,
  };
  const scores = (['windows-1252', 'macintosh', 'ibm850'] as const).map((encoding) => ({
    encoding,
    score: readers[encoding](odd).match(EXPECTED)?.length ?? 0,
  }));
  // what spreadsheets in Brazil save as plain "CSV", unless another tells more
  const { encoding } = scores.reduce((best, one) => (one.score > best.score ? one : best));
  return { text: readers[encoding](bytes), encoding };
}

function inIbm850(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte < 128 ? String.fromCharCode(byte) : (IBM850[byte - 128] ?? '');
  return text;
}

/** The separator that parts most lines into equally many cells; loggers write titles above the table. */
function separatorOf(text: string): Separator {
  const lines = text
    .slice(0, LOOKED_AT)
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n|\r|\n/, 60)
    .filter((line) => line.trim() !== '');
  const found = SEPARATORS.map((sign) => {
    const counts = Map.groupBy(
      lines.map((line) => line.split(sign).length),
      (count) => count,
    );
    const [most = { lines: 0, count: 1 }] = [...counts]
      .filter(([count]) => count > 1)
      .map(([count, alike]) => ({ lines: alike.length, count }))
      .toSorted((one, other) => other.lines - one.lines || other.count - one.count);
    return { sign, ...most };
  });
  const best = found.reduce((most, one) =>
    one.lines > most.lines || (one.lines === most.lines && one.count > most.count) ? one : most,
  );
  return best.lines > 0 ? best.sign : ',';
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
      if (cells.length === MOST_CELLS)
        throw notATable(`Row ${row} has more than ${MOST_CELLS} columns`, 'TOO_MANY_COLUMNS');
      const cell = text[at] === '"' ? quotedCell(text, at, row) : plainCell(text, at, separator);
      cells.push(seenText(cell.value));
      at = cell.end;
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 2;
    else if (text[at] === '\r' || text[at] === '\n') at += 1;
    else if (at < text.length)
      throw notATable(`Row ${row}: something stands behind a closing quote`, 'ROW_BROKEN');
    yield { row, cells: cells.some((cell) => cell !== '') ? cells : [] };
  }
}

type CellRead = { value: string; end: number };

function plainCell(text: string, start: number, separator: string): CellRead {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') {
    end += 1;
    if (end - start > MOST_LETTERS) throw cellTooLong();
  }
  return { value: text.slice(start, end), end };
}

function quotedCell(text: string, start: number, row: number): CellRead {
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw notATable(`Row ${row}: a quote is opened and never closed`, 'ROW_BROKEN');
    if (quote - start > MOST_LETTERS) throw cellTooLong();
    if (text[quote + 1] !== '"')
      return { value: text.slice(start + 1, quote).replaceAll('""', '"'), end: quote + 1 };
    from = quote + 2;
  }
}

const cellTooLong = () => notATable(`A cell is longer than ${MOST_LETTERS} letters`, 'CELL_TOO_LONG');

export const tooManyRows = () =>
  notATable(`The file has more than ${MOST_ROWS} rows: send it in parts`, 'TOO_MANY_ROWS');

/** Why a file is none that can be read, for whoever tells it in another language. */
export type NoTable =
  | 'EMPTY_FILE'
  | 'FILE_NOT_TEXT'
  | 'ROW_BROKEN'
  | 'TOO_MANY_ROWS'
  | 'TOO_MANY_COLUMNS'
  | 'CELL_TOO_LONG'
  | 'SHEET_UNKNOWN'
  | 'WORKBOOK_UNREADABLE'
  | 'COLUMN_MISSING'
  | 'COLUMN_TWICE'
  | 'COLUMN_UNKNOWN'
  | 'UNIT_UNKNOWN';

export function notATable(detail: string, why: NoTable): AppError {
  return new AppError(422, detail, {
    code: 'NOT_A_TABLE',
    errors: [{ path: 'file', code: why, message: detail }],
  });
}
