import type { Resource } from '#contract/resource.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import type { CommittedRow } from '#core/changes.ts';
import { isAlive, LIFE, type Steps, type UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { isHostedStamp } from '../sync-node.ts';
import { type ConflictNote, conflictRows } from './conflicts.ts';
import { inList, listOf } from './id-lists.ts';
import type { MergedBatch } from './merge.ts';
import { isTold, resourceOfTable } from './shared-tables.ts';
import { keyOf, loadStanding, loadWorks, standingOf, type Work, type WorkingSet } from './working-set.ts';

// Rows that were made below what the receiver had deleted: twelve feedings of a pond that its owner deleted meanwhile.
// They are kept out of sight, and people are told once per deleted row how many of which table there are: restoring it
// brings them back. It is told where such rows come in; the other side made them and sees them go.

/** One note per deleted row; `dropped` counts rows by table. */
export function* keptBelowDeleted(merged: MergedBatch, context: UnitContext): Steps<ConflictNote[]> {
  const { set, batch } = merged;
  // a snapshot and a comparison tell of rows whose parents were deleted long before
  if (batch.isSnapshot || batch.isRepair === true) return [];
  const made = [...set.works.values()].filter(
    ({ before, row, register }) =>
      before === null && row !== null && (register === null || isAlive(register)),
  );
  const notes = new Map<string, ConflictNote>();
  for (const child of made) {
    for (const parent of yield* deletedAbove(set, child, context)) {
      const hlc = parent.register?.over[LIFE] ?? '';
      // whoever deleted it and then made a row below knew what he did
      if (isHostedStamp(hlc) === (batch.from === 'hosted')) continue;
      const key = keyOf(parent.resource.name, parent.id);
      notes.set(key, counted(notes.get(key) ?? noteOf(parent, hlc), child, merged));
    }
  }
  return [...notes.values()];
}

const noteOf = ({ resource, id }: Work, hlc: string): ConflictNote => ({
  resource,
  id,
  group: LIFE,
  rule: 'delete_wins',
  kept: {},
  dropped: {},
  keptHlc: hlc,
  droppedHlc: '',
});

function counted(note: ConflictNote, { resource, id }: Work, { applied }: MergedBatch): ConflictNote {
  const maker = applied.find(({ heard, resource: of }) => of === resource && heard.change.id === id);
  const actor = maker?.heard.change.actor ?? null;
  return {
    ...note,
    dropped: sumOf(note.dropped, { [resource.name]: 1 }),
    // nobody is named where several made them
    droppedBy: note.droppedBy === undefined || note.droppedBy === actor ? actor : null,
  };
}

type Counts = Readonly<Record<string, unknown>>;

function sumOf(a: Counts, b: Counts): Record<string, number> {
  const tables = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
  return Object.fromEntries(tables.map((table) => [table, Number(a[table] ?? 0) + Number(b[table] ?? 0)]));
}

/** The rows above a row that are deleted themselves. */
function* deletedAbove(set: WorkingSet, work: Work, context: UnitContext): Steps<Work[]> {
  const found: Work[] = [];
  for (const [table, column] of Object.entries(work.resource.parents)) {
    const id = work.row?.[column];
    const resource = resourceOfTable(table);
    if (typeof id !== 'string' || !isTold(resource)) continue;
    yield* loadStanding(set, [[table, id]], context);
    if (standingOf(set, table, id)?.hidden !== true) continue;
    yield* loadWorks(set, new Map([[resource, new Set([id])]]), context);
    const parent = set.works.get(keyOf(table, id));
    if (parent === undefined) continue;
    if (parent.register !== null && !isAlive(parent.register)) found.push(parent);
    else found.push(...(yield* deletedAbove(set, parent, context)));
  }
  return found;
}

// the codec takes any resource
const CONFLICTS = syncConflict as unknown as Resource;

/** Writes the notes; what came before of the same deleted row is added to. */
export function* writeKeptHidden(
  notes: readonly ConflictNote[],
  merged: MergedBatch,
  context: UnitContext,
): Steps<CommittedRow[]> {
  if (notes.length === 0) return [];
  const codec = codecOf(CONFLICTS);
  const rows = yield* conflictRows(notes, merged, context);
  const stored = yield {
    sql: `select ${codec.columns.join(', ')} from sync_conflicts where ${inList('id', context)}`,
    params: [listOf(rows.map(({ id }) => id))],
  };
  const known = new Map(stored.map((row) => [String(row['id']), codec.decode(row)]));
  const written: CommittedRow[] = [];
  for (const row of rows) {
    const before = known.get(row.id) ?? null;
    if (before === null) {
      yield { sql: codec.insertSql, params: codec.values(row) };
    } else {
      row.dropped_json = JSON.stringify(sumOf(countsIn(before['dropped_json']), countsIn(row.dropped_json)));
      yield {
        sql: 'update sync_conflicts set dropped_json = ? where id = ?',
        params: [row.dropped_json, row.id],
      };
    }
    const after = before === null ? row : { ...before, dropped_json: row.dropped_json };
    written.push({ table: CONFLICTS.name, id: row.id, before, after, rev: 0, hidden: false });
  }
  return written;
}

// written above
const countsIn = (json: unknown): Counts => JSON.parse(String(json)) as Counts;
