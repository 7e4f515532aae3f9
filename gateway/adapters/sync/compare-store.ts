import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { waysToCompare } from '#store/merge/digest.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { schemaOfRow } from '#store/merge/schemas.ts';
import type { SyncStore } from '../../sync/gateway/ports.ts';
import type { Compared, CompareStore } from '../../sync/gateway/repair-table.ts';
import { TUNING } from '../../sync/gateway/tuning.ts';
import { comparedRows, isComparedTable } from './compared-rows.ts';

/** What the last comparison left behind; id in instance_values. */
const COMPARED_AT = 'sync_compared';

/** The farm's database as the comparison sees it. */
export function compareStore(
  { read, commit }: Pick<Database, 'read' | 'commit'>,
  { points }: Pick<SyncStore, 'points'>,
): CompareStore {
  const rows = comparedRows(read, 'own');
  return {
    points,
    async isHistoryTouched(seq) {
      const edit = await read
        .selectFrom('sync_change')
        .select('seq')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', 'history')
        .where('seq', '>', seq)
        .where((either) => either.or([either('base_json', 'is not', null), either('op', 'in', [2, 3])]))
        .limit(1)
        .executeTakeFirst();
      return edit !== undefined;
    },
    sums: (window, schema) => rows.sums(window, (table) => waysToCompare(table, schema).slice(0, 1)),
    idsIn: async (table, buckets, window) =>
      isComparedTable(table) ? rows.idsIn(table, buckets, window) : new Map(),
    async within({ table, ...range }, window, schema) {
      if (!isComparedTable(table)) return [];
      const found = await rows.within({ table, ...range }, window);
      return found.filter((row) => schemaOfRow(row) <= schema);
    },
    async mend(table, theirs) {
      let mended = 0;
      for (let from = 0; from < theirs.length; from += TUNING.rowsPerUnit) {
        const changes = theirs.slice(from, from + TUNING.rowsPerUnit).map(changeOf);
        const { rows: changed } = await commit({
          actor: null,
          changes: [],
          incoming: { from: 'hosted', streamId: OWN_STREAM, lane: 'core', changes, isRepair: true },
        });
        mended += changed.filter((row) => row.table === table).length;
      }
      return mended;
    },
    async compared() {
      const row = await read
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', COMPARED_AT)
        .executeTakeFirst();
      // written below
      return row === undefined ? null : (JSON.parse(row.value) as Compared);
    },
    async remember(compared) {
      await commit({
        actor: null,
        changes: [put(instanceValue, { id: COMPARED_AT, value: JSON.stringify(compared) })],
      });
    },
  };
}
