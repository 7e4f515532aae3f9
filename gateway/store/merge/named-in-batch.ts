import type { Resource } from '#contract/resource.ts';
import type { Edit, Fields } from './edit.ts';
import type { Heard } from './merge.ts';
import { isTold, resourceOfTable } from './shared-tables.ts';
import type { Tenancy } from './tenancy.ts';
import { namedBy, type WorkingSet } from './working-set.ts';

// Rows and people that the edits of a batch name, and the rows it is about: they are read together, before the merge.

export type Readable = { heard: Heard; resource: Resource; edit: Edit };

/** Fields that an edit sets. */
export const fieldsIn = (edit: Edit): Fields =>
  edit.is === 'whole'
    ? edit.row
    : edit.is === 'groups'
      ? Object.assign({}, ...Object.values(edit.groups))
      : {};

export function namedInBatch(set: WorkingSet, items: readonly Readable[]): (readonly [string, string])[] {
  const inEdits = items.flatMap(({ resource, edit }) => namedBy(resource, fieldsIn(edit)));
  const inRows = [...set.works.values()].flatMap(({ resource, row }) =>
    row === null ? [] : parentsOf(resource, row),
  );
  return [...inEdits, ...inRows];
}

const parentsOf = (resource: Resource, row: Fields): (readonly [string, string])[] =>
  Object.entries(resource.parents).flatMap(([table, column]) => {
    const id = row[column];
    return typeof id === 'string' && isTold(resourceOfTable(table)) ? [[table, id] as const] : [];
  });

/** Addresses that the edits are about or name. */
export const addressesNamed = (items: readonly Readable[]): Set<string> =>
  new Set(
    items.flatMap(({ resource, heard, edit }) => [
      ...(resource.name === 'addresses' ? [heard.change.id] : []),
      ...namedBy(resource, fieldsIn(edit)).flatMap(([table, id]) => (table === 'addresses' ? [id] : [])),
    ]),
  );

export function peopleNamed(set: WorkingSet, items: readonly Readable[]): Set<string> {
  const people = new Set<string>();
  for (const { resource, heard, edit } of items) {
    if (resource.name === 'users') people.add(heard.change.id);
    if (heard.change.actor !== null) people.add(heard.change.actor);
    for (const [table, id] of namedBy(resource, fieldsIn(edit))) if (table === 'users') people.add(id);
  }
  const rows = [
    ...[...set.works.values()].flatMap(({ row }) => (row === null ? [] : [row])),
    ...[...set.standing.values()].flatMap((standing) => (standing === null ? [] : [standing.fields])),
  ];
  for (const row of rows)
    for (const column of ['user_id', 'owner_id'])
      if (typeof row[column] === 'string') people.add(row[column]);
  return people;
}

/** Owner of the gateway, and of the farms as they stand here. */
export function ownersHere(set: WorkingSet, { ownerId }: Tenancy): (readonly [string, string])[] {
  const farms = [...set.works.values()].flatMap(({ resource, row }) =>
    resource.name === 'farms' && row !== null ? [row] : [],
  );
  const named = [...set.standing].flatMap(([key, standing]) =>
    key.startsWith('farms ') && standing !== null ? [standing.fields] : [],
  );
  const owners = [ownerId, ...[...farms, ...named].map((row) => row['owner_id'])];
  return owners.flatMap((id) => (typeof id === 'string' ? [['users', id] as const] : []));
}
