import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, pack, unpack } from '#adapters/backup/archive.ts';
import { freeName, timeName, writeWhole } from '#adapters/backup/safe-files.ts';
import { snapshotFolder } from './evidence.ts';

/** Keeps a proved copy beside the database, compressed. Answers how many bytes that wrote. */
export async function keepSnapshot(data: string, copy: string, described: Manifest): Promise<number> {
  const folder = snapshotFolder(data);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = freeName(join(folder, `farm-${timeName(described.made_at)}`), '.snapshot');
  await writeWhole(file, pack(copy, described));
  return (await stat(file)).size;
}

/** Unpacks a snapshot to a file. Throws BackupTrouble when it is damaged. */
export async function unpackSnapshot(file: string, to: string): Promise<Manifest> {
  const { manifest, database } = await unpack(createReadStream(file, { highWaterMark: 256 * 1024 }));
  await writeWhole(to, database);
  return manifest;
}
