import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Manifest } from '#adapters/backup/archive.ts';
import { newestBackup } from '#adapters/backup/backup-folder.ts';
import { asTrouble, BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { type RecoveryKey, readRecoveryKey, writeKeyFile } from '#adapters/backup/recovery-key.ts';
import { freeName, syncFile, syncFolder, timeName, UNFINISHED } from '#adapters/backup/safe-files.ts';
import { isDamage, isInUse, standOf } from '#adapters/sql/check-database.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { COMMAND, usage } from '#contract/commands.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { purge } from '#core/changes.ts';
import { unsealTo } from '#operations/backup/read-backup.ts';
import { describeAuthority, putAuthority, restoreAuthority } from '#operations/backup/restore-authority.ts';
import { dropPlan } from '#operations/boot/finish-restore.ts';
import { lastGoodFile } from '#operations/boot/last-good.ts';
import { beginHistory, type HistoryDeps, snapshotFolder } from '#operations/boot/new-history.ts';
import { databaseFile, readConfig, UsageError } from '#runtime/config.ts';
import { prepareSqlite } from '#runtime/open-database.ts';
import { nodeOf } from '#store/sync-node.ts';
import { type Ask, askKey, tellOutcome } from './backup.ts';

const HELP = `${usage('restore --from FILE|FOLDER [options]', 'the gateway must be stopped')}

  --from       a backup, or the folder of backups, of which the newest is taken
  --authority-only   bring back the farm authority alone, which controllers and consoles pin; nothing else changes,
                     and the gateway may run
  --dry-run    open and check the backup, say what would come back, and change nothing
  --data DIR   folder of the gateway (DATA_DIR) [./data]

The recovery key is taken from RECOVERY_KEY, else asked for. What is in the folder of the gateway now is put aside in a
folder before-restore-… beside it, never removed.
`;

/** Carries out npm run restore. Answers the exit code: 0 done, 1 not possible, 2 called wrongly. */
export function runRestore(args: readonly string[], ask: Ask, now: () => number): Promise<number> {
  return tellOutcome(ask.print, async () => {
    const values = readArguments(args);
    if (values.help) return ask.print(HELP);
    if (values.from === undefined) throw new UsageError('Say --from with a backup or the folder of backups');
    const config = readConfig(values.data === undefined ? [] : ['--data', values.data], ask.environment);
    const backup = await newestBackup(values.from);
    const key = readRecoveryKey(await askKey(ask));
    const target = { data: config.data, file: databaseFile(config), now };
    if (values['authority-only']) return ask.print(await restoreAuthority(backup, key, target));
    if (!values['dry-run']) requireStopped(target.file);
    const staged = values['dry-run']
      ? join(tmpdir(), `farm-${randomBytes(8).toString('hex')}.db`)
      : `${target.file}${UNFINISHED}`;
    try {
      if (!values['dry-run']) await mkdir(config.data, { recursive: true, mode: 0o700 });
      const manifest = await unsealTo(backup, key, staged);
      ask.print(describe(backup, manifest, now()));
      if (values['dry-run']) return ask.print('Dry run: the backup is whole and fits; nothing was changed');
      const aside = await putInPlace({ ...target, staged, key, backup });
      ask.print(aside === null ? 'Restored' : `Restored; what was there before is in ${aside}`);
      ask.print(await putAuthority(config.data, manifest.authority ?? null, target.now));
      ask.print(
        `Start the gateway: sudo systemctl start ${COMMAND} (from the source: npm start). Its controllers follow the restored levels.`,
      );
    } catch (error) {
      throw asTrouble(error, config.data);
    } finally {
      for (const part of ['', '-wal', '-shm']) await rm(`${staged}${part}`, { force: true });
    }
  });
}

type Target = { data: string; file: string; now: () => number };

/** A gateway that runs would go on writing to the file that is put aside. */
function requireStopped(file: string): void {
  if (!existsSync(file)) return;
  let inUse = false;
  try {
    inUse = isInUse(file);
  } catch (error) {
    // a damaged one cannot be asked; it is what restores are for
    if (!isDamage(error)) throw asTrouble(error, file);
  }
  if (inUse) throw new BackupTrouble('the gateway is running on this folder; stop it first');
}

/** Everything is made ready beside the present data; then names change, and only names. */
async function putInPlace({
  data,
  file,
  now,
  staged,
  key,
  backup,
}: Target & { staged: string; key: RecoveryKey; backup: string }): Promise<string | null> {
  const at = new Date(now()).toISOString();
  const connection = connectSqlite(staged);
  try {
    prepareSqlite(connection, now());
    beginHistory(connection, stamping(now), {
      story: { action: 'restore', rung: 'restore', detail: `restored from ${basename(backup)}` },
      syncEpochAbove: presentEpoch(file),
      // sessions that were ended since the backup must not live again
      changes: [purge(instanceValue, 'jwt_secret')],
    });
  } finally {
    connection.close();
  }
  await syncFile(staged);
  const aside = await putAside(data, file, at);
  await rename(staged, file);
  await syncFolder(dirname(file));
  await writeKeyFile(data, key.publicKey, at);
  // one that was ordered in the console must not come over this one at the next start
  await dropPlan(data);
  return aside;
}

/** The database gets a second name there, so that there is one under its own at every instant. */
async function putAside(data: string, file: string, at: string): Promise<string | null> {
  const aside = freeName(join(data, `before-restore-${timeName(at)}`));
  const beside = [lastGoodFile(data), snapshotFolder(data), `${file}-wal`, `${file}-shm`];
  const present = beside.filter((path) => existsSync(path));
  if (present.length === 0 && !existsSync(file)) return null;
  await mkdir(aside, { mode: 0o700 });
  if (existsSync(file)) {
    const second = join(aside, basename(file));
    // some file systems know no second name
    await link(file, second).catch(() => rename(file, second));
  }
  for (const path of present) await rename(path, join(aside, basename(path)));
  await syncFolder(aside);
  await syncFolder(data);
  return aside;
}

/** The epoch of what is there now, so that the restored one is above it; 0 when it cannot be read. */
function presentEpoch(file: string): number {
  if (!existsSync(file)) return 0;
  try {
    const connection = connectSqlite(file);
    try {
      return standOf(connection)?.syncEpoch ?? 0;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isDamage(error)) return 0;
    throw error;
  }
}

const stamping = (now: () => number): HistoryDeps => ({
  now,
  monotonic: () => 0,
  bootId: randomBytes(8).toString('hex'),
  node: nodeOf('gateway', randomBytes(4).toString('hex')),
});

function describe(backup: string, found: Manifest, now: number): string {
  const ageH = (now - Date.parse(found.made_at)) / 3_600_000;
  const age = ageH < 48 ? `${ageH.toFixed(1)} hours` : `${(ageH / 24).toFixed(1)} days`;
  return [
    `Backup ${backup}`,
    `  made           ${found.made_at} (${age} ago)`,
    `  farms          ${found.farms}`,
    `  control points ${found.control_points}, with ${found.schedules} schedules`,
    `  users          ${found.users}`,
    `  authority      ${describeAuthority(found.authority ?? null)}`,
    `  log entries    ${found.logs}`,
    `  schema         ${found.migrations.at(-1) ?? 'none'}`,
    `  epoch          ${found.sync_epoch} (a restore raises it)`,
  ].join('\n');
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        data: { type: 'string' },
        'dry-run': { type: 'boolean' },
        'authority-only': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}
