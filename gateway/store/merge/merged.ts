import type { Resource } from '#contract/resource.ts';
import type { LOST_KINDS } from '#contract/resources/sync-tables.ts';
import type { WireChange } from '#contract/sync/wire.ts';

import type { Edit, Lost } from './edit.ts';

import type { Tenancy } from './tenancy.ts';
import type { WorkingSet } from './working-set.ts';

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
  /** Rows on which both sides were found to differ. */
  isRepair?: boolean;
  /** Changes of this side, merged again under other stamps. */
  isOwn?: boolean;
};

export type Kept = Heard & { reason: string };

/** `parkedId`: it was kept aside before, and is tried again. */
export type Heard = { change: WireChange; parkedId: string | null };

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
  /** What a gateway knows of people and this instance lost. */
  lostPeople: LostPersonFound[];
  passedOver: number;
};
