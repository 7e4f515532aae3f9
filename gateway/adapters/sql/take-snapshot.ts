import BetterSqlite from 'better-sqlite3';
import { type Described, describeDatabase, integrityOf } from './check-database.ts';

/** 1 MB a step. */
const PAGES_PER_STEP = 256;

/**
 * Copies a database that is in use to a new file, as it was at one instant, and proves the copy. Readers and writers go
 * on meanwhile. Throws when the copy is not sound: a broken page is not worth keeping.
 */
export async function takeSnapshot(databaseFile: string, copy: string): Promise<Described> {
  // only reading: a connection of another process that may write clears the log away when it believes to be the last
  const source = new BetterSqlite(databaseFile, { fileMustExist: true, readonly: true });
  try {
    // an open read transaction holds the instant: without it every write of the gateway would start the copy anew
    source.exec('begin');
    source.prepare('select count(*) from sqlite_master').get();
    await source.backup(copy, { progress: () => PAGES_PER_STEP });
    source.exec('commit');
  } finally {
    source.close();
  }
  return proveCopy(copy);
}

/** Reads a copy completely. Throws when it is not sound or is no database of this program. */
export function proveCopy(copy: string): Described {
  const connection = new BetterSqlite(copy, { fileMustExist: true });
  try {
    // alone it needs no log beside it
    connection.pragma('journal_mode = delete');
    const wrong = integrityOf(connection);
    if (wrong !== null) throw new CopyBroken(wrong);
    return describeDatabase(connection);
  } finally {
    connection.close();
  }
}

export class CopyBroken extends Error {
  constructor(wrong: string) {
    super(`the copy of the database is not sound: ${wrong}`);
    this.name = 'CopyBroken';
  }
}
