import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { freeBytes, SPARE_BYTES } from './archive.ts';
import { listByName } from './backup-folder.ts';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { freeName, namesIn, syncFolder, timeName, UNFINISHED } from './safe-files.ts';
import { sealedFor } from './seal.ts';

// Backups that people bring to the box through the console. They come in pieces, each a request of its own: a slow line
// carries one within the time a request may take, none stands in memory for longer than it is written, and what is wrong
// is told after the first, not after the last.

const NAME = /^uploaded-(\d{8}T\d{6}Z)(-\d+)?\.backup$/;
/** Of the beginning of a sealed file, all that stands readable. */
const BEGINNING_BYTES = 8_192;
/** Somebody who says nothing for so long has gone. */
export const STALLED_MS = 120_000;
const DAY = 86_400_000;
/** A box that is being replaced learns the time late: what lay there for hours of a wrong clock did not lie there for days. */
const AT_LEAST_MS = DAY;
const MOST_FILES = 20;

export type UploadsDeps = Pick<Kernel, 'now' | 'newId' | 'log'> & {
  /** Theirs alone: what is in it and is no whole backup is removed. */
  folder: string;
  monotonic: () => number;
  pieceBytes: number;
  keptDays: number;
  /** An upload began or ended, a file came or went. */
  changed: () => void;
  /** For tests, which have no small disk. */
  freeBytes?: (folder: string) => Promise<number>;
};

type Received = { id: string; bytes: number; received: number; piece_bytes: number; name: string | null };
type Upload = { id: string; by: string; bytes: number; received: number; heardAt: number } & {
  file: string;
  handle: FileHandle;
};
export type Uploads = ReturnType<typeof createUploads>;

/** One upload at a time; who began it alone may go on. Everything here happens one after the other. */
export function createUploads(deps: UploadsDeps) {
  const { folder, now, monotonic, changed } = deps;
  const free = deps.freeBytes ?? freeBytes;
  /** When this process first saw each file, by name. */
  const seenAt = new Map<string, number>();
  const at = { upload: null as Upload | null, finished: null as (Received & { by: string }) | null };
  const inTurn = createTurns();

  const told = ({ id, bytes, received }: Upload, name: string | null = null): Received => ({
    id,
    bytes,
    received,
    piece_bytes: deps.pieceBytes,
    name,
  });

  async function giveUp(): Promise<void> {
    const { upload } = at;
    if (upload === null) return;
    at.upload = null;
    await upload.handle.close().catch(() => undefined);
    await rm(upload.file, { force: true });
    changed();
  }

  async function requireRoom(bytes: number): Promise<void> {
    const room = await free(folder);
    if (room - bytes >= SPARE_BYTES) return;
    throw noSpace(
      `The box needs ${inMb(bytes + SPARE_BYTES, Math.ceil)} MB of free space for this file, and has ${inMb(room, Math.floor)}; nothing was changed`,
    );
  }

  /** Whose upload it is. */
  function own(id: string, by: string): Upload {
    const { upload } = at;
    if (upload === null || upload.id !== id || upload.by !== by) throw notFound('Upload');
    return upload;
  }

  async function begin({ bytes, by }: { bytes: number; by: string }): Promise<Received> {
    const { upload } = at;
    if (upload !== null && upload.by !== by && monotonic() - upload.heardAt < STALLED_MS)
      throw conflict('Somebody else is uploading a backup; wait for it', 'ALREADY_UPLOADING');
    await giveUp();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await listByName(folder, NAME)).length >= MOST_FILES)
      throw conflict('Too many uploaded backups lie here; remove some', 'TOO_MANY_UPLOADED');
    await requireRoom(bytes);
    const id = deps.newId();
    const file = join(folder, `${id}${UNFINISHED}`);
    const handle = await open(file, 'wx', 0o600);
    at.upload = { id, by, bytes, received: 0, heardAt: monotonic(), file, handle };
    changed();
    return told(at.upload);
  }

  async function take(piece: { id: string; by: string; offset: number; bytes: Uint8Array }) {
    const { id, by, offset, bytes } = piece;
    // said again, because the answer was lost or its entry in the audit was not written
    if (at.finished !== null && at.finished.id === id && at.finished.by === by) return at.finished;
    const upload = own(id, by);
    if (offset !== upload.received)
      throw new AppError(409, `The next piece goes to ${upload.received}`, {
        code: 'WRONG_OFFSET',
        more: { received: upload.received },
      });
    if (bytes.length === 0) throw new AppError(422, 'The piece is empty', { code: 'WRONG_SIZE' });
    if (offset + bytes.length > upload.bytes)
      throw new AppError(413, 'The piece goes beyond the size that was told', { code: 'WRONG_SIZE' });
    try {
      if (offset === 0) await requireBackup(bytes);
      await requireRoom(bytes.length);
      await writeAll(upload.handle, bytes, offset);
      upload.received += bytes.length;
      upload.heardAt = monotonic();
      if (upload.received < upload.bytes) return told(upload);
      return await finish(upload);
    } catch (error) {
      await giveUp();
      throw asRefusal(error, folder);
    }
  }

  /** It counts only once it is on disk under its name. */
  async function finish(upload: Upload): Promise<Received> {
    await upload.handle.sync();
    await upload.handle.close();
    const file = freeName(join(folder, `uploaded-${timeName(isoOf(now()))}`), '.backup');
    await rename(upload.file, file);
    await syncFolder(folder);
    at.upload = null;
    at.finished = { ...told(upload, file.slice(folder.length + 1)), by: upload.by };
    deps.log.info({ file, bytes: upload.bytes }, 'a backup was uploaded');
    changed();
    return at.finished;
  }

  return {
    folder,
    begin: (wish: { bytes: number; by: string }) => inTurn(() => begin(wish)),
    take: (piece: Parameters<typeof take>[0]) => inTurn(() => take(piece)),
    cancel: ({ id, by }: { id: string; by: string }) =>
      inTurn(async () => {
        own(id, by);
        await giveUp();
      }),
    /** Throws 404 when it is not there. */
    remove: (name: string) =>
      inTurn(async () => {
        if (!NAME.test(name) || !(await namesIn(folder)).includes(name)) throw notFound('Backup');
        await rm(join(folder, name));
        seenAt.delete(name);
        changed();
      }),
    has: async (name: string) => NAME.test(name) && (await namesIn(folder)).includes(name),
    underWay: () => (at.upload === null ? null : { bytes: at.upload.bytes, received: at.upload.received }),
    /** Newest upload first. */
    async list() {
      const found = await listByName(folder, NAME);
      const shown = await Promise.all(
        found.map(async ({ name, madeAt, bytes }) => {
          const said = await beginningOf(join(folder, name))
            .then((beginning) => sealedFor([beginning]))
            .catch(() => null);
          return { name, bytes, uploaded_at: isoOf(madeAt), said };
        }),
      );
      return shown
        .flatMap(({ said, ...file }) =>
          said === null ? [] : [{ ...file, made_at: said.madeAt, key_id: said.keyId }],
        )
        .reverse();
    },
    /** What a cut of the power left. */
    clear: () =>
      inTurn(async () => {
        for (const name of await namesIn(folder))
          if (!NAME.test(name)) await rm(join(folder, name), { recursive: true, force: true });
      }),
    /** Now and then: half a file of somebody who has gone, and what nobody fetched for days. */
    look: () =>
      inTurn(async () => {
        const { upload } = at;
        if (upload !== null && monotonic() - upload.heardAt >= STALLED_MS) {
          deps.log.warn(
            { received: upload.received, bytes: upload.bytes },
            'an upload of a backup ended halfway',
          );
          await giveUp();
        }
        for (const { name, madeAt } of await listByName(folder, NAME)) {
          const seen = seenAt.get(name) ?? monotonic();
          seenAt.set(name, seen);
          if (now() - madeAt < deps.keptDays * DAY || monotonic() - seen < AT_LEAST_MS) continue;
          await rm(join(folder, name), { force: true });
          seenAt.delete(name);
          changed();
        }
      }),
  };
}

async function beginningOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The first piece holds all of the header, as the smallest backup does. */
async function requireBackup(bytes: Uint8Array): Promise<void> {
  try {
    await sealedFor([bytes]);
  } catch (error) {
    if (!(error instanceof BackupTrouble)) throw error;
    throw new AppError(422, 'This file is not a backup of this program, or its beginning is damaged', {
      code: 'NOT_A_BACKUP',
    });
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, from, bytes.length - from, offset + from);
    from += bytesWritten;
  }
}

const inMb = (bytes: number, round: (n: number) => number) => round(bytes / 1_000_000);
const noSpace = (detail: string) => new AppError(507, detail, { code: 'NO_SPACE' });

/** What the disk says is nobody's fault who asks. */
function asRefusal(error: unknown, folder: string): Error {
  const trouble = asTrouble(error, folder);
  if (!(trouble instanceof BackupTrouble)) return trouble;
  return trouble.code === 'NO_SPACE'
    ? noSpace(trouble.message)
    : new AppError(503, trouble.message, { code: 'NOT_STORED' });
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}
