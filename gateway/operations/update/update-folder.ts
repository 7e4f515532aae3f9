import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, removeUnfinished, syncFolder, UNFINISHED, writeWhole } from '#adapters/backup/safe-files.ts';
import { afterTrouble } from './read-again.ts';
import { stateFrom } from './stored-state.ts';
import { NO_UPDATE, type Slot, type UpdateState } from './update-state.ts';
import { isVersion } from './version-order.ts';

// update/ in the data folder: state.json, versions/<version>/, the link `current` to what runs, and a lock.

export const updateFolder = (data: string): string => join(data, 'update');
export const versionFolder = (data: string, version: string): string =>
  join(updateFolder(data), 'versions', version);
export const unfinishedFolder = (data: string, version: string): string =>
  `${versionFolder(data, version)}${UNFINISHED}-${process.pid}`;
const stateFile = (data: string) => join(updateFolder(data), 'state.json');
const lockFile = (data: string) => join(updateFolder(data), 'lock');

/** Where the program of a package lies, and the one it had before, which its installation keeps. */
export const programOf = (slot: Slot, base: string, data: string): string =>
  slot === 'packaged' ? base : slot === 'previous' ? previousFolder(base) : versionFolder(data, slot.version);
export const previousFolder = (base: string): string => `${base}-previous`;

/** What is written there. None, or one that cannot be read or makes no sense, means that the version of the package runs. */
export const readState = async (data: string): Promise<UpdateState> => (await lookAtState(data)).state;

/**
 * The same, and how it was found. `whole`: what is not in it may be thrown away. `senseless`: nothing of it can be used
 * again. `unreadable`: it may be whole, and readable tomorrow.
 */
export async function lookAtState(
  data: string,
): Promise<{ state: UpdateState; found: 'whole' | 'senseless' | 'unreadable' }> {
  try {
    const text = await afterTrouble(() => readFile(stateFile(data), 'utf8'));
    const state = stateFrom(JSON.parse(text));
    return { state, found: state === NO_UPDATE ? 'senseless' : 'whole' };
  } catch (error) {
    // the card, or somebody's hand: control must go on all the same
    const found = isCode(error, 'ENOENT')
      ? 'whole'
      : error instanceof SyntaxError
        ? 'senseless'
        : 'unreadable';
    return { state: NO_UPDATE, found };
  }
}

/** On disk when it answers, whole or not at all. */
export async function writeState(data: string, state: UpdateState): Promise<void> {
  await mkdir(updateFolder(data), { recursive: true, mode: 0o700 });
  await writeWhole(stateFile(data), [Buffer.from(`${JSON.stringify(state, null, 2)}\n`)]);
}

export async function appliedVersions(data: string): Promise<string[]> {
  try {
    return (await readdir(join(updateFolder(data), 'versions'))).filter(isVersion).sort();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Removes versions that nothing needs, and what an interrupted update left. */
export async function tidyVersions(data: string, versions: readonly string[]): Promise<void> {
  await removeUnfinished(updateFolder(data));
  await removeUnfinished(join(updateFolder(data), 'versions'));
  for (const version of versions) await rm(versionFolder(data, version), { recursive: true, force: true });
}

/** Points `current` at a program, at once for everyone who follows it. */
export async function pointCurrent(data: string, target: string): Promise<void> {
  const link = join(updateFolder(data), 'current');
  if ((await readlink(link).catch(() => null)) === target) return;
  const made = `${link}${UNFINISHED}-${process.pid}`;
  await rm(made, { force: true });
  await symlink(target, made);
  await rename(made, link);
  await syncFolder(updateFolder(data));
}

/** Answers what gives the lock back; null: another process that lives has it. */
export async function lockUpdates(data: string): Promise<(() => Promise<void>) | null> {
  await mkdir(updateFolder(data), { recursive: true, mode: 0o700 });
  const file = lockFile(data);
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      const handle = await open(file, 'wx', 0o600);
      await handle.writeFile(lockText(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      if (await isHeld(file)) return null;
      await rm(file, { force: true });
    }
  }
  return null;
}

export const isUpdating = (data: string): Promise<boolean> => isHeld(lockFile(data));

/** A number of a process is used again after a restart: who holds a lock is told by its start, too. */
const lockText = (pid: number) => `${pid} ${startOf(pid) ?? ''}`;

async function isHeld(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return false;
  const pid = Number.parseInt(text, 10);
  if (!Number.isInteger(pid)) return false;
  const start = startOf(pid);
  return start !== null && text === `${pid} ${start}`;
}

/** Boot and instant at which a process began; null: it is gone. */
function startOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // its second field is a name in brackets that may hold anything
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}
