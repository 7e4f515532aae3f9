import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pack } from '#adapters/backup/archive.ts';
import {
  listBackups,
  listByName,
  newBackupFile,
  removeOld,
  requirePrepared,
} from '#adapters/backup/backup-folder.ts';
import { asTrouble, BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { readKeyFile } from '#adapters/backup/key-file.ts';
import { removeUnfinished, writeWhole } from '#adapters/backup/safe-files.ts';
import { withScratch } from '#adapters/backup/scratch.ts';
import { seal } from '#adapters/backup/seal.ts';
import { integrityOfFile } from '#adapters/sql/check-database.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { SNAPSHOT_NAME, snapshotFolder } from './boot/evidence.ts';
import { keepSnapshot } from './boot/snapshots.ts';

// What is done beside the main thread, so that no order waits for it. Each job knows its files and the time, nothing else.

export type Job =
  | { kind: 'backup'; data: string; databaseFile: string; folder: string; madeAt: string; maxBytes: number }
  | { kind: 'snapshot'; data: string; databaseFile: string; madeAt: string; maxBytes: number }
  | { kind: 'check'; databaseFile: string };

export type JobDone = {
  /** The file that was made; null for a check. */
  file: string | null;
  /** Bytes of that file. */
  bytes: number;
  /** Bytes written to the disk of the database, for the life of its card. */
  onCard: number;
  /** What a check found; null: nothing. */
  wrong: string | null;
};

export function doJob(job: Job): Promise<JobDone> {
  switch (job.kind) {
    case 'backup':
      return makeBackup(job);
    case 'snapshot':
      return makeSnapshot(job);
    case 'check':
      return Promise.resolve({ file: null, bytes: 0, onCard: 0, wrong: integrityOfFile(job.databaseFile) });
  }
}

/** A sealed backup in a prepared folder; older ones go by their age. Throws BackupTrouble with the reason. */
export async function makeBackup(job: Extract<Job, { kind: 'backup' }>): Promise<JobDone> {
  const { data, databaseFile, folder, madeAt } = job;
  requirePrepared(folder);
  const { public_key: publicKey } = await readKeyFile(data);
  const { size } = await stat(databaseFile);
  return withScratch(data, size, async (scratch, isOnCard) => {
    const copy = `${scratch}/farm.db`;
    const described = { format: 1 as const, made_at: madeAt, ...(await takeSnapshot(databaseFile, copy)) };
    try {
      await removeUnfinished(folder);
      const file = newBackupFile(folder, madeAt);
      await writeProved(file, seal(pack(copy, described), { publicKey, madeAt }));
      await removeOld(folder, await listBackups(folder), Date.parse(madeAt), job.maxBytes);
      return { file, bytes: (await stat(file)).size, onCard: isOnCard ? size : 0, wrong: null };
    } catch (error) {
      throw asTrouble(error, folder);
    }
  });
}

/** A compressed copy beside the database, for a start with a broken one. */
export async function makeSnapshot(job: Extract<Job, { kind: 'snapshot' }>): Promise<JobDone> {
  const { data, databaseFile, madeAt } = job;
  const folder = snapshotFolder(data);
  const { size } = await stat(databaseFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return withScratch(data, size, async (scratch, isOnCard) => {
    const copy = `${scratch}/farm.db`;
    const described = { format: 1 as const, made_at: madeAt, ...(await takeSnapshot(databaseFile, copy)) };
    const bytes = await keepSnapshot(data, copy, described);
    await dropSnapshots(folder, job.maxBytes);
    return { file: folder, bytes, onCard: bytes + (isOnCard ? size : 0), wrong: null };
  });
}

/** More than a few are worth nothing at a start, whatever their age; the newest always stays. */
const SNAPSHOTS_KEPT = 3;

async function dropSnapshots(folder: string, maxBytes: number): Promise<void> {
  let room = maxBytes;
  const newestFirst = (await listByName(folder, SNAPSHOT_NAME)).toReversed();
  for (const [index, { name, bytes }] of newestFirst.entries()) {
    room -= bytes;
    if (index > 0 && (index >= SNAPSHOTS_KEPT || room < 0)) await rm(join(folder, name), { force: true });
  }
}

/** Reads back what was written: a stick that lies is found out now, not in the night it is needed. */
async function writeProved(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const written = createHash('sha256');
  async function* hashed() {
    for await (const chunk of bytes) {
      written.update(chunk);
      yield chunk;
    }
  }
  await writeWhole(file, hashed());
  const read = createHash('sha256');
  for await (const chunk of createReadStream(file)) read.update(chunk as Buffer);
  if (read.digest('hex') !== written.digest('hex'))
    throw new BackupTrouble(`what was written to ${dirname(file)} reads back differently; use another stick`);
}
