import type { RowOf } from '#contract/resource.ts';
import { batch } from '#contract/resources/batches.ts';
import { importChunk, importRecord } from '#contract/resources/import-records.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import { audit } from '#core/audit.ts';
import {
  asParent,
  type Change,
  type GuardSeen,
  insert,
  insertIfAbsent,
  restore,
  update,
} from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { Reweighed } from '../batch-state.ts';
import { ids, inTurn, standingOf } from './import-file.ts';
import type { Progress } from './import-progress.ts';
import { readRows } from './open-file.ts';
import type { ImportDeps, RowFacts, Stamp } from './ports.ts';
import type { FileToRead } from './read-layout.ts';
import type { Identified, ImportBy } from './read-rows.ts';

/** Batches that a record names: enough to go on from, whatever the file holds. */
const MOST_CODES = 20;
/** Control has its turn between two commits, and a commit holds the loop about so long, whatever the box. */
const TURN_MS = 8;
const ROWS_AT_FIRST = 25;
const MOST_ROWS_PER_COMMIT = 100;
const LEAST_ROWS_PER_COMMIT = 10;
/** So many commits tell what a row takes. */
const COMMITS_LOOKED_AT = 8;

export type ToBring = {
  file: FileToRead;
  facts: RowFacts;
  fresh: ReadonlySet<string>;
  /** Of every row that can be read, in the order of the file. */
  idsInOrder: readonly string[];
  undone: ReadonlySet<string>;
  progress: Progress;
};
type Chunk = { kind: ImportKind; rows: readonly Identified[]; number: number; before: number };

/**
 * Imports a file in which `checkFile` found nothing wrong and these rows `fresh`: some rows per commit, so that control never
 * waits. The first of them carries the log entry of all, and each the record of what it made, so that a power cut leaves no
 * row that no entry names and no undo finds; sending the same file again brings the rest. Answers how many rows came in.
 */
export async function importRows(
  deps: ImportDeps,
  by: ImportBy,
  { file, facts, fresh, idsInOrder, undone, progress }: ToBring,
): Promise<{ imported: number; batchCodes: string[] }> {
  const nextId = inTurn(idsInOrder);
  const codes = new Set<string>();
  const codeById = new Map(facts.farm.batches.map(({ id, batch_code }) => [id, batch_code]));
  const of = { toName: fresh.size, undone, importId: progress.id };
  let imported = 0;
  let number = 0;
  const pace = createPace();
  for await (const chunk of readRows(deps, file, facts)) {
    await progress.step(imported, fresh.size);
    const rows = chunk
      .flatMap((read) => (read.is === 'row' ? [{ ...read, id: nextId() }] : []))
      .filter(({ id }) => fresh.has(id));
    for (let from = 0; from < rows.length; ) {
      const some = rows.slice(from, from + pace.rows());
      const done = await perform(deps, by.caller.userId, () =>
        decideRows(deps, by, { kind: file.kind, rows: some, number, before: imported, ...of }),
      );
      imported += done.answer;
      number += 1;
      from += some.length;
      pace.took(done.committed.tookMs, some.length);
      await deps.pause(1);
    }
    for (const { planned } of rows) {
      const code = planned.is === 'batch' ? planned.content['batch_code'] : codeById.get(planned.parent.id);
      if (typeof code === 'string' && codes.size < MOST_CODES) codes.add(code);
    }
  }
  return { imported, batchCodes: [...codes] };
}

/**
 * How many rows take one turn. By the quickest of the last commits: whatever else the machine does meanwhile makes a commit
 * slower than its rows do, and smaller commits would only add their own cost to that.
 */
export function createPace(): { rows: () => number; took: (ms: number | undefined, rows: number) => void } {
  const perRow: number[] = [];
  return {
    rows() {
      if (perRow.length === 0) return ROWS_AT_FIRST;
      const fitting = Math.round(TURN_MS / Math.max(0.001, Math.min(...perRow)));
      return Math.min(MOST_ROWS_PER_COMMIT, Math.max(LEAST_ROWS_PER_COMMIT, fitting));
    },
    took(ms, rows) {
      if (ms === undefined || rows < LEAST_ROWS_PER_COMMIT) return;
      perRow.push(ms / rows);
      if (perRow.length > COMMITS_LOOKED_AT) perRow.shift();
    },
  };
}

async function decideRows(
  deps: ImportDeps,
  by: ImportBy,
  {
    kind,
    rows,
    number,
    before,
    toName,
    undone,
    importId,
  }: Chunk & { toName: number; undone: ReadonlySet<string>; importId: string },
): Promise<Decision<number>> {
  // a long file goes on beside requests, and its sender may be put out meanwhile
  await deps.requireManager(by.farm.farmId, by.caller.userId);
  const guards = await guardParents(deps, kind, rows);
  const { taken, back } = await standingOf(deps, kind, { ids: ids(rows), undone });
  const missing = rows.filter(({ id }) => !taken.has(id));
  const changes: Change[] = [];
  const stocked: RowOf<typeof batch>[] = [];
  for (const { id, planned } of missing) {
    const stamp: Stamp = {
      id,
      created_by: by.caller.userId,
      clock_quality: deps.clockQuality(),
      created_at: isoOf(deps.now()),
      updated_at: null,
    };
    if (planned.is === 'record') {
      const change = planned.changeOf(stamp);
      changes.push(back.has(id) ? restore(change.resource, id) : change);
      continue;
    }
    const numericId = await claimNumericId(deps.queries, 'batch', id);
    const row = planned.rowOf({ ...stamp, numeric_id: numericId.number });
    if (row.status === 'ACTIVE') stocked.push(row);
    if (back.has(id)) changes.push(restore(batch, id));
    else changes.push(insertIfAbsent(batch, row), numericId.change);
  }
  if (missing.length === 0) return { answer: 0 };
  const beside = stocked.length === 0 ? {} : await deps.onCreateBatches(stocked);
  const following = await followingOf(
    deps,
    by.caller.userId,
    missing.flatMap(({ id, planned }) =>
      kind === 'biometries' && planned.is === 'record'
        ? [{ batchId: planned.parent.id, id, as: planned.content as unknown as NonNullable<Reweighed['as']> }]
        : [],
    ),
  );
  const chunkRow = { import_id: importId, row_ids: ids(missing), is_undone: false };
  const imported = before + missing.length;
  return {
    answer: missing.length,
    isBackground: true,
    changes: [
      ...changes,
      ...following,
      ...(beside.changes ?? []),
      // the log names the import with its first rows, in their commit
      ...(before === 0 ? [entryOf(deps, by, kind, toName)] : []),
      insert(importChunk, { id: `${importId}:${String(number).padStart(6, '0')}`, ...chunkRow }),
      update(importRecord, importId, { imported, rows_done: imported, touched_at: isoOf(deps.now()) }),
    ],
    guards: [...guards, ...(beside.guards ?? [])],
  };
}

/** What follows in each batch from the weighings of one commit. */
export async function followingOf(
  deps: Pick<ImportDeps, 'following'>,
  userId: string,
  weighings: readonly (Reweighed & { batchId: string })[],
): Promise<Change[]> {
  const byBatch = Map.groupBy(weighings, ({ batchId }) => batchId);
  const changes: Change[] = [];
  for (const [batchId, those] of byBatch)
    changes.push(...(await deps.following({ userId }, batchId, those)).changes);
  return changes;
}

/** The ponds and batches of these rows must not be deleted under them. */
async function guardParents(
  deps: ImportDeps,
  kind: ImportKind,
  rows: readonly Identified[],
): Promise<GuardSeen[]> {
  const guards: GuardSeen[] = [];
  for (const entity of ['farm', 'pond', 'batch'] as const) {
    const parents = [
      ...new Set(rows.flatMap(({ planned: { parent } }) => (parent.entity === entity ? parent.id : []))),
    ];
    for (const id of parents) {
      const guard = await deps.guard(entity, id);
      // a deletion of the pond that saw no batch in it yet must look again, and so must a loss that is reckoned by a weighing
      guards.push(kind === 'batches' || kind === 'biometries' ? guard : asParent(guard));
    }
    const standing = await deps.queries.standing(entity, parents);
    if (parents.some((id) => !standing.has(id))) {
      throw conflict(
        `A ${entity} of this file was deleted meanwhile; rows imported so far stay, look at the file again`,
        'PARENT_GONE',
      );
    }
  }
  return guards;
}

function entryOf(deps: ImportDeps, { caller, farm }: ImportBy, kind: ImportKind, imported: number): Change {
  return audit(deps, {
    farm_id: farm.farmId,
    entity_type: 'SYSTEM',
    entity_id: farm.farmId,
    entity_name: `Import of ${kind}`,
    action: 'import',
    user_id: caller.userId,
    details: { kind, imported },
  });
}
