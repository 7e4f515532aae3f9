import type { CsvLayout } from '#core/csv-text.ts';

/** One compiled statement for the thread; with a layout its rows come back as lines of a file. */
export type ReadRequest = { id: number; sql: string; params: readonly unknown[]; layout?: CsvLayout };

/** Rows as lists of values: names once, not per row. With lines they are no more than the last row. */
export type ReadRows = {
  id: number;
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
  lines?: { text: string; count: number };
};

export type ReadReply = ReadRows | { id: number; error: { code: string; message: string } };

export type ReaderData = { path: string };
