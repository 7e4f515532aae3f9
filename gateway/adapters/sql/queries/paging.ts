import { sql } from 'kysely';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { Db } from '../database.ts';

/** Rows fetched at a time when a list is streamed: a short read each, so that control is never kept waiting. */
const CHUNK = 200;

/**
 * Streams a list in chunks by key, so that no statement stays open between them. `fetch` answers up to `limit` rows
 * after the given last row (null: from the start).
 */
export async function* inChunks<Row>(
  page: { skip: number; limit: number | undefined },
  fetch: (after: Row | null, take: { limit: number; offset: number }) => Promise<Row[]>,
): AsyncIterable<Row> {
  let left = page.limit ?? Number.POSITIVE_INFINITY;
  let after: Row | null = null;
  while (left > 0) {
    const limit = Math.min(CHUNK, left);
    const rows: Row[] = await fetch(after, { limit, offset: after === null ? page.skip : 0 });
    yield* rows;
    if (rows.length < limit) return;
    left -= rows.length;
    after = rows.at(-1) ?? null;
  }
}

/** The rows of a register after the given one, in the order of registers: `created_at`, then `id`. */
export function createdAfter(after: { created_at: string; id: string } | null, table?: string) {
  if (after === null) return sql<boolean>`true`;
  const key = (column: string) => sql.ref(table === undefined ? column : `${table}.${column}`);
  return sql<boolean>`(${key('created_at')}, ${key('id')}) > (${after.created_at}, ${after.id})`;
}

/** Whether a thing is named by its number, which leads to its UUID. */
export const isNumber = (ref: string): boolean => /^\d+$/.test(ref);

/**
 * What to compare an `id` with: ponds, batches and transfers may be named by their number instead of their UUID.
 * An unknown number names nothing.
 */
export function uuidOf(db: Db, entity: 'pond' | 'batch' | 'transfer', ref: string) {
  if (!isNumber(ref)) return ref;
  return db.selectFrom('numeric_ids').select('uuid').where('id', '=', ref).where('entity', '=', entity);
}

export function numericIdQueries(db: Db): NumericIdDeps {
  return {
    async numericIdClaim(number) {
      const claim = await db
        .selectFrom('numeric_ids')
        .select(['entity', 'uuid'])
        .where('id', '=', number)
        .executeTakeFirst();
      return claim ?? null;
    },
  };
}
