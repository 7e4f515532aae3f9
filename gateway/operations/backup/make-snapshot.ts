import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pack } from '#adapters/backup/archive.ts';
import { listByName } from '#adapters/backup/backup-folder.ts';
import { freeName, timeName, withScratch, writeWhole } from '#adapters/backup/safe-files.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { SNAPSHOT_NAME, snapshotFolder } from '../boot/new-history.ts';
import type { Job, JobDone } from './do-job.ts';

/** A compressed copy beside the database, for a start with a broken one. */
export async function makeSnapshot(job: Extract<Job, { kind: 'snapshot' }>): Promise<JobDone> {
  const { data, databaseFile, madeAt } = job;
  const folder = snapshotFolder(data);
  const { size } = await stat(databaseFile);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return withScratch(data, size, async (scratch, isOnCard) => {
    const copy = `${scratch}/farm.db`;
    const described = { format: 1 as const, made_at: madeAt, ...(await takeSnapshot(databaseFile, copy)) };
    const file = freeName(join(folder, `farm-${timeName(madeAt)}`), '.snapshot');
    await writeWhole(file, pack(copy, described));
    const bytes = (await stat(file)).size;
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
