import { standInEmail } from '#contract/resources/users.ts';
import { isAlive } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { DETAILS } from './account-word.ts';
import { stampOf } from './claims.ts';
import type { Edit } from './edit.ts';
import type { Correction, MergedBatch } from './merge.ts';
import { fieldsIn, type Readable } from './own-say.ts';
import { isToldAsItStands } from './personal.ts';
import type { Work } from './working-set.ts';

// Hosted: what a gateway tells of accounts that are not its own to speak of.

/**
 * Of who left the farms of this gateway, or whose farm was taken off it, and whose account is not its own, nothing is
 * taken: nor is it kept for anybody. A farm that comes back is told with its people anew.
 */
export const isOfWhoLeft = ({ resource, id, row }: Work, { tenancy }: MergedBatch): boolean =>
  resource.name === 'users' &&
  row !== null &&
  (tenancy?.past.has(id) === true || tenancy?.away.has(id) === true) &&
  !tenancy.people.has(id) &&
  !tenancy.locals.has(id);

/**
 * Told after a comparison as somebody of its farms. The news that the person left, or that the farm did, may never have come:
 * a database that was brought back may not know that it had told of the person at all.
 */
export const isToldAsPresent = (edit: Edit): boolean =>
  edit.is === 'whole' && isAlive(edit) && edit.row['email_key'] !== standInEmail(edit.row.id);

/** An account that no gateway made is its person's, on the hosted instance: nothing that a gateway says of it counts. */
export function isOfHosted({ resource, id, row }: Work, { tenancy }: MergedBatch): boolean {
  if (resource.name !== 'users' || row === null || tenancy === null) return false;
  return !tenancy.locals.has(id) && tenancy.people.has(id);
}

/**
 * A name that was changed there is told again as it stands, under a later stamp, also where both come to the same name; the
 * rest of an account may differ.
 */
export function setAccountRight(item: Readable, work: Work, merged: MergedBatch): void {
  const { edit } = item;
  const { resource, id, row, register } = work;
  merged.passedOver += 1;
  for (const group of wordsSetAnew(item)) merged.corrections.push({ resource, id, group });
  const { name } = fieldsIn(edit);
  if (name === undefined) return;
  const isLater =
    register !== null && (edit.is === 'whole' ? stampOf(edit, 'name') : edit.hlc) > stampOf(register, 'name');
  if (isLater || name !== row?.['name']) merged.corrections.push({ resource, id, group: 'name' });
}

/**
 * Words of this instance in an account as its gateway tells it, whose stamps were set anew together with those of the box.
 * There they are newer now than here, and would win over what was changed here since: each is told again as it stands.
 * The password is decided by its version; a telephone number stays here.
 */
const wordsSetAnew = ({ resource, edit, heard: { anew, sent } }: Readable): string[] =>
  edit.is !== 'whole' || anew === undefined || sent === undefined
    ? []
    : Object.keys(resource.groups).filter(
        (group) =>
          isToldAsItStands(resource.name, group) &&
          stampOf(edit, group) === anew &&
          isHostedStamp(sent.over?.[group] ?? sent.hlc),
      );

/** An address or a role about which an administrator is asked: the gateway keeps its word until that is answered. */
export const isAskedAbout = ({ lostPeople }: MergedBatch, { resource, id, group }: Correction): boolean =>
  resource.name === 'users' &&
  DETAILS.has(group) &&
  lostPeople.some(({ userId, kind }) => userId === id && kind === group);
