import type { CompiledQuery, Kysely } from 'kysely';
import { type CsvLayout, csvLines } from '#core/csv-text.ts';
import type { Tables } from './tables.ts';

/** Rows as they stand in a file; `last` is the last of them, null: there was none. */
export type Lines<Row> = { text: string; count: number; last: Row | null };

/** Reads a query and writes its rows as lines of a file, in the place where they are read. */
export type ReadLines = <Row>(query: CompiledQuery<Row>, layout: CsvLayout) => Promise<Lines<Row>>;

/** Lines are written on this thread; the engine sends it no more than rows. */
export function readLinesHere(db: Pick<Kysely<Tables>, 'executeQuery'>): ReadLines {
  return async (query, layout) => {
    const { rows } = await db.executeQuery(query);
    return linesOf(rows, layout);
  };
}

export function linesOf<Row>(rows: readonly Row[], layout: CsvLayout): Lines<Row> {
  const last = rows.at(-1) ?? null;
  const line = csvLines(layout, Object.keys(last ?? {}));
  let text = '';
  for (const row of rows) text += line(Object.values(row ?? {}));
  return { text, count: rows.length, last };
}
