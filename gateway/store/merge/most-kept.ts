import type { Steps } from '../register.ts';

// What is kept beside the rows for one stream, most: whoever is at its other end fills no disk with it.

/** Texts of rows that are kept of a stream, and which of them are worth most, as SQL. */
export type Kept = {
  table: 'sync_parked' | 'sync_conflicts' | 'lost_people';
  texts: readonly string[];
  /** Words of an `order by`; the last go first. */
  bestFirst: string;
};

/**
 * The rows of a stream where all of them are looked at. SQLite then reads the table from its beginning to its end: 10,000
 * rows take 5 ms, by the index of the stream 300 ms, for each is looked up by its own id. PostgreSQL takes the index.
 */
export const scannedStream = (column: string): string => `cast(${column} as bigint)`;
export const ALL_OF_STREAM = `${scannedStream('stream_id')} = ?`;

const MOST_ROWS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Removes what is beyond the bounds, the least worth keeping first; answers how many rows went. */
export function* dropBeyond(kept: Kept, streamId: number): Steps<number> {
  const bytes = kept.texts.map((text) => `octet_length(${text})`).join(' + ');
  const sizeOf = function* (): Steps<{ rows: number; bytes: number }> {
    const [found] = yield {
      sql: `select count(*) as n, coalesce(sum(${bytes}), 0) as bytes from ${kept.table} where ${ALL_OF_STREAM}`,
      params: [streamId],
    };
    return { rows: Number(found?.['n']), bytes: Number(found?.['bytes']) };
  };
  const before = yield* sizeOf();
  if (before.rows <= MOST_ROWS && before.bytes <= MOST_BYTES) return 0;
  yield {
    sql: `delete from ${kept.table} where id in (select id from (
      select id, row_number() over best as place, sum(${bytes}) over best as bytes
      from ${kept.table} where ${ALL_OF_STREAM}
      window best as (order by ${kept.bestFirst} rows unbounded preceding)
    ) as kept where place > ? or bytes > ?)`,
    params: [streamId, MOST_ROWS, MOST_BYTES],
  };
  return before.rows - (yield* sizeOf()).rows;
}
