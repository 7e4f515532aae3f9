import { createWriteStream } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#core/errors.ts';
import type { UploadedFile } from '#core/route.ts';
import { tooLarge, wrongFileType } from './read-json-body.ts';

/** Files that lie on disk at one time: one being read, one that comes meanwhile. */
const MOST_AT_ONCE = 2;
/** A database that runs out of room is worse than a file that is sent later. */
const LEFT_FREE_BYTES = 256 * 1_048_576;

export type BodiesOnDisk = {
  /** Throws 413, 415, 503 while too many lie there, 507 where the disk has no room. */
  take: (
    request: IncomingMessage,
    kind: { media: string; also?: readonly string[]; maxBytes: number },
    userId: string,
  ) => Promise<UploadedFile>;
};

/**
 * Large bodies go to disk as they come, so that memory holds none of them: one of each person and few in all. What a run
 * before this left there is removed with the first.
 */
export function bodiesOnDisk(
  folder: string,
  { newId, freeBytes = freeIn }: { newId: () => string; freeBytes?: (folder: string) => Promise<number> },
): BodiesOnDisk {
  const senders = new Set<string>();
  let isSwept: Promise<void> | null = null;
  const sweep = async () => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  };
  return {
    async take(request, { media, also = [], maxBytes }, userId) {
      const { headers } = request;
      const [type = ''] = (headers['content-type'] ?? '').split(';');
      const kinds = [media, ...also];
      if (
        (headers['content-encoding'] ?? 'identity') !== 'identity' ||
        !kinds.includes(type.trim().toLowerCase())
      )
        throw wrongFileType(kinds);
      const told = Number(headers['content-length'] ?? 0);
      if (told > maxBytes) throw tooLarge(maxBytes);
      if (senders.has(userId) || senders.size >= MOST_AT_ONCE) throw busy();
      senders.add(userId);
      const path = join(folder, newId());
      let isGone = false;
      const release = async () => {
        // once: the next file of the same person is another
        if (isGone) return;
        isGone = true;
        await rm(path, { force: true }).catch(() => undefined);
        senders.delete(userId);
      };
      try {
        // one that failed is tried again by the next
        isSwept ??= sweep().catch((error: unknown) => {
          isSwept = null;
          throw error;
        });
        await isSwept;
        if ((await freeBytes(folder)) - (told || maxBytes) < LEFT_FREE_BYTES) throw noRoom();
        const bytes = await write(request, path, maxBytes);
        return uploaded(path, bytes, release);
      } catch (error) {
        await release();
        throw asRefusal(error);
      }
    },
  };
}

/** Gone with the answer to its request, unless somebody keeps it; whoever does releases it. */
function uploaded(path: string, bytes: number, release: () => Promise<void>): UploadedFile {
  let isKept = false;
  return {
    path,
    bytes,
    keep: () => void (isKept = true),
    release,
    answered: async () => {
      if (!isKept) await release();
    },
  };
}

async function write(request: IncomingMessage, path: string, maxBytes: number): Promise<number> {
  let size = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  await pipeline(request, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return size;
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const busy = () =>
  new AppError(503, 'Another file is being imported; please try again in a moment', {
    code: 'BUSY',
    headers: { 'Retry-After': '5' },
  });
const noRoom = () =>
  new AppError(507, 'The disk has no room for this file; nothing was changed', { code: 'NO_SPACE' });

function asRefusal(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC') return noRoom();
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET')
    return new AppError(400, 'The request ended before its body did', { code: 'MALFORMED_JSON' });
  return error;
}
