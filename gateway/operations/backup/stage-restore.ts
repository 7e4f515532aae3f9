import { mkdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { freeBytes, SPARE_BYTES } from '#adapters/backup/archive.ts';
import { asTrouble, BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { readRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { syncFile } from '#adapters/backup/safe-files.ts';
import { compareDatabases } from '#adapters/sql/check-database.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { prepareSqlite } from '#runtime/open-database.ts';
import { dropPlan, restoreFolder, stagedFile, writePlan } from '../boot/finish-restore.ts';
import type { Job, TellPhase } from './do-job.ts';
import { unsealTo } from './read-backup.ts';

/**
 * Makes a backup ready to come back, beside the database in use and without touching it, and notes what would change.
 * Throws BackupTrouble with the reason; then nothing of it is left.
 */
export async function stageRestore(
  job: Extract<Job, { kind: 'stage_restore' }>,
  tell: TellPhase,
): Promise<void> {
  const { data, backup } = job;
  const staged = stagedFile(data);
  let where = backup;
  await dropPlan(data);
  try {
    const key = readRecoveryKey(job.key);
    tell('opening');
    await mkdir(restoreFolder(data), { recursive: true, mode: 0o700 });
    const manifest = await unsealTo(backup, key, staged, (bytes) => requireRoom(data, bytes));
    where = data;
    tell('migrating');
    const connection = connectSqlite(staged);
    try {
      prepareSqlite(connection, Date.parse(job.at));
      // one file, which a single rename puts in place
      connection.pragma('journal_mode = delete');
    } finally {
      connection.close();
    }
    await syncFile(staged);
    tell('comparing');
    const compared = compareDatabases(job.databaseFile, staged);
    await writePlan(data, {
      state: 'checked',
      backup: basename(backup),
      made_at: manifest.made_at,
      checked_at: job.at,
      public_key: key.publicKey,
      authority: manifest.authority ?? null,
      counts: compared.counts,
      farm_names: compared.farmNames,
      newest_at: compared.newestAt,
      armed_at: null,
      armed_by: null,
      aside: null,
      had_database: true,
      starts: 0,
      ended_at: null,
      detail: null,
    });
  } catch (error) {
    await rm(restoreFolder(data), { recursive: true, force: true });
    throw asTrouble(error, where);
  }
}

/** A plain copy beside the database, and what a newer schema adds to it. */
async function requireRoom(data: string, bytes: number): Promise<void> {
  const free = await freeBytes(data);
  const needed = bytes * 1.5 + SPARE_BYTES;
  if (free >= needed) return;
  throw new BackupTrouble(
    `the box needs ${Math.ceil(needed / 1_000_000)} MB of free space to open this backup, and has ${Math.floor(free / 1_000_000)}; nothing was changed`,
    undefined,
    'NO_SPACE',
  );
}
