import type { Cell } from '#contract/csv-cells.ts';
import type { CellKind, Table, TableRows } from '#core/packed-file.ts';
import { zoneClock } from '#core/zone-clock.ts';
import type { ExportQueries, FarmPlaces, Span } from './ports.ts';
import type { FarmRegister, RegisterColumn } from './register-columns.ts';
import { wallText } from './register-tables.ts';

/** Rows in one piece: the gateway hands each over between two other things. */
export const ROWS_AT_ONCE = 500;

export type FarmScope = {
  queries: Pick<ExportQueries, 'storedRows'>;
  farmId: string;
  places: FarmPlaces;
  span: Span;
  seesMoney: boolean;
};

export const columnsFor = ({ columns }: FarmRegister, { seesMoney }: Pick<FarmScope, 'seesMoney'>) =>
  columns.filter(({ isMoney }) => seesMoney || isMoney !== true);

/** A register of the farm for other programs: as it is stored, instants in UTC. */
export function storedTable(register: FarmRegister, scope: FarmScope): Table {
  const columns = columnsFor(register, scope);
  return {
    columns: columns.map(({ name, is }) => ({ name, is: kindOf(is) })),
    chunks: rowsOf(register, scope, (row) => columns.map(({ name }) => plainCell(row[name]))),
  };
}

/** The same for people: by codes and by the farm's clock, without ids. */
export function readableTable(register: FarmRegister, scope: FarmScope, timezone: string): Table {
  const columns = columnsFor(register, scope).filter(
    ({ is, of }) => is !== 'id' || (of !== undefined && of !== 'farm'),
  );
  const clock = zoneClock(timezone);
  const names = new Map(
    Object.values(scope.places).flatMap((each) => each.map(({ id, name }) => [id, name])),
  );
  const cellOf = ({ is, name }: RegisterColumn, row: Readonly<Record<string, unknown>>): Cell => {
    const value = row[name];
    if (typeof value !== 'string') return plainCell(value);
    if (is === 'id') return names.get(value) ?? null;
    return is === 'instant' ? wallText(clock, value).slice(0, 19).replace('T', ' ') : value;
  };
  return {
    columns: columns.map(({ name, heading, is }) => ({ name: heading ?? name, is: kindOf(is) })),
    chunks: rowsOf(register, scope, (row) => columns.map((column) => cellOf(column, row))),
  };
}

const KINDS: Readonly<Record<RegisterColumn['is'], CellKind>> = {
  id: 'text',
  text: 'text',
  'yes or no': 'text',
  number: 'number',
  'whole number': 'number',
  day: 'day',
  instant: 'moment',
};
const kindOf = (is: RegisterColumn['is']): CellKind => KINDS[is];

function plainCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}

/** In pieces of some hundred rows, however few there are below each pond or batch. */
async function* rowsOf(
  { table, column, order, below }: FarmRegister,
  { queries, farmId, places, span }: FarmScope,
  rowOf: (row: Readonly<Record<string, unknown>>) => TableRows[number],
): AsyncIterable<TableRows> {
  const parents = below === 'farm' ? [farmId] : places[below].map(({ id }) => id);
  // registers of things, not of events, are whole
  const within = order === 'created_at' ? { from: null, before: null } : span;
  let waiting: TableRows[number][] = [];
  for (const parent of parents) {
    for await (const page of queries.storedRows(table, { column, parent, order, span: within })) {
      waiting.push(...page.map(rowOf));
      if (waiting.length < ROWS_AT_ONCE) continue;
      yield waiting;
      waiting = [];
    }
  }
  if (waiting.length > 0) yield waiting;
}
