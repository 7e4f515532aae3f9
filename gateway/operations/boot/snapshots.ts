import { createReadStream } from 'node:fs';
import { type Manifest, unpack } from '#adapters/backup/archive.ts';
import { writeWhole } from '#adapters/backup/safe-files.ts';

/** Unpacks a snapshot to a file. Throws BackupTrouble when it is damaged. */
export async function unpackSnapshot(file: string, to: string): Promise<Manifest> {
  const { manifest, database } = await unpack(createReadStream(file, { highWaterMark: 256 * 1024 }));
  await writeWhole(to, database);
  return manifest;
}
