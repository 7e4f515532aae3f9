import type { Resource, Stored } from '#contract/resource.ts';
import type {
  LanePoints,
  LogPoint,
  Restamp,
  SyncLane,
  TimeReturn,
  WireChange,
  WireRow,
} from '#contract/sync/wire.ts';
import type { StorageUnavailable } from './errors.ts';

/** One row change of a unit. Made by `insert`, `update`, `remove` and the others below; carried out by `commit`. */
export type Change =
  | { op: 'insert'; resource: Resource; row: { id: string } & Record<string, unknown>; ifAbsent: boolean }
  | { op: 'update'; resource: Resource; id: string; set: Record<string, unknown>; expectRev: number | null }
  | { op: 'blank'; resource: Resource; id: string; set: Record<string, unknown> }
  | { op: 'delete'; resource: Resource; id: string; expectRev: number | null }
  | { op: 'put'; resource: Resource; row: { id: string } & Record<string, unknown> }
  | { op: 'purge'; resource: Resource; id: string; seen?: { column: string; value: string } }
  | { op: 'erase'; resource: Resource; id: string }
  | { op: 'restore'; resource: Resource; id: string; expectRev: number | null }
  | { op: 'tell'; resource: Resource; id: string; streamId: number };

/** A guard's number, read before the facts a decision rests on. `isParent`: see asParent. */
export type GuardSeen = { entity: string; id: string; n: number; isParent?: true };

/** For creates: the parent must stand as it was read, but creates under one parent do not disturb each other. */
export const asParent = (guard: GuardSeen): GuardSeen => ({ ...guard, isParent: true });

export type Unit = {
  changes: readonly Change[];
  guards?: readonly GuardSeen[];
  /** User who acts; null: the system. */
  actor: string | null;
  /** Nobody waits for it: the disk has it as safely as any other, beside control and not before its next turn. */
  isBackground?: true;
  /**
   * A power cut at the database may take it back, up to half a second later; what is committed after it never stands
   * without it. For what is known again by itself, and before which nobody acted.
   */
  mayBeLost?: true;
  /** What came from the other instance, merged before `changes`. */
  incoming?: Incoming;
  /** Points of a sync stream that move with the unit; it is stale when one is not as expected. */
  stream?: StreamMove;
  /** Gateway: stamps the hosted instance set anew; taken over before anything else of the unit. */
  restamps?: readonly Restamp[];
  /** Hosted: stamps from the future are brought back (time-return.ts); every stream is held. */
  returnStamps?: true;
  /** Gateway: what the hosted instance brought back; its own follow, before rows of the snapshot are merged. */
  returns?: HeardReturns;
  /** Gateway: rows of the hosted instance's snapshot, merged and noted as what it knows (sync_seen). */
  snapshot?: {
    streamId: number;
    rows: readonly WireRow[];
    /** Nobody over there asks what this gateway knows later of an account: it is as it is told. */
    isSettled?: boolean;
    /** How far the hosted instance heard this gateway's log, of which it lost nothing. Absent: nobody knows. */
    heard?: LanePoints;
    /** The first page of a snapshot forgets what was noted of one that was broken off. */
    isFirst?: boolean;
  };
  /** Gateway: one slice of what follows the last page of a snapshot. */
  difference?: DifferenceSlice;
  /** Changes of a log that say nothing any more; see ForgottenChanges. */
  forgotten?: ForgottenChanges;
};

export type HeardReturns = { returns: readonly TimeReturn[]; hostedNowMs: number };

/**
 * Changes whose contents are erased, because the person they spoke of is gone. Number, stamp and chain stay, so the log goes
 * on; whoever would still have to be told such a change is sent to a comparison instead, for the chain does not come out.
 */
export type ForgottenChanges = { streamId: number; lane: SyncLane; seqs: readonly number[] };

/**
 * The end of a resync, in slices. Commit the same one until `Committed.difference.isDone`: it forgets the old log, takes
 * over epoch and cursor, then logs anew every row of which this side knows more than sync_seen says, and empties that.
 * Where it stands is kept in sync_stream.resync, so a start in between goes on where it was.
 */
export type DifferenceSlice = {
  streamId: number;
  epoch: number;
  /** Where the feed goes on. */
  cursor: LogPoint;
  /** Rows looked at, most. */
  limit: number;
};

/** Changes of the other instance, in the order of its log. They keep their stamps and are not logged to it again. */
export type Incoming = {
  from: 'gateway' | 'hosted';
  streamId: number;
  lane: SyncLane;
  changes: readonly WireChange[];
  /** When the other instance told them, by its clock, and how long ago that was at most. Absent: nobody knows. */
  told?: { atMs: number; elapsedMs: () => number };
  /** Tries everything kept aside of that stream again (at most 200 at a time): after an upgrade, or by hand. */
  retry?: 'parked';
  /**
   * Rows on which a comparison found both sides to differ. Under equal stamps the hosted instance's copy stands: a farm's
   * card breaks sooner than a database does. What cannot be applied is passed over, not kept aside.
   */
  isRepair?: true;
};

/** Columns of sync_stream that tell how far the two logs went. */
export type StreamPoints = {
  epoch: number;
  core_seq: number;
  core_chain: string;
  history_seq: number;
  history_chain: string;
  in_core_seq: number;
  in_core_chain: string;
  in_history_seq: number;
  in_history_chain: string;
  acked_core_seq: number;
  acked_core_chain: string;
  acked_history_seq: number;
  acked_history_chain: string;
  floor_seq: number;
  timeline: string;
  resync: string | null;
};

export type StreamMove = {
  id: number;
  expect: Partial<StreamPoints>;
  set: Partial<StreamPoints>;
  /** Chains worth keeping of what was applied (sync_marks); a new epoch forgets those of the one before. */
  marks?: readonly { lane: SyncLane; seq: number; chain: string }[];
};

/** What became of the incoming changes. */
export type MergeReport = {
  applied: number;
  /** Numbers that are kept aside, and why. */
  parked: readonly { seq: number; reason: string }[];
  /** Edits that lost, on either side. */
  conflicts: number;
  /** What the sender may not say was passed over: groups the receiver owns, tables that stay with it. */
  passedOver: number;
  /** Rows that were kept aside before and found their place now. */
  unparked: number;
  /** Kept aside before or now, and gone: there were more than is kept of one stream. */
  dropped?: number;
  /** Left out, because what they belong to was erased here long after it was deleted. */
  ofErased?: number;
  /** Notes of edits that lost, and gone: there were more than is kept of one stream. */
  forgotten?: number;
};

export type Commit = (unit: Unit) => Promise<Committed>;

/** A row as it stands after the unit; `before` is null for a new one. `hidden` is true when it was deleted. */
export type CommittedRow = {
  table: string;
  id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown>;
  /** Version of the row after the unit; 0 in local tables. */
  rev: number;
  hidden: boolean;
};

/** What a unit really changed: rows that stayed as they were are left out. */
export type Committed = {
  rows: readonly CommittedRow[];
  /** Of a unit in the background: how long the loop stood still for it. */
  tookMs?: number;
  /** Why the disk did not take it: its rows are in memory, and are stored when there is room. */
  unsaved?: StorageUnavailable['reason'];
  merged?: MergeReport;
  /** Tables that whoever hears of it declared; others are not to be looked for in it. Absent: all. */
  readable?: ReadonlySet<string>;
  /** Hosted: streams whose feed grew, and how far it goes now. */
  fed?: readonly { streamId: number; head: number }[];
  /** Of `Unit.difference`: rows logged anew by this slice. */
  difference?: { isDone: boolean; logged: number };
  /** Of `Unit.returnStamps`: registers that were set back, and streams whose gateways compare everything now. */
  returned?: { rows: number; streams: number };
};

/** Hears of every committed unit, after it is on disk. Must not throw and must not wait. */
export type CommitListener = (committed: Committed) => void;

/** A commit listener that is woken by rows of its tables alone. */
export type RowListener = CommitListener & {
  /** Names of the tables that wake it. */
  readonly wokenBy: ReadonlySet<string>;
  /** Names of the tables it may look at: those, and what is written together with them. */
  readonly reads: ReadonlySet<string>;
};

type Table = { readonly name: string };

/** Declares what wakes a reaction, beside the reaction: see `Database.onRows`. */
export function onTables(
  tables: readonly Table[],
  listener: CommitListener,
  { alsoReads = [] }: { alsoReads?: readonly Table[] } = {},
): RowListener {
  const names = tables.map(({ name }) => name);
  const wokenBy = new Set(names);
  const reads = new Set([...names, ...alsoReads.map(({ name }) => name)]);
  return Object.assign((committed: Committed) => listener(committed), { wokenBy, reads });
}

// the kernel treats rows as records; the resource's codec knows their fields
const asRecord = <T extends { id: string }>(row: T) => row as T & Record<string, unknown>;
const anyResource = <Row extends { id: string }>(resource: Resource<Row>) => resource as unknown as Resource;

export function insert<Row extends { id: string }>(resource: Resource<Row>, row: Row): Change {
  return { op: 'insert', resource: anyResource(resource), row: asRecord(row), ifAbsent: false };
}

/** Inserts unless a row of that id exists: for ids derived from their cause, so that a cause counts once. */
export function insertIfAbsent<Row extends { id: string }>(resource: Resource<Row>, row: Row): Change {
  return { op: 'insert', resource: anyResource(resource), row: asRecord(row), ifAbsent: true };
}

/** Changes fields of a row; with the row itself given, the commit fails as stale when it changed since it was read. */
export function update<Row extends { id: string }>(
  resource: Resource<Row>,
  row: string | Stored<Row>,
  set: Partial<Omit<Row, 'id'>>,
): Change {
  const id = typeof row === 'string' ? row : row.id;
  const expectRev = typeof row === 'string' ? null : row.rev;
  return { op: 'update', resource: anyResource(resource), id, set: { ...set }, expectRev };
}

/**
 * Overwrites what a row says, deleted or not: what was personal in it is forgotten here, and by the other instance when it
 * hears of it. A row that does not exist is passed over.
 */
export function blank<Row extends { id: string }>(
  resource: Resource<Row>,
  id: string,
  set: Partial<Omit<Row, 'id'>>,
): Change {
  return { op: 'blank', resource: anyResource(resource), id, set: { ...set } };
}

/** Deletes a row; what belongs to it is hidden with it. */
export function remove<Row extends { id: string }>(
  resource: Resource<Row>,
  row: string | Stored<Row>,
): Change {
  const id = typeof row === 'string' ? row : row.id;
  const expectRev = typeof row === 'string' ? null : row.rev;
  return { op: 'delete', resource: anyResource(resource), id, expectRev };
}

/** Inserts or replaces a row of a local table. */
export function put<Row extends { id: string }>(resource: Resource<Row>, row: Row): Change {
  return { op: 'put', resource: anyResource(resource), row: asRecord(row) };
}

/** Removes a row of a local table for good. */
export function purge<Row extends { id: string }>(resource: Resource<Row>, id: string): Change {
  return { op: 'purge', resource: anyResource(resource), id };
}

/** The same, but stale when the row is another one than was read, by a column that tells them apart. */
export function purgeSeen<Row extends { id: string }>(
  resource: Resource<Row>,
  row: Row,
  column: { [Name in keyof Row]: Row[Name] extends string ? Name : never }[keyof Row] & string,
): Change {
  const seen = { column, value: String(row[column]) };
  return { op: 'purge', resource: anyResource(resource), id: row.id, seen };
}

/**
 * Removes for good what a deleted parent took out of sight, and only that: nobody sees it any more, and what it said is
 * forgotten. The other instance does the same when it hears of the parent; the row's register stays, so that the row never
 * comes back.
 */
export function erase<Row extends { id: string }>(resource: Resource<Row>, id: string): Change {
  return { op: 'erase', resource: anyResource(resource), id };
}

/** Brings a deleted row back, and what was hidden with it. Stale when it is not deleted or its parent is. */
export function restore<Row extends { id: string }>(
  resource: Resource<Row>,
  row: string | Stored<Row>,
): Change {
  const id = typeof row === 'string' ? row : row.id;
  const expectRev = typeof row === 'string' ? null : row.rev;
  return { op: 'restore', resource: anyResource(resource), id, expectRev };
}

/**
 * Hosted: logs a row as it stands, with the stamps of its groups, to one stream: for a person who becomes visible there.
 * The row itself stays as it is; one that does not exist is passed over. The stream must exist.
 */
export function tell<Row extends { id: string }>(
  resource: Resource<Row>,
  id: string,
  streamId: number,
): Change {
  return { op: 'tell', resource: anyResource(resource), id, streamId };
}

/** Whether a unit changed rows of the listener's tables. */
export function wakes({ wokenBy }: RowListener, { rows }: Committed): boolean {
  return rows.some(({ table }) => wokenBy.has(table));
}

/** The rows of one table in a committed unit, typed. */
export function rowsOf<Row extends { id: string }>(
  committed: Committed,
  resource: Resource<Row>,
): { id: string; before: Row | null; after: Row; rev: number; hidden: boolean }[] {
  if (committed.readable?.has(resource.name) === false)
    throw new Error(`${resource.name} is read by a listener that does not declare it`);
  return (
    committed.rows
      .filter((row) => row.table === resource.name)
      // `commit` decoded them with this resource's codec
      .map((row) => row as unknown as ReturnType<typeof rowsOf<Row>>[number])
  );
}
