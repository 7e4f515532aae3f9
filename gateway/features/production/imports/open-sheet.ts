import type { ImportKind } from '#contract/resources/imports.ts';
import type { ImportDeps } from './ports.ts';
import { headingsIn } from './read-header.ts';
import { notATable, openTable, type Table, tableOf } from './read-table.ts';

/** Rows in which a sheet must name its columns. */
const LOOKED_AT = 60;
const CELLS_LOOKED_AT = 100;

/** What a file begins with, whatever it is called: a workbook is read in a process of its own. */
function isWorkbook(bytes: Uint8Array): boolean {
  const begins = (...sign: number[]) => sign.every((byte, at) => bytes[at] === byte);
  return begins(0x50, 0x4b, 0x03, 0x04) || begins(0xd0, 0xcf, 0x11, 0xe0);
}

/** A file of text, or every sheet of a workbook that has rows. Throws 422 where there is none. */
export async function openSheets(
  deps: Pick<ImportDeps, 'readWorkbook'>,
  bytes: Uint8Array,
): Promise<readonly [Table, ...Table[]]> {
  if (!isWorkbook(bytes)) return [openTable(bytes)];
  const { file, sheets } = await deps.readWorkbook(bytes);
  const [first, ...more] = sheets
    .filter(({ rows }) => rows.some(({ cells }) => cells.length > 0))
    .map(({ name, rows }) =>
      tableOf({ file, sheet: name, separator: null, encoding: null, all: () => rows }),
    );
  if (first === undefined) throw notATable('The workbook has no sheet with rows', 'EMPTY_FILE');
  return [first, ...more];
}

/** How many columns the row of a sheet names that names most. */
export function mostHeadings(kind: ImportKind, table: Table): number {
  let most = 0;
  let looked = 0;
  for (const { cells } of table.all()) {
    most = Math.max(most, headingsIn(kind, cells.slice(0, CELLS_LOOKED_AT)));
    looked += 1;
    if (looked === LOOKED_AT) break;
  }
  return most;
}

/** The sheet that is named, or names most columns. Throws 422 where there is none of that name. */
export function sheetFor(kind: ImportKind, sheets: readonly Table[], named: string | undefined): Table {
  const [first, ...more] = sheets.filter(({ sheet }) => named === undefined || sheet === named);
  if (first === undefined) throw notATable(`The workbook has no sheet ${named ?? ''}`, 'SHEET_UNKNOWN');
  let best = { table: first, count: mostHeadings(kind, first) };
  for (const table of more) {
    const count = mostHeadings(kind, table);
    if (count > best.count) best = { table, count };
  }
  return best.table;
}
