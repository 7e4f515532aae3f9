import type { Resource, Stored } from '#contract/resource.ts';

/** One row change of a unit. Made by `insert`, `update`, `remove`, `put`, `purge`, `erase`; carried out by `commit`. */
export type Change =
  | { op: 'insert'; resource: Resource; row: { id: string } & Record<string, unknown>; ifAbsent: boolean }
  | { op: 'update'; resource: Resource; id: string; set: Record<string, unknown>; expectRev: number | null }
  | { op: 'delete'; resource: Resource; id: string; expectRev: number | null }
  | { op: 'put'; resource: Resource; row: { id: string } & Record<string, unknown> }
  | { op: 'purge'; resource: Resource; id: string }
  | { op: 'erase'; resource: Resource; id: string };

/** A guard's number, read before the facts a decision rests on. `isParent`: see asParent. */
export type GuardSeen = { entity: string; id: string; n: number; isParent?: true };

/** For creates: the parent must stand as it was read, but creates under one parent do not disturb each other. */
export const asParent = (guard: GuardSeen): GuardSeen => ({ ...guard, isParent: true });

export type Unit = {
  changes: readonly Change[];
  guards?: readonly GuardSeen[];
  /** User who acts; null: the system. */
  actor: string | null;
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
export type Committed = { rows: readonly CommittedRow[] };

/** Hears of every committed unit, after it is on disk. Must not throw and must not wait. */
export type CommitListener = (committed: Committed) => void;

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

/**
 * Removes for good what a deleted parent hid: nobody sees it any more, and what it said is forgotten. The other instance
 * does the same when it hears of the parent; the row's register stays, so that the row never comes back.
 */
export function erase<Row extends { id: string }>(resource: Resource<Row>, id: string): Change {
  return { op: 'erase', resource: anyResource(resource), id };
}

/** The rows of one table in a committed unit, typed. */
export function rowsOf<Row extends { id: string }>(
  committed: Committed,
  resource: Resource<Row>,
): { id: string; before: Row | null; after: Row; rev: number; hidden: boolean }[] {
  return (
    committed.rows
      .filter((row) => row.table === resource.name)
      // `commit` decoded them with this resource's codec
      .map((row) => row as unknown as ReturnType<typeof rowsOf<Row>>[number])
  );
}
