import { createReadStream } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import * as z from 'zod';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { createReader } from './seal.ts';

// What a backup holds, sealed or not: a short description, then the database file, compressed as one stream whose
// check sum tells a flipped bit.

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
type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The description, and the bytes of the database behind it. Throws BackupTrouble for anything damaged. */
export async function unpack(
  packed: Bytes,
): Promise<{ manifest: Manifest; database: AsyncGenerator<Buffer> }> {
  const decompress = createZstdDecompress();
  const source = Readable.from(packed);
  source.on('error', (error) => decompress.destroy(error));
  const reader = createReader(source.pipe(decompress));
  try {
    const length = (await reader.take(4)).readUInt32BE();
    if (length > MAX_MANIFEST_BYTES)
      throw new BackupTrouble('the backup is damaged; use an older one', undefined, 'DAMAGED');
    const described = manifest.safeParse(JSON.parse((await reader.take(length)).toString()));
    if (!described.success) {
      throw new BackupTrouble(
        'the backup describes itself in a way this version does not know; use the version that wrote it',
        undefined,
        'NEWER_VERSION',
      );
    }
    return { manifest: described.data, database: told(reader.rest()) };
  } catch (error) {
    throw asDamage(error);
  }
}

async function* told(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw asDamage(error);
  }
}

/** zlib's words, and a description that is no JSON, mean one thing. */
function asDamage(error: unknown): Error {
  const isZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_');
  const isUnfinished = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
  if (isZlib || isUnfinished || error instanceof SyntaxError)
    return new BackupTrouble('the backup is damaged or not complete; use an older one', error, 'DAMAGED');
  return asTrouble(error, 'the backup');
}

/** Compressed bytes of description and database. */
export async function* pack(databaseFile: string, described: Manifest): AsyncGenerator<Buffer> {
  const text = Buffer.from(JSON.stringify(described));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  async function* plain() {
    yield Buffer.concat([length, text]);
    yield* createReadStream(databaseFile, { highWaterMark: 256 * 1024 });
  }
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const source = Readable.from(plain());
  source.on('error', (error) => compress.destroy(error));
  yield* source.pipe(compress);
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
