import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { removeUnfinished, UNFINISHED } from './safe-files.ts';

// A snapshot is first a plain copy of the whole database. On the card that would be a hundred times what the farm
// writes in a day, on a stick anybody could read it: it lies in memory when there is enough.

const IN_MEMORY = '/dev/shm';

/** Runs with a private folder for a copy of `bytes`; it is gone afterwards. `onCard` says where it lay. */
export async function withScratch<Answer>(
  beside: string,
  bytes: number,
  run: (folder: string, onCard: boolean) => Promise<Answer>,
): Promise<Answer> {
  const inMemory = await hasRoomInMemory(bytes);
  const place = inMemory ? IN_MEMORY : beside;
  await removeUnfinished(place, 'farm-copy');
  const folder = await mkdtemp(join(place, `farm-copy${UNFINISHED}-${process.pid}-`));
  try {
    return await run(folder, !inMemory);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function hasRoomInMemory(bytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return bavail * bsize > bytes * 1.5 && freemem() > bytes * 3;
  } catch {
    // no such place on this system
    return false;
  }
}
