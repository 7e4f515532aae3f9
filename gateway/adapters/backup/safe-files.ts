import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Marks files that are not finished; behind it may stand the process that is at it. */
export const UNFINISHED = '.unfinished';
const WITH_PROCESS = /\.unfinished-(\d+)/;

/** Puts the bytes in a file that is either whole and on disk under its name, or not there. */
export async function writeWhole(
  file: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const unfinished = `${file}${UNFINISHED}-${process.pid}`;
  try {
    await pipeline(Readable.from(bytes), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** A rename counts after a power cut only when its folder is on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // some file systems of sticks know no sync of folders
    if (!isCode(error, 'EINVAL')) throw error;
  } finally {
    await handle.close();
  }
}

export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** 20260302T120000Z: sorts by time, and every file system takes it. */
export const timeName = (iso: string): string => `${iso.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** A name of that kind that is free. */
export function freeName(wanted: string, ending = ''): string {
  for (let n = 0; ; n += 1) {
    const name = `${n === 0 ? wanted : `${wanted}-${n}`}${ending}`;
    if (!existsSync(name)) return name;
  }
}

/**
 * Moves a database out of the way, never away for good: the file first, what belongs to it after it, so that a stop in
 * between leaves nothing that looks like a database. Answers the new names.
 */
export async function moveAside(databaseFile: string, ending: string): Promise<string[]> {
  const moved: string[] = [];
  const kept = freeName(`${databaseFile}.${ending}`);
  for (const part of ['', '-wal', '-shm']) {
    const file = `${databaseFile}${part}`;
    if (!existsSync(file)) continue;
    // by these names SQLite finds what was written last when somebody opens it
    const to = freeName(`${kept}${part}`);
    await rename(file, to);
    moved.push(to);
  }
  if (moved.length > 0) await syncFolder(dirname(databaseFile));
  return moved;
}

/** Removes what an interrupted run left behind; what another process is at stays. */
export async function removeUnfinished(folder: string, beginning = ''): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(beginning) || !name.includes(UNFINISHED)) continue;
    const by = WITH_PROCESS.exec(name)?.[1];
    if (by !== undefined && isAtWork(Number(by))) continue;
    await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) => {
      // in a place that many share it may be somebody else's
      if (!isCode(error, 'EACCES') && !isCode(error, 'EPERM')) throw error;
    });
  }
}

function isAtWork(processId: number): boolean {
  if (processId === process.pid) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is somebody else's
    return isCode(error, 'EPERM');
  }
}

/** Names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map((name) => basename(name)).sort();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

export function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

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

// What the system allows this service of memory: far less than the box has, so that a fault of it cannot take all.

/** Where Linux tells it (control groups, version 2). */
const PLACES = { own: '/proc/self/cgroup', root: '/sys/fs/cgroup' };

/**
 * Bytes that this service may still take; null: nothing bounds it. What the system only keeps of files in memory it gives
 * back when it is needed, so that does not count.
 */
export async function roomOfService(places = PLACES): Promise<number | null> {
  const own = /^0::(\/.*)$/m.exec((await textOf(places.own)) ?? '')?.[1];
  if (own === undefined) return null;
  const rooms: number[] = [];
  const names = own.split('/').filter((name) => name !== '');
  // each group above bounds it, too
  for (let depth = names.length; depth >= 0; depth -= 1) {
    const room = await roomIn(join(places.root, ...names.slice(0, depth)));
    if (room !== null) rooms.push(room);
  }
  return rooms.length === 0 ? null : Math.min(...rooms);
}

async function roomIn(group: string): Promise<number | null> {
  const [high, max, current, stat] = await Promise.all(
    ['memory.high', 'memory.max', 'memory.current', 'memory.stat'].map((name) => textOf(join(group, name))),
  );
  // "max" is no number, and no bound
  const bounds = [high, max].map((text) => Number(text ?? Number.NaN)).filter(Number.isFinite);
  if (bounds.length === 0 || current == null) return null;
  const kept = ['inactive_file', 'active_file'].map((name) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat ?? '')?.[1] ?? 0),
  );
  const used = Number(current) - kept.reduce((sum, bytes) => sum + bytes, 0);
  return Math.min(...bounds) - Math.max(0, used);
}

const textOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
