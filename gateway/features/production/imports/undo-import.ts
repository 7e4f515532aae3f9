import type { Resource, RowOf } from '#contract/resource.ts';
import { batch } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { farmRecord } from '#contract/resources/farm-records.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { importChunk, importRecord } from '#contract/resources/import-records.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { audit } from '#core/audit.ts';
import { type Change, type GuardSeen, remove, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { followingOf } from './bring-rows.ts';
import { CalledOff, type ImportRecord, noteFailure, noteIn } from './import-progress.ts';
import type { ImportDeps, RowNow } from './ports.ts';

type Chunk = RowOf<typeof importChunk>;
type Counts = { undone: number; kept: number; done: number };

const RESOURCE: Readonly<Record<ImportKind, Resource>> = {
  batches: batch as unknown as Resource,
  biometries: biometry as unknown as Resource,
  feeding: feedingRecord as unknown as Resource,
  measurements: measurement as unknown as Resource,
  meters: farmRecord as unknown as Resource,
};

/** Takes away what an import made, some rows per commit, and tells how many stayed because somebody changed them since. */
export async function undoRows(
  deps: ImportDeps,
  { record, userId, isStopping }: { record: ImportRecord; userId: string; isStopping: () => boolean },
): Promise<void> {
  const counts: Counts = { undone: record.undone, kept: record.kept, done: record.rows_done };
  try {
    for (;;) {
      const chunks = await deps.queries.chunksToUndo(record.id);
      for (const chunk of chunks) {
        if (isStopping()) throw new CalledOff('stop');
        const { answer } = await perform(deps, userId, () =>
          decideUndo(deps, { record, userId, chunk, counts }),
        );
        Object.assign(counts, answer);
        await deps.pause(1);
      }
      if (chunks.length === 0) break;
    }
    const at = isoOf(deps.now());
    await noteIn(deps, record.id, { state: 'UNDONE', ended_at: at, undone_at: at, undone_by: userId });
  } catch (error) {
    await noteFailure(deps, record.id, error);
  }
}

async function decideUndo(
  deps: ImportDeps,
  { record, userId, chunk, counts }: { record: ImportRecord; userId: string; chunk: Chunk; counts: Counts },
): Promise<Decision<Counts>> {
  await deps.requireManager(record.farm_id, userId);
  const { kind } = record;
  const isOfBatches = kind === 'batches';
  const guards: GuardSeen[] = [];
  // a batch that gets a record meanwhile must be looked at again
  if (isOfBatches) for (const id of chunk.row_ids) guards.push(await deps.guard('batch', id));
  const weighings = kind === 'biometries' ? await deps.queries.weighedIn(chunk.row_ids) : [];
  // so must a batch of which a loss is told by weight
  for (const id of new Set(weighings.map(({ batchId }) => batchId)))
    guards.push(await deps.guard('batch', id));
  const rows = (await deps.queries.rowsNow(kind, chunk.row_ids)).filter(({ hidden }) => !hidden);
  const used = isOfBatches ? await deps.queries.batchesWithRecords(chunk.row_ids) : new Set<string>();
  const going = rows.filter(({ id, isChanged }) => !isChanged && !used.has(id));
  const goingIds = new Set(going.map(({ id }) => id));
  const following = await followingOf(
    deps,
    userId,
    weighings.flatMap((each) => (goingIds.has(each.id) ? [{ ...each, as: null }] : [])),
  );
  const answer: Counts = {
    undone: counts.undone + going.length,
    kept: counts.kept + rows.length - going.length,
    done: counts.done + chunk.row_ids.length,
  };
  return {
    answer,
    guards,
    isBackground: true,
    changes: [
      ...going.map((row) => removed(kind, row)),
      ...following,
      ...(counts.done === 0 ? [entryOf(deps, record, userId)] : []),
      update(importChunk, chunk.id, { row_ids: going.map(({ id }) => id), is_undone: true }),
      update(importRecord, record.id, {
        undone: answer.undone,
        kept: answer.kept,
        rows_done: answer.done,
        touched_at: isoOf(deps.now()),
      }),
    ],
  };
}

/** Stale when it was changed since it was looked at. */
const removed = (kind: ImportKind, { id, rev }: RowNow): Change => remove(RESOURCE[kind], { id, rev });

function entryOf(deps: ImportDeps, record: ImportRecord, userId: string): Change {
  return audit(deps, {
    farm_id: record.farm_id,
    entity_type: 'SYSTEM',
    entity_id: record.farm_id,
    entity_name: `Import of ${record.kind}`,
    action: 'undo_import',
    user_id: userId,
    details: { kind: record.kind, imported: record.imported, import_id: record.id },
  });
}
