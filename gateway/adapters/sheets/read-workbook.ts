import { type CellObject, read, SSF, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { inPieces } from './large-sheets.ts';
import { type Unseen, unseenIn } from './open-document.ts';
import { SheetTrouble } from './sheet-trouble.ts';
import { partsOf } from './zip-parts.ts';

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

export type SheetBounds = {
  inflatedBytes: number;
  rows: number;
  cells: number;
  columns: number;
  letters: number;
  sheets: number;
  /** Larger sheets of an archive are read in pieces. */
  wholeBytes: number;
  pieceBytes: number;
};
/** What no sheet of a farm has; a row more than are imported, so that too many are told. */
export const SHEET_BOUNDS: SheetBounds = {
  inflatedBytes: 128 * 1_048_576,
  rows: 100_200,
  cells: 2_000_000,
  columns: 1_000,
  letters: 32_767,
  sheets: 250,
  wholeBytes: 6 * 1_048_576,
  pieceBytes: 2 * 1_048_576,
};

/** What the visible sheets of a workbook hold, and in which order they stand. */
export type WorkbookTold = { file: 'xlsx' | 'xls' | 'ods'; sheets: string[] };
type Take = (sheet: string, rows: readonly SheetRow[]) => void;

/**
 * Hands over the rows of the visible sheets of a workbook, each sheet's in their order: numbers as numbers, days and times
 * as ISO text. A large sheet comes in pieces, so that memory does not grow with it. Throws SheetTrouble.
 */
export async function readWorkbook(
  bytes: Uint8Array,
  take: Take,
  bounds: SheetBounds = SHEET_BOUNDS,
): Promise<WorkbookTold> {
  const left = { cells: bounds.cells };
  if (bytes[0] !== 0x50) return takeSheets(opened(bytes, bounds), { bounds, left, take, file: 'xls' });
  const parts = partsOf(bytes, bounds);
  const large = await inPieces(parts, bounds);
  if (large === null) {
    const book = opened(bytes, bounds);
    const unseen = bookFile(book) === 'ods' ? await unseenIn(parts, bounds) : undefined;
    return takeSheets(book, { bounds, left, take, file: bookFile(book), unseen });
  }
  const told = takeSheets(opened(large.rest(), bounds), { bounds, left, take, file: 'xlsx' });
  for (const sheet of large.sheets) {
    const corners: Corners = new Map();
    for await (const piece of sheet.pieces())
      takeSheets(opened(piece, bounds), { bounds, left, take, file: 'xlsx', corners });
  }
  return told;
}

const bookFile = (book: WorkBook): 'xlsx' | 'ods' =>
  (book.bookType as string | undefined) === 'ods' ? 'ods' : 'xlsx';

/** What merged cells say of rows below them, by the address of their corner. */
type Corners = Map<string, SheetCell>;
type Taking = {
  bounds: SheetBounds;
  left: { cells: number };
  take: Take;
  corners?: Corners;
  /** Of the sheets of LibreOffice, in their order. */
  unseen?: readonly Unseen[] | undefined;
};

function takeSheets(
  book: WorkBook,
  { file, unseen = [], ...taking }: Taking & Pick<WorkbookTold, 'file'>,
): WorkbookTold {
  const hidden = new Set([
    ...(book.Workbook?.Sheets ?? []).flatMap(({ name, Hidden: isHidden }) =>
      name !== undefined && isHidden ? [name] : [],
    ),
    ...book.SheetNames.filter((_name, at) => unseen[at]?.isWhole === true),
  ]);
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  const sheets = book.SheetNames.filter((name) => !hidden.has(name));
  if (sheets.length > taking.bounds.sheets)
    throw new SheetTrouble(`The workbook has more than ${taking.bounds.sheets} sheets: send it in parts`);
  for (const name of sheets) {
    const sheet = book.Sheets[name];
    const rows = rowsOf(sheet, { ...taking, is1904, unseen: unseen[book.SheetNames.indexOf(name)] });
    if (rows.length > 0) taking.take(name, rows);
  }
  return { file, sheets };
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
      // what is raised or struck out in a cell
      cellHTML: true,
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

type Dense = readonly (readonly (CellObject | undefined)[] | undefined)[];

function rowsOf(
  sheet: WorkSheet | undefined,
  {
    bounds,
    is1904,
    left,
    corners,
    unseen,
  }: Omit<Taking, 'take' | 'unseen'> & { is1904: boolean; unseen: Unseen | undefined },
): SheetRow[] {
  const lines = (sheet?.['!data'] ?? []) as Dense;
  const carried = carriedOf(sheet, lines, { is1904, bounds, corners });
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
    const isHidden = sheet?.['!rows']?.[index]?.hidden === true || unseen?.rows.has(index) === true;
    const columns = rows.length === 0 ? (unseen?.columns ?? hiddenColumnsOf(sheet)) : [];
    rows.push({
      row: index + 1,
      cells,
      ...(merged === undefined ? {} : { carried: merged }),
      ...(isHidden ? { isHidden } : {}),
      ...(columns.length === 0 ? {} : { hiddenColumns: [...columns] }),
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
  { is1904, bounds, corners }: { is1904: boolean; bounds: SheetBounds; corners: Corners | undefined },
): Map<number, Map<number, SheetCell>> {
  const carried = new Map<number, Map<number, SheetCell>>();
  let left = bounds.cells;
  for (const { s: from, e: to } of sheet?.['!merges'] ?? []) {
    const corner = `${from.r} ${from.c}`;
    const value = corners?.get(corner) ?? cellOf(lines[from.r]?.[from.c], is1904);
    if (value === '') continue;
    // the rows below may come with a later piece of the sheet
    if (to.r >= lines.length) corners?.set(corner, value);
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
  return (marked(cell.h) ?? String(cell.v)).replaceAll('\u0000', '').trim();
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Text of several formats, with what is raised or struck out as that: `4,1` with a small 2 behind is no 4,12, and a 4 struck out
 * before a 5 no 45. Null: it has neither.
 */
function marked(html: unknown): string | null {
  if (typeof html !== 'string' || !/<(?:sup|s)>/.test(html)) return null;
  return html
    .replaceAll(/<sup>(.*?)<\/sup>/gs, (_whole, raised: string) =>
      raised.replaceAll(/\d/g, (digit) => RAISED[Number(digit)] ?? digit),
    )
    .replaceAll(/<s>(.*?)<\/s>/gs, '~$1~')
    .replaceAll(/<\/?(?:span|b|i|u|sub|br)\b[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function numberOf(value: number, format: string, is1904: boolean): SheetCell {
  if (format !== '' && SSF.is_date(format)) return dateOf(value, format, is1904);
  // 85 % is held as 0.85, and sums of binary fractions as 0.30000000000000004; a sign in quotes is only written behind
  const isPercent = /%/.test(format.replaceAll(/"[^"]*"|\\./g, ''));
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
  return /[\p{L}%°‰]/u.test(text) && !/^(?:e[+-]|[a-z]{0,2}[$€£]|brl|usd|eur|general)/i.test(text)
    ? text
    : '';
}

function dateOf(serial: number, format: string, is1904: boolean): SheetCell {
  const seconds = Math.round(serial * 86_400);
  const { y, m, d, H, M, S } = SSF.parse_date_code(seconds / 86_400 + 1e-9, { date1904: is1904 }) ?? {};
  if (y === undefined) return '#N/A';
  const two = (part: number) => String(part).padStart(2, '0');
  const time = `${two(H)}:${two(M)}:${two(Math.floor(S))}`;
  if (serial < 1) return time;
  // what shows no day means a month, and not the first of it
  const shown = format.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, '').toLowerCase();
  if (serial >= 60 && !/[dh]/.test(shown) && /[my]/.test(shown) && time === '00:00:00')
    return `${y}-${two(m)}`;
  const day = `${y}-${two(m)}-${two(d)}`;
  return time === '00:00:00' ? day : `${day} ${time}`;
}
