import type { ImportKind, ImportReport } from '#contract/resources/imports.ts';
import type { Kernel } from '#core/kernel.ts';
import { nextTurn } from '#core/one-a-turn.ts';
import type { Language } from '#science/advice/language.ts';
import { COLUMNS } from './columns.ts';
import { zoneOffsetMs } from './heading-text.ts';
import { noteOf } from './import-words.ts';
import type { RowFacts } from './ports.ts';
import { type DateOrder, type DecimalMark, type NumberManner } from './read-cells.ts';
import type { AmmoniaBasis, ColumnRead, ColumnsSaid, Header } from './read-header.ts';
import { type FileToRead, type Layout, type Question, readLayout } from './read-layout.ts';
import { REQUIRED, type ReadRow, readRow } from './read-rows.ts';
import { notATable, type Table } from './read-table.ts';
import { areDatesMonthly, areSwapped, areYearsFirst, type Seen, survey } from './survey-file.ts';

/** Rows that are looked up together. */
const ROWS_AT_ONCE = 100;
/** Rows between two turns of the loop, in which heartbeats and orders get theirs. */
export const ROWS_A_TURN = 10;
/** The same in cells: rows may be long or empty. */
const CELLS_A_TURN = 500;

export type Asked = {
  kind: ImportKind;
  decimal: DecimalMark | undefined;
  dateOrder: DateOrder | undefined;
  columns: ColumnsSaid;
  skip: { has: (row: number) => boolean };
  otherSheets: readonly string[];
  salinity: number | null;
  /** What the farm's kit measures. */
  ammoniaBasis: AmmoniaBasis;
  given: FileToRead['given'];
  language: Language;
};

/** Learns how the file is written. Throws 422 for a column that is missing or stands twice, and for too many rows. */
export async function openFile(table: Table, asked: Asked): Promise<FileToRead> {
  const { kind, given } = asked;
  const layout = readLayout(kind, table, asked.columns, asked.ammoniaBasis);
  const { header } = layout;
  const [one, next] = header.twice;
  if (one !== undefined && next !== undefined)
    throw notATable(`The column ${one.name} stands twice: as "${next.heading}", too`, 'COLUMN_TWICE');
  const [first = ''] = missingIn(kind, header, given);
  if (first !== '') {
    const names = [first, ...(COLUMNS[kind].find(({ name }) => name === first)?.aliases ?? [])].slice(0, 8);
    throw notATable(
      `The file has no column ${first}; it may be headed ${names.join(', ')}`,
      'COLUMN_MISSING',
    );
  }
  const seen = await survey({ ...layout, table, kind, skip: asked.skip });
  const zone = zoneOfRows(seen.zones);
  const offsetMs = header.offsetMs ?? (zone === null ? null : zoneOffsetMs(zone));
  const numbers = mannersOf(table, seen, asked.decimal);
  const order = orderOf(layout, seen, { asked, numbers });
  return {
    ...layout,
    ...header,
    ...numbers,
    kind,
    table,
    variants: variantsOf(header.columns),
    dates: { order: order.order, offsetMs },
    dateOrder: order.isNeeded ? order.order : null,
    questions: order.questions,
    unheaded: [...seen.unheaded].map(([position, row]) => ({ position, row })),
    areDatesSwapped: areSwapped(seen),
    areYearsFirst: asked.dateOrder === undefined && areYearsFirst(seen),
    areDatesMonthly: areDatesMonthly(seen),
    headerAgain: seen.headerAgain,
    hiddenRows: seen.hidden,
    shares: [...seen.shares].flatMap(([position, { isPercent, row, value }]) =>
      isPercent && row !== null ? [{ position, row, value }] : [],
    ),
    halfless: seen.halfless.isSo ? seen.halfless.row : null,
    width: widthOf(layout.headings, seen),
    otherSheets: asked.otherSheets,
    zoneNamed: offsetMs === null ? (layout.zoneNamed ?? zone) : null,
    skip: asked.skip,
    salinity: asked.salinity,
    ammoniaBasis: asked.ammoniaBasis,
    given,
  };
}

/** What all rows say of the clock of their times; null: nothing. */
const zoneOfRows = (zones: ReadonlySet<string>): string | null =>
  zones.size === 0 ? null : [...zones].join(', ').slice(0, 40);

/** As many cells as most rows have, and the header at least. */
function widthOf(headings: readonly string[], { widths }: Seen): number {
  const [most = 0] = [...widths].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return Math.max(headings.length, most);
}

/** What each row must have, and neither the file nor whoever sends it says. */
export function missingIn(kind: ImportKind, header: Header, given: FileToRead['given']): string[] {
  const isThere = (name: string) =>
    header.columns.some((each) => each.name === name) ||
    header.refused.some(({ column }) => column === name) ||
    given[name] !== undefined;
  return REQUIRED[kind].filter((name) => !isThere(name));
}

/** Columns of one hour or meal go together, with those that hold for the whole row. */
function variantsOf(columns: readonly ColumnRead[]): ReadonlyMap<string, ColumnRead>[] {
  const whole = columns.filter(({ slot }) => slot === null);
  const slots = Map.groupBy(
    columns.filter(({ slot }) => slot !== null),
    ({ slot }) => slot,
  );
  const base = new Map(whole.map((column) => [column.name, column]));
  if (slots.size === 0) return [base];
  const isFigure = ({ is }: ColumnRead) => is === 'number' || is === 'integer';
  const shared = whole.filter((column) => !isFigure(column) || column.name === 'cost_per_kg');
  const apart = [...slots.values()].map(
    (slot) => new Map([...shared, ...slot].map((column) => [column.name, column])),
  );
  // figures without an hour are a measurement of their own
  return whole.length > shared.length ? [base, ...apart] : apart;
}

/** Each column by its own cells; one that tells nothing by those of the others, where these agree. */
function mannersOf(table: Table, { marks }: Seen, asked: DecimalMark | undefined) {
  const all = [...marks.values()];
  const comma = all.reduce((sum, one) => sum + one.comma, 0);
  const point = all.reduce((sum, one) => sum + one.point, 0);
  const usual: DecimalMark = table.separator === ',' ? 'point' : 'comma';
  const most: DecimalMark = comma === point ? usual : comma > point ? 'comma' : 'point';
  const isSure = asked !== undefined || (comma === 0) !== (point === 0);
  const manner: NumberManner = { mark: asked ?? most, isSure };
  const followers = new Set<number>();
  const manners = new Map<number, NumberManner>();
  for (const [position, own] of marks) {
    if (asked !== undefined || own.comma + own.point === 0) {
      manners.set(position, manner);
      if (asked === undefined) followers.add(position);
    } else {
      const mark: DecimalMark =
        own.comma === own.point ? manner.mark : own.comma > own.point ? 'comma' : 'point';
      manners.set(position, { mark, isSure: own.comma === 0 || own.point === 0 });
    }
  }
  return { manner, manners, followers };
}

type Order = { order: DateOrder; isNeeded: boolean; questions: Question[] };

/**
 * Whether days or months come first, for the whole file: as the caller or the heading says, as a figure above 12 tells, or
 * as sheets in Portuguese and Spanish with decimal commas or semicolons are written. Else it is asked.
 */
function orderOf(
  { header, logger }: Layout,
  { days }: Seen,
  { asked, numbers }: { asked: Asked; numbers: { manner: NumberManner } },
): Order {
  const sure = (order: DateOrder): Order => ({ order, isNeeded: days.count > 0, questions: [] });
  const isDayFirst = [...days.first].some((figure) => figure > 12);
  const isMonthFirst = [...days.second].some((figure) => figure > 12);
  if (asked.dateOrder !== undefined) return sure(asked.dateOrder);
  if (header.dateOrder !== null) return sure(header.dateOrder);
  // where both stand in one file, some rows cannot be read, and the others tell nothing
  const isMixed = isDayFirst && isMonthFirst;
  if (days.count === 0 || (!isMixed && (isDayFirst || isMonthFirst)))
    return sure(isMonthFirst ? 'month_first' : 'day_first');
  const looksAmerican = isSeriesOf(days.second, days.first);
  if (!isMixed && header.isDayFirst && !looksAmerican && logger === null && numbers.manner.mark === 'comma')
    return sure('day_first');
  const order: DateOrder =
    looksAmerican || (!header.isDayFirst && numbers.manner.mark === 'point') ? 'month_first' : 'day_first';
  // 3 March is the same day in both orders
  if (days.first.size === 1 && days.second.size === 1 && [...days.first][0] === [...days.second][0])
    return sure(order);
  const column = header.columns.find(({ is }) => is === 'moment' || is === 'day')?.name ?? 'date';
  const { code, message } = noteOf(asked.language, 'DATE_ORDER', { of: order });
  return {
    order,
    isNeeded: true,
    questions: [{ code, column, message, proposed: order, answer_with: 'date_order' }],
  };
}

/** Five or more days in a row of one month, which the other order would make the same day of as many months. */
const isSeriesOf = (days: ReadonlySet<number>, months: ReadonlySet<number>): boolean =>
  months.size === 1 && days.size >= 5;

/** The rows of the file as what they become, some at a time, with a breath between. */
export async function* readRows(
  deps: Pick<Kernel, 'pause'>,
  file: FileToRead,
  facts: RowFacts,
): AsyncIterable<readonly ReadRow[]> {
  let chunk: ReadRow[] = [];
  let [rows, cells] = [0, 0];
  for (const row of file.rows()) {
    rows += 1;
    cells += row.cells.length + 1;
    if (row.cells.length > 0) chunk.push(...readRow(file, facts, row));
    if (rows < ROWS_A_TURN && cells < CELLS_A_TURN) continue;
    [rows, cells] = [0, 0];
    await nextTurn();
    if (chunk.length < ROWS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
    await deps.pause(1);
  }
  if (chunk.length > 0) yield chunk;
}

const PREVIEWED = 5;

/** The first rows, before and after. */
export function previewOf(file: FileToRead, facts: RowFacts): ImportReport['reading']['preview'] {
  const shown: ImportReport['reading']['preview'] = [];
  for (const row of file.rows()) {
    if (shown.length >= PREVIEWED) break;
    if (row.cells.length === 0) continue;
    for (const read of readRow(file, facts, row)) {
      if (read.is !== 'row' || shown.length >= PREVIEWED) continue;
      const before = file.columns.map(({ heading, position }) => [
        heading,
        String(row.cells[position] ?? ''),
      ]);
      shown.push({ row: row.row, before: Object.fromEntries(before), after: read.values });
    }
  }
  return shown;
}
