import type { CsvForm } from '#contract/resources/exports.ts';
import { wallOf, zoneClock } from './zone-clock.ts';

export type Cell = string | number | null;

/** Spreadsheets take a cell that begins so for a formula, and a formula of a stranger can do harm. */
const FORMULA_START = /^[=+\-@\t\r]/;
/** The other separator, too: a spreadsheet of another country cuts there. */
const NEEDS_QUOTES = /[",;\r\n]/;
/** More are no figure any more but what binary fractions leave of one. */
const MOST_DIGITS = 12;
const BYTE_ORDER_MARK = '\uFEFF';

export type CsvText = {
  /** Byte order mark, where wanted, and the header row. */
  head: (names: readonly string[]) => string;
  row: (cells: readonly Cell[]) => string;
};

/** Writes rows as RFC 4180 with CRLF. Text that a spreadsheet would run gets a leading apostrophe; numbers never do. */
export function csvText(form: CsvForm): CsvText {
  const isSemicolon = form.separator === 'semicolon';
  const separator = isSemicolon ? ';' : ',';
  const digits = (value: number) => String(Number(value.toPrecision(MOST_DIGITS)));
  const numberText = isSemicolon ? (value: number) => digits(value).replace('.', ',') : digits;
  const row = (cells: readonly Cell[]): string => {
    let line = '';
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] ?? null;
      if (at > 0) line += separator;
      if (typeof cell === 'number') line += numberText(cell);
      else if (cell !== null) line += textCell(cell);
    }
    return `${line}\r\n`;
  };
  return { head: (names) => (form.bom === '1' ? BYTE_ORDER_MARK : '') + row(names), row };
}

function textCell(text: string): string {
  const harmless = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A column of a file: the value as it is stored, or of an instant what the farm's clock shows. */
export type CsvColumn = { of: string; shows: 'value' | 'day' | 'time' };

/** Rows of a table as lines of a file. Plain data, so that whoever reads the rows can write the lines. */
export type CsvLayout = { form: CsvForm; timezone: string; columns: readonly CsvColumn[] };

/** Writes rows that come as lists of values, in the order of `names`. */
export function csvLines(
  { form, timezone, columns }: CsvLayout,
  names: readonly string[],
): (values: readonly unknown[]) => string {
  const csv = csvText(form);
  const wallText = wallTexts(timezone);
  const places = columns.map(({ of, shows }) => ({ at: names.indexOf(of), shows }));
  const cells: Cell[] = [];
  return (values) => {
    for (let n = 0; n < places.length; n++) {
      const { at = -1, shows = 'value' } = places[n] ?? {};
      const value = cellOf(values[at]);
      if (shows === 'value' || typeof value !== 'string') cells[n] = value;
      else cells[n] = shows === 'day' ? wallText(value).slice(0, 10) : wallText(value).slice(11, 19);
    }
    return csv.row(cells);
  };
}

function cellOf(value: unknown): Cell {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** What the farm's clock shows, as `YYYY-MM-DDTHH:MM:SS…`; the last answer is kept, for day and time of one row. */
function wallTexts(timezone: string): (instantIso: string) => string {
  const clock = zoneClock(timezone);
  let last = '';
  let text = '';
  return (instantIso) => {
    if (instantIso !== last) {
      last = instantIso;
      text = new Date(wallOf(clock, Date.parse(instantIso))).toISOString();
    }
    return text;
  };
}
