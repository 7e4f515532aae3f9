import { createReadStream, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type Manifest, unpack } from '#adapters/backup/archive.ts';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import {
  clearScratch,
  freeName,
  isCode,
  moveAside,
  removeUnfinished,
  syncFile,
  syncFolder,
  timeName,
  UNFINISHED,
  writeWhole,
} from '#adapters/backup/safe-files.ts';
import { controlTroubleOf, isDamage, isInUse, standOf } from '#adapters/sql/check-database.ts';
import type { Database } from '#adapters/sql/database.ts';
import { runAlone } from '#adapters/sql/new-epoch.ts';
import { connectSqlite, type SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { called } from '#contract/commands.ts';
import type { Resource } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { relay } from '#contract/resources/relays.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Change, purge, remove } from '#core/changes.ts';
import { isoOf, type Log } from '#core/kernel.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import {
  type OpenDatabaseDeps,
  openConnection,
  openDatabase,
  prepareSqlite,
} from '#runtime/open-database.ts';
import { finishRestore } from './finish-restore.ts';
import { isOlder, look, RUNGS, type Rung, type Seen, type Step, stepsFor } from './ladder.ts';
import { type LastGood, lastGoodFile, rowsOfLastGood } from './last-good.ts';
import { beginHistory, type HistoryDeps, type Story, snapshotFolder } from './new-history.ts';

const LOCAL_TABLES: ReadonlySet<string> = new Set(['device_keys', 'first_key_uses', 'relays', 'numeric_ids']);

export type BootReport = {
  rung: Rung;
  /** What happened and what was done about it. */
  detail: string;
  /** Files that were put aside. */
  kept: string[];
  /** True when nothing could be put on the disk: control goes on, nothing is saved. */
  isMemoryOnly: boolean;
};

export type Booted = {
  database: Database;
  report: BootReport /** No write counts from here on. */;
  freeze: () => void;
};

type BootConfig = Pick<Config, 'role' | 'data' | 'databaseUrl'>;
type BootDeps = OpenDatabaseDeps & { log: Log };

const OPENED: BootReport = { rung: 'normal', detail: 'opened', kept: [], isMemoryOnly: false };
const isLow = (rung: Rung) => RUNGS.indexOf(rung) >= RUNGS.indexOf('rolled_back');

/**
 * Opens the database of this instance whatever has become of it; a gateway always reaches a state that controls. Files
 * that are broken are put aside, never removed. Throws SchemaRefused, and what a person has to mend: a lock, a missing
 * right.
 */
export async function bootDatabase(config: BootConfig, deps: BootDeps): Promise<Booted> {
  if (config.databaseUrl !== null || config.role !== 'gateway')
    return { database: await openDatabase(config, deps), report: OPENED, freeze: () => undefined };
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  await tidy(config.data, deps.log);
  const file = databaseFile(config);
  await finishRestore(config.data, file, deps);
  const seen = await look(config.data, file, isoOf(deps.now()));
  requireUnused(seen, file);
  for (const step of stepsFor(seen.evidence)) {
    try {
      const { connection, kept } = await take({ step, seen, file, deps });
      const report = { rung: step.rung, detail: detailOf(step, kept), kept, isMemoryOnly: false };
      tell(deps.log, report);
      const database = openConnection(connection, { ...deps, streams: 'own' }, deps);
      return { database, report, freeze: () => undefined };
    } catch (error) {
      if (step.rung === 'normal' || step.rung === 'wal') throw error;
      deps.log.error(
        { err: error, rung: step.rung },
        'a rung of the boot ladder did not hold; trying the next',
      );
      // with room for nothing but an empty database, a configuration in memory controls and that would not
      if (step.rung === 'last_good' && isDiskFull(error)) break;
    }
  }
  return inMemory(seen, deps);
}

/** A second start beside a running gateway must not put the files of the first aside. */
function requireUnused({ evidence }: Seen, file: string): void {
  if (evidence.database.state !== 'broken') return;
  let inUse = false;
  try {
    inUse = isInUse(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  if (inUse)
    throw new BackupTrouble(`${file} is damaged, and another program uses it; stop that and start again`);
}

const DISK_FULL = ['ENOSPC', 'EDQUOT', 'EROFS', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];
const isDiskFull = (error: unknown) => DISK_FULL.some((code) => isCode(error, code));

async function tidy(data: string, log: Log): Promise<void> {
  await clearScratch(data);
  for (const folder of [data, snapshotFolder(data)]) {
    await removeUnfinished(folder).catch((error: unknown) =>
      log.warn({ err: error, folder }, 'unfinished files of an earlier run could not be removed'),
    );
  }
}

type Taking = { step: Step; seen: Seen; file: string; deps: BootDeps };
type Taken = { connection: SqliteConnection; kept: string[] };

async function take({ step, seen, file, deps }: Taking): Promise<Taken> {
  const story: Story = { action: 'boot_recovery', rung: step.rung, detail: step.detail };
  switch (step.rung) {
    case 'normal':
    case 'wal':
      return { connection: seen.connection ?? connectSqlite(file), kept: seen.kept };
    case 'rolled_back':
      return { connection: rolledBack(seen, deps, story), kept: seen.kept };
    case 'snapshot': {
      const staged = `${file}${UNFINISHED}`;
      await stage(staged, async () => {
        const { made_at } = await unpackSnapshot(step.file, staged);
        fromSnapshot(staged, deps, { ...story, detail: `${step.detail}; snapshot of ${made_at}` }, seen);
      });
      return place(staged, file, { seen, deps });
    }
    case 'last_good': {
      const staged = `${file}${UNFINISHED}`;
      await stage(staged, async () =>
        onFile(staged, (connection) => rebuildFrom(connection, seen, deps, story)),
      );
      return place(staged, file, { seen, deps });
    }
    case 'fail_safe': {
      const staged = `${file}${UNFINISHED}`;
      await stage(staged, async () => onFile(staged, (connection) => prepareSqlite(connection, deps.now())));
      const saved = lastGoodFile(dirname(file));
      // a configuration that could not be used must not be taken for that of the new database
      if (seen.evidence.lastGood !== 'absent') await rename(saved, freeName(`${saved}.${ending(deps)}`));
      return place(staged, file, { seen, deps });
    }
  }
}

function rolledBack(seen: Seen, deps: BootDeps, story: Story): SqliteConnection {
  if (seen.connection === null) throw new Error('a sound database is open');
  renew(seen.connection, seen, deps, story);
  return seen.connection;
}

function fromSnapshot(staged: string, deps: BootDeps, story: Story, seen: Seen): void {
  onFile(staged, (connection) => {
    const trouble = controlTroubleOf(connection);
    if (trouble !== null) throw new Error(`the snapshot is not sound: ${trouble}`);
    renew(connection, seen, deps, story);
  });
}

/** A new history on an older database, brought forward to the configuration when that is from later. */
function renew(connection: SqliteConnection, { lastGood }: Seen, deps: BootDeps, story: Story): void {
  prepareSqlite(connection, deps.now());
  const syncEpochAbove = lastGood?.sync_epoch ?? 0;
  const stand = standOf(connection);
  const isBehind =
    lastGood !== null &&
    stand !== null &&
    isOlder(stand, { syncEpoch: lastGood.sync_epoch, coreSeq: lastGood.core_seq });
  try {
    const changes = isBehind ? bringForward(connection, lastGood) : [];
    beginHistory(connection, deps, { story, syncEpochAbove, changes });
  } catch (error) {
    deps.log.warn(
      { err: error },
      'the saved configuration did not fit the older database; it stays as it was',
    );
    beginHistory(connection, deps, { story, syncEpochAbove });
  }
}

function rebuildFrom(connection: SqliteConnection, { lastGood }: Seen, deps: BootDeps, story: Story): void {
  if (lastGood === null) throw new Error('there is no last known good configuration');
  rebuild(connection, deps, lastGood, { ...story, detail: `${story.detail}; saved ${lastGood.saved_at}` });
}

function onFile(file: string, run: (connection: SqliteConnection) => void): void {
  const connection = connectSqlite(file);
  try {
    run(connection);
  } finally {
    connection.close();
  }
}

async function stage(staged: string, fill: () => Promise<void>): Promise<void> {
  try {
    await fill();
    await syncFile(staged);
  } catch (error) {
    for (const part of ['', '-wal', '-shm']) await rm(`${staged}${part}`, { force: true });
    throw error;
  }
}

/** Only when the new one is whole and on disk does the broken one go. */
async function place(
  staged: string,
  file: string,
  { seen, deps }: Pick<Taking, 'seen' | 'deps'>,
): Promise<Taken> {
  const kept = [...seen.kept, ...(await putAside(file, deps))];
  await rename(staged, file);
  await syncFolder(dirname(file));
  return { connection: connectSqlite(file), kept };
}

const ending = (deps: BootDeps) => `broken-${timeName(isoOf(deps.now()))}`;
const putAside = (file: string, deps: BootDeps) => moveAside(file, ending(deps));

/** The disk takes nothing: control runs from what can be read, and every other write is refused. */
async function inMemory(seen: Seen, deps: BootDeps): Promise<Booted> {
  seen.connection?.close();
  const connection = connectSqlite(':memory:');
  const rung = seen.lastGood === null ? 'fail_safe' : 'last_good';
  const detail =
    'the database is damaged and the disk takes nothing; control runs from memory and nothing is saved';
  if (seen.lastGood !== null) rebuildFrom(connection, seen, deps, { action: 'boot_recovery', rung, detail });
  const report: BootReport = { rung, detail, kept: seen.kept, isMemoryOnly: true };
  tell(deps.log, report);
  const database = openConnection(connection, { ...deps, streams: 'own' }, deps);
  return { database, report, freeze: () => void connection.pragma('query_only = ON') };
}

function detailOf(step: Step, kept: readonly string[]): string {
  const files = kept.map((name) => basename(name)).join(', ');
  return `${step.detail}${DONE[step.rung]}${files === '' ? '' : `; what was broken is kept: ${files}`}`;
}

const DONE: Readonly<Record<Rung, string>> = {
  normal: '',
  wal: '',
  rolled_back: '; control goes on from the older database in a new epoch',
  snapshot: '; control goes on from the last verified snapshot in a new epoch',
  last_good: '; control goes on from the last known good configuration in a new epoch, without its history',
  fail_safe: `; nothing is known of the farm and no controller is told anything: each runs its own schedule or fail-safe state. Restore a backup: ${called('restore --from FOLDER')}`,
};

function tell(log: Log, report: BootReport): void {
  const { rung, detail, kept } = report;
  if (isLow(rung)) log.error({ rung, detail, kept }, 'started on a lower rung of the boot ladder');
  else if (rung === 'wal') log.info({ rung, detail }, 'the database was recovered from its log');
}

/** Unpacks a snapshot to a file. Throws BackupTrouble when it is damaged. */
async function unpackSnapshot(file: string, to: string): Promise<Manifest> {
  const { manifest, database } = await unpack(createReadStream(file, { highWaterMark: 256 * 1024 }));
  await writeWhole(to, database);
  return manifest;
}

/** Makes an empty database what the last known good configuration says, as a new history of the same gateway. */
function rebuild(connection: SqliteConnection, deps: HistoryDeps, good: LastGood, story: Story): void {
  prepareSqlite(connection, deps.now());
  // an owner who was deleted leaves a farm whose motors still turn: a reference to nobody must not stop them
  connection.pragma('foreign_keys = OFF');
  connection.prepare('update sync_stream set gateway_id = ?').run(good.gateway_id);
  runAlone(connection, deps, rowsOfLastGood(good));
  beginHistory(connection, deps, { story, syncEpochAbove: good.sync_epoch });
  connection.pragma('foreign_keys = ON');
}

/**
 * Brings the tables of control of an older database forward to the configuration, which was saved later in the same
 * history: what is missing comes, what differs follows, what was deleted since goes.
 */
function bringForward(connection: SqliteConnection, good: LastGood): Change[] {
  const stored = (table: string) => idsOf(connection, table);
  const known = new Map<string, ReadonlyMap<string, boolean>>();
  const changes = rowsOfLastGood(good).flatMap((change): Change[] => {
    if (change.op !== 'insert') return [change];
    const { resource, row } = change;
    const ids = known.get(resource.name) ?? stored(resource.name);
    known.set(resource.name, ids);
    if (resource.sync === 'local') return [{ op: 'put', resource, row }];
    const isHidden = ids.get(row.id);
    if (isHidden === undefined) return [change];
    if (isHidden) return [];
    const { id, ...set } = row;
    return [{ op: 'update', resource, id, set, expectRev: null }];
  });
  return [
    ...changes,
    ...gone(stored('control_points'), good.control_points).map((id) => remove(controlPoint, id)),
    ...gone(stored('schedules'), good.schedules).map((id) => remove(schedule, id)),
    ...gone(stored('device_keys'), good.device_keys).map((id) => purge(deviceKey, id)),
    ...gone(stored('relays'), good.relays).map((id) => purge(relay, id)),
  ];
}

/** Ids of a table, and whether each is deleted. */
function idsOf(connection: SqliteConnection, table: Resource['name']): Map<string, boolean> {
  const isLocal = LOCAL_TABLES.has(table);
  const rows = connection
    .prepare(`select id, ${isLocal ? '0' : 'hidden'} as hidden from ${table}`)
    // two columns every such table has
    .all() as { id: string; hidden: number }[];
  return new Map(rows.map(({ id, hidden }) => [id, hidden === 1]));
}

function gone(stored: ReadonlyMap<string, boolean>, good: readonly { id: string }[]): string[] {
  const stays = new Set(good.map(({ id }) => id));
  return [...stored].filter(([id, isHidden]) => !isHidden && !stays.has(id)).map(([id]) => id);
}
