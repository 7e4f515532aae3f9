import type { ImportKind, RowNote } from '#contract/resources/imports.ts';
import type { Kernel } from '#core/kernel.ts';
import { COLUMNS, type Column, readHeader } from './columns.ts';
import { type Planned, planRow } from './plan-row.ts';
import type { Cells, PlannedRow, RowFacts } from './ports.ts';
import {
  type DecimalMark,
  dayCell,
  decimalMarkOf,
  instantCell,
  integerCell,
  type NumberManner,
  numberCell,
  type Read,
} from './read-cells.ts';
import { MOST_ROWS, notATable, type Table, tooManyRows } from './read-table.ts';

/** Rows between two breaths, in which heartbeats and orders get their turn. */
const ROWS_AT_ONCE = 25;
/** Cells between two breaths: rows may be long or empty. */
const CELLS_AT_ONCE = 5_000;

export type FileToRead = {
  kind: ImportKind;
  table: Table;
  columns: ReadonlyMap<string, number>;
  ignored: string[];
  manner: NumberManner;
  /** Values of columns that the file does not have, for all its rows. */
  given: Readonly<Record<string, string | undefined>>;
};

/** Learns how the file is written. Throws 422 for a missing column and for too many rows. */
export async function openFile(
  deps: Pick<Kernel, 'pause'>,
  table: Table,
  asked: {
    kind: ImportKind;
    decimal: DecimalMark | undefined;
    given: FileToRead['given'];
  },
): Promise<FileToRead> {
  const { kind, given } = asked;
  const { columns, ignored } = readHeader(kind, table.header);
  const [first = ''] = REQUIRED[kind].filter((name) => !columns.has(name) && given[name] === undefined);
  if (first !== '') {
    const names = [first, ...(COLUMNS[kind].find(({ name }) => name === first)?.aliases ?? [])];
    throw notATable(`The file has no column ${first}; it may be headed ${names.join(', ')}`);
  }
  const manner = await mannerOf(deps, table, { kind, columns, decimal: asked.decimal });
  return { kind, table, columns, ignored, manner, given };
}

const REQUIRED: Readonly<Record<ImportKind, readonly string[]>> = {
  batches: ['batch_code', 'pond', 'species', 'start_date', 'initial_count', 'initial_avg_weight'],
  biometries: ['batch', 'date', 'sample_size'],
  feeding: ['batch', 'date', 'feed_type', 'quantity_kg'],
  measurements: ['pond', 'date'],
};

async function mannerOf(
  deps: Pick<Kernel, 'pause'>,
  table: Table,
  of: { kind: ImportKind; columns: FileToRead['columns']; decimal: DecimalMark | undefined },
): Promise<NumberManner> {
  const positions = COLUMNS[of.kind].flatMap(({ name, is }) =>
    is === 'number' || is === 'integer' ? (of.columns.get(name) ?? []) : [],
  );
  const counts = { comma: 0, point: 0 };
  let rows = 0;
  let cellsRead = 0;
  for (const { cells } of table.rows()) {
    cellsRead += cells.length + 1;
    if (cellsRead >= CELLS_AT_ONCE) {
      cellsRead = 0;
      await deps.pause(1);
    }
    if (cells.length === 0) continue;
    rows += 1;
    if (rows > MOST_ROWS) throw tooManyRows();
    for (const position of positions) {
      const mark = decimalMarkOf(cells[position] ?? '');
      if (mark !== null) counts[mark] += 1;
    }
  }
  if (of.decimal !== undefined) return { mark: of.decimal, isSure: true };
  if (counts.comma === counts.point)
    return { mark: table.separator === ',' ? 'point' : 'comma', isSure: false };
  return { mark: counts.comma > counts.point ? 'comma' : 'point', isSure: true };
}

export type ReadRow = { row: number; planned: PlannedRow } | { row: number; errors: RowNote[] };

/** The rows of the file as what they become, some at a time, with a breath between. */
export async function* readRows(
  deps: Pick<Kernel, 'pause'>,
  file: FileToRead,
  facts: RowFacts,
): AsyncIterable<readonly ReadRow[]> {
  let chunk: ReadRow[] = [];
  let cellsRead = 0;
  for (const { row, cells } of file.table.rows()) {
    cellsRead += cells.length + 1;
    if (cells.length > 0) chunk.push(readRow(file, facts, { row, cells }));
    if (chunk.length < ROWS_AT_ONCE && cellsRead < CELLS_AT_ONCE) continue;
    if (chunk.length > 0) yield chunk;
    chunk = [];
    cellsRead = 0;
    await deps.pause(1);
  }
  if (chunk.length > 0) yield chunk;
}

function readRow(
  file: FileToRead,
  facts: RowFacts,
  { row, cells }: { row: number; cells: readonly string[] },
): ReadRow {
  const read = readCells(file, facts, cells);
  if ('errors' in read) return { row, errors: read.errors.map((error) => ({ row, ...error })) };
  const planned: Planned = planRow(file.kind, read.values, facts);
  if ('errors' in planned) return { row, errors: planned.errors.map((error) => ({ row, ...error })) };
  return { row, planned };
}

function readCells(file: FileToRead, facts: RowFacts, cells: readonly string[]) {
  const values: Record<string, string | number | null> = {};
  const errors: Omit<RowNote, 'row'>[] = [];
  const textOf = (name: string) => cells[file.columns.get(name) ?? -1] ?? file.given[name] ?? '';
  for (const column of COLUMNS[file.kind]) {
    const cell = textOf(column.name);
    const read =
      cell === '' ? { value: null } : readCell(column, cell, { file, facts, time: textOf('time') });
    if ('wrong' in read) errors.push({ column: column.name, code: read.code, message: read.wrong });
    else values[column.name] = read.value;
  }
  const done: { values: Cells } | { errors: Omit<RowNote, 'row'>[] } =
    errors.length > 0 ? { errors } : { values };
  return done;
}

function readCell(
  { is }: Column,
  cell: string,
  { file, facts, time }: { file: FileToRead; facts: RowFacts; time: string },
): Read<string | number | null> {
  switch (is) {
    case 'text':
      return cell.isWellFormed()
        ? { value: cell }
        : { wrong: 'must be well-formed text', code: 'TEXT_NOT_ALLOWED' };
    case 'number':
      return numberCell(cell, file.manner);
    case 'integer':
      return integerCell(cell, file.manner);
    case 'day':
      return dayCell(cell);
    case 'moment':
      return instantCell(cell, file.kind === 'batches' ? '' : time, facts.clock);
    case 'time':
      // read together with its date
      return { value: null };
  }
}
