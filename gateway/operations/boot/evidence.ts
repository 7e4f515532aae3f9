import { existsSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listByName } from '#adapters/backup/backup-folder.ts';
import { freeName, namesIn, timeName } from '#adapters/backup/safe-files.ts';
import { controlTroubleOf, isDamage, isEmptyDatabase, standOf } from '#adapters/sql/check-database.ts';
import { dueSqliteMigrations } from '#adapters/sql/migrate.ts';
import { connectSqlite, type SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { sqliteMigrations } from '#runtime/open-database.ts';
import type { Evidence } from './ladder.ts';
import { type LastGood, readLastGood } from './last-good.ts';
import { SNAPSHOT_NAME, snapshotFolder } from './snapshot-folder.ts';

export type Seen = {
  evidence: Evidence;
  /** Open while the database is sound, else null. */
  connection: SqliteConnection | null;
  lastGood: LastGood | null;
  /** Files that were put aside while looking. */
  kept: string[];
};

/** Looks at what lies in the data folder. Throws SchemaRefused for a newer schema, having touched nothing. */
export async function look(data: string, databaseFile: string, now: string): Promise<Seen> {
  const kept: string[] = [];
  const wal = await walState(`${databaseFile}-wal`);
  // SQLite would overwrite it with its next write
  if (wal === 'garbage') kept.push(...(await putAsideLog(databaseFile, now)));
  const { database, connection } = await lookAtDatabase(databaseFile);
  const lastGood = await readLastGood(data);
  const snapshots = (await listByName(snapshotFolder(data), SNAPSHOT_NAME)).toReversed();
  const names = await namesIn(dirname(databaseFile));
  const evidence: Evidence = {
    database,
    wal,
    lastGood:
      typeof lastGood === 'string'
        ? lastGood
        : { syncEpoch: lastGood.sync_epoch, coreSeq: lastGood.core_seq },
    snapshots: snapshots.map(({ name }) => join(snapshotFolder(data), name)),
    wasBroken: names.some(
      (name) => name.startsWith(`${basename(databaseFile)}.broken-`) || name.startsWith('before-restore-'),
    ),
  };
  return { evidence, connection, lastGood: typeof lastGood === 'string' ? null : lastGood, kept };
}

async function lookAtDatabase(
  file: string,
): Promise<{ database: Evidence['database']; connection: SqliteConnection | null }> {
  if (!existsSync(file)) return { database: { state: 'absent', stand: null }, connection: null };
  if ((await stat(file)).size === 0) return { database: { state: 'empty', stand: null }, connection: null };
  let connection: SqliteConnection | null = null;
  try {
    connection = connectSqlite(file);
    // a newer schema is refused before anything of it is judged
    dueSqliteMigrations(connection, sqliteMigrations());
    if (isEmptyDatabase(connection)) {
      connection.close();
      return { database: { state: 'empty', stand: null }, connection: null };
    }
    const trouble = controlTroubleOf(connection);
    if (trouble === null) return { database: { state: 'sound', stand: standOf(connection) }, connection };
    connection.close();
    return { database: { state: 'broken', detail: trouble }, connection: null };
  } catch (error) {
    connection?.close();
    if (isDamage(error)) return { database: { state: 'broken', detail: error.message }, connection: null };
    throw error;
  }
}

async function putAsideLog(databaseFile: string, now: string): Promise<string[]> {
  const to = freeName(`${databaseFile}-wal.broken-${timeName(now)}`);
  try {
    await rename(`${databaseFile}-wal`, to);
    return [to];
  } catch {
    // on a full disk it stays where it is: SQLite knows that it is garbage, too
    return [];
  }
}

const WAL_HEADER_BYTES = 32;
const WAL_MAGIC = 0x377f0682;

/** Whether the log beside a database is one: its header carries a check sum of itself. */
async function walState(file: string): Promise<Evidence['wal']> {
  const header = Buffer.alloc(WAL_HEADER_BYTES);
  try {
    const handle = await open(file, 'r');
    try {
      const { bytesRead } = await handle.read(header, 0, WAL_HEADER_BYTES, 0);
      if (bytesRead === 0) return 'none';
      return bytesRead === WAL_HEADER_BYTES && isWalHeader(header) ? 'whole' : 'garbage';
    } finally {
      await handle.close();
    }
  } catch {
    return 'none';
  }
}

function isWalHeader(header: Buffer): boolean {
  const magic = header.readUInt32BE(0);
  if (magic !== WAL_MAGIC && magic !== WAL_MAGIC + 1) return false;
  const word = (at: number) => (magic === WAL_MAGIC ? header.readUInt32LE(at) : header.readUInt32BE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return header.readUInt32BE(24) === first && header.readUInt32BE(28) === second;
}
