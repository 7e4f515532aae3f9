import type { Resource, RowOf } from '#contract/resource.ts';
import type { syncConflict } from '#contract/resources/sync-tables.ts';
import type { transfer } from '#contract/resources/transfers.ts';
import type { FarmRole } from '#contract/words.ts';

export type Conflict = RowOf<typeof syncConflict>;

/** As people are shown it; `state` is superseded where the row was changed again since. */
export type ShownConflict = Conflict & { kept_by_name: string | null; dropped_by_name: string | null };

export type ConflictFilter = {
  userId: string;
  farmId?: string | undefined;
  state?: Conflict['state'] | undefined;
};

/** A row as it stands, with what is known of its life. */
export type FoundRow = {
  row: { id: string } & Record<string, unknown>;
  rev: number;
  isHidden: boolean;
  /** Deleted itself, not only with a parent. */
  isDeleted: boolean;
};

export type ConflictQueries = {
  /** Newest first. Only of farms that the user may see, and of the user's own account. */
  conflictsOf: (
    filter: ConflictFilter,
    page: { skip: number; limit: number },
  ) => AsyncIterable<ShownConflict>;
  countConflicts: (filter: ConflictFilter) => Promise<number>;
  /** null: there is none, or it is not for this user. */
  conflictFor: (userId: string, id: string) => Promise<ShownConflict | null>;
  /** Role of the user on a farm. */
  roleOn: (farmId: string, userId: string) => Promise<FarmRole | null>;
  row: (resource: Resource, id: string) => Promise<FoundRow | null>;
  /** A visible row of the table that has these values. */
  isTaken: (
    resource: Resource,
    values: Readonly<Record<string, unknown>>,
    exceptId: string,
  ) => Promise<boolean>;
  /** What would come back with a deleted farm or pond under a name that something else has meanwhile; null: nothing. */
  takenBelow: (resource: Resource, id: string) => Promise<string | null>;
};

/** What the people concerned are told by. */
export type TellQueries = {
  /** Open conflicts found since then that nobody was told of. */
  untold: (since: string, limit: number) => Promise<Conflict[]>;
  /** Whether the person is on the conflict's farm, or the row is their own: a gateway may name anybody as who edited. */
  concerns: (conflict: Conflict, userId: string) => Promise<boolean>;
};

/** What a conflict about a move is made of. */
export type OverdrawnQueries = {
  /** Those of these steps that are moves between ponds, oldest first; `stamp` is that of what they move. */
  movesOf: (
    ids: readonly string[],
  ) => Promise<{ row: RowOf<typeof transfer>; farm_id: string; stream_id: number; stamp: string }[]>;
};
