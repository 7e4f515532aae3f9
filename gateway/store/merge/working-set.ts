import type { Resource } from '#contract/resource.ts';
import { isAlive, type Register, registerOf, type Steps, type UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import type { Row } from './edit.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { placeColumns } from './places.ts';
import { isTold, referencesOf, resourceOfTable } from './shared-tables.ts';

// The rows of a batch, read with a few statements, merged in memory and written with a few statements.

export type Work = {
  resource: Resource;
  id: string;
  /** As stored; null: there is none. */
  before: { row: Row; rev: number; hidden: boolean } | null;
  row: Row | null;
  register: Register | null;
  hidden: boolean;
  isChanged: boolean;
  isRegisterChanged: boolean;
};

/** What is known of a row that others name: whether it is seen, and where it belongs. */
export type Standing = { hidden: boolean; fields: Readonly<Record<string, unknown>> };

export type WorkingSet = {
  works: Map<string, Work>;
  standing: Map<string, Standing | null>;
  /** Of those that do not stand: the ones that were erased for good. */
  erased: Set<string>;
};

export const keyOf = (table: string, id: string): string => `${table} ${id}`;

export const newWorkingSet = (): WorkingSet => ({
  works: new Map(),
  standing: new Map(),
  erased: new Set(),
});

/** A row that was told of for good: its register stays so that it never comes back. */
export const isErased = (work: Work): boolean => work.row === null && work.register !== null;

/** Reads rows and registers that are not in the set yet, locked where another unit could write them. */
export function* loadWorks(
  set: WorkingSet,
  wanted: ReadonlyMap<Resource, ReadonlySet<string>>,
  context: UnitContext,
): Steps<void> {
  for (const [resource, all] of wanted) {
    const ids = [...all].filter((id) => !set.works.has(keyOf(resource.name, id)));
    if (ids.length === 0) continue;
    const codec = codecOf(resource);
    const lock = context.dialect === 'postgres' ? ' order by id for no key update' : '';
    const { sql, params } = rowsByIds(
      { table: resource.name, columns: [...codec.columns, 'rev', 'hidden'], ids },
      context,
    );
    const stored = new Map((yield { sql: `${sql}${lock}`, params }).map((row) => [String(row['id']), row]));
    const registers = resource.sync === 'fact' ? [] : yield* storedRegisters(resource, ids, context);
    const registerById = new Map(registers.map((row) => [String(row['id']), registerOf(row)]));
    for (const id of ids) {
      const row = stored.get(id);
      set.works.set(
        keyOf(resource.name, id),
        workOf({ resource, id, row, register: registerById.get(id) ?? null }),
      );
    }
  }
}

function* storedRegisters(
  resource: Resource,
  ids: readonly string[],
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  return yield {
    sql: `select id, cl, hlc, over_json from sync_register where entity = ? and ${inList('id', context)}`,
    params: [resource.entity, listOf(ids)],
  };
}

function workOf({
  resource,
  id,
  row,
  register,
}: {
  resource: Resource;
  id: string;
  row: Record<string, unknown> | undefined;
  register: Register | null;
}): Work {
  const decoded = row === undefined ? null : ({ ...codecOf(resource).decode(row), id } as Row);
  const hidden = row?.['hidden'] === 1;
  return {
    resource,
    id,
    before: decoded === null ? null : { row: decoded, rev: Number(row?.['rev'] ?? 0), hidden },
    row: decoded,
    register,
    hidden,
    isChanged: false,
    isRegisterChanged: false,
  };
}

/** Reads how the rows stand that those of the set, or bodies about to be merged into it, name. */
export function* loadStanding(
  set: WorkingSet,
  named: Iterable<readonly [table: string, id: string]>,
  context: UnitContext,
): Steps<void> {
  const idsByTable = new Map<string, Set<string>>();
  for (const [table, id] of named) {
    const key = keyOf(table, id);
    if (set.standing.has(key) || set.works.get(key)?.row) continue;
    const ids = idsByTable.get(table) ?? new Set();
    idsByTable.set(table, ids.add(id));
  }
  for (const [table, ids] of idsByTable) {
    const columns = new Set(['id', 'hidden', ...standingColumns(resourceOfTable(table))]);
    const stored = yield rowsByIds({ table, columns: [...columns], ids }, context);
    for (const id of ids) set.standing.set(keyOf(table, id), null);
    for (const row of stored)
      set.standing.set(keyOf(table, String(row['id'])), { hidden: row['hidden'] === 1, fields: row });
    yield* noteErased(set, table, ids, context);
  }
}

/** A row that does not stand and has a register was here, and is erased. */
function* noteErased(
  set: WorkingSet,
  table: string,
  ids: ReadonlySet<string>,
  context: UnitContext,
): Steps<void> {
  const missing = [...ids].filter((id) => set.standing.get(keyOf(table, id)) === null);
  if (missing.length === 0) return;
  const { entity } = resourceOfTable(table);
  const known = yield {
    sql: `select id from sync_register where entity = ? and ${inList('id', context)}`,
    params: [entity, listOf(missing)],
  };
  for (const row of known) set.erased.add(keyOf(table, String(row['id'])));
}

/** Was a row that others name erased for good? It never comes, whoever waits for it. */
export function isErasedForGood(set: WorkingSet, table: string, id: string): boolean {
  const key = keyOf(table, id);
  const work = set.works.get(key);
  return work === undefined ? set.erased.has(key) : isErased(work);
}

/** Where it belongs, and for a farm whose it is. */
const standingColumns = (resource: Resource): string[] =>
  resource.name === 'farms' ? ['owner_id'] : placeColumns(resource);

/** A named row as it stands within the batch, else as stored; null: there is none. */
export function standingOf(set: WorkingSet, table: string, id: string): Standing | null {
  const key = keyOf(table, id);
  const work = set.works.get(key);
  if (work !== undefined) return work.row === null ? null : { hidden: work.hidden, fields: work.row };
  return set.standing.get(key) ?? null;
}

/** Rows that a row, or part of one, names. */
export function namedBy(
  resource: Resource,
  fields: Readonly<Record<string, unknown>>,
): (readonly [string, string])[] {
  return referencesOf(resource).flatMap(([column, table]) => {
    const id = fields[column];
    return typeof id === 'string' ? [[table, id] as const] : [];
  });
}

/** Out of sight: deleted, or below something that is. Rows that go by their parent are asked for with it. */
export function isOutOfSight(set: WorkingSet, work: Work): boolean {
  if (work.register !== null && !isAlive(work.register)) return true;
  if (work.resource.goesBy === 'parent' || work.row === null) return false;
  const row = work.row;
  return Object.entries(work.resource.parents).some(([table, column]) => {
    const id = row[column];
    return (
      typeof id === 'string' && isTold(resourceOfTable(table)) && standingOf(set, table, id)?.hidden === true
    );
  });
}
