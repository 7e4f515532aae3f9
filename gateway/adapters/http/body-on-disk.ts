import { createWriteStream } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#core/errors.ts';
import type { UploadedFile } from '#core/route.ts';
import { tooLarge, wrongFileType } from './read-json-body.ts';

/** Files that lie on disk at one time: one being read, the others come meanwhile, each as fast as its sender's line. */
const MOST_AT_ONCE = 16;
/** So long nobody is judged by how fast his file comes. */
const JUDGED_AFTER_MS = 10_000;
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
 * before this left there is removed with the first. Where all places are taken the file that comes slowest gives way, so that
 * who sends next to nothing keeps nobody out.
 */
export function bodiesOnDisk(
  folder: string,
  {
    newId,
    freeBytes = freeIn,
    monotonic = () => performance.now(),
  }: { newId: () => string; freeBytes?: (folder: string) => Promise<number>; monotonic?: () => number },
): BodiesOnDisk {
  const senders = new Map<string, Coming>();
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
      if (senders.has(userId)) throw busy();
      if (senders.size >= MOST_AT_ONCE) displaceSlowest(senders, monotonic());
      const coming = { since: monotonic(), left: told || maxBytes, bytes: 0, end: new AbortController() };
      senders.set(userId, coming);
      const path = join(folder, newId());
      let isGone = false;
      const release = async () => {
        // once: the next file of the same person is another
        if (isGone) return;
        isGone = true;
        await rm(path, { force: true }).catch(() => undefined);
        // one that gave way has none any more, and the next one of that person may have begun
        if (senders.get(userId) === coming) senders.delete(userId);
      };
      try {
        // one that failed is tried again by the next
        isSwept ??= sweep().catch((error: unknown) => {
          isSwept = null;
          throw error;
        });
        await isSwept;
        if ((await freeBytes(folder)) - stillToCome(senders) < LEFT_FREE_BYTES) throw noRoom();
        const bytes = await write(request, coming, { path, maxBytes });
        return uploaded(path, bytes, release);
      } catch (error) {
        await release();
        throw coming.end.signal.aborted ? busy() : asRefusal(error);
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

type Coming = {
  since: number;
  bytes: number;
  /** Bytes that may still come; 0: all are there. */
  left: number;
  end: AbortController;
};

/** Ends the file that comes slowest of those that have come for a while; throws 503 where there is none. */
function displaceSlowest(senders: Map<string, Coming>, now: number): void {
  const rateOf = ({ bytes, since }: Coming) => bytes / (now - since);
  const [slowest] = [...senders]
    .filter(([, { since, left }]) => left > 0 && now - since >= JUDGED_AFTER_MS)
    .toSorted(([, one], [, other]) => rateOf(one) - rateOf(other));
  if (slowest === undefined) throw busy();
  const [userId, coming] = slowest;
  senders.delete(userId);
  coming.end.abort();
}

const stillToCome = (senders: ReadonlyMap<string, Coming>): number =>
  [...senders.values()].reduce((sum, { left }) => sum + left, 0);

async function write(
  request: IncomingMessage,
  coming: Coming,
  { path, maxBytes }: { path: string; maxBytes: number },
): Promise<number> {
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      coming.bytes += chunk.length;
      coming.left = Math.max(1, coming.left - chunk.length);
      if (coming.bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(request, counted, file, { signal: coming.end.signal });
  coming.left = 0;
  return coming.bytes;
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
