import type { ImportKind } from '#contract/resources/imports.ts';
import type { ImportDeps } from './ports.ts';
import { type ColumnsSaid, headingsIn } from './read-header.ts';
import { notATable, openTable, type Table, tableOf } from './read-table.ts';

/** Rows in which a sheet must name its columns. */
const LOOKED_AT = 60;
const CELLS_LOOKED_AT = 100;

/** What a file begins with, whatever it is called: a workbook is read in a process of its own. */
function isWorkbook(bytes: Uint8Array): boolean {
  const begins = (...sign: number[]) => sign.every((byte, at) => bytes[at] === byte);
  return begins(0x50, 0x4b, 0x03, 0x04) || begins(0xd0, 0xcf, 0x11, 0xe0);
}

/** Opens a file of text, or the sheet of a workbook that is named or names most columns. Throws 422 where there is none. */
export async function openSheet(
  deps: Pick<ImportDeps, 'readWorkbook'>,
  bytes: Uint8Array,
  asked: { kind: ImportKind; columns: ColumnsSaid; sheet: string | undefined },
): Promise<Table> {
  if (!isWorkbook(bytes)) return openTable(bytes);
  const { file, sheets } = await deps.readWorkbook(bytes);
  const scored = sheets
    .filter(({ name }) => asked.sheet === undefined || name === asked.sheet)
    .map((sheet) => ({
      sheet,
      score: Math.max(
        0,
        ...sheet.rows
          .slice(0, LOOKED_AT)
          .map(({ cells }) => headingsIn(asked.kind, cells.slice(0, CELLS_LOOKED_AT))),
      ),
    }));
  const [first] = scored;
  if (first === undefined) throw notATable(`The workbook has no sheet ${asked.sheet ?? 'with rows'}`);
  const { sheet } = scored.reduce((best, one) => (one.score > best.score ? one : best));
  return tableOf({ file, sheet: sheet.name, separator: null, encoding: null, all: () => sheet.rows });
}
