import type { Resource } from '#contract/resource.ts';
import type { CommittedRow } from '#core/changes.ts';
import type { Steps, UnitContext } from '../register.ts';
import { hideChildren } from '../row-life.ts';
import { inList, listOf } from './id-lists.ts';
import type { MergedBatch } from './merge.ts';
import { rankOf, resourceOfTable } from './shared-tables.ts';
import {
  isOutOfSight,
  keyOf,
  loadStanding,
  loadWorks,
  namedBy,
  type Work,
  type WorkingSet,
} from './working-set.ts';

/**
 * Settles what is seen after a batch: below what was deleted everything goes, below what came back everything comes back
 * that is not deleted itself. Answers rows outside the batch that went; those inside are written with it.
 */
export function* settleVisibility({ set }: MergedBatch, context: UnitContext): Steps<CommittedRow[]> {
  const gone: CommittedRow[] = [];
  recompute(set);
  for (const work of inOrder(set)) {
    if (work.before === null || work.before.hidden || !work.hidden) continue;
    for (const row of yield* hideChildren(work.resource.name, work.id, context)) {
      const child = set.works.get(keyOf(row.table, row.id));
      if (child?.before) child.before = { ...child.before, rev: row.rev };
      else {
        gone.push(row);
        set.standing.set(keyOf(row.table, row.id), { hidden: true, fields: row.after });
      }
    }
  }
  // below what went with its parent just now
  if (gone.length > 0) recompute(set);
  yield* showBelow(set, inOrder(set).filter(isBack), context);
  return gone;
}

const isBack = ({ before, hidden }: Work): boolean => before?.hidden === true && !hidden;

const inOrder = ({ works }: WorkingSet): Work[] =>
  [...works.values()]
    .filter(({ row }) => row !== null)
    .toSorted((a, b) => rankOf(a.resource) - rankOf(b.resource));

/** Parents come before their children, so each sees how those above it ended. */
function recompute(set: WorkingSet): void {
  for (const work of inOrder(set)) work.hidden = isOutOfSight(set, work);
}

function* showBelow(set: WorkingSet, parents: readonly Work[], context: UnitContext): Steps<void> {
  const idsByTable = new Map<string, string[]>();
  for (const { resource, id } of parents)
    idsByTable.set(resource.name, [...(idsByTable.get(resource.name) ?? []), id]);
  const back: Work[] = [];
  for (const [table, ids] of idsByTable) {
    for (const { resource, column } of context.childrenOf.get(table) ?? []) {
      if (resource.goesBy === 'parent') continue;
      const found = yield* hiddenBelow(resource, { column, ids }, context);
      yield* loadWorks(set, new Map([[resource, found]]), context);
      const works = [...found].flatMap((id) => set.works.get(keyOf(resource.name, id)) ?? []);
      yield* loadStanding(
        set,
        works.flatMap(({ row }) => parentsNamed(resource, row)),
        context,
      );
      for (const work of works) {
        work.hidden = isOutOfSight(set, work);
        if (isBack(work)) back.push(work);
      }
    }
  }
  if (back.length > 0) yield* showBelow(set, back, context);
}

const parentsNamed = (resource: Resource, row: Work['row']): (readonly [string, string])[] =>
  row === null
    ? []
    : namedBy(resource, row).filter(([table]) => resourceOfTable(table).name in resource.parents);

function* hiddenBelow(
  { name, entity }: Resource,
  { column, ids }: { column: string; ids: readonly string[] },
  context: UnitContext,
): Steps<Set<string>> {
  const stored = yield {
    sql: `select id from ${name} where ${inList(column, context)} and hidden = 1 and not exists (select 1 from sync_register
      where sync_register.entity = ? and sync_register.id = ${name}.id and sync_register.cl % 2 = 0)`,
    params: [listOf(ids), entity],
  };
  return new Set(stored.map((row) => String(row['id'])));
}
