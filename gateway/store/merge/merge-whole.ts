import type { Resource } from '#contract/resource.ts';
import { LIFE } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { wordOn } from './account-word.ts';
import { compareClaims, fieldsOf, isSame, lostOf, stampOf } from './claims.ts';
import type { Edit, Held, Lost, Merged, Row } from './edit.ts';
import { isLaterEdit, laterLife, newestEditOf, withoutMaking } from './row-stamps.ts';
import { filledUp } from './schemas.ts';

/** Asked like a group: may what is set once be as the other side tells it? */
export const MAKING = '*making';

/**
 * Merges a row that is told as it stands, group by group. A row is made once: where the hosted instance's snapshot has
 * another stamp for the making, it was set anew for another life of this card. That stamp counts, and every edit over
 * there was made over it.
 */
export function mergeWhole(
  resource: Resource,
  { row, register }: Held,
  edit: Extract<Edit, { is: 'whole' }>,
  accepts: (group: string) => boolean,
): Merged {
  const stamps: Record<string, string> = {};
  // what the other side does not know yet stays as it is
  const told: Row = { ...edit.row, ...fieldsOf(row, edit.unsaid ?? []) };
  const merged: Row = { ...row };
  const lost: Lost[] = [];
  const passedOver: string[] = [];
  const isMadeAnew = edit.isSnapshot === true && edit.hlc !== '' && edit.hlc !== register.hlc;
  const madeAt = isMadeAnew ? '' : register.hlc;
  for (const [group, { fields, owner }] of Object.entries(resource.groups)) {
    const isOpen = accepts(group);
    const claims = [
      { hlc: register.over[group] ?? madeAt, value: fieldsOf(row, fields) },
      { hlc: stampOf(edit, group), value: fieldsOf(told, fields) },
    ] as const;
    const [own, other] = isOpen ? filledUp(resource, ...claims) : claims;
    const word =
      edit.telling !== undefined && owner === 'hosted' ? wordOn(group, { own, other }, edit.telling) : null;
    if (word !== null) {
      if (word.takes) Object.assign(merged, word.value);
      stamps[group] = word.takes ? other.hlc : own.hlc;
      continue;
    }
    const order = compareClaims(other, own);
    // the same said by somebody else is no word against the owner
    const mayTake = isOpen || isSame(own, other);
    if (order > 0 && !mayTake) passedOver.push(group);
    const isLaw = edit.isSnapshot === true && owner === 'hosted' && areHosteds(own.hlc, other.hlc);
    const isMended = edit.isMended === true && owner === undefined && own.hlc === other.hlc;
    const takes = isLaw || isMended ? order !== 0 : order > 0 && mayTake;
    Object.assign(merged, takes ? other.value : own.value);
    stamps[group] = takes ? other.hlc : own.hlc;
    if (edit.isSnapshot && owner !== 'hosted')
      lost.push(...lostOf(group, { own, other, isOtherKept: takes }, null));
  }
  // what never changes after the making goes by the making's stamp, `updated_at` by the newest of all
  const fixed = fixedFields(resource);
  const [made, making] = filledUp(
    resource,
    { hlc: register.hlc, value: fieldsOf(row, fixed) },
    { hlc: edit.hlc, value: fieldsOf(told, fixed) },
  );
  const makingOrder = compareClaims(making, made);
  const isOlderMaking =
    isMadeAnew || (edit.isMended === true && edit.hlc === register.hlc ? makingOrder !== 0 : makingOrder > 0);
  if (accepts(MAKING)) Object.assign(merged, isOlderMaking ? making.value : made.value);
  const edited = { stamp: newestEditOf(edit), at: edit.row['updated_at'] };
  if ('updated_at' in edit.row && isLaterEdit(edited, { row, register })) merged['updated_at'] = edited.at;
  const hlc = isOlderMaking ? edit.hlc : register.hlc;
  const life = laterLife(register, { cl: edit.cl, stamp: edit.over[LIFE] ?? '' });
  return {
    held: {
      row: merged,
      register: { cl: life.cl, hlc, over: { ...withoutMaking(hlc, stamps), ...life.over } },
    },
    lost,
    passedOver,
  };
}

/**
 * Of what is the hosted instance's alone its snapshot is right, whatever the stamps say: after a failover it may have lost
 * a word that this gateway had heard. What was changed at the farm meanwhile stays.
 */
const areHosteds = (own: string, other: string): boolean => isHostedStamp(own) && isHostedStamp(other);

/** Fields in no group, but for the id and the moment of the last change. */
export function fixedFields(resource: Resource): string[] {
  const grouped = new Set(Object.values(resource.groups).flatMap(({ fields }) => fields));
  return Object.keys(resource.row.shape).filter(
    (field) => field !== 'id' && field !== 'updated_at' && !grouped.has(field),
  );
}
