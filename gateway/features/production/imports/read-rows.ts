import type { ImportKind, RowNote } from '#contract/resources/imports.ts';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import { wallOf } from '#core/zone-clock.ts';
import { LANGUAGES, type Language } from '#science/advice/language.ts';
import { COLUMNS, type Column } from './columns.ts';
import type { Said } from './doubt-words.ts';
import { noteOf } from './import-words.ts';
import { planRow } from './plan-row.ts';
import type { CellNote, Cells, PlannedRow, RowFacts } from './ports.ts';
import {
  type Cell,
  dayCell,
  instantCell,
  integerCell,
  isGroupedAlone,
  isNoValue,
  LONGEST_FIGURE,
  numberCell,
  type Read,
} from './read-cells.ts';
import type { ColumnRead } from './read-header.ts';
import type { FileToRead } from './read-layout.ts';
import type { TableRow } from './read-table.ts';
import { SPANISH_EXAMPLES } from './spanish-columns.ts';
import { headerAgainIn } from './survey-file.ts';
import { conversionOf, converted, needsWater, unitOf } from './units.ts';

export type Told = { kind: 'note' | 'warning' } & RowNote;
export type ReadRow =
  | { is: 'row'; row: number; planned: PlannedRow; values: Cells; isTimed: boolean; told: Told[] }
  | { is: 'wrong'; row: number; errors: RowNote[] }
  | { is: 'left out'; row: number; because: 'skip' | 'no record'; told: Told[] };

export type GoodRow = Extract<ReadRow, { is: 'row' }>;
export type Identified = GoodRow & { id: string };
export type ImportBy = { caller: Caller; farm: FarmAccess; language: Language };

const FIELDS: ReadonlySet<string> = new Set<string>(WATER_FIELDS);

/** A row of the file as what it becomes: one thing, or as many as it has columns of hours or meals. */
export function readRow(file: FileToRead, facts: RowFacts, row: TableRow): ReadRow[] {
  const leftOut = whyLeftOut(file, facts, row);
  if (leftOut !== null) return [leftOut];
  if (isTooLong(file, row.cells))
    return [
      { is: 'wrong', row: row.row, errors: [{ row: row.row, ...noteOf(facts.language, 'ROW_TOO_LONG') }] },
    ];
  const variants = file.variants.flatMap((columns) => readVariant(file, facts, { row, columns }) ?? []);
  if (variants.length > 0)
    return [...withTotal(file, facts, { row, variants: withDoubt(file, facts, { row, variants }) })];
  const total = totalOf(file, row.cells);
  if (total !== null && total > 0) {
    const cell = String(row.cells[file.total ?? -1] ?? '');
    const note = noteOf(facts.language, 'TOTAL_ALONE', { column: 'quantity_kg', cell });
    return [{ is: 'wrong', row: row.row, errors: [{ row: row.row, ...note }] }];
  }
  const told: Told = { kind: 'note', row: row.row, ...noteOf(facts.language, 'EMPTY_ROW') };
  return [{ is: 'left out', row: row.row, because: 'no record', told: [told] }];
}

/** Between commas a decimal comma without quotes makes two cells of one, and every cell behind them another's. */
function isTooLong({ table, headings, width, columns }: FileToRead, cells: readonly Cell[]): boolean {
  if (table.separator !== ',') return false;
  if (cells.length > width || cells.slice(headings.length).some((cell) => cell !== '')) return true;
  // or its decimals fall into the remarks beside it
  return columns.some(
    ({ is, position }) =>
      is === 'text' &&
      columns.some((each) => each.position === position - 1 && each.is === 'number') &&
      /^\d{1,3}$/.test(String(cells[position] ?? '')) &&
      /^[+-]?\d+$/.test(String(cells[position - 1] ?? '')),
  );
}

/** Cells at the beginning of a line that sums up or averages the lines above. */
const TOTALS =
  /^(?:sub)?(?:total|totais|totales|tot|soma|suma|sum|prom|m[ée]dias?|promedios?|mean|average|m[íi]n(?:imo)?|min(?:imum)?|m[áa]x(?:imo)?|max(?:imum)?|desvio(?: padr[ãa]o)?|desviaci[óo]n(?: est[áa]ndar)?|std\.?(?: dev\.?)?|acumulado)\b(?!-)/iu;

function whyLeftOut(file: FileToRead, { language }: RowFacts, { row, cells }: TableRow): ReadRow | null {
  const because = (sentence: string, cell: string): ReadRow => ({
    is: 'left out',
    row,
    because: 'no record',
    told: [{ kind: 'note', row, ...noteOf(language, sentence, { cell }) }],
  });
  if (file.skip.has(row)) return { is: 'left out', row, because: 'skip', told: [] };
  const at = cells.findIndex((cell) => cell !== '');
  const first = cells[at] ?? '';
  const dated = file.columns.find(({ is }) => is === 'moment' || is === 'day');
  const date = dated === undefined ? '' : (cells[dated.position] ?? '');
  const isDated = date !== '' && !('code' in dayCell(date, file.dates));
  // a pond may be called so
  const isName = isDated && file.columns.some(({ position }) => position === at);
  if (typeof first === 'string' && TOTALS.test(first) && !isName) return because('TOTALS_LINE', first);
  if (headerAgainIn({ header: file, headings: file.headings, kind: file.kind }, cells) === 'same')
    return because('HEADER_AGAIN', String(first));
  return isExample(file, cells) ? because('TEMPLATE_EXAMPLE', '') : null;
}

/** The row below the header of our own template, in any language. */
function isExample({ kind, columns }: FileToRead, cells: readonly Cell[]): boolean {
  const expected = columns.flatMap(({ name, position }) => {
    const column = COLUMNS[kind].find((each) => each.name === name);
    return column === undefined ? [] : [{ column, cell: String(cells[position] ?? '') }];
  });
  return (
    expected.filter(({ cell }) => cell !== '').length >= 4 &&
    expected.every(({ column, cell }) => LANGUAGES.some((language) => exampleIn(language, column) === cell))
  );
}

/** How a template shows an example. */
export function exampleIn(language: Language, { is, example }: Column): string {
  if (language === 'es') return SPANISH_EXAMPLES[example] ?? example;
  if (language === 'pt-BR') return example;
  if (is === 'day' || is === 'moment') return example.split('/').toReversed().join('-');
  return is === 'number' ? example.replace(',', '.') : example;
}

type Variant = { row: TableRow; columns: ReadonlyMap<string, ColumnRead> };

/** Null: of the hour or meal nothing was written down. */
function readVariant(file: FileToRead, facts: RowFacts, variant: Variant): ReadRow | null {
  const { row } = variant.row;
  const read = readCells(file, facts, variant);
  const isSlot = file.variants.length > 1 || [...variant.columns.values()].some(({ slot }) => slot !== null);
  const hasValue = Object.entries(read.values).some(
    ([name, value]) => value !== null && (FIELDS.has(name) || name === 'quantity_kg'),
  );
  if (read.errors.length === 0 && !hasValue) {
    // what was marked as without value, and what a logger writes of itself between its readings
    const isBlank = file.kind === 'measurements' && (read.hasMarks || file.logger !== null);
    if (isBlank || (isSlot && (file.kind === 'measurements' || file.kind === 'feeding'))) return null;
  }
  const errors = read.errors.map((error) => ({ row, ...error }));
  if (errors.length > 0) return { is: 'wrong', row, errors };
  const planned = planRow(file.kind, read.values, facts);
  if ('errors' in planned)
    return { is: 'wrong', row, errors: planned.errors.map((error) => ({ row, ...error })) };
  const { values, isTimed } = read;
  return { is: 'row', row, planned, values, isTimed, told: read.told.map((told) => ({ row, ...told })) };
}

/** By hand people write that the line above holds on; a name it is never. */
const DITTO =
  /^(?:(?:["'´`”“″〃„]|\/\/){1,4}|[ií]dem|id\.|ditto|do\.|mesm[oa]|(?:el |la )?mism[oa]|same|igual)$/iu;

type CellsRead = {
  values: Record<string, string | number | null>;
  errors: CellNote[];
  told: ({ kind: 'note' | 'warning' } & CellNote)[];
  isTimed: boolean;
  /** Something was marked as without value. */
  hasMarks: boolean;
};

function readCells(file: FileToRead, facts: RowFacts, { row, columns }: Variant): CellsRead {
  const done: CellsRead = { values: {}, errors: [], told: [], isTimed: false, hasMarks: false };
  const say = (kind: 'note' | 'warning', sentence: string, said: Said & { column: string }) =>
    void done.told.push({ kind, ...noteOf(facts.language, sentence, said) });
  const cellOf = (name: string): Cell => {
    const column = columns.get(name);
    const own = column === undefined ? '' : (row.cells[column.position] ?? '');
    const carried = own === '' && column !== undefined ? row.carried?.get(column.position) : undefined;
    // what a merged cell says holds for names and days, never for amounts
    if (carried !== undefined && column?.is !== 'number' && column?.is !== 'integer') {
      say('note', 'CARRIED_DOWN', { column: name, cell: String(carried) });
      return carried;
    }
    return own === '' ? (file.given[name] ?? '') : own;
  };
  const slot = [...columns.values()].find((each) => each.slot !== null)?.time ?? null;
  const half = file.half === null ? '' : (row.cells[file.half] ?? '');
  const time = slot ?? (half === '' ? cellOf('time') : `${cellOf('time')} ${half}`);
  const waits: { column: ColumnRead; value: number }[] = [];
  for (const column of COLUMNS[file.kind]) {
    const { name } = column;
    const cell = name === 'time' ? '' : cellOf(name);
    done.values[name] = null;
    if (cell === '') continue;
    if (isNoValue(cell) && (column.is !== 'text' || name === 'pond')) {
      done.hasMarks = true;
      if (column.is === 'number' || column.is === 'integer')
        say('note', 'NO_VALUE', { column: name, cell: String(cell) });
      continue;
    }
    if (column.is === 'text' && name !== 'notes' && DITTO.test(String(cell).trim())) {
      done.errors.push(noteOf(facts.language, 'DITTO', { column: name, cell: String(cell) }));
      continue;
    }
    const at = columns.get(name);
    const read = readCell(column, cell, { file, facts, time: file.kind === 'batches' ? '' : time, at });
    if ('code' in read) {
      const wrong = read.code === 'NOT_A_TIME' ? String(time === '' ? cell : time) : String(cell);
      done.errors.push(
        noteOf(facts.language, read.sentence ?? read.code, {
          column: name,
          cell: wrong,
          other: unitIn(cell) ?? '',
        }),
      );
      continue;
    }
    done.values[name] = read.value;
    if (read.told !== undefined)
      say('warning', read.told, {
        column: name,
        cell: [cell, time].filter((text) => text !== '').join(' '),
        ...(typeof read.value === 'number' ? { value: read.value } : {}),
      });
    if (column.is === 'moment') done.isTimed = time !== '' || isTimed(cell, read.value, file, facts);
    if (at !== undefined && typeof read.value === 'number' && needsWater(at.conversion))
      waits.push({ column: at, value: read.value });
  }
  convertWithWater(file, facts, { done, waits });
  return done;
}

/** Oxygen in per cent and conductivity become what they are in the water of the row. */
function convertWithWater(
  file: FileToRead,
  facts: RowFacts,
  { done, waits }: { done: CellsRead; waits: readonly { column: ColumnRead; value: number }[] },
): void {
  const known = (name: string) => {
    const value = done.values[name];
    return typeof value === 'number' ? value : null;
  };
  // salinity first: oxygen asks for it
  const inOrder = waits.toSorted(
    (one, other) => Number(other.column.name === 'salinity') - Number(one.column.name === 'salinity'),
  );
  for (const { column, value } of inOrder) {
    const isSalinity = column.name === 'salinity';
    const water = {
      temperatureC: known('temperature'),
      salinityPpt: isSalinity ? null : (known('salinity') ?? file.salinity),
    };
    const read = converted(value, column.conversion, water);
    if (typeof read === 'number') done.values[column.name] = read;
    else {
      done.values[column.name] = null;
      done.errors.push(noteOf(facts.language, read, { column: column.name, cell: String(value) }));
    }
  }
}

type Beside = { file: FileToRead; facts: RowFacts; time: Cell; at: ColumnRead | undefined };

function readCell(
  column: Column,
  cell: Cell,
  { file, facts, time, at }: Beside,
): Read<string | number | null> {
  switch (column.is) {
    case 'text':
      return String(cell).isWellFormed() ? { value: String(cell) } : { code: 'TEXT_NOT_ALLOWED' };
    case 'number':
    case 'integer':
      return figureCell(column, cell, { file, at });
    case 'day':
      return dayCell(cell, file.dates);
    case 'moment':
      return instantCell(cell, time, facts.clock, file.dates);
    case 'time':
      // read together with its date
      return { value: null };
  }
}

/** `5,2 mg/L`: a unit in the cell is read as one in the heading. */
const WITH_UNIT = /^([+-]?[\d.,\s\u00A0'’]*\d)\s*([^\d\s.,].*)$/;
const unitIn = (cell: Cell): string | null =>
  typeof cell === 'string' && cell.length <= LONGEST_FIGURE ? (WITH_UNIT.exec(cell)?.[2] ?? null) : null;

function figureCell(
  { name, is }: Column,
  given: Cell,
  { file, at }: Pick<Beside, 'file' | 'at'>,
): Read<number> {
  const found =
    typeof given === 'string' && given.length <= LONGEST_FIGURE
      ? WITH_UNIT.exec(given.replace(/^(?:R|US)?\$\s*/i, ''))
      : null;
  const unit = found === null ? null : unitOf(found[2] ?? '');
  const own = unit === null ? null : conversionOf(name, unit);
  if (unit !== null && own === null) return { code: 'UNIT_NOT_KNOWN' };
  const conversion = own ?? at?.conversion ?? 1;
  const cell =
    unit === null
      ? typeof given === 'string'
        ? given.replace(/^(?:R|US)?\$\s*/i, '')
        : given
      : (found?.[1] ?? '');
  const manner = file.manners.get(at?.position ?? -1) ?? file.manner;
  const isWhole = is === 'integer' && conversion === 1;
  const read = isWhole ? integerCell(cell, manner) : numberCell(cell, manner);
  if ('code' in read) return read;
  const isDoubtful =
    is === 'number' && file.followers.has(at?.position ?? -1) && isGroupedAlone(cell, manner.mark);
  const told = manner.mark === 'comma' ? 'READ_AS_THOUSANDS' : 'READ_AS_THOUSANDS_POINT';
  // `58 %` in a column of per cent says what its heading does
  const isOfColumn = unit !== null && unit === unitOf(at?.unit ?? '');
  if (needsWater(conversion)) return own === null || isOfColumn ? read : { code: 'UNIT_NOT_KNOWN' };
  const value = converted(read.value, conversion, { temperatureC: null, salinityPpt: null });
  if (typeof value !== 'number') return { code: value };
  if (is === 'integer' && !Number.isInteger(value)) return { code: 'NOT_A_WHOLE_NUMBER' };
  return isDoubtful ? { value, told } : { value };
}

/** Whether the cell of a date says a time, too: what it says is not the start of a day, or it has the signs of a time. */
function isTimed(cell: Cell, value: string | number | null, file: FileToRead, { clock }: RowFacts): boolean {
  if (file.dates.offsetMs !== null || typeof value !== 'string') return true;
  const wall = new Date(wallOf(clock, Date.parse(value))).toISOString();
  return !wall.endsWith('T00:00:00.000Z') || /\d\s*(?::\d{2}|h)/i.test(String(cell));
}

/** What the column says that sums up the meals; null: nothing that is a figure. */
function totalOf({ total, manners, manner }: FileToRead, cells: readonly Cell[]): number | null {
  const cell = total === null ? '' : (cells[total] ?? '');
  if (cell === '') return null;
  const read = numberCell(cell, manners.get(total ?? -1) ?? manner);
  return 'code' in read ? null : read.value;
}

/** A row with a date and an amount may be a total nevertheless: `L-1; 13/02; Total do dia; 37,5`. */
function withDoubt(
  { columns }: FileToRead,
  { language }: RowFacts,
  { row, variants }: { row: TableRow; variants: ReadRow[] },
): ReadRow[] {
  const [first] = variants;
  if (first?.is !== 'row') return variants;
  const isFigure = ({ is, name }: ColumnRead) => is !== 'text' || name === 'notes';
  const not = columns.filter(isFigure).map(({ position }) => position);
  const at = row.cells.findIndex(
    (cell, position) => typeof cell === 'string' && TOTALS.test(cell) && !not.includes(position),
  );
  if (at === -1) return variants;
  const column = columns.find(({ position }) => position === at)?.name ?? null;
  const note = noteOf(language, 'MAY_BE_TOTAL', { column, cell: String(row.cells[at]) });
  first.told.push({ kind: 'warning', row: row.row, ...note });
  return variants;
}

/** What the meals of a row sum up to, against the column that says so. */
function withTotal(
  file: FileToRead,
  facts: RowFacts,
  { row, variants }: { row: TableRow; variants: ReadRow[] },
): ReadRow[] {
  const total = totalOf(file, row.cells);
  const [first] = variants;
  if (total === null || first?.is !== 'row') return variants;
  const sum = variants.reduce((kg, each) => {
    const value = each.is === 'row' ? each.values['quantity_kg'] : 0;
    return kg + (typeof value === 'number' ? value : 0);
  }, 0);
  const meals = file.columns.find(({ name }) => name === 'quantity_kg')?.conversion;
  const kg = file.totalKg ?? (typeof meals === 'number' ? meals : 1);
  if (Math.abs(sum - total * kg) < 0.006) return variants;
  const note = noteOf(facts.language, 'TOTAL_DIFFERS', {
    column: 'quantity_kg',
    value: sum,
    other: String(row.cells[file.total ?? -1]),
  });
  first.told.push({ kind: 'warning', row: row.row, ...note });
  return variants;
}

/** What each kind must have, in its own column or for all rows. */
export const REQUIRED: Readonly<Record<ImportKind, readonly string[]>> = {
  batches: ['batch_code', 'pond', 'species', 'start_date', 'initial_count', 'initial_avg_weight'],
  biometries: ['batch', 'date', 'sample_size'],
  feeding: ['batch', 'date', 'feed_type', 'quantity_kg'],
  measurements: ['pond', 'date'],
  meters: ['meter', 'date', 'counter'],
};
