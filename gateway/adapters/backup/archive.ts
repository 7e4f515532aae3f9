import { createReadStream } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { extract, pack as tarPack } from 'tar-stream';
import * as z from 'zod';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { type ByteReader, type Bytes, createByteReader } from './byte-reader.ts';

// What a backup holds, sealed or not: a tar archive of a short description and the database file, compressed by zstd, whose
// check sum tells a flipped bit. Any computer with tar and zstd reads it. Older backups have no tar: four bytes of
// length, the description, the database.

const DESCRIPTION_NAME = 'backup.json';
const DATABASE_ENTRY = 'farm.db';

/** Describes the database of a backup; what a person is shown before it comes back. */
const manifest = z.object({
  format: z.literal(1),
  made_at: z.string(),
  gateway_id: z.string(),
  /** Numbered files of the schema, as applied. */
  migrations: z.array(z.string()),
  sync_epoch: z.int(),
  target_epoch: z.string().nullable(),
  core_seq: z.int(),
  farms: z.int(),
  control_points: z.int(),
  schedules: z.int(),
  users: z.int(),
  logs: z.int(),
  bytes: z.int(),
  /** Keys and certificates of the farm authority, as its file holds them; null: there was none. */
  authority: z.string().nullish(),
});
export type Manifest = z.infer<typeof manifest>;

const MAX_MANIFEST_BYTES = 1024 * 1024;
/** What may come in that is neither description nor database: headers, padding, and what streams hold back. */
const MOST_BETWEEN = 2 * MAX_MANIFEST_BYTES;

type Unpacked = { manifest: Manifest; database: AsyncGenerator<Buffer> };

/**
 * The description, and the bytes of the database behind it: never more than it describes, for a megabyte of zstd may hold
 * more than any card. Throws BackupTrouble for anything damaged.
 */
export async function unpack(packed: Bytes): Promise<Unpacked> {
  const decompress = createZstdDecompress();
  const source = Readable.from(packed);
  source.on('error', (error) => decompress.destroy(error));
  const reader = createByteReader(source.pipe(decompress));
  try {
    // a length below 1 MiB begins with a zero, the header of a tar archive with a name
    const { manifest, database } =
      (await reader.peek(1))[0] === 0 ? await unpackFirst(reader) : await unpackTar(reader);
    return { manifest, database: told(database, manifest.bytes) };
  } catch (error) {
    throw asDamage(error);
  }
}

async function unpackFirst(reader: ByteReader): Promise<Unpacked> {
  const length = (await reader.take(4)).readUInt32BE();
  if (length > MAX_MANIFEST_BYTES) throw damaged();
  return { manifest: described(await reader.take(length)), database: reader.rest() };
}

async function unpackTar(reader: ByteReader): Promise<Unpacked> {
  const archive = extract();
  let between = 0;
  async function* bounded() {
    for await (const chunk of reader.rest()) {
      between += chunk.length;
      if (between > MOST_BETWEEN) throw damaged();
      yield chunk;
    }
  }
  const read = pipeline(Readable.from(bounded()), archive);
  read.catch(() => undefined); // told below, where the bytes are asked for
  const entries = archive[Symbol.asyncIterator]();
  const first = await entries.next();
  if (first.done === true || first.value.header.name !== DESCRIPTION_NAME) throw damaged();
  if ((first.value.header.size ?? 0) > MAX_MANIFEST_BYTES) throw damaged();
  const text: Buffer[] = [];
  for await (const chunk of first.value) text.push(chunk as Buffer);
  const manifest = described(Buffer.concat(text));
  async function* database() {
    const second = await entries.next();
    if (second.done === true || second.value.header.name !== DATABASE_ENTRY) throw damaged();
    for await (const chunk of second.value as AsyncIterable<Buffer>) {
      between -= chunk.length;
      yield chunk;
    }
    if ((await entries.next()).done !== true) throw damaged();
    await read; // to the check sum, which comes after the archive
  }
  return { manifest, database: database() };
}

const damaged = () => new BackupTrouble('the backup is damaged; use an older one', undefined, 'DAMAGED');

function described(text: Buffer): Manifest {
  const read = manifest.safeParse(JSON.parse(text.toString()));
  if (read.success) return read.data;
  throw new BackupTrouble(
    'the backup describes itself in a way this version does not know; use the version that wrote it',
    undefined,
    'NEWER_VERSION',
  );
}

async function* told(bytes: AsyncGenerator<Buffer>, most: number): AsyncGenerator<Buffer> {
  let left = most;
  try {
    for await (const chunk of bytes) {
      left -= chunk.length;
      if (left < 0) throw damaged();
      yield chunk;
    }
  } catch (error) {
    throw asDamage(error);
  }
}

/** What zstd and tar say of broken bytes, and a description that is no JSON, mean one thing. */
function asDamage(error: unknown): Error {
  const known = asTrouble(error, 'the backup');
  if (known instanceof BackupTrouble) return known;
  return new BackupTrouble('the backup is damaged or not complete; use an older one', error, 'DAMAGED');
}

/** Compressed bytes of description and database. */
export async function* pack(databaseFile: string, described: Manifest): AsyncGenerator<Buffer> {
  const archive = tarPack();
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const mtime = new Date(described.made_at);
  const { size } = await stat(databaseFile);
  archive.entry({ name: DESCRIPTION_NAME, mtime, mode: 0o600 }, JSON.stringify(described));
  // whoever stops reading, as on a full disk, ends all of it; the error is told by the stream that is read
  archive.on('error', (error) => compress.destroy(error));
  const database = archive.entry({ name: DATABASE_ENTRY, mtime, mode: 0o600, size });
  pipeline(createReadStream(databaseFile, { highWaterMark: 256 * 1024 }), database).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  );
  const written = pipeline(archive, compress);
  written.catch(() => undefined); // the stream below tells it too
  yield* compress;
  await written;
}

/** Of a gateway, in its data folder. By itself, because the launcher knows no configuration. */
export const DATABASE_NAME = 'farm.db';

/** What the card keeps free whatever is brought or comes back: control writes on meanwhile. */
export const SPARE_BYTES = 256 * 1024 * 1024;

/** What the disk of a folder has room for still, as the gateway may use it. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
