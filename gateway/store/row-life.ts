import type { Resource } from '#contract/resource.ts';
import type { Change, CommittedRow } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import type { ChangeLog } from './change-log.ts';
import { wholeRow } from './merge/whole-rows.ts';
import {
  isAlive,
  LIFE,
  lockRow,
  newestOf,
  newRegister,
  readRegister,
  type Steps,
  type UnitContext,
  writeRegister,
} from './register.ts';
import { codecOf } from './row-codec.ts';

// Children carry no tombstone of their own: they are hidden because an ancestor is, and seen again with it.

/** Hides what belongs to a deleted row. */
export function* hideChildren(table: string, id: string, context: UnitContext): Steps<CommittedRow[]> {
  const rows: CommittedRow[] = [];
  for (const { resource, column } of context.childrenOf.get(table) ?? []) {
    if (resource.goesBy === 'parent') continue;
    const codec = codecOf(resource);
    const hidden = yield {
      sql: `update ${resource.name} set hidden = 1, rev = rev + 1 where ${whichGo(resource, column)} returning rev, ${codec.columns.join(', ')}`,
      params: [id],
    };
    for (const stored of hidden) {
      const row = codec.decode(stored);
      const childId = String(row['id']);
      rows.push({
        table: resource.name,
        id: childId,
        before: row,
        after: row,
        rev: Number(stored['rev'] ?? 0),
        hidden: true,
      });
      for (const below of yield* hideChildren(resource.name, childId, context)) rows.push(below);
    }
  }
  return rows;
}

function whichGo({ name, goesBy }: Resource, column: string): string {
  const below = `${column} = ? and hidden = 0`;
  if (typeof goesBy === 'string') return below;
  const { status, newestBy, most } = goesBy;
  return `id in (select id from ${name} where ${below} and status = '${status}' order by ${newestBy} desc limit ${most})`;
}

/** Shows again what was hidden with a row: unless it was deleted itself, or another parent of it still is. */
function* showChildren(table: string, id: string, context: UnitContext): Steps<CommittedRow[]> {
  const rows: CommittedRow[] = [];
  for (const { resource, column } of context.childrenOf.get(table) ?? []) {
    if (resource.goesBy === 'parent') continue;
    const codec = codecOf(resource);
    const shown = yield {
      sql: `update ${resource.name} set hidden = 0, rev = rev + 1 where ${column} = ? and hidden = 1 and ${mayShow(resource, column)} returning rev, ${codec.columns.join(', ')}`,
      params: [id],
    };
    for (const stored of shown) {
      const row = codec.decode(stored);
      const childId = String(row['id']);
      rows.push({
        table: resource.name,
        id: childId,
        before: null,
        after: row,
        rev: Number(stored['rev'] ?? 0),
        hidden: false,
      });
      for (const below of yield* showChildren(resource.name, childId, context)) rows.push(below);
    }
  }
  return rows;
}

/** Not deleted itself, and no parent by another column than `column` is. */
function mayShow({ name, entity, parents }: Resource, column: string): string {
  const own = `not exists (select 1 from sync_register where sync_register.entity = ${entity}
    and sync_register.id = ${name}.id and sync_register.cl % 2 = 0)`;
  const others = Object.entries(parents)
    .filter(([, other]) => other !== column)
    .map(
      ([parent, other]) =>
        `not exists (select 1 from ${parent} as parent where parent.id = ${name}.${other} and parent.hidden = 1)`,
    );
  return [own, ...others].join(' and ');
}

/** Out of sight, in SQL: rows that go by their parent are not marked themselves. */
export function isHiddenIn({ name, goesBy, parents }: Pick<Resource, 'name' | 'goesBy' | 'parents'>): string {
  if (goesBy === 'row') return 'hidden = 1';
  const above = Object.entries(parents).map(
    ([parent, column]) =>
      `exists (select 1 from ${parent} as parent where parent.id = ${name}.${column} and parent.hidden = 1)`,
  );
  return `(hidden = 1 or ${above.join(' or ')})`;
}

/** Is one of its parents out of sight? */
function* isBelowHidden(resource: Resource, row: Readonly<Record<string, unknown>>): Steps<boolean> {
  for (const [parent, column] of Object.entries(resource.parents)) {
    const parentId = row[column];
    if (typeof parentId !== 'string') continue;
    const [hidden] = yield {
      sql: `select id from ${parent} where id = ? and hidden = 1`,
      params: [parentId],
    };
    if (hidden !== undefined) return true;
  }
  return false;
}

// A row's causal length: each delete and each restore makes it longer by one, odd is alive.

export function* deleteRow(
  change: Extract<Change, { op: 'delete' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id } = change;
  const stored = yield* lockRow(resource, id, context);
  if (stored === null || stored.hidden) throw new StaleError(`${resource.name} ${id}`);
  if (change.expectRev !== null && change.expectRev !== stored.rev)
    throw new StaleError(`${resource.name} ${id}`);
  yield { sql: `update ${resource.name} set hidden = 1, rev = rev + 1 where id = ?`, params: [id] };
  const register = (yield* readRegister(resource, id)) ?? newRegister();
  const cl = register.cl + 1;
  const stamp = log.stamp(newestOf(register));
  yield* writeRegister(resource, id, { ...register, cl, over: { ...register.over, [LIFE]: stamp } });
  // what was seen of the row: an edit that is not in it is concurrent, and whoever made it is told
  const base = { '': register.hlc, ...register.over };
  yield* log.write({ resource, id, op: 'delete', cl, hlc: stamp, base, body: null });
  const gone: CommittedRow = {
    table: resource.name,
    id,
    before: stored.row,
    after: stored.row,
    rev: stored.rev + 1,
    hidden: true,
  };
  return [gone, ...(yield* hideChildren(resource.name, id, context))];
}

export function* restoreRow(
  change: Extract<Change, { op: 'restore' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id, expectRev } = change;
  const stored = yield* lockRow(resource, id, context);
  const register = yield* readRegister(resource, id);
  const isDeleted = stored?.hidden === true && register !== null && !isAlive(register);
  if (!isDeleted || (expectRev !== null && expectRev !== stored.rev))
    throw new StaleError(`${resource.name} ${id}`);
  if (yield* isBelowHidden(resource, stored.row))
    throw new StaleError(`what ${resource.name} ${id} belongs to`);
  yield { sql: `update ${resource.name} set hidden = 0, rev = rev + 1 where id = ?`, params: [id] };
  const stamp = log.stamp(newestOf(register));
  const alive = { cl: register.cl + 1, hlc: register.hlc, over: { ...register.over, [LIFE]: stamp } };
  yield* writeRegister(resource, id, alive);
  yield* log.write({ ...wholeRow(resource, { ...stored.row, id }, alive), op: 'restore' });
  const back: CommittedRow = {
    table: resource.name,
    id,
    before: null,
    after: stored.row,
    rev: stored.rev + 1,
    hidden: false,
  };
  return [back, ...(yield* showChildren(resource.name, id, context))];
}
