import { type ImportKind, type ImportReport, LOGGERS } from '#contract/resources/imports.ts';
import { zoneIn, zoneOffsetMs } from './heading-text.ts';
import type { Cell, DateManner, DateOrder, NumberManner } from './read-cells.ts';
import {
  type AmmoniaBasis,
  type ColumnRead,
  type ColumnsSaid,
  type Header,
  headingsIn,
  hourIn,
  readHeader,
} from './read-header.ts';
import { notATable, type Table, type TableRow } from './read-table.ts';
import { unitOf } from './units.ts';

export type Layout = {
  /** The logger that writes files of this shape; null: a sheet of somebody's own. */
  logger: (typeof LOGGERS)[number] | null;
  headerRow: number;
  headings: string[];
  header: Header;
  /** The zone of its times as the lines above the header name it, where the name tells no offset. */
  zoneNamed: string | null;
  /** What stands above the names of the columns. */
  above: readonly string[];
  hiddenColumns: readonly number[];
  /** Rows below the header and what belongs to it. */
  rows: () => Iterable<TableRow>;
};

export type Question = ImportReport['questions'][number];

/** A file, and how it is read. */
export type FileToRead = Omit<Layout, 'header'> &
  Pick<Header, 'columns' | 'ignored' | 'refused' | 'total' | 'totalKg' | 'half'> & {
    kind: ImportKind;
    table: Table;
    /** What each row becomes: one thing, or one per hour or meal. */
    variants: readonly ReadonlyMap<string, ColumnRead>[];
    /** Of the whole file, and of each column by its position. */
    manner: NumberManner;
    manners: ReadonlyMap<number, NumberManner>;
    /** Columns that tell nothing themselves and follow the others. */
    followers: ReadonlySet<number>;
    dates: DateManner;
    /** null: no date needs one. */
    dateOrder: DateOrder | null;
    questions: Question[];
    /** Columns with values and no heading, and the first row that has one. */
    unheaded: readonly { position: number; row: number }[];
    /** Day and month of its dates stand in each other's place. */
    areDatesSwapped: boolean;
    /** Years of two digits may stand before the month. */
    areYearsFirst: boolean;
    /** Held as dates, and one of each month on one day. */
    areDatesMonthly: boolean;
    /** A row that names the columns anew, in another order. */
    headerAgain: number | null;
    /** How many nobody sees who looks at the sheet, and the first of them. */
    hiddenRows: { count: number; rows: readonly number[] };
    /** Of columns of per cent the first cell that is not formatted so, and may be a part of 1. */
    shares: readonly { position: number; row: number; value: number }[];
    /** The first row whose time may be of the afternoon, where no time says its half of the day. */
    halfless: number | null;
    /** Cells that most rows have, and those of the header. */
    width: number;
    /** Sheets of the workbook that hold rows of this kind, too. */
    otherSheets: readonly string[];
    skip: { has: (row: number) => boolean };
    salinity: number | null;
    ammoniaBasis: AmmoniaBasis;
    /** Values of columns that the file does not have, for all its rows. */
    given: Readonly<Record<string, string | number | undefined>>;
  };

/** A header stands among the first rows, below titles or what a logger tells of itself. */
const LOOKED_AT = 60;
const CELLS_LOOKED_AT = 6_000;
const LETTERS_LOOKED_AT = 200;

const SIGNS: Readonly<Record<(typeof LOGGERS)[number], RegExp>> = {
  HOBO: /LGR S\/N|Plot Title|\bHOBO/i,
  'YSI KorEXO': /KOR[- ]?EXO|nLF Cond/i,
  'YSI ProDSS': /ProDSS|YSI Pro|SPC-[uµμ]S\/cm/i,
  Hanna: /HI ?98\d{3}|HI ?9829|Hanna|D\.O\.\s?\[/i,
  miniDOT: /miniDOT|UTC_Date|Unix Timestamp/i,
  'In-Situ': /In-Situ|Aqua TROLL|VuSitu|Win-Situ|RDO (?:Concentration|Saturation)/i,
  Atlas: /Atlas Scientific|\bEZO\b|\bRTD\b/i,
};

/** Finds the header, also of two lines, and what its columns are. */
export function readLayout(
  kind: ImportKind,
  table: Table,
  said: ColumnsSaid,
  farmBasis: AmmoniaBasis | null = null,
): Layout {
  const first: TableRow[] = [];
  let cells = 0;
  for (const each of table.all()) {
    if (each.cells.length > 0) first.push(each);
    cells += each.cells.length;
    if (first.length === LOOKED_AT || cells > CELLS_LOOKED_AT) break;
  }
  const at = headerAt(kind, first);
  const named = first[at];
  if (named === undefined)
    throw notATable('The file is empty: its first rows must name the columns', 'EMPTY_FILE');
  const { headings, last } = joined(kind, { above: first[at - 1], named, below: first[at + 1] });
  const text = first
    .flatMap((row) => row.cells.map((cell) => String(cell).slice(0, LETTERS_LOOKED_AT)))
    .join('\n');
  const header = readHeader(kind, headings, said, farmBasis);
  const zone = zoneAbove(first.slice(0, at));
  header.offsetMs ??= zone === null ? null : zoneOffsetMs(zone);
  return {
    zoneNamed: zone === null || header.offsetMs !== null ? null : zone.slice(0, 40),
    logger: LOGGERS.find((name) => SIGNS[name].test(text)) ?? null,
    headerRow: named.row,
    headings,
    header,
    above: first.slice(0, at).flatMap(({ cells: texts }) => texts.map(textOf).filter((each) => each !== '')),
    hiddenColumns: first[0]?.hiddenColumns ?? [],
    *rows() {
      for (const each of table.all()) if (each.row > last) yield each;
    },
  };
}

/** What a logger says above the header of the clock that its times are of. */
function zoneAbove(rows: readonly TableRow[]): string | null {
  for (const { cells } of rows) {
    const zone = zoneIn(cells.map(textOf));
    if (zone !== null) return zone;
  }
  return null;
}

/** The row that names most columns, with what belongs to it; the first of several, and where none names any. */
function headerAt(kind: ImportKind, rows: readonly TableRow[]): number {
  let best = { at: 0, count: 0 };
  for (const [at, named] of rows.entries()) {
    const { headings } = joined(kind, { above: rows[at - 1], named, below: rows[at + 1] });
    const count = headingsIn(kind, headings);
    if (count > best.count) best = { at, count };
  }
  return best.at;
}

/** A header of two lines: groups above it, or units, hours and meals below it. */
function joined(
  kind: ImportKind,
  { above, named, below }: { above: TableRow | undefined; named: TableRow; below: TableRow | undefined },
): { headings: string[]; last: number } {
  const own = named.cells.map(textOf);
  if (below !== undefined && isSecondLine(kind, below)) {
    const groups = carried(named, below.cells.length);
    const headings = Array.from({ length: Math.max(own.length, below.cells.length) }, (_, at) => {
      const under = textOf(below.cells[at]);
      if (under === '') return own[at] ?? '';
      return isHour(under)
        ? `${groups[at] ?? ''} ${under}`.trim()
        : `${groups[at] ?? ''} (${bare(under)})`.trim();
    });
    return { headings, last: below.row };
  }
  const unitsAbove = above !== undefined && isLineOfUnits(above) ? above : null;
  const groups = above === undefined ? [] : carried(above, own.length);
  const headings = Array.from({ length: Math.max(own.length, above?.cells.length ?? 0) }, (_, at) => {
    const heading = own[at] ?? '';
    // a heading over both lines stands in the upper one
    if (heading === '') return unitsAbove === null ? textOf(above?.cells[at]) : '';
    if (unitsAbove !== null) {
      const unit = bare(textOf(unitsAbove.cells[at]));
      return unit === '' || unit === '-' ? heading : `${heading} (${unit})`;
    }
    const group = groups[at] ?? '';
    if (group !== '' && isHour(heading)) return `${group} ${heading}`;
    // an hour over several names, and no name over it
    return isHour(group) && !isWhole(kind, heading) ? `${heading} ${group}` : heading;
  });
  return { headings, last: named.row };
}

/** No heading is longer than a line. */
const textOf = (cell: Cell | undefined): string =>
  String(cell ?? '')
    .slice(0, LETTERS_LOOKED_AT + 1)
    .replaceAll(/\s+/g, ' ')
    .trim();
const bare = (text: string): string => text.replace(/^[([]\s*/, '').replace(/\s*[)\]]$/, '');
const isHour = (text: string): boolean => hourIn(text)?.rest === '';
/** Names what holds for all hours of a row. */
const isWhole = (kind: ImportKind, heading: string): boolean =>
  readHeader(kind, [heading], new Map()).columns.some(({ is }) => is !== 'number' && is !== 'integer');

/** A row that holds nothing but units, hours and meals. */
function isSecondLine(kind: ImportKind, { cells }: TableRow): boolean {
  const texts = cells.map(textOf).filter((text) => text !== '' && bare(text) !== '-');
  if (texts.length === 0 || cells.some((cell) => typeof cell === 'number')) return false;
  if (isLineOfUnits({ cells })) return true;
  return texts.every(
    (text) =>
      !/^[<>]?[\d.,]+$/.test(text) &&
      (isHour(text) || unitOf(bare(text)) !== null || (kind === 'feeding' && headingsIn(kind, [text]) > 0)),
  );
}

/** Units, and words that may be some: what is between them and no figure is asked about as a unit nobody knows. */
function isLineOfUnits({ cells }: Pick<TableRow, 'cells'>): boolean {
  const texts = cells.map(textOf).filter((text) => text !== '' && bare(text) !== '-');
  const known = texts.filter((text) => unitOf(bare(text)) !== null).length;
  const mayBeUnits = texts.every((text) => unitOf(bare(text)) !== null || !/\d/.test(text));
  return known >= 2 && 2 * known > texts.length && mayBeUnits;
}

/** A heading over several columns stands in the first of them. */
function carried(row: TableRow, width: number): string[] {
  let last = '';
  return Array.from({ length: Math.max(width, row.cells.length) }, (_, at) => {
    const own = textOf(row.cells[at]);
    if (own !== '') last = own;
    return own === '' ? textOf(row.carried?.get(at)) || last : own;
  });
}
