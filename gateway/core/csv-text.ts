import { BYTE_ORDER_MARK, type Cell, csvRows } from '#contract/csv-cells.ts';
import type { CsvForm } from '#contract/resources/exports.ts';
import { wallOf, zoneClock } from './zone-clock.ts';

export type CsvText = {
  /** Byte order mark, where wanted, and the header row. */
  head: (names: readonly string[]) => string;
  row: (cells: readonly Cell[]) => string;
};

/** Writes a file of the interface, row by row. */
export function csvText(form: CsvForm): CsvText {
  const row = csvRows(form);
  return { head: (names) => (form.bom === '1' ? BYTE_ORDER_MARK : '') + row(names), row };
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
