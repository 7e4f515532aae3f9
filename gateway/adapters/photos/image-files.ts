import { mkdir, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#core/errors.ts';
import type { ImageStore } from '#features/production/photos/ports.ts';

/** Puts bytes in a file that is either whole and on disk, or not there. */
type WriteWhole = (file: string, bytes: Iterable<Uint8Array>) => Promise<void>;

/** The database needs it more than a picture does. */
const LEFT_FREE_BYTES = 256 * 1_048_576;

export type ImageFiles = ImageStore & { freeBytes: () => Promise<number> };

/** Pictures in files of a folder, 256 folders below it; their names begin with their hashes, so what is there never changes. */
export function imageFiles(
  folder: string,
  {
    writeWhole,
    freeBytes = freeIn,
  }: { writeWhole: WriteWhole; freeBytes?: (folder: string) => Promise<number> },
): ImageFiles {
  const folderOf = (name: string) => join(folder, name.slice(0, 2));
  const fileOf = (name: string) => join(folderOf(name), name);
  return {
    async write(name, bytes) {
      try {
        await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
        if ((await freeBytes(folder)) - bytes.length < LEFT_FREE_BYTES) throw noRoom();
        await writeWhole(fileOf(name), [bytes]);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom() : error;
      }
    },
    async read(name) {
      return await readFile(fileOf(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
    },
    remove: (name) => rm(fileOf(name), { force: true }),
    async has(name) {
      return (await writtenAt(fileOf(name))) !== null;
    },
    async sweep(isKnown) {
      for (const below of await namesIn(folder)) {
        for (const name of await namesIn(join(folder, below))) {
          const file = join(folder, below, name);
          const at = await writtenAt(file);
          if (at === null || at > Date.now() - HOUR_MS || (await isKnown(name))) continue;
          await rm(file, { force: true });
        }
      }
    },
    async freeBytes() {
      // there is none before the first picture
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return freeBytes(folder);
    },
  };
}

const HOUR_MS = 3_600_000;

/** By the clock of the machine, as files are; null: it is not there. */
async function writtenAt(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const noRoom = () =>
  new AppError(507, 'The disk has no room for this picture; the photo stays announced', { code: 'NO_SPACE' });

const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
