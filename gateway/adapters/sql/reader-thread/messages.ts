/** One compiled statement for the thread. */
export type ReadRequest = { id: number; sql: string; params: readonly unknown[] };

/** Rows as lists of values: names once, not per row. */
export type ReadReply =
  | { id: number; columns: readonly string[]; rows: readonly (readonly unknown[])[] }
  | { id: number; error: { code: string; message: string } };

export type ReaderData = { path: string };
