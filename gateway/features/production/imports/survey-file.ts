import type { ImportKind } from '#contract/resources/imports.ts';
import { nextTurn } from '#core/one-a-turn.ts';
import { wordOf } from './columns.ts';
import {
  type Cell,
  type DecimalMark,
  dateFiguresOf,
  decimalMarkOf,
  isNoValue,
  LONGEST_FIGURE,
} from './read-cells.ts';
import { type Header, headingsIn } from './read-header.ts';
import type { Layout } from './read-layout.ts';
import { MOST_ROWS, notATable, type Table, tooManyRows } from './read-table.ts';

/** Cells between two turns of the loop: rows may be long or empty. */
const CELLS_A_TURN = 1_000;
/** Every half hour of a day. */
const MOST_SLOTS = 49;
const MOST_WIDTHS = 20;
const MOST_ZONES = 3;
const MOST_MONTHS = 24;
const MOST_HIDDEN = 20;
/** Letters and no figure. */
const WORDS = /^[^\d]*\p{L}[^\d]*$/u;

type Marks = { comma: number; point: number };
export type Seen = {
  marks: Map<number, Marks>;
  days: { first: Set<number>; second: Set<number>; last: Set<number>; count: number };
  /** Days that a workbook holds as dates, of the month, and the months themselves. */
  held: Set<number>;
  heldMonths: Set<string>;
  /** Columns with values and no heading, and the first row of each. */
  unheaded: Map<number, number>;
  /** What a column of its own says of the clock; more than a few are as good as several. */
  zones: Set<string>;
  /** How many rows have so many cells. */
  widths: Map<number, number>;
  /** A row below which others come in, that names the columns in another order. */
  headerAgain: number | null;
  another: number | null;
  /** Rows that nobody sees who looks at the sheet: how many, and the first of them. */
  hidden: { count: number; rows: number[] };
  /** Columns of cells formatted as per cent, and the first cell of each that is not, and less than 1. */
  shares: Map<number, { isPercent: boolean; row: number | null; value: number }>;
  /** Times of one pond and day run back behind noon, and none says which half of the day it is of. */
  halfless: Halfless;
};
type Halfless = { isSo: boolean; row: number | null; of: string; last: number };

type Surveyed = Layout & {
  kind: ImportKind;
  table: Pick<Table, 'file'>;
  skip: { has: (row: number) => boolean };
};

/** One look at all rows: decimal marks of each column, and the figures of its dates. */
export async function survey(layout: Surveyed): Promise<Seen> {
  const { columns, total, zone } = layout.header;
  const figures = columns
    .filter(({ is }) => is === 'number' || is === 'integer')
    .map(({ position }) => position);
  if (total !== null) figures.push(total);
  const dated = columns.filter(({ is }) => is === 'moment' || is === 'day').map(({ position }) => position);
  const seen: Seen = {
    marks: new Map(figures.map((position) => [position, { comma: 0, point: 0 }])),
    days: { first: new Set(), second: new Set(), last: new Set(), count: 0 },
    held: new Set(),
    heldMonths: new Set(),
    unheaded: new Map(),
    zones: new Set(),
    widths: new Map(),
    headerAgain: null,
    another: null,
    hidden: { count: 0, rows: [] },
    shares: new Map(),
    halfless: { isSo: true, row: null, of: '', last: -1 },
  };
  const read = new Set(columns.map(({ position }) => position));
  const isNamed = (position: number) => (layout.headings[position] ?? '') !== '' || read.has(position);
  const unnamed = layout.headings.flatMap((_heading, position) => (isNamed(position) ? [] : [position]));
  const isWorkbook = layout.table.file !== 'csv';
  // each hour or meal becomes a row of its own
  const slots = new Set(columns.map(({ slot }) => slot)).size;
  if (slots > MOST_SLOTS)
    throw notATable(`The file has columns of more than ${MOST_SLOTS} hours or meals`, 'TOO_MANY_COLUMNS');
  let rows = 0;
  let cellsRead = 0;
  const seeUnheaded = (row: number, cells: readonly Cell[], position: number) => {
    if ((cells[position] ?? '') !== '' && !seen.unheaded.has(position)) seen.unheaded.set(position, row);
  };
  for (const { row, cells, isHidden } of layout.rows()) {
    cellsRead += cells.length + 1;
    if (cellsRead >= CELLS_A_TURN) {
      cellsRead = 0;
      await nextTurn();
    }
    if (cells.length === 0) continue;
    rows += 1;
    if (isHidden === true && !layout.skip.has(row)) {
      seen.hidden.count += 1;
      if (seen.hidden.rows.length < MOST_HIDDEN) seen.hidden.rows.push(row);
    }
    noteRow(seen, layout, { row, cells, zone });
    noteTime(seen.halfless, layout, { row, cells });
    for (const position of unnamed) seeUnheaded(row, cells, position);
    for (let at = layout.headings.length; at < cells.length; at += 1)
      if (!read.has(at)) seeUnheaded(row, cells, at);
    if (rows * slots > MOST_ROWS) throw tooManyRows();
    for (const position of figures) {
      noteShare(seen.shares, cells[position] ?? '', { row, position });
      const mark = markOf(cells[position] ?? '');
      const marks = seen.marks.get(position);
      if (mark !== null && marks !== undefined) marks[mark] += 1;
    }
    for (const position of dated) {
      const cell = cells[position] ?? '';
      const days = dateFiguresOf(cell);
      if (days === null) {
        if (isWorkbook && typeof cell === 'string' && HELD.test(cell)) {
          seen.held.add(Number(cell.slice(8, 10)));
          if (seen.heldMonths.size < MOST_MONTHS) seen.heldMonths.add(cell.slice(0, 7));
        }
        continue;
      }
      seen.days.count += 1;
      seen.days.first.add(days.first);
      seen.days.second.add(days.second);
      if (days.last !== null) seen.days.last.add(days.last);
    }
  }
  return seen;
}

/** What a row tells beside its figures: how long rows are, on which clock, and whether it is a header once more. */
function noteRow(
  seen: Seen,
  { header, headings, kind, skip }: Surveyed,
  { row, cells, zone }: { row: number; cells: readonly Cell[]; zone: number | null },
): void {
  if (seen.widths.size < MOST_WIDTHS || seen.widths.has(cells.length))
    seen.widths.set(cells.length, (seen.widths.get(cells.length) ?? 0) + 1);
  const clock = zone === null ? '' : String(cells[zone] ?? '').trim();
  if (clock !== '' && seen.zones.size < MOST_ZONES) seen.zones.add(clock);
  const again = headerAgainIn({ header, headings, kind }, cells);
  if (again === 'another') seen.another ??= row;
  else if (again === null && seen.another !== null && !skip.has(row)) seen.headerAgain ??= seen.another;
}

/** Somebody formats half of a column as per cent: the other half holds 0.05 where 5 % is meant. */
function noteShare(
  shares: Seen['shares'],
  cell: Cell,
  { row, position }: { row: number; position: number },
): void {
  const isPercent = typeof cell === 'string' && /^[\d.]+ %$/.test(cell.slice(0, LONGEST_FIGURE));
  const isShare = typeof cell === 'number' && cell > 0 && cell < 1;
  if (!isPercent && !isShare) return;
  const seen = shares.get(position) ?? { isPercent: false, row: null, value: 0 };
  seen.isPercent ||= isPercent;
  if (typeof cell === 'number' && seen.row === null) Object.assign(seen, { row, value: cell });
  shares.set(position, seen);
}

const TIME = /(\d{1,2})[:h](\d{2})?(?::\d{2})?\s*([ap]\.?\s?m)?/i;
/** A time that says its clock is written by a program, which counts to 24. */
const OF_CLOCK = /:\d{2}(?:[.,]\d+)?\s?(?:Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?)$/i;
const NOON = 12 * 60;

/** `06:00` and below it `03:00` of the same day: it may be three in the afternoon. */
function noteTime(
  seen: Halfless,
  { header: { columns, half } }: Pick<Layout, 'header'>,
  { row, cells }: { row: number; cells: readonly Cell[] },
): void {
  const cellOf = (is: string) => String(cells[columns.find((each) => each.is === is)?.position ?? -1] ?? '');
  const [moment, beside] = [
    cellOf('moment').slice(0, LONGEST_FIGURE),
    cellOf('time').slice(0, LONGEST_FIGURE),
  ];
  const found = TIME.exec(beside) ?? TIME.exec(moment);
  if (!seen.isSo || found === null) return;
  if (OF_CLOCK.test(moment)) seen.isSo = false;
  const [, hour = '', minute = '0', said] = found;
  const minutes = Number(hour) * 60 + Number(minute);
  seen.isSo &&= half === null && said === undefined && minutes >= 60 && minutes < NOON + 60;
  const pond = cells[columns.find(({ name }) => name === 'pond')?.position ?? -1] ?? '';
  const of = `${pond} ${moment.slice(0, 10)}`;
  if (of === seen.of && minutes < seen.last) seen.row ??= row;
  seen.of = of;
  seen.last = minutes;
}

/**
 * Of files put one behind the other each brings its header: the `same` again, or `another`, whose columns stand in other places.
 * Null: it is none.
 */
export function headerAgainIn(
  {
    header,
    headings,
    kind,
  }: Pick<Layout, 'headings'> & { header: Pick<Header, 'columns'>; kind: ImportKind },
  cells: readonly Cell[],
): 'same' | 'another' | null {
  const figures = header.columns.filter(({ is }) => is !== 'text');
  // a header has words alone where rows have figures
  const hasWords = figures.filter(({ position }) => WORDS.test(String(cells[position] ?? ''))).length;
  if (figures.length === 0 || hasWords < Math.min(2, figures.length)) return null;
  const isSame = header.columns.every(
    ({ position }) => wordOf(String(cells[position] ?? '')) === wordOf(headings[position] ?? ''),
  );
  if (isSame) return 'same';
  return headingsIn(kind, cells.slice(0, headings.length + 1)) >= 2 ? 'another' : null;
}

/** How the reader of workbooks writes a cell that is a date. */
const HELD = /^\d{4}-\d{2}-\d{2}(?: \d{2}:|$)/;

/**
 * A spreadsheet of the United States that opens 01/02/2025 and 13/02/2025 takes the first for 2 January, and the second,
 * which it has no month for, for text: dates up to the 12th, and text beyond it alone, tell that it did.
 */
export const areSwapped = ({ days, held }: Seen): boolean =>
  held.size > 0 &&
  days.count > 0 &&
  [...held].every((day) => day <= 12) &&
  ([...days.first].every((figure) => figure > 12) || [...days.second].every((figure) => figure > 12));

/**
 * `26/02/13`, as some loggers write: what would be the days are years of now, and what would be the years are of long ago, or
 * change more often than the days.
 */
export function areYearsFirst({ days: { first, last } }: Seen): boolean {
  if (last.size === 0 || [...first].some((figure) => figure < 20)) return false;
  return [...last].some((figure) => figure < 20) || last.size > first.size;
}

/** One of each month, always on the same day: as a spreadsheet of the other order makes of the first days of a month. */
export const areDatesMonthly = ({ held, heldMonths }: Seen): boolean =>
  held.size === 1 && heldMonths.size >= 5 && [...held].every((day) => day <= 12);

const UNIT_BEHIND = /\s*[^\d.,\s'’][^\d]*$/;

const markOf = (cell: Cell): DecimalMark | null =>
  typeof cell === 'number' || cell.length > LONGEST_FIGURE || isNoValue(cell)
    ? null
    : decimalMarkOf(cell.replace(/^(?:R|US)?\$\s*/i, '').replace(UNIT_BEHIND, ''));
