import { sql } from 'kysely';
import type { Resource } from '#contract/resource.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Db } from '../database.ts';

const PAGE = 500;

export type Below = {
  /** Names what the rows hang on, which is `parent`. */
  column: string;
  parent: string;
  /** Column of time that an index goes by, or by which few rows are sorted. */
  order: string;
  /** Column that must hold this. */
  own?: { column: string; is: string };
  /** Of `order`: from an instant (included) to another (left out). */
  span?: { from: string | null; before: string | null };
};

/** Whole rows of a table that hang on one thing, page by page: no statement stays open between two of them. */
export async function* rowsBelow(
  db: Db,
  resource: Resource,
  { column, parent, order, own, span }: Below,
): AsyncIterable<Record<string, unknown>[]> {
  const codec = codecOf(resource);
  const columns = sql.join(codec.columns.map((name) => sql.ref(name)));
  const seen = resource.sync === 'local' ? sql`` : sql`and hidden = 0`;
  const owned = own === undefined ? sql`` : sql`and ${sql.ref(own.column)} = ${own.is}`;
  const until =
    span === undefined || span.before === null ? sql`` : sql`and ${sql.ref(order)} < ${span.before}`;
  const first = span === undefined || span.from === null ? sql`` : sql`and ${sql.ref(order)} >= ${span.from}`;
  let after: { at: string; id: string } | null = null;
  for (;;) {
    const later: ReturnType<typeof sql> =
      after === null ? first : sql`and (${sql.ref(order)}, id) > (${after.at}, ${after.id})`;
    const { rows } = await sql<Record<string, unknown>>`select ${columns} from ${sql.table(resource.name)}
      where ${sql.ref(column)} = ${parent} ${owned} ${seen} ${until} ${later}
      order by ${sql.ref(order)}, id limit ${PAGE}`.execute(db);
    if (rows.length > 0) yield rows.map(codec.decode);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = { at: String(last[order]), id: String(last['id']) };
  }
}
