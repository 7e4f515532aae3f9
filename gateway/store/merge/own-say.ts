import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { fieldsOf, stampOf } from './claims.ts';
import type { Edit, Held } from './edit.ts';
import type { LostEdit, MergedBatch } from './merge.ts';
import { fieldsIn, type Readable } from './named-in-batch.ts';
import { keyOf, standingOf, type Work } from './working-set.ts';

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
