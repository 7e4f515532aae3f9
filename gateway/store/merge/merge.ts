import type { Resource } from '#contract/resource.ts';
import type { LOST_KINDS } from '#contract/resources/sync-tables.ts';
import type { LanePoints, WireChange } from '#contract/sync/wire.ts';
import { isAlive, LIFE, type Register } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { editable, isLaterEdit, laterLife, newestEditOf, withoutMaking } from './accept-stamps.ts';
import { wordOn } from './account-word.ts';
import { type Claim, compareClaims, fieldsOf, isSame, lostOf, stampOf } from './claims.ts';
import type { Edit, Held, Lost, Merged, Row } from './edit.ts';
import { filledUp } from './schemas.ts';
import type { Tenancy } from './tenancy.ts';
import type { WorkingSet } from './working-set.ts';

/** Asked like a group: may what is set once be as the other side tells it? */
export const MAKING = '*making';

/**
 * Merges a row that is told as it stands, group by group. A row is made once: where the hosted instance's snapshot has
 * another stamp for the making, it was set anew for another life of this card. That stamp counts, and every edit over
 * there was made over it.
 */
function mergeWhole(
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
  // whoever changed a row knew what it was made as
  const isOfMaking = ({ hlc }: Claim): boolean => hlc === register.hlc || hlc === edit.hlc;
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
    const isNoted =
      edit.isSnapshot === true || (edit.isToldAlone === true && !isOfMaking(takes ? own : other));
    if (isNoted && owner !== 'hosted') lost.push(...lostOf(group, { own, other, isOtherKept: takes }, null));
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

export type LostPersonFound = {
  kind: (typeof LOST_KINDS)[number];
  userId: string;
  farmId: string | null;
  name: string;
  email: string;
  role: string | null;
  passwordVersion: number;
  /** Another gateway told of it before. */
  toldBefore?: boolean;
};

// Hosted: a row that a gateway made, as it is taken in. What is not the gateway's to say is set right, and told to it.

/** `group` of a row stands otherwise than the other side said; it is stamped anew and told when the batch is written. */
export type Correction = { resource: Resource; id: string; group: string };

export type Batch = {
  from: 'gateway' | 'hosted';
  streamId: number;
  changes: readonly Heard[];
  /** A snapshot has the receiver's own groups, too: as the other side knew them. */
  isSnapshot: boolean;
  /** Of a snapshot: nobody over there asks what this gateway knows later of an account. */
  isSettled?: boolean;
  /** Rows on which both sides were found to differ. */
  isRepair?: boolean;
  /** Changes of this side, merged again under other stamps. */
  isOwn?: boolean;
  /** Of a snapshot: how far the hosted instance heard this gateway's log; null: nobody knows. */
  heard?: LanePoints | null;
};

export type Kept = Heard & { reason: string };

/**
 * `parkedId`: it was kept aside before, and is tried again. `anew`: the stamp that was set in place of one too far ahead,
 * `sent`: the change as it was before that.
 */
export type Heard = { change: WireChange; parkedId: string | null; anew?: string; sent?: WireChange };

export type LostEdit = Omit<Lost, 'rule'> & {
  rule: Lost['rule'] | 'renamed' | 'unassigned' | 'duplicate';
  resource: Resource;
  id: string;
  change: WireChange;
};

/** A batch merged in memory; nothing of it is written yet. */
export type MergedBatch = {
  batch: Batch;
  set: WorkingSet;
  tenancy: Tenancy | null;
  applied: { heard: Heard; resource: Resource; edit: Edit }[];
  kept: Kept[];
  lost: LostEdit[];
  /** What the other side set apart, by a derived stamp. */
  setApart: LostEdit[];
  corrections: Correction[];
  /** Memberships that a gateway made of people who had left: deleted as they come, and told to it as such. */
  refusedMembers: LostEdit[];
  /** Of whom the gateway tells as of its people, though they are on none of its farms: it is told so. */
  left: string[];
  /** Whom the gateway tells as members of a farm that it does not run. */
  membersElsewhere: string[];
  /** What a gateway knows of people and this instance lost. */
  lostPeople: LostPersonFound[];
  passedOver: number;
  /** Changes of rows below one that was erased here: nobody sees them again, and the other side erases its own. */
  ofErased: number;
  /** Gateway: rows that wait aside as a whole, of those of which parts are told here; see keyOf. */
  wholesAside: ReadonlySet<string> | null;
};
