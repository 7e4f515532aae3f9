import { plainNumber } from './plain-number.ts';
import type { CsvForm } from './resources/exports.ts';

// Cells of a file for spreadsheets, the same wherever one is made: by the gateway of what is stored, by the console of
// what it shows.

export type Cell = string | number | null;

/** Spreadsheets take a cell that begins so for a formula, and a formula of a stranger can do harm. */
const FORMULA_START = /^[=+\-@\t\r]/;
/** The other separator, too: a spreadsheet of another country cuts there. */
const NEEDS_QUOTES = /[",;\r\n]/;
export const BYTE_ORDER_MARK = '\uFEFF';

/** Writes rows as RFC 4180 with CRLF. Text that a spreadsheet would run gets a leading apostrophe; numbers never do. */
export function csvRows({ separator }: Pick<CsvForm, 'separator'>): (cells: readonly Cell[]) => string {
  const isSemicolon = separator === 'semicolon';
  const between = isSemicolon ? ';' : ',';
  return (cells) => {
    let line = '';
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] ?? null;
      if (at > 0) line += between;
      if (typeof cell === 'number')
        line += isSemicolon ? plainNumber(cell).replace('.', ',') : plainNumber(cell);
      else if (cell !== null) line += textCell(cell);
    }
    return `${line}\r\n`;
  };
}

function textCell(text: string): string {
  const harmless = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
