import { createReadStream } from 'node:fs';
import { type Manifest, unpack } from '#adapters/backup/archive.ts';
import { asTrouble, BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import type { RecoveryKey } from '#adapters/backup/recovery-key.ts';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { unseal } from '#adapters/backup/seal.ts';
import { foreignPartOf } from '#adapters/sql/check-database.ts';
import { CopyBroken, proveCopy } from '#adapters/sql/take-snapshot.ts';
import { sqliteMigrations } from '#runtime/open-database.ts';

/** Unseals a backup to its last byte. Throws BackupTrouble when the key is another one or anything is damaged. */
export async function proveKey(file: string, key: RecoveryKey): Promise<Manifest> {
  const { manifest, database } = await opened(file, key);
  for await (const _ of database);
  return manifest;
}

/**
 * Brings the database of a backup to a file and reads it completely. Throws BackupTrouble when the key, the file, or the
 * version does not fit; then there is no such file.
 */
export async function unsealTo(
  file: string,
  key: RecoveryKey,
  to: string,
  requireRoom: (bytes: number) => Promise<void> = () => Promise.resolve(),
): Promise<Manifest> {
  const { manifest, database } = await opened(file, key);
  const migrations = sqliteMigrations();
  const known = new Set(migrations.map(({ name }) => name));
  const newer = manifest.migrations.find((name) => !known.has(name));
  if (newer !== undefined) {
    throw new BackupTrouble(
      `the backup was written by a newer version of this program (it knows ${newer}); install that version first`,
      undefined,
      'NEWER_VERSION',
    );
  }
  await requireRoom(manifest.bytes);
  try {
    await writeWhole(to, database);
  } catch (error) {
    throw asTrouble(error, to);
  }
  // before anything reads its tables, which may be views
  const foreign = foreignPartOf(to, migrations);
  if (foreign !== null) {
    throw new BackupTrouble(
      `the database in the backup holds what this program never makes (${foreign.slice(0, 60)}); use a backup of your own`,
      undefined,
      'DAMAGED',
    );
  }
  try {
    proveCopy(to);
  } catch (error) {
    if (error instanceof CopyBroken)
      throw new BackupTrouble('the database in the backup is damaged; use an older one', error, 'DAMAGED');
    throw error;
  }
  return manifest;
}

async function opened(file: string, key: RecoveryKey) {
  const sealed = createReadStream(file, { highWaterMark: 256 * 1024 });
  async function* readable() {
    try {
      yield* sealed as AsyncIterable<Buffer>;
    } catch (error) {
      throw asTrouble(error, file);
    }
  }
  return unpack(unseal(readable(), key));
}
