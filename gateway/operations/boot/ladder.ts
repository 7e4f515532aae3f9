import { existsSync } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listByName } from '#adapters/backup/backup-folder.ts';
import { freeName, namesIn, timeName } from '#adapters/backup/safe-files.ts';
import { controlTroubleOf, isDamage, isEmptyDatabase, standOf } from '#adapters/sql/check-database.ts';
import { dueSqliteMigrations } from '#adapters/sql/migrate.ts';
import { connectSqlite, type SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { sqliteMigrations } from '#runtime/open-database.ts';
import { type LastGood, readLastGood } from './last-good.ts';
import { SNAPSHOT_NAME, snapshotFolder } from './new-history.ts';

// What to try at a start, decided from what lies in the data folder. Pure: the climb itself is in climb.ts.

/** From best to worst; its place is the figure /metrics shows. */
export const RUNGS = ['normal', 'wal', 'rolled_back', 'snapshot', 'last_good', 'fail_safe'] as const;
export type Rung = (typeof RUNGS)[number];

type Stand = { syncEpoch: number; coreSeq: number };

type Evidence = {
  /** `empty`: a file without a table in it. */
  database:
    | { state: 'absent' | 'empty' | 'sound'; stand: Stand | null }
    | { state: 'broken'; detail: string };
  /** The log beside the database before it was opened. */
  wal: 'none' | 'whole' | 'garbage';
  lastGood: 'absent' | 'broken' | Stand;
  /** Files of verified snapshots, newest first. */
  snapshots: readonly string[];
  /** Whether a broken database was put aside here before. */
  wasBroken: boolean;
};

export type Step =
  | { rung: 'normal' | 'wal' | 'rolled_back'; detail: string }
  | { rung: 'snapshot'; file: string; detail: string }
  | { rung: 'last_good' | 'fail_safe'; detail: string };

/** What to try, in this order, until one reaches a controlling state. */
export function stepsFor(evidence: Evidence): Step[] {
  const { database, wal } = evidence;
  if (database.state === 'broken') return lowerRungs(evidence, database.detail);
  if (database.state === 'sound') {
    const lost = lossOf(database.stand, evidence);
    if (lost !== null) return [{ rung: 'rolled_back', detail: lost }];
    return wal === 'whole'
      ? [{ rung: 'wal', detail: 'the last stop was not clean; what was acknowledged came back from the log' }]
      : [{ rung: 'normal', detail: 'the database is sound' }];
  }
  const hasTraces = evidence.snapshots.length > 0 || evidence.lastGood !== 'absent' || wal !== 'none';
  const isNew = !hasTraces && !evidence.wasBroken;
  if (isNew) return [{ rung: 'normal', detail: 'first start' }];
  return lowerRungs(evidence, database.state === 'absent' ? 'the database is gone' : 'the database is empty');
}

function lowerRungs({ snapshots, lastGood }: Evidence, detail: string): Step[] {
  return [
    ...snapshots.map((file): Step => ({ rung: 'snapshot', file, detail })),
    ...(typeof lastGood === 'string' ? [] : [{ rung: 'last_good' as const, detail }]),
    { rung: 'fail_safe', detail },
  ];
}

/** Why a sound database is older than what was acknowledged; null: it is not, as far as anything here tells. */
function lossOf(stand: Stand | null, { wal, lastGood }: Evidence): string | null {
  if (wal === 'garbage') return 'the log beside the database was damaged; the last changes are lost';
  if (typeof lastGood === 'string' || stand === null) return null;
  return isOlder(stand, lastGood)
    ? 'the database is older than the configuration saved beside it; the last changes are lost'
    : null;
}

/** Within an epoch the sequence of the change log only grows. */
export function isOlder(stand: Stand, than: Stand): boolean {
  return (
    stand.syncEpoch < than.syncEpoch || (stand.syncEpoch === than.syncEpoch && stand.coreSeq < than.coreSeq)
  );
}

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
