import type { Db } from '#adapters/sql/database.ts';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import type { WireRow } from '#contract/sync/wire.ts';
import { formatHlc } from '#store/hlc.ts';
import { MOST_AHEAD_MS } from '#store/merge/accept-stamps.ts';
import { stampOf } from '#store/merge/claims.ts';
import { bucketOf, digestOf, hexOf, isBeyond, waysToCompare } from '#store/merge/digest.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { enteredBeside, schemaOfRow } from '#store/merge/schemas.ts';
import { type CompareDeps, compareTables } from '../../sync/hosted/compare-tables.ts';
import { comparedRows, isComparedTable } from './compared-rows.ts';
import { withinSize } from './snapshot-pages.ts';

/** Characters of rows in one answer. */
const MOST_ANSWERED = 1_000_000;

/** The hosted side of the comparison, on a database. */
export function hostedCompare(
  deps: Pick<CompareDeps, 'store' | 'commit' | 'now' | 'timeline' | 'repaired'> & { read: Db },
) {
  const { read, ...rest } = deps;
  return compareTables({
    ...rest,
    rowsOf(streamId) {
      const rows = comparedRows(read, streamId);
      return {
        sums: rows.sums,
        within: ({ table, ...range }, window) =>
          isComparedTable(table) ? rows.within({ table, ...range }, window) : Promise.resolve([]),
      };
    },
    isComparedTable,
    entityOf: (table) => resourceOf(table).entity,
    bucketOf,
    digestOf,
    waysToCompare,
    isBeyond: (table, row, schema) => isBeyond(resourceOf(table), row, schema),
    schemaOf: schemaOfRow,
    hexOf,
    changeOf,
    withOwnWords,
    withinSize: (rows) => withinSize(rows, MOST_ANSWERED),
    isTooFarAhead({ hlc, over }) {
      const limit = formatHlc(deps.now() + MOST_AHEAD_MS, 0xffff, 'ffffffff');
      return [hlc, ...Object.values(over)].some((stamp) => stamp > limit);
    },
  });
}

// the names of the tables were checked
const resourceOf = (table: string): Resource =>
  (sharedResources as unknown as Readonly<Record<string, Resource>>)[table] ?? failed(table);

function failed(table: string): never {
  throw new Error(`${table} is not a shared table`);
}

/** null: there is nothing in it that this side would take. */
function withOwnWords(table: string, sent: WireRow, own: WireRow | null): WireRow | null {
  if (own === null) return sent;
  const resource = resourceOf(table);
  if (resource.sync === 'fact') return null;
  const body: Record<string, unknown> = { ...sent.body };
  // but a default that stands here because the field came after the word is nobody's
  const stands = { ...own.body, ...enteredBeside(resource, own.body, sent.body) };
  for (const [group, { fields }] of Object.entries(resource.groups)) {
    if (stampOf(sent, group) !== stampOf(own, group)) continue;
    for (const field of fields) body[field] = stands[field];
  }
  if (sent.hlc === own.hlc) {
    const grouped = new Set(Object.values(resource.groups).flatMap(({ fields }) => fields));
    for (const field of Object.keys(body)) if (!grouped.has(field)) body[field] = stands[field];
  }
  return { ...sent, body };
}
