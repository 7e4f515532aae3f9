import { IMPORT_KINDS, type ImportKind, type ImportLook } from '#contract/resources/imports.ts';
import { COLUMNS } from './columns.ts';
import { missingIn } from './open-file.ts';
import { openSheets, sheetFor } from './open-sheet.ts';
import type { ImportDeps } from './ports.ts';
import type { ColumnsSaid } from './read-header.ts';
import { type Layout, readLayout } from './read-layout.ts';
import { REQUIRED } from './read-rows.ts';
import type { Table } from './read-table.ts';
import { rememberedOf } from './remember-layout.ts';
import { unitsFor } from './units.ts';

/** What every kind has: it tells nothing of what the rows are. */
const IN_ALL = new Set(['batch', 'batch_code', 'pond', 'date', 'time', 'notes']);
const EXAMPLES = 3;
const EXAMPLE_LETTERS = 40;
/** Rows in which examples are looked for. */
const LOOKED_AT = 40;
const MOST_COLUMNS = 200;

export type LookAsked = {
  farmId: string;
  kind: ImportKind | undefined;
  sheet: string | undefined;
  columns: ColumnsSaid;
};

/** What a file is, before anything of it is read as rows: its sheets, what each seems to hold, and its columns. */
export async function lookAtFile(
  deps: Pick<ImportDeps, 'readWorkbook' | 'idOf' | 'queries'>,
  bytes: Uint8Array,
  { farmId, kind: asked, sheet, columns }: LookAsked,
): Promise<ImportLook> {
  const tables = await openSheets(deps, bytes);
  const sheets = tables.map((table) => ({ table, ...likeliest(table) }));
  const chosen =
    asked === undefined && sheet === undefined ? null : sheetFor(asked ?? 'batches', tables, sheet);
  const found =
    sheets.find(({ table }) => table === chosen) ??
    sheets.reduce((best, one) => (one.score > best.score ? one : best));
  const kind = asked ?? found.kind;
  const layout = kind === null ? null : readLayout(kind, found.table, columns);
  return {
    file: found.table.file,
    sheets: sheets.map((each) => ({ name: each.table.sheet, kind: each.kind })),
    sheet: found.table.sheet,
    kind,
    header_row: layout?.headerRow ?? null,
    columns: layout === null ? [] : columnsOf(layout),
    missing: layout === null || kind === null ? [] : missingIn(kind, layout.header, {}),
    twice: [...new Set(layout?.header.twice.map(({ name }) => name))],
    fields:
      kind === null
        ? []
        : COLUMNS[kind].map(({ name }) => ({
            column: name,
            is_needed: REQUIRED[kind].includes(name),
            units: unitsFor(name),
          })),
    remembered:
      layout === null || kind === null
        ? null
        : await rememberedOf(deps, { farmId, kind, headings: layout.headings }),
  };
}

/** The kind whose own columns a sheet names; null where none does, or two alike. */
function likeliest(table: Table): { kind: ImportKind | null; score: number } {
  const [best, next] = IMPORT_KINDS.map((kind) => ({ kind, score: scoreOf(kind, table) })).toSorted(
    (one, other) => other.score - one.score,
  );
  if (best === undefined || best.score <= 0) return { kind: null, score: 0 };
  return best.score === next?.score ? { kind: null, score: 0 } : best;
}

function scoreOf(kind: ImportKind, table: Table): number {
  const { header } = readLayout(kind, table, new Map());
  const names = [...header.columns.map(({ name }) => name), ...header.refused.map(({ column }) => column)];
  const own = new Set(names.filter((name) => !IN_ALL.has(name))).size;
  const missing = missingIn(kind, header, {}).filter((name) => !IN_ALL.has(name)).length;
  return own === 0 ? 0 : 2 * own - missing;
}

function columnsOf({ headings, header, rows }: Layout): ImportLook['columns'] {
  const examples = new Map<number, string[]>();
  let looked = 0;
  for (const { cells } of rows()) {
    for (const [position, cell] of cells.slice(0, MOST_COLUMNS).entries()) {
      const text = String(cell).trim();
      const known = examples.get(position) ?? [];
      if (text === '' || known.length === EXAMPLES) continue;
      examples.set(position, [...known, text.slice(0, EXAMPLE_LETTERS)]);
    }
    looked += 1;
    if (looked === LOOKED_AT) break;
  }
  const read = new Map(header.columns.map((each) => [each.position, each]));
  const twice = new Map(header.twice.map((each) => [each.position, each]));
  const refused = new Map(header.refused.map((each) => [each.position, each]));
  const width = Math.min(MOST_COLUMNS, Math.max(headings.length, ...examples.keys()) + 1);
  return Array.from({ length: width }, (_, position) => {
    const known = read.get(position) ?? twice.get(position);
    const odd = refused.get(position);
    return {
      position: position + 1,
      heading: (headings[position] ?? '').slice(0, 80),
      column: known?.name ?? odd?.column ?? null,
      unit: known?.unit ?? odd?.unit ?? null,
      time: known?.time ?? null,
      examples: examples.get(position) ?? [],
    };
  }).filter(({ heading, examples: cells }) => heading !== '' || cells.length > 0);
}
