import { batch, harvest, survivalChange } from '#contract/resources/batches.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { type Committed, insertIfAbsent, onTables } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { conflictId } from '#store/merge/conflicts.ts';
import type { OverdrawnQueries } from './ports.ts';

type NoteOverdrawnDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  queries: OverdrawnQueries;
  /** Moves and partial harvests of these batches that take more animals than there are. */
  overdrawnIn: (batchIds: readonly string[]) => Promise<ReadonlySet<string>>;
};

const GROUP = 'moved';

/**
 * Two instances may have moved the same animals. The merge keeps all rows; behind it the latest move of such a batch
 * becomes a conflict that its people hear of, until one of the moves is corrected or deleted.
 */
export function createNoteOverdrawn(deps: NoteOverdrawnDeps) {
  const own = { noting: Promise.resolve() };

  async function note(batchIds: readonly string[]): Promise<void> {
    const overdrawn = await deps.overdrawnIn(batchIds);
    if (overdrawn.size === 0) return;
    const latestByBatch = new Map(
      (await deps.queries.movesOf([...overdrawn])).map((move) => [move.row.batch_id, move]),
    );
    const changes = [...latestByBatch.values()].map(({ row, farm_id, stream_id, stamp }) =>
      insertIfAbsent(syncConflict, {
        id: conflictId({ entity: transfer.entity, id: row.id, group: GROUP }, [stamp, '']),
        stream_id,
        farm_id,
        entity: transfer.entity,
        row_id: row.id,
        field_group: GROUP,
        rule: 'overdrawn',
        kept_json: JSON.stringify({ quantity: row.quantity, transfer_date: row.transfer_date }),
        dropped_json: '{}',
        kept_hlc: stamp,
        dropped_hlc: '',
        kept_by: row.created_by,
        dropped_by: null,
        state: 'open',
        found_at: isoOf(deps.now()),
        settled_at: null,
        settled_by: null,
      }),
    );
    if (changes.length > 0) await deps.commit({ actor: null, changes });
  }

  return {
    /** For every commit that is a merge. */
    hear: onTables([batch, transfer, harvest, survivalChange], (committed) => {
      const ids = committed.merged === undefined ? [] : batchesIn(committed);
      if (ids.length === 0) return;
      own.noting = own.noting
        .then(() => note(ids))
        .catch((error: unknown) => deps.log.warn({ err: error }, 'moves of a merge were not looked through'));
    }),
    settled: () => own.noting,
  };
}

const TABLES = new Set([transfer.name, harvest.name, survivalChange.name]);

function batchesIn({ rows }: Committed): string[] {
  const ids = rows.flatMap(({ table, id, after }) =>
    table === batch.name ? [id] : TABLES.has(table) ? [String(after['batch_id'])] : [],
  );
  return [...new Set(ids)];
}
