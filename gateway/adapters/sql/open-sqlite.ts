import BetterSqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import type { Committed, Unit } from '#core/changes.ts';
import { StorageUnavailable, UniqueViolation } from '#core/errors.ts';
import { NewestMap } from '#core/newest-map.ts';
import { applyUnit } from '#store/commit.ts';
import type { Statement } from '#store/register.ts';
import {
  type AnswersNow,
  commitListeners,
  type Database,
  readLinesHere,
  type Stamping,
  unitContext,
} from './database.ts';
import { planOnceDialect } from './plan-once.ts';
import { type ReadStatement, readerDialect } from './reader-thread/reader-dialect.ts';
import { createReaderThread } from './reader-thread/reader-thread.ts';
import type { Tables } from './tables.ts';
import { createUnsavedRows, type UnsavedRows } from './unsaved-rows.ts';
import { createWriteQueue, logOnDisk } from './write-queue.ts';
import { createWriteUnits } from './write-units.ts';

/** The main thread waits at most this long for another process's lock; longer waits are done asleep. */
const BUSY_TIMEOUT_MS = 20;
const STATEMENTS_KEPT = 500;
/** Before the log is so long that a commit brings its pages to their places, and the loop waits for the disk twice. */
const STATEMENTS_PER_CHECKPOINT = 3_000;

export type SqliteConnection = BetterSqlite.Database;

/** Opens the one writer connection with the settings a farm needs. `path` may be `:memory:`. */
export function connectSqlite(path: string): SqliteConnection {
  try {
    return connect(path, 'NORMAL');
  } catch (error) {
    if (!hasNoRoomForIndex(error)) throw error;
    // the index of the log lies in a file: on a full disk it lies in memory, and control starts all the same
    return connect(path, 'EXCLUSIVE');
  }
}

function connect(path: string, locking: 'NORMAL' | 'EXCLUSIVE'): SqliteConnection {
  const connection = new BetterSqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    connection.pragma(`locking_mode = ${locking}`);
    connection.pragma('journal_mode = WAL');
    // FULL: farms lose power; NORMAL may lose the last acknowledged order or feeding
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    // what is erased is overwritten in the file, too: a card can be read by whoever takes it
    connection.pragma('secure_delete = ON');
    connection.pragma('journal_size_limit = 16777216');
    // the pages that a busy minute touches again and again; a small farm does not fill it
    connection.pragma('cache_size = -8192');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function hasNoRoomForIndex(error: unknown): boolean {
  const codes = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMMAP', 'SQLITE_IOERR_SHMOPEN'];
  return error instanceof BetterSqlite.SqliteError && codes.includes(error.code);
}

export function openSqlite(
  connection: SqliteConnection,
  stamping: Stamping,
  onListenerError: (error: unknown) => void,
  onReaderDied: (error: unknown) => void = onListenerError,
): Database {
  const prepare = statementCache(connection);
  const listeners = commitListeners(onListenerError);
  let isUnitOpen = 0;
  // guard triggers ask it: rows of synchronised tables change inside a unit only
  connection.function('unit_is_open', () => isUnitOpen);

  function* stepsOf(unit: Unit): Generator<void, Committed, void> {
    const steps = applyUnit(unit, unitContext('sqlite', stamping));
    for (let step = steps.next(); ; step = steps.next(execute(step.value))) {
      if (step.done) return step.value;
      yield;
    }
  }

  let sinceCheckpoint = 0;
  function execute({ sql, params }: Statement): Record<string, unknown>[] {
    sinceCheckpoint += 1;
    const statement = prepare(sql);
    if (statement.reader) return statement.all(...params) as Record<string, unknown>[];
    statement.run(...params);
    return [];
  }

  const unsaved = createUnsavedRows({
    run(sql, params) {
      if (params === undefined) connection.exec(sql);
      else connection.prepare(sql).run(...params);
    },
    read: (sql, params) => readHere(sql, params),
  });
  let isUnsynced = false;
  const units = createWriteUnits({
    begin(how) {
      isUnsynced = how === 'unsynced';
      if (isUnsynced) connection.pragma('synchronous = NORMAL');
      unsaved.hide();
      prepare('begin immediate').run();
      isUnitOpen = 1;
    },
    run: (sql) => prepare(sql).run(),
    isInTransaction: () => connection.inTransaction,
    stepsOf,
    ended() {
      isUnitOpen = 0;
      if (isUnsynced) connection.pragma('synchronous = FULL');
      isUnsynced = false;
      unsaved.show();
    },
    asExpected,
  });
  const disk = logOnDisk(connection);
  const queue = createWriteQueue({
    writeBatch: units.together,
    openUnsynced(unit) {
      const open = units.open(unit);
      // what is in memory alone is hidden from queries meanwhile
      return { goOn: (forMs) => open.goOn(unsaved.isEmpty() ? forMs : Number.POSITIVE_INFINITY) };
    },
    async sync() {
      await disk.sync();
      if (connection.memory || sinceCheckpoint < STATEMENTS_PER_CHECKPOINT) return;
      sinceCheckpoint = 0;
      // where it fails a commit does it, as ever
      await reader.read('pragma wal_checkpoint(passive)', []).catch(() => undefined);
    },
    tell: listeners.tell,
    asExpected,
  });

  async function commit(unit: Unit): Promise<Committed> {
    const joined = unsaved.joined(unit);
    try {
      const committed = await queue.add(joined.unit);
      joined.done();
      return committed;
    } catch (error) {
      const mayKeep = error instanceof StorageUnavailable && unit.isBackground !== true;
      if (mayKeep) queue.finishOpen();
      const kept = mayKeep ? unsaved.keep(unit, error) : null;
      if (kept !== null) listeners.tell(kept.committed);
      if (kept?.isWhole !== true) throw error;
      return kept.committed;
    }
  }

  /** What writes by itself is no part of a unit that is being written. */
  function prepareAlone(sql: string): BetterSqlite.Statement<unknown[]> {
    const statement = prepare(sql);
    if (!statement.readonly) queue.finishOpen();
    return statement;
  }
  const readHere = (sql: string, params: readonly unknown[]) =>
    prepareAlone(sql).all(...params) as Record<string, unknown>[];
  const read = Object.assign(
    new Kysely<Tables>({ dialect: planOnceDialect({ prepare: prepareAlone, close: () => undefined }) }),
    { answerNow: readHere } satisfies AnswersNow,
  );
  const reader = createReaderThread({
    path: connection.name,
    readHere,
    failureOf: (code, message) => asExpected(new BetterSqlite.SqliteError(message, code)),
    died: onReaderDied,
  });
  /** What is only in memory stands before the rows of this connection alone. */
  const readLong: ReadStatement = async (sql, params) => {
    if (unsaved.isEmpty()) return reader.read(sql, params);
    try {
      return readHere(sql, params);
    } catch (error) {
      throw asExpected(error);
    }
  };
  // changes with commits of other connections alone; see https://www.sqlite.org/pragma.html#pragma_data_version
  const dataVersion = () => Number(connection.pragma('data_version', { simple: true }));
  let knownVersion = dataVersion();
  return {
    dialect: 'sqlite',
    read,
    // another connection would not see a database in memory
    readLong: connection.memory ? read : new Kysely<Tables>({ dialect: readerDialect(readLong) }),
    readLines: connection.memory ? readLinesHere(read) : reader.readLines,
    commit,
    storeUnsaved: (by) => storeUnsaved(unsaved, by),
    hasUnsaved: () => !unsaved.isEmpty(),
    changedElsewhere() {
      const before = knownVersion;
      knownVersion = dataVersion();
      return knownVersion !== before;
    },
    onCommit: listeners.onCommit,
    onRows: listeners.onRows,
    async ping() {
      prepare('select 1').get();
    },
    aheadMs: () => null,
    async forgetOverwritten() {
      if (connection.memory) return true;
      // a unit is being written
      if (connection.inTransaction) return false;
      const [done] = connection.pragma('wal_checkpoint(truncate)') as { busy: number }[];
      return done?.busy === 0;
    },
    async close() {
      await queue.drained();
      await disk.close();
      await reader.close();
      connection.close();
    },
  };
}

/** So many at once, that orders need not wait long. */
const STORED_AT_ONCE = 100;

async function storeUnsaved(unsaved: UnsavedRows, commit: Database['commit']): Promise<void> {
  while (!unsaved.isEmpty()) {
    const changes = unsaved.oldest(STORED_AT_ONCE);
    try {
      await commit({ changes, actor: null });
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      // one by one it shows which: what it belongs to is gone
      for (const change of changes) {
        await commit({ changes: [change], actor: null }).catch((alone: unknown) => {
          if (alone instanceof StorageUnavailable) throw alone;
          unsaved.drop([change]);
        });
      }
    }
  }
}

function statementCache(connection: SqliteConnection): (sql: string) => BetterSqlite.Statement<unknown[]> {
  const bySql = new NewestMap<string, BetterSqlite.Statement<unknown[]>>(STATEMENTS_KEPT);
  return (sql) => {
    const known = bySql.get(sql);
    if (known) {
      bySql.set(sql, known);
      return known;
    }
    const statement = connection.prepare<unknown[]>(sql);
    bySql.set(sql, statement);
    return statement;
  };
}

/** Turns SQLite's codes into the failures the kernel knows; anything else is a bug and stays as it is. */
function asExpected(error: unknown): Error {
  if (!(error instanceof BetterSqlite.SqliteError))
    return error instanceof Error ? error : new Error(String(error));
  const { code, message } = error;
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new UniqueViolation(message.replace('UNIQUE constraint failed: ', ''));
  }
  if (code.startsWith('SQLITE_FULL')) return new StorageUnavailable('full', error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new StorageUnavailable('locked', error);
  if (
    code.startsWith('SQLITE_IOERR') ||
    code.startsWith('SQLITE_READONLY') ||
    code.startsWith('SQLITE_CANTOPEN') ||
    // a broken page under the logs must not stop an order: control goes on from memory until the next start mends it
    code.startsWith('SQLITE_CORRUPT') ||
    code.startsWith('SQLITE_NOTADB')
  ) {
    return new StorageUnavailable('io', error);
  }
  return error;
}
