import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { removeUnfinished, UNFINISHED } from './safe-files.ts';
import { roomOfService } from './service-memory.ts';

// A snapshot is first a plain copy of the whole database. On the card that would be a hundred times what the farm
// writes in a day, on a stick anybody could read it: it lies in memory when there is enough.

const IN_MEMORY = '/dev/shm';
const NAME = 'farm-copy';
/** What lies there counts as memory of the service: control, and the process that copies, keep this much besides. */
const SPARE_BYTES = 128 * 1024 * 1024;

/** Runs with a private folder for a copy of `bytes`; it is gone afterwards. `onCard` says where it lay. */
export async function withScratch<Answer>(
  beside: string,
  bytes: number,
  run: (folder: string, onCard: boolean) => Promise<Answer>,
): Promise<Answer> {
  await clearScratch(beside);
  const inMemory = await hasRoomInMemory(bytes);
  const place = inMemory ? IN_MEMORY : beside;
  const folder = await mkdtemp(join(place, `${NAME}${UNFINISHED}-${process.pid}-`));
  try {
    return await run(folder, !inMemory);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes copies whose process was cut off: in memory nobody else would, before the box is switched off. Never throws. */
export async function clearScratch(beside: string): Promise<void> {
  // what belongs to somebody else is theirs
  for (const place of [IN_MEMORY, beside]) await removeUnfinished(place, NAME).catch(() => undefined);
}

async function hasRoomInMemory(bytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    if (bavail * bsize <= bytes * 1.5 || freemem() <= bytes * 3) return false;
    const room = await roomOfService();
    return room === null || room > bytes * 1.5 + SPARE_BYTES;
  } catch {
    // no such place on this system
    return false;
  }
}
