import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { RESTORE_COUNTED } from '#contract/resources/system-backup.ts';
import type { SqliteConnection } from './open-sqlite.ts';

const MOST_NAMES = 50;

type Row = { id: string; rev: number };
export type Compared = {
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
