import { type Compilable, CompiledQuery, type Kysely } from 'kysely';
import { allResources } from '#contract/resources/all.ts';
import { type Commit, type CommitListener, type Committed, type RowListener, wakes } from '#core/changes.ts';
import { type CsvLayout, csvLines } from '#core/csv-text.ts';
import type { UnitContext } from '#store/register.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

/** What a driver needs to stamp units; the rest of the context it knows itself. */
export type Stamping = {
  /** See UnitContext. */
  streams: UnitContext['streams'];
  /** Disciplined wall time, ms. */
  now: () => number;
  /**
   * Whose wall time stamps are made of: on PostgreSQL that of the database, so that processes whose clocks differ draw
   * no stamp into the future. Absent: this process's, for tests that move its time.
   */
  stampsBy?: 'database';
  monotonic: () => number;
  bootId: string;
  node: string;
};

export type Database = {
  dialect: 'sqlite' | 'postgres';
  /** For queries; rows of the product are changed by `commit` alone. */
  read: Db;
  /** The same for journals and other long lists: beside the main thread where the engine runs in it. */
  readLong: Db;
  /** Such a list as lines of a file, written where it is read. */
  readLines: ReadLines;
  commit: Commit;
  /** Stores what a full disk left in memory, by a commit that ends in this one; throws while the disk takes none of it. */
  storeUnsaved(by: Commit): Promise<void>;
  /** Whether something is in memory that the disk did not take. */
  hasUnsaved(): boolean;
  /** Whether another process has written since this was last asked. Cheap; on PostgreSQL such processes say so on a bus. */
  changedElsewhere(): boolean;
  /** Told of every unit after it is on disk. */
  onCommit(listener: CommitListener): () => void;
  /** Told of the units that changed rows of its tables, in one order with all other listeners. */
  onRows(listener: RowListener): () => void;
  /**
   * What was overwritten goes from the write-ahead log as well; false: somebody reads in it, try again. PostgreSQL uses such
   * room again by itself.
   */
  forgetOverwritten(): Promise<boolean>;
  /** One cheap question to the storage, for readiness. Throws when it does not answer. */
  ping(): Promise<void>;
  /** How far the clock of this process was ahead of that of the database at the last `ping`, ms; null: it has no other. */
  aheadMs(): number | null;
  close(): Promise<void>;
};

export function unitContext(
  dialect: UnitContext['dialect'],
  stamping: Stamping,
  nowMs: number = stamping.now(),
): UnitContext {
  return {
    dialect,
    streams: stamping.streams,
    nowMs,
    monotonicMs: stamping.monotonic(),
    bootId: stamping.bootId,
    node: stamping.node,
    childrenOf,
  };
}

const childrenOf: UnitContext['childrenOf'] = (() => {
  const children = new Map<string, { resource: (typeof allResources)[number]; column: string }[]>();
  for (const resource of allResources) {
    for (const [parent, column] of Object.entries(resource.parents)) {
      children.set(parent, [...(children.get(parent) ?? []), { resource, column }]);
    }
  }
  return children;
})();

/**
 * Listeners of committed units, in the order in which they came: one that throws is reported and harms nobody, and one of
 * some tables is not called for rows of others.
 */
export function commitListeners(onError: (error: unknown) => void) {
  const listeners = new Map<CommitListener, RowListener | null>();
  const removed = (listener: CommitListener) => () => void listeners.delete(listener);
  return {
    onCommit(listener: CommitListener): () => void {
      listeners.set(listener, null);
      return removed(listener);
    },
    onRows(listener: RowListener): () => void {
      listeners.set(listener, listener);
      return removed(listener);
    },
    tell(committed: Committed): void {
      if (committed.rows.length === 0 && committed.fed === undefined) return;
      for (const [listener, ofRows] of listeners) {
        if (ofRows !== null && !wakes(ofRows, committed)) continue;
        try {
          listener(ofRows === null ? committed : { ...committed, readable: ofRows.reads });
        } catch (error) {
          onError(error);
        }
      }
    },
  };
}

/** Rows as they stand in a file; `last` is the last of them, null: there was none. */
export type Lines<Row> = { text: string; count: number; last: Row | null };

/** Reads a query and writes its rows as lines of a file, in the place where they are read. */
export type ReadLines = <Row>(query: CompiledQuery<Row>, layout: CsvLayout) => Promise<Lines<Row>>;

/** Lines are written on this thread; the engine sends it no more than rows. */
export function readLinesHere(db: Pick<Kysely<Tables>, 'executeQuery'>): ReadLines {
  return async (query, layout) => {
    const { rows } = await db.executeQuery(query);
    return linesOf(rows, layout);
  };
}

export function linesOf<Row>(rows: readonly Row[], layout: CsvLayout): Lines<Row> {
  const last = rows.at(-1) ?? null;
  const line = csvLines(layout, Object.keys(last ?? {}));
  let text = '';
  for (const row of rows) text += line(Object.values(row ?? {}));
  return { text, count: rows.length, last };
}

type Value = string | number | null;

/** What a handle has besides whose engine runs in this process: its rows are there at once. */
export type AnswersNow = { answerNow: (sql: string, parameters: readonly unknown[]) => unknown[] };

const answersNow = (db: Db): db is Db & AnswersNow => 'answerNow' in db;

/** Stands where a value will stand; no text a caller can send begins so, for requests with a NUL are refused. */
const MARK = '\u0000';

/**
 * A statement for a hot path: built and compiled once, then run with other values. `build` gets a mark for each name and
 * uses it where the value belongs.
 */
export function prepared<Name extends string, Row>(
  db: Db,
  names: readonly Name[],
  build: (marks: Readonly<Record<Name, string>>) => Compilable<Row>,
): (values: Readonly<Record<Name, Value>>) => Promise<Row[]> {
  // one mark per name
  const marks = Object.fromEntries(names.map((name) => [name, MARK + name])) as Record<Name, string>;
  const compiled: CompiledQuery<Row> = build(marks).compile();
  const nameByPlace = compiled.parameters.map((parameter) => names.find((name) => marks[name] === parameter));
  return async (values) => {
    const parameters = compiled.parameters.map((parameter, place) => {
      const name = nameByPlace[place];
      return name === undefined ? parameter : values[name];
    });
    // the rows are those of the query that Kysely typed
    if (answersNow(db)) return db.answerNow(compiled.sql, parameters) as Row[];
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}

/** Runs a statement of a library that brings its own SQL, for tables that no unit of work changes. */
export function runStatement(db: Db) {
  return async (text: string, values: readonly unknown[]): Promise<{ rows: unknown[]; rowCount: number }> => {
    const { rows, numAffectedRows } = await db.executeQuery<unknown>(CompiledQuery.raw(text, [...values]));
    return { rows, rowCount: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) };
  };
}
