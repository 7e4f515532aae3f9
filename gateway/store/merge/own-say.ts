import type { Resource } from '#contract/resource.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { fieldsOf, stampOf } from './claims.ts';
import type { Edit, Fields, Held } from './edit.ts';
import type { Heard, LostEdit, MergedBatch } from './merge.ts';
import { isTold, resourceOfTable } from './shared-tables.ts';
import type { Tenancy } from './tenancy.ts';
import { keyOf, namedBy, standingOf, type Work, type WorkingSet } from './working-set.ts';

// Gateway: what it alone says of the machines it controls. A hosted instance in other hands knows every row and gives any
// stamp, in its feed and in a snapshot that it can ask for at any time: by neither is a motor switched, a controller's name
// taken, or a lock lifted. What a card lost that went back in time is noted as a conflict, and said anew by the gateway.

/** Whose name it has, which motor it is, who gave it and for what: set once, here. */
export const isSetOnceHere = ({ resource: { name }, before }: Work): boolean =>
  before !== null && (name === controlPoint.name || name === aerator.name || name === order.name);

/** May a group that is the gateway's stand as the hosted instance tells it? A lock that is set is kept, whoever knows of it. */
export function mayTakeOver({ resource: { name }, before }: Work, group: string, edit: Edit): boolean {
  if (before === null) return true;
  return name === controlPoint.name && group === 'lock_out' && fieldsIn(edit)['locked_out'] === true;
}

/** People see what a card lost that went back in time, if it did: the snapshot told of it, and it was not believed. */
export function notTakenOver(
  { resource, edit, heard: { change } }: Readable,
  held: Held,
  groups: readonly string[],
): LostEdit[] {
  if (edit.is !== 'whole') return [];
  return groups.map((group): LostEdit => {
    const fields = resource.groups[group]?.fields ?? [];
    return {
      resource,
      id: change.id,
      change,
      group,
      rule: 'last_writer',
      kept: fieldsOf(held.row, fields),
      dropped: fieldsOf(edit.row, fields),
      keptHlc: stampOf(held.register, group),
      droppedHlc: stampOf(edit, group),
    };
  });
}

/**
 * An order to a control point that stands here was given here, or taken here with the question whether it still counts. One
 * that is told of as a row is history, whoever is named as having given it.
 */
export function isOverAsTold({ resource, heard }: Readable, edit: Edit, { batch, set }: MergedBatch): Edit {
  if (batch.from !== 'hosted' || resource.name !== order.name || edit.is !== 'whole') return edit;
  const pointId = String(edit.row['control_point_id']);
  const isNew = set.works.get(keyOf(resource.name, heard.change.id))?.row === null;
  if (!isNew || !stoodBefore(set.works.get(keyOf(controlPoint.name, pointId)), set, pointId)) return edit;
  return { ...edit, row: { ...edit.row, state: 'EXPIRED' } };
}

/** Nobody settles an order any more that a lost card had given: the hosted instance hears that it is over, or shows it for ever. */
export const isStillOpen = (edit: Edit): boolean =>
  edit.is === 'whole' && (edit.row['state'] === 'SENT' || edit.row['state'] === 'ACKED');

function stoodBefore(work: Work | undefined, set: MergedBatch['set'], pointId: string): boolean {
  return work === undefined ? standingOf(set, controlPoint.name, pointId) !== null : work.before !== null;
}

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
