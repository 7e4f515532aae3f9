import type { Resource } from '#contract/resource.ts';
import { isAlive, LIFE, type Register } from '../register.ts';
import { wordOn } from './account-word.ts';
import { type Claim, compareClaims, fieldsOf, isSame, lostOf, stampOf } from './claims.ts';
import type { Edit, Held, Lost, Merged, Row } from './edit.ts';
import { mergeWhole } from './merge-whole.ts';
import { editable, isLaterEdit, laterLife, withoutMaking } from './row-stamps.ts';
import { filledUp } from './schemas.ts';

// The one rule by which two instances come to the same rows, whatever the order in which they hear of changes: per
// group of fields the greater stamp wins, then the greater canonical value; per row the greater causal length. Registers
// go on merging while a row is deleted, so that it comes back as it would have been.

/** Merges a change into what is held; null where the row stays unknown: part of a row that nobody has told of yet. */
export function merge(
  resource: Resource,
  held: Held | null,
  edit: Edit,
  accepts: (group: string) => boolean,
): Merged | null {
  if (held === null) return edit.is === 'whole' ? made(edit) : null;
  switch (edit.is) {
    case 'whole':
      return mergeWhole(resource, held, edit, accepts);
    case 'groups':
      return mergeGroups(resource, held, edit, accepts);
    case 'delete':
      return mergeDelete(resource, held, edit);
    default:
      return edit satisfies never;
  }
}

function made({ row, cl, hlc, over }: Extract<Edit, { is: 'whole' }>): Merged {
  return { held: { row, register: { cl, hlc, over: withoutMaking(hlc, over) } }, lost: [], passedOver: [] };
}

function mergeGroups(
  resource: Resource,
  { row, register }: Held,
  edit: Extract<Edit, { is: 'groups' }>,
  accepts: (group: string) => boolean,
): Merged {
  const merged: Row = { ...row };
  const over = { ...register.over };
  const lost: Lost[] = [];
  const passedOver: string[] = [];
  const isNewest = isLaterEdit({ stamp: edit.hlc, at: edit.updatedAt }, { row, register });
  for (const [group, value] of Object.entries(edit.groups)) {
    const fields = resource.groups[group]?.fields ?? [];
    const held = { hlc: stampOf(register, group), value: fieldsOf(row, fields) };
    // a field that the other side does not know yet stays as it is
    const told = { hlc: edit.hlc, value: { ...held.value, ...value } };
    const [own, other] = accepts(group) ? filledUp(resource, held, told) : [held, told];
    const word = edit.telling === undefined ? null : wordOn(group, { own, other }, edit.telling);
    if (word !== null) {
      if (!word.takes) continue;
      Object.assign(merged, word.value);
      over[group] = edit.hlc;
      continue;
    }
    const order = compareClaims(other, own);
    if (!accepts(group) && !isSame(own, other)) {
      if (order > 0) passedOver.push(group);
      continue;
    }
    if (order !== 0) lost.push(...lostOf(group, { own, other, isOtherKept: order > 0 }, edit.base[group]));
    if (!isAlive(register) && edit.cl < register.cl) lost.push(lostToDelete(group, other, register));
    Object.assign(merged, order > 0 ? other.value : own.value);
    if (order <= 0) continue;
    over[group] = edit.hlc;
  }
  if (isNewest && edit.updatedAt !== undefined && passedOver.length < Object.keys(edit.groups).length)
    merged['updated_at'] = edit.updatedAt;
  const life = laterLife(register, { cl: edit.cl, stamp: '' });
  return {
    held: { row: merged, register: { ...register, cl: life.cl, over: { ...editable(over), ...life.over } } },
    lost,
    passedOver,
  };
}

function lostToDelete(group: string, { hlc, value }: Claim, register: Register): Lost {
  return {
    group,
    rule: 'delete_wins',
    kept: {},
    dropped: value,
    keptHlc: register.over[LIFE] ?? '',
    droppedHlc: hlc,
  };
}

function mergeDelete(
  resource: Resource,
  { row, register }: Held,
  { cl, hlc, seen }: Extract<Edit, { is: 'delete' }>,
): Merged {
  const life = laterLife(register, { cl, stamp: hlc });
  const after: Register = { ...register, cl: life.cl, over: { ...editable(register.over), ...life.over } };
  const isNew = cl > register.cl && isAlive(register);
  const lost = Object.entries(isNew && seen !== null ? resource.groups : {}).flatMap(
    ([group, { fields }]) => {
      const stamp = stampOf(register, group);
      const known = seen?.[group] ?? seen?.[''] ?? '';
      return stamp > known ? [lostToDelete(group, { hlc: stamp, value: fieldsOf(row, fields) }, after)] : [];
    },
  );
  return { held: { row, register: after }, lost, passedOver: [] };
}
