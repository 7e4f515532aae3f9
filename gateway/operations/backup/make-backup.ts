import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pack } from '#adapters/backup/archive.ts';
import {
  listBackups,
  newBackupFile,
  pinBackup,
  removeOld,
  requirePrepared,
} from '#adapters/backup/backup-folder.ts';
import { asTrouble, BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { readKeyFile } from '#adapters/backup/recovery-key.ts';
import { removeUnfinished, withScratch, writeWhole } from '#adapters/backup/safe-files.ts';
import { seal } from '#adapters/backup/seal.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { authorityFile, spareFile, trustStateIn } from '#adapters/tls/trust-files.ts';
import type { Job, JobDone, TellPhase } from './do-job.ts';

/** A sealed backup in a prepared folder; older ones go by their age. Throws BackupTrouble with the reason. */
export async function makeBackup(
  job: Extract<Job, { kind: 'backup' }>,
  tell: TellPhase = () => undefined,
): Promise<JobDone> {
  const { data, databaseFile, folder, madeAt } = job;
  requirePrepared(folder);
  const { public_key: publicKey } = await readKeyFile(data);
  const { size } = await stat(databaseFile);
  return withScratch(data, size, async (scratch, isOnCard) => {
    const copy = `${scratch}/farm.db`;
    tell('copying');
    const described = {
      format: 1 as const,
      made_at: madeAt,
      ...(await takeSnapshot(databaseFile, copy)),
      authority: await authorityIn(data),
    };
    try {
      await removeUnfinished(folder);
      const file = newBackupFile(folder, madeAt);
      tell('writing');
      await writeProved(file, seal(pack(copy, described), { publicKey, madeAt }), tell);
      if (job.pinned) await pinBackup(file);
      await removeOld(folder, await listBackups(folder), Date.parse(madeAt), job.maxBytes);
      return { file, bytes: (await stat(file)).size, onCard: isOnCard ? size : 0, wrong: null };
    } catch (error) {
      throw asTrouble(error, folder);
    }
  });
}

/** A backup without it is better than none; that it cannot be read is told elsewhere, and loudly. */
async function authorityIn(data: string): Promise<string | null> {
  for (const file of [authorityFile(data), spareFile(data)]) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null && trustStateIn(certificateMaker, text) !== null) return text;
  }
  return null;
}

/** Reads back what was written: a stick that lies is found out now, not in the night it is needed. */
async function writeProved(file: string, bytes: AsyncIterable<Uint8Array>, tell: TellPhase): Promise<void> {
  const written = createHash('sha256');
  async function* hashed() {
    for await (const chunk of bytes) {
      written.update(chunk);
      yield chunk;
    }
  }
  await writeWhole(file, hashed());
  tell('proving');
  const read = createHash('sha256');
  for await (const chunk of createReadStream(file)) read.update(chunk as Buffer);
  if (read.digest('hex') !== written.digest('hex'))
    throw new BackupTrouble(`what was written to ${dirname(file)} reads back differently; use another stick`);
}
