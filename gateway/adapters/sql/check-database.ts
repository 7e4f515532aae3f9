import { existsSync, statSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { RESTORE_COUNTED } from '#contract/resources/system-backup.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { type Migration, migrateSqlite } from './migrate.ts';
import type { SqliteConnection } from './open-sqlite.ts';

/** What control cannot do without. All small: checking them takes the same time whatever the logs have grown to. */
const CONTROL_TABLES = [
  'schema_migrations',
  'sync_stream',
  'instance_values',
  'users',
  'farms',
  'farm_members',
  'ponds',
  'aerators',
  'control_points',
  'schedules',
  'device_keys',
  'presence',
] as const;
/** Orders grow for years; these are what control reads of them. */
const RECENT_ORDERS = 20;

export type Described = {
  gateway_id: string;
  migrations: string[];
  sync_epoch: number;
  target_epoch: string | null;
  core_seq: number;
  farms: number;
  control_points: number;
  schedules: number;
  users: number;
  logs: number;
  bytes: number;
};

/** What is wrong with the tables of control, in few words; null: nothing. Reads only them, in bounded time. */
export function controlTroubleOf(connection: SqliteConnection): string | null {
  try {
    const known = tablesOf(connection);
    if (known.size > 0 && !known.has('schema_migrations')) return 'it is no database of this program';
    for (const table of CONTROL_TABLES) {
      if (!known.has(table)) {
        if (known.size === 0) return null;
        return `table ${table} is missing`;
      }
      const wrong = firstWord(connection.pragma(`quick_check('${table}')`));
      if (wrong !== null) return `${table}: ${wrong}`;
    }
    readRecentOrders(connection);
    tryWriting(connection);
    return isTruncated(connection) ? 'the file is shorter than it was' : null;
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
}

/** What a look over the tables of control finds, through a connection that only reads; null: nothing. */
export function quickTroubleOf(connection: SqliteConnection): string | null {
  try {
    const known = tablesOf(connection);
    for (const table of CONTROL_TABLES.filter((name) => known.has(name))) {
      const wrong = firstWord(connection.pragma(`quick_check('${table}')`));
      if (wrong !== null) return `${table}: ${wrong}`;
    }
    return null;
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
}

/** The whole file, page by page; takes its time. */
export function integrityOf(connection: SqliteConnection): string | null {
  try {
    return firstWord(connection.pragma('integrity_check'));
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
}

/** The same for a file that others use meanwhile. */
export function integrityOfFile(file: string): string | null {
  try {
    const connection = new BetterSqlite(file, { fileMustExist: true, readonly: true });
    try {
      return integrityOf(connection);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  }
}

/** Whether that is what SQLite says when another connection holds the file. */
export function isLocked(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return error.reason === 'locked';
  return error instanceof BetterSqlite.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(error.code);
}

/** Whether another connection has the file open. Throws what opening it throws, also for a damaged file. */
export function isInUse(file: string): boolean {
  const connection = new BetterSqlite(file, { fileMustExist: true, timeout: 20 });
  try {
    // a connection that wants the log for itself is refused while there is any other
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    connection.close();
  }
}

/** Damage of the file, as opposed to a lock, a full disk, a missing right. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof BetterSqlite.SqliteError)) return false;
  const { code } = error;
  const isUnreadable = ['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_DATA'].includes(code);
  return code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB') || isUnreadable;
}

/** Tables that SQLite makes by itself. */
const OF_SQLITE: ReadonlySet<string> = new Set(['sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4']);

/**
 * Something in a file that none of these migrations makes; null: nothing. A trigger, a view or a computed column of somebody
 * else's would run inside the commits of control, with whatever work it likes.
 */
export function foreignPartOf(file: string, migrations: readonly Migration[]): string | null {
  const connection = new BetterSqlite(file, { fileMustExist: true });
  const own = new BetterSqlite(':memory:');
  try {
    const byName = new Map(migrations.map((migration) => [migration.name, migration]));
    const found = partsOf(connection);
    if (!found.some(({ type, name }) => type === 'table' && name === 'schema_migrations')) return null;
    // in the order of that database: what one adds stands behind what was there
    const applied = connection.prepare('select name from schema_migrations order by rowid').pluck().all();
    migrateSqlite(
      own,
      applied.flatMap((name) => byName.get(String(name)) ?? []),
      '',
    );
    const known = new Set(partsOf(own).map(({ type, name, sql }) => `${type} ${name} ${sql}`));
    const foreign = found.find(({ type, name, sql }) => !known.has(`${type} ${name} ${sql}`));
    return foreign === undefined ? null : `${foreign.type} ${foreign.name}`;
  } catch (error) {
    // what is damaged is told by who reads all of it
    if (isDamage(error)) return null;
    throw error;
  } finally {
    own.close();
    connection.close();
  }
}

type Part = { type: string; name: string; sql: string | null };

function partsOf(connection: SqliteConnection): Part[] {
  // columns of the table that describes all others
  const parts = connection.prepare('select type, name, sql from sqlite_master').all() as Part[];
  return parts.filter(
    ({ type, name, sql }) =>
      !(type === 'table' && OF_SQLITE.has(name)) && !(type === 'index' && sql === null),
  );
}

export function describeDatabase(connection: SqliteConnection): Described {
  const count = (from: string) => Number(connection.prepare(`select count(*) from ${from}`).pluck().get());
  // one row each, of columns the first migration made
  const stream = connection
    .prepare('select gateway_id, epoch, core_seq from sync_stream where stream_id = 1')
    .get() as { gateway_id: string; epoch: number; core_seq: number } | undefined;
  const epoch = connection
    .prepare("select value from instance_values where id = 'target_epoch'")
    .pluck()
    .get();
  return {
    gateway_id: stream?.gateway_id ?? '',
    migrations: connection
      .prepare('select name from schema_migrations order by name')
      .pluck()
      .all()
      .map(String),
    sync_epoch: stream?.epoch ?? 0,
    target_epoch: typeof epoch === 'string' ? epoch : null,
    core_seq: stream?.core_seq ?? 0,
    farms: count('farms where hidden = 0'),
    control_points: count('control_points where hidden = 0'),
    schedules: count('schedules where hidden = 0'),
    users: count('users where hidden = 0'),
    logs: count('logs'),
    bytes: sizeOf(connection),
  };
}

/** Where the history of this instance stands; null for a database without one. */
export function standOf(connection: SqliteConnection): { syncEpoch: number; coreSeq: number } | null {
  if (!tablesOf(connection).has('sync_stream')) return null;
  const stream = connection.prepare('select epoch, core_seq from sync_stream where stream_id = 1').get() as
    | { epoch: number; core_seq: number }
    | undefined;
  return stream === undefined ? null : { syncEpoch: stream.epoch, coreSeq: stream.core_seq };
}

export const isEmptyDatabase = (connection: SqliteConnection): boolean => tablesOf(connection).size === 0;

function tablesOf(connection: SqliteConnection): Set<string> {
  const names = connection.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  return new Set(names.map(String));
}

function readRecentOrders(connection: SqliteConnection): void {
  const points = connection.prepare('select id from control_points where hidden = 0').pluck().all();
  const recent = connection.prepare(
    'select * from orders where control_point_id = ? order by issued_at desc, id desc limit ?',
  );
  for (const id of points) recent.all(id, RECENT_ORDERS);
}

/** Walks the edges where every order writes, and takes it back. */
function tryWriting(connection: SqliteConnection): void {
  connection.function('unit_is_open', () => 1);
  try {
    connection.exec('begin immediate');
    connection.exec(`
      insert into logs select 'ffffffff', null, 'SYSTEM', 'ffffffff', '', 'try', null, null, null, '9999', 'trusted', 1, 0;
      insert into sync_change select stream_id, 'core', core_seq + 1000000, tx, 0, '', 1, 1, '', null, null, '', 0, null, 1, ''
        from sync_stream where stream_id = 1;
      insert into sync_register values (0, 'ffffffff', 1, '', '{}');`);
  } catch (error) {
    // a lock, a full disk or an older schema say nothing against the file
    if (isDamage(error)) throw error;
  } finally {
    if (connection.inTransaction) connection.exec('rollback');
  }
}

/** After a checkpoint every page has its place in the file. */
function isTruncated(connection: SqliteConnection): boolean {
  try {
    const [moved] = connection.pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[];
    if (moved !== undefined && moved.log !== moved.checkpointed) return false;
  } catch (error) {
    // on a full disk the log keeps its pages
    if (isDamage(error)) throw error;
    return false;
  }
  return !connection.memory && statSync(connection.name).size < sizeOf(connection);
}

function sizeOf(connection: SqliteConnection): number {
  const number = (name: string) => Number(connection.pragma(name, { simple: true }));
  return number('page_count') * number('page_size');
}

function firstWord(answers: unknown): string | null {
  // both checks answer rows of one text column: ok, or what is wrong
  const rows = answers as Record<string, string>[];
  const words = rows.flatMap((row) => Object.values(row));
  return words.length === 1 && words[0] === 'ok' ? null : (words[0] ?? 'no answer');
}

const MOST_NAMES = 50;

type Row = { id: string; rev: number };
type Compared = {
  counts: {
    what: (typeof RESTORE_COUNTED)[number];
    now: number;
    backup: number;
    lost: number;
    back: number;
    differ: number;
  }[];
  /** Farms of the other one. */
  farmNames: string[];
  /** When the newest record of the other one was made. */
  newestAt: string | null;
};

/**
 * What would change if `other` came in the place of `present`, which may be in use, or not be there. Reads row by row,
 * in order, so that a small box needs no memory for it; a present database that cannot be read counts as empty.
 */
export function compareDatabases(presentFile: string, otherFile: string): Compared {
  const present = openReading(presentFile);
  const other = new BetterSqlite(otherFile, { fileMustExist: true, readonly: true });
  try {
    return {
      counts: RESTORE_COUNTED.map((what) => ({ what, ...compareTable(present, other, what) })),
      farmNames: other
        .prepare('select name from farms where hidden = 0 order by name limit ?')
        .pluck()
        .all(MOST_NAMES)
        .map(String),
      newestAt: newestOf(other),
    };
  } finally {
    present?.close();
    other.close();
  }
}

function openReading(file: string): SqliteConnection | null {
  if (!existsSync(file)) return null;
  try {
    return new BetterSqlite(file, { fileMustExist: true, readonly: true, timeout: 2_000 });
  } catch {
    // it is damaged: what restores are for
    return null;
  }
}

function compareTable(present: SqliteConnection | null, other: SqliteConnection, table: string) {
  const found = { now: 0, backup: 0, lost: 0, back: 0, differ: 0 };
  const [here, there] = [rowsOf(present, table), rowsOf(other, table)];
  let [one, two] = [here.next(), there.next()];
  while (one.done !== true || two.done !== true) {
    const order =
      one.done === true
        ? 1
        : two.done === true || one.value.id < two.value.id
          ? -1
          : one.value.id > two.value.id
            ? 1
            : 0;
    if (order <= 0) found.now += 1;
    if (order >= 0) found.backup += 1;
    if (order < 0) found.lost += 1;
    if (order > 0) found.back += 1;
    if (order === 0 && one.done !== true && two.done !== true && one.value.rev !== two.value.rev)
      found.differ += 1;
    if (order <= 0) one = here.next();
    if (order >= 0) two = there.next();
  }
  return found;
}

function* rowsOf(connection: SqliteConnection | null, table: string): Generator<Row, void> {
  if (connection === null) return;
  try {
    const rows = connection.prepare(`select id, rev from ${table} where hidden = 0 order by id`).iterate();
    // the columns that were asked for
    for (const row of rows) yield row as Row;
  } catch {
    // a damaged page, or no such table yet: what can be read counts
  }
}

const newestOf = (connection: SqliteConnection): string | null => {
  // ids grow with time
  const newest = connection.prepare('select timestamp from logs order by id desc limit 1').pluck().get();
  return typeof newest === 'string' ? newest : null;
};
