import type { Resource } from '#contract/resource.ts';
import type { CommittedRow } from '#core/changes.ts';
import { codecOf } from './row-codec.ts';
import type { Steps, UnitContext } from './statements.ts';

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
export function* showChildren(table: string, id: string, context: UnitContext): Steps<CommittedRow[]> {
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
export function mayShow({ name, entity, parents }: Resource, column: string): string {
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
export function* isBelowHidden(resource: Resource, row: Readonly<Record<string, unknown>>): Steps<boolean> {
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
