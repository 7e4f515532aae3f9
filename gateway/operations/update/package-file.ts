import { execFile } from 'node:child_process';
import { createHash, type KeyObject } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { isCode, syncFolder } from '#adapters/backup/safe-files.ts';
import {
  MANIFEST_FILE,
  MAX_MANIFEST_BYTES,
  type Manifest,
  manifestBytes,
  openManifest,
  SIGNATURE_BYTES,
  SIGNATURE_FILE,
  signManifest,
} from './manifest.ts';
import { UpdateRefused } from './update-trouble.ts';

// An update in one file: mark, length of the manifest, manifest, signature, and the bytes of its files one after the
// other, compressed. Who it is from is known before any of them is unpacked.

export const PACKAGE_ENDING = '.update';
const MARK = Buffer.from('SFGWUPD1');
const HEAD_BYTES = MARK.length + 4;
const CHUNK_BYTES = 256 * 1024;

type Made = { manifest: Manifest; folder: string; privateKey: KeyObject; level?: number };

/** Writes the update of a program folder. */
export async function writePackage(
  file: string,
  { manifest, folder, privateKey, level }: Made,
): Promise<void> {
  const text = manifestBytes(manifest);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  async function* contents() {
    for (const { path, bytes } of manifest.files)
      yield* createReadStream(join(folder, path), { highWaterMark: Math.min(CHUNK_BYTES, bytes + 1) });
  }
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: level ?? 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const out = createWriteStream(file);
  out.write(Buffer.concat([MARK, length, text, signManifest(text, privateKey)]));
  await pipeline(Readable.from(contents()), compress, out);
}

export type OpenedPackage = {
  file: string;
  manifest: Manifest;
  manifestText: Buffer;
  signature: Buffer;
  contentAt: number;
  bytes: number;
};

/** Reads who an update is from and what it is. Throws UpdateRefused; unpacks nothing. */
export async function openPackage(file: string, keys: readonly KeyObject[]): Promise<OpenedPackage> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    if (isCode(cause, 'ENOENT')) throw new UpdateRefused('NOT_FOUND', `there is no file ${file}`, { cause });
    throw new UpdateRefused('NOT_FOUND', `${file} cannot be read`, { cause });
  });
  try {
    const head = await read(handle, 0, HEAD_BYTES);
    if (!head.subarray(0, MARK.length).equals(MARK))
      throw new UpdateRefused('UNSIGNED', `${file} is no update of this program`);
    const length = head.readUInt32BE(MARK.length);
    if (length > MAX_MANIFEST_BYTES) throw new UpdateRefused('DAMAGED', `${file} is damaged`);
    const manifestText = await read(handle, HEAD_BYTES, length);
    const signature = await read(handle, HEAD_BYTES + length, SIGNATURE_BYTES);
    const manifest = openManifest(manifestText, signature, keys);
    const { size } = await handle.stat();
    const contentAt = HEAD_BYTES + length + SIGNATURE_BYTES;
    return { file, manifest, manifestText, signature, contentAt, bytes: size };
  } finally {
    await handle.close();
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

async function read(handle: Handle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new UpdateRefused('DAMAGED', 'the package is cut off; copy it again');
  return buffer;
}

/**
 * Unpacks into a new folder; every file is checked while it is written, and all is on disk afterwards. Throws
 * UpdateRefused for a package whose bytes are not those that were signed.
 */
export async function unpackPackage(opened: OpenedPackage, folder: string): Promise<void> {
  const { manifest, manifestText, signature } = opened;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const packed = createReadStream(opened.file, { start: opened.contentAt, highWaterMark: CHUNK_BYTES });
  const plain = packed.pipe(createZstdDecompress());
  // a stick that is pulled speaks through the stream that is read
  packed.on('error', (error) => plain.destroy(error));
  plain.on('error', () => undefined);
  const take = taker(plain[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
  try {
    for (const { path, bytes, mode, sha256 } of manifest.files) {
      const to = join(folder, path);
      await mkdir(dirname(to), { recursive: true, mode: 0o755 });
      const hash = createHash('sha256');
      const handle = await open(to, 'wx', mode);
      try {
        for (let left = bytes; left > 0; ) {
          const chunk = await take(left);
          if (chunk === null) throw new UpdateRefused('DAMAGED', 'the package is cut off; copy it again');
          hash.update(chunk);
          await handle.writeFile(chunk);
          left -= chunk.length;
        }
      } finally {
        await handle.close();
      }
      await chmod(to, mode);
      if (hash.digest('hex') !== sha256)
        throw new UpdateRefused('DAMAGED', `the package is damaged (${path}); copy it again`);
    }
    if ((await take(1)) !== null) throw new UpdateRefused('DAMAGED', 'the package holds more than it names');
  } catch (error) {
    if (error instanceof UpdateRefused) throw error;
    // what reading it or taking it apart says; what writing says is for the caller
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (
      code.startsWith('ZSTD') ||
      code === 'Z_BUF_ERROR' ||
      code === 'EIO' ||
      code === 'ERR_STREAM_PREMATURE_CLOSE'
    )
      throw new UpdateRefused('DAMAGED', 'the package is damaged; copy it again', { cause: error });
    throw error;
  } finally {
    packed.destroy();
    plain.destroy();
  }
  await writeFile(join(folder, SIGNATURE_FILE), signature, { flush: true });
  await writeFile(join(folder, MANIFEST_FILE), manifestText, { flush: true });
  await syncAll(folder);
}

/**
 * Thousands of files go to a card together a hundred times faster than one by one. Where it cannot be had, the start
 * that finds one of them damaged goes back.
 */
async function syncAll(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder]).catch(() => undefined);
  await syncFolder(dirname(folder));
}

/** Hands out the stream in pieces of at most the wanted length; null: it is over. */
function taker(stream: AsyncIterator<Buffer>): (most: number) => Promise<Buffer | null> {
  let rest: Buffer = Buffer.alloc(0);
  return async (most) => {
    while (rest.length === 0) {
      const next = await stream.next();
      if (next.done) return null;
      rest = next.value;
    }
    const piece = rest.subarray(0, most);
    rest = rest.subarray(piece.length);
    return piece;
  };
}

/** Space that unpacking takes. */
export const unpackedBytes = (manifest: Manifest): number =>
  manifest.files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4096) * 4096, 0);

export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};
