import type { Resource } from '#contract/resource.ts';
import { NO_PASSWORD, standInEmail } from '#contract/resources/users.ts';
import { isAlive } from '../register.ts';
import type { Edit, Row } from './edit.ts';
import { isLostAccount, isNameOfLeft } from './lost-people.ts';
import type { Heard, MergedBatch } from './merge.ts';
import { standingKey } from './tenancy.ts';
import { standingOf } from './working-set.ts';

type Whole = Extract<Edit, { is: 'whole' }>;

/**
 * The edit as it is merged in place of the one that came. `undo` takes back what it meant for the rest of the batch when
 * the row is refused all the same, or waits aside.
 */
export function asCreatedHere(
  { resource, heard, edit }: { resource: Resource; heard: Heard; edit: Edit },
  merged: MergedBatch,
): { edit: Edit; undo: () => void } | null {
  const { tenancy, set, corrections } = merged;
  if (tenancy === null || edit.is !== 'whole') return null;
  const { id } = heard.change;
  const entered: [Set<string>, string][] = [];
  const corrected = corrections.length;
  const enter = (known: Set<string>, key: string) => {
    if (known.has(key)) return;
    known.add(key);
    entered.push([known, key]);
  };
  const undo = () => {
    for (const [known, key] of entered) known.delete(key);
    corrections.splice(corrected);
  };
  if (resource.name === 'users') {
    enter(tenancy.people, id);
    // an account that this instance made and lost is nobody's but its person's; of one that had ended nobody is asked
    if (!isLostAccount(edit) || !isAlive(edit)) enter(tenancy.locals, id);
    return { edit: standIn(resource, edit), undo };
  }
  if (resource.name === 'addresses') {
    if (!tenancy.locals.has(String(edit.row['user_id'])) && tenancy.ownerId !== edit.row['user_id'])
      return null;
    enter(tenancy.addresses, id);
    return { edit, undo };
  }
  if (resource.name === 'farms') {
    enter(tenancy.farms, id);
    // its owner is on it
    if (tenancy.ownerId !== null) enter(tenancy.standings, standingKey(id, tenancy.ownerId));
    return { edit: ownedBy(tenancy.ownerId, resource, edit, merged), undo };
  }
  if (resource.name === 'control_points' || resource.name === 'batches') {
    const farm = standingOf(set, 'farms', String(edit.row['farm_id']));
    const owner = farm?.fields['owner_id'];
    return { edit: ownedBy(typeof owner === 'string' ? owner : null, resource, edit, merged), undo };
  }
  return null;
}

/** Whose it is is the hosted instance's to say: the owner of the gateway, then of the farm. */
function ownedBy(ownerId: string | null, resource: Resource, edit: Whole, merged: MergedBatch): Edit {
  if (ownerId === null || edit.row['owner_id'] === ownerId) return edit;
  merged.corrections.push({ resource, id: edit.row.id, group: 'owner' });
  return { ...edit, row: { ...edit.row, owner_id: ownerId } };
}

/**
 * Somebody whose account stands on the gateway alone: a row that cannot log in, so that rows may name the person. What is
 * the hosted instance's to say stays without a stamp: the gateway's own account wins over it.
 */
function standIn(resource: Resource, edit: Whole): Edit {
  // told as it was blanked when its person left: that was this side's word, and both hold the same
  if (isNameOfLeft(edit)) return blanked(edit);
  const unstamped = Object.entries(resource.groups)
    .filter(([, { owner }]) => owner === 'hosted')
    .map(([group]) => [group, ''] as const);
  return { ...blanked(edit), over: { ...edit.over, ...Object.fromEntries(unstamped) } };
}

function blanked(edit: Whole): Whole {
  const placeholder = standInEmail(edit.row.id);
  const row: Row = {
    ...edit.row,
    email: placeholder,
    email_key: placeholder,
    role: 'VIEWER',
    is_active: false,
    password_hash: NO_PASSWORD,
    password_version: 1,
  };
  return { ...edit, row };
}
