import { inflateRawSync } from 'node:zlib';
import { type CellObject, read, SSF, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { SheetTrouble } from './sheet-trouble.ts';

export type SheetCell = string | number;
export type SheetRow = {
  row: number;
  cells: SheetCell[];
  carried?: Map<number, SheetCell>;
  /** Nobody who looks at the sheet sees it. */
  isHidden?: true;
  /** Of the first row of a sheet: columns that nobody sees. */
  hiddenColumns?: number[];
};
export type WorkbookRead = { file: 'xlsx' | 'xls' | 'ods'; sheets: { name: string; rows: SheetRow[] }[] };

export type SheetBounds = {
  inflatedBytes: number;
  rows: number;
  cells: number;
  columns: number;
  letters: number;
  sheets: number;
};
/** What no sheet of a farm has; a row more than are imported, so that too many are told. */
export const SHEET_BOUNDS: SheetBounds = {
  inflatedBytes: 128 * 1_048_576,
  rows: 100_200,
  cells: 2_000_000,
  columns: 1_000,
  letters: 32_767,
  sheets: 250,
};

/** The visible sheets of a workbook: numbers as numbers, days and times as ISO text. Throws SheetTrouble. */
export function readWorkbook(bytes: Uint8Array, bounds: SheetBounds = SHEET_BOUNDS): WorkbookRead {
  if (bytes[0] === 0x50) refuseBombs(bytes, bounds);
  const book = opened(bytes, bounds);
  const hidden = new Set(
    (book.Workbook?.Sheets ?? []).flatMap(({ name, Hidden: isHidden }) =>
      name !== undefined && isHidden ? [name] : [],
    ),
  );
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  const left = { cells: bounds.cells };
  const names = book.SheetNames.filter((name) => !hidden.has(name));
  if (names.length > bounds.sheets)
    throw new SheetTrouble(`The workbook has more than ${bounds.sheets} sheets: send it in parts`);
  const sheets = names.map((name) => ({ name, rows: rowsOf(book.Sheets[name], { bounds, is1904, left }) }));
  const filled = sheets.filter(({ rows }) => rows.length > 0);
  return { file: fileOf(book, bytes), sheets: filled };
}

function opened(bytes: Uint8Array, bounds: SheetBounds): WorkBook {
  try {
    return read(bytes, {
      type: 'array',
      dense: true,
      cellNF: true,
      // a formula whose program never reckoned it has no value, and must not be taken for an empty cell
      cellFormula: true,
      sheetStubs: true,
      cellHTML: false,
      // rows and columns that are hidden
      cellStyles: true,
      // of LibreOffice's only what is shown tells per cent
      cellText: isOpenDocument(bytes),
      sheetRows: bounds.rows,
    });
  } catch (error) {
    const isLocked = /password|encrypt/i.test(error instanceof Error ? error.message : '');
    throw new SheetTrouble(
      isLocked
        ? 'The workbook is protected by a password: save it without'
        : 'The workbook cannot be read: save it anew',
    );
  }
}

/** Its first part says what it is. */
const isOpenDocument = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && Buffer.from(bytes.subarray(30, 38)).toString('latin1') === 'mimetype';

const fileOf = (book: WorkBook, bytes: Uint8Array): WorkbookRead['file'] => {
  if (bytes[0] !== 0x50) return 'xls';
  return (book.bookType as string | undefined) === 'ods' ? 'ods' : 'xlsx';
};

type Dense = readonly (readonly (CellObject | undefined)[] | undefined)[];

function rowsOf(
  sheet: WorkSheet | undefined,
  { bounds, is1904, left }: { bounds: SheetBounds; is1904: boolean; left: { cells: number } },
): SheetRow[] {
  const lines = (sheet?.['!data'] ?? []) as Dense;
  const carried = carriedOf(sheet, lines, is1904, bounds);
  const rows: SheetRow[] = [];
  for (const [index, line] of lines.entries()) {
    const merged = carried.get(index);
    if (line === undefined && merged === undefined) continue;
    const width = widthOf(line);
    if (width > bounds.columns)
      throw new SheetTrouble(`Row ${index + 1} has more than ${bounds.columns} columns`);
    const cells = Array.from({ length: width }, (_, at) => cellOf(line?.[at], is1904));
    left.cells -= cells.length;
    if (left.cells < 0) throw new SheetTrouble(`The workbook has more than ${bounds.cells} cells`);
    if (cells.some((cell) => typeof cell === 'string' && cell.length > bounds.letters))
      throw new SheetTrouble(`A cell is longer than ${bounds.letters} letters`);
    if (cells.every((cell) => cell === '')) continue;
    const isHidden = sheet?.['!rows']?.[index]?.hidden === true;
    const unseen = rows.length === 0 ? hiddenColumnsOf(sheet) : [];
    rows.push({
      row: index + 1,
      cells,
      ...(merged === undefined ? {} : { carried: merged }),
      ...(isHidden ? { isHidden } : {}),
      ...(unseen.length === 0 ? {} : { hiddenColumns: unseen }),
    });
  }
  return rows;
}

const hiddenColumnsOf = (sheet: WorkSheet | undefined): number[] =>
  (sheet?.['!cols'] ?? []).flatMap((column, at) => (column?.hidden === true ? [at] : []));

/** Cells up to the last that holds something: a coloured row goes on to the end of the sheet. */
function widthOf(line: readonly (CellObject | undefined)[] | undefined): number {
  let width = line?.length ?? 0;
  while (width > 0 && isBlank(line?.[width - 1])) width -= 1;
  return width;
}

const isBlank = (cell: CellObject | undefined): boolean =>
  cell === undefined || (cell.t === 'z' && cell.f === undefined);

/** Merged cells hold their value once, in the corner: what it says of the others, by row and position. */
function carriedOf(
  sheet: WorkSheet | undefined,
  lines: Dense,
  is1904: boolean,
  bounds: SheetBounds,
): Map<number, Map<number, SheetCell>> {
  const carried = new Map<number, Map<number, SheetCell>>();
  let left = bounds.cells;
  for (const { s: from, e: to } of sheet?.['!merges'] ?? []) {
    const value = cellOf(lines[from.r]?.[from.c], is1904);
    if (value === '') continue;
    for (let row = from.r; row <= Math.min(to.r, lines.length - 1); row += 1) {
      for (let column = from.c; column <= Math.min(to.c, bounds.columns); column += 1) {
        left -= 1;
        if (left < 0) throw new SheetTrouble(`The workbook has more than ${bounds.cells} merged cells`);
        const ofRow = carried.get(row) ?? new Map<number, SheetCell>();
        if (row !== from.r || column !== from.c) carried.set(row, ofRow.set(column, value));
      }
    }
  }
  return carried;
}

function cellOf(cell: CellObject | undefined, is1904: boolean): SheetCell {
  if (cell === undefined) return '';
  if (cell.t === 'e') return '#N/A';
  if (cell.t === 'z') return cell.f === undefined ? '' : `=${cell.f.slice(0, 60)}`;
  if (cell.v === undefined || cell.v === null) return '';
  if (cell.t === 'n' && typeof cell.v === 'number') {
    // LibreOffice says of the value itself that it is per cent
    const format = cell.z ?? (/%\s*$/.test(cell.w ?? '') ? '0%' : '');
    return numberOf(cell.v, String(format), is1904);
  }
  if (cell.t === 'd' && cell.v instanceof Date) return cell.v.toISOString();
  if (cell.t === 'b') return String(cell.v);
  return String(cell.v).replaceAll('\u0000', '').trim();
}

function numberOf(value: number, format: string, is1904: boolean): SheetCell {
  if (format !== '' && SSF.is_date(format)) return dateOf(value, is1904);
  // 85 % is held as 0.85, and sums of binary fractions as 0.30000000000000004
  const isPercent = /%/.test(format.replaceAll(/"[^"]*"/g, ''));
  const figure = Number((isPercent ? value * 100 : value).toPrecision(14));
  // a column of mg/L may be formatted so, and then means saturation
  const unit = isPercent ? '%' : unitIn(format);
  return unit === '' ? figure : `${neverGrouped(figure)} ${unit}`;
}

/** `1.125` as text might be a thousand and something. */
const neverGrouped = (figure: number): string => String(figure).replace(/\.\d{3}$/, '$&0');

/** What a format writes behind the figure, such as µg/L: a cell that looks so means it. */
function unitIn(format: string): string {
  const [positive = ''] = format.split(';');
  const [, behind = ''] = /[0#?]([^0#?]*)$/.exec(positive) ?? [];
  const text = behind
    .replaceAll(/[_*].|\[[^\]]*\]/g, '')
    .replaceAll(/"([^"]*)"|\\(.)/g, '$1$2')
    .trim();
  return /[\p{L}%°‰]/u.test(text) && !/^(?:%|e[+-]|[a-z]{0,2}[$€£]|brl|usd|eur|general)/i.test(text)
    ? text
    : '';
}

function dateOf(serial: number, is1904: boolean): SheetCell {
  const seconds = Math.round(serial * 86_400);
  const { y, m, d, H, M, S } = SSF.parse_date_code(seconds / 86_400 + 1e-9, { date1904: is1904 }) ?? {};
  if (y === undefined) return '#N/A';
  const two = (part: number) => String(part).padStart(2, '0');
  const time = `${two(H)}:${two(M)}:${two(Math.floor(S))}`;
  if (serial < 1) return time;
  const day = `${y}-${two(m)}-${two(d)}`;
  return time === '00:00:00' ? day : `${day} ${time}`;
}

// Archives ----------------------------------------------------------------------------------------------------------

const ENTRY = 0x02014b50;
const END = 0x06054b50;
const LOCAL = 0x04034b50;
const MOST_ENTRIES = 2_000;

/** What an archive says of its size is proved by inflating it, no further than that. Throws SheetTrouble. */
function refuseBombs(bytes: Uint8Array, { inflatedBytes, rows }: SheetBounds): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const broken = () => new SheetTrouble('The workbook is damaged: save it anew');
  let end = bytes.length - 22;
  while (end >= 0 && end > bytes.length - 66_000 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0 || view.getUint32(end, true) !== END) throw broken();
  const entries = view.getUint16(end + 10, true);
  if (entries > MOST_ENTRIES) throw new SheetTrouble('The workbook has too many parts');
  let at = view.getUint32(end + 16, true);
  let left = inflatedBytes;
  for (let n = 0; n < entries; n += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== ENTRY) throw broken();
    const method = view.getUint16(at + 10, true);
    const packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const local = view.getUint32(at + 42, true);
    left -= size;
    if (left < 0) throw new SheetTrouble('The workbook is too large when it is unpacked');
    if (local + 30 > bytes.length || view.getUint32(local, true) !== LOCAL) throw broken();
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const name = Buffer.from(bytes.subarray(at + 46, at + 46 + view.getUint16(at + 28, true))).toString(
      'latin1',
    );
    if (method !== 8 && (method !== 0 || packed !== size)) throw broken();
    const kept = bytes.subarray(start, start + packed);
    const whole = method === 8 ? proved(kept, size) : kept;
    if (SHEET_PART.test(name) && lastRowIn(whole) > rows) throw tooManyRows(rows);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
}

function proved(packed: Uint8Array, size: number): Uint8Array {
  try {
    const whole = inflateRawSync(packed, { maxOutputLength: size + 1 });
    if (whole.length === size) return whole;
  } catch {
    // longer than it says, or damaged
  }
  throw new SheetTrouble('The workbook is damaged: save it anew');
}

const SHEET_PART = /^xl\/worksheets\/[^/]+\.xml$/;
const tooManyRows = (rows: number) =>
  new SheetTrouble(`The workbook has rows below row ${rows}: send it in parts`);

/** The last row of a sheet that holds something, however many below it are only coloured; what lies beyond is not read. */
function lastRowIn(xml: Uint8Array): number {
  const text = Buffer.from(xml.buffer, xml.byteOffset, xml.byteLength);
  const value = Math.max(text.lastIndexOf('</v>'), text.lastIndexOf('</is>'));
  const row = value === -1 ? -1 : text.lastIndexOf('<row ', value);
  const head = row === -1 ? '' : text.toString('latin1', row, row + 200);
  return Number(/^<row [^>]*?\br="(\d+)"/.exec(head)?.[1] ?? 0);
}
