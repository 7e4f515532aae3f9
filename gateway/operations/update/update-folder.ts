import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DATABASE_NAME } from '#adapters/backup/archive.ts';
import {
  isCode,
  moveAside,
  removeUnfinished,
  syncFolder,
  timeName,
  UNFINISHED,
  writeWhole,
} from '#adapters/backup/safe-files.ts';
import { mainOf } from './package-file.ts';
import { afterTrouble } from './read-again.ts';
import {
  type Before,
  isVersion,
  NO_UPDATE,
  type Outcome,
  RESULTS,
  type Slot,
  type Step,
  type UpdateState,
} from './update-state.ts';

// The state as a worn card or another version may have left it. What is read here decides what a box runs: a part that
// makes no sense counts as not written, and nothing here throws. By hand, because the launcher loads it at every start.

type Fields = Readonly<Record<string, unknown>>;

/** More words than a farm has controllers are none that were written here. */
const MOST_WORDS = 10_000;

/** A state that holds, whatever was found. */
export function stateFrom(found: unknown): UpdateState {
  if (!isRecord(found) || found['format'] !== 1) return NO_UPDATE;
  const slot = slotFrom(found['slot']);
  if (slot === null) return NO_UPDATE;
  return {
    format: 1,
    slot,
    before: slotFrom(found['before']),
    packaged: versionFrom(found['packaged']),
    step: stepFrom(found['step']),
    last: outcomeFrom(found['last']),
    farm: farmFrom(found['farm']),
    isReturning: found['isReturning'] === true,
  };
}

function slotFrom(found: unknown): Slot | null {
  if (found === 'packaged' || found === 'previous') return found;
  const version = isRecord(found) ? versionFrom(found['version']) : null;
  return version === null ? null : { version };
}

/** A step of a later version of this program is none that this one could go on with. */
function stepFrom(found: unknown): Step {
  const rest: Step = { at: 'rest' };
  if (!isRecord(found)) return rest;
  if (found['at'] === 'fetching') return { at: 'fetching' };
  const [version, allowMs] = [versionFrom(found['version']), countFrom(found['allowMs'])];
  if (version === null) return rest;
  if (found['at'] === 'staging') return { at: 'staging', version };
  if (allowMs === null) return rest;
  if (found['at'] === 'staged') return { at: 'staged', version, allowMs };
  const [target, starts] = [slotFrom(found['target']), countFrom(found['starts'])];
  if (found['at'] !== 'trial' || target === null || starts === null) return rest;
  return { at: 'trial', target, version, starts, allowMs };
}

function outcomeFrom(found: unknown): Outcome | null {
  if (!isRecord(found)) return null;
  const { version, code, detail, at, aside } = found;
  const result = RESULTS.find((word) => word === found['result']);
  const isWhole = typeof version === 'string' && typeof detail === 'string' && typeof at === 'string';
  if (result === undefined || !isWhole) return null;
  const known = { result, version, code: typeof code === 'string' ? code : null, detail, at };
  return typeof aside === 'string' ? { ...known, aside } : known;
}

function farmFrom(found: unknown): Before | null {
  if (!isRecord(found)) return null;
  return { online: wordsFrom(found['online']), secured: wordsFrom(found['secured']) };
}

const isRecord = (found: unknown): found is Fields =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
const versionFrom = (found: unknown): string | null =>
  typeof found === 'string' && isVersion(found) ? found : null;
const countFrom = (found: unknown): number | null =>
  typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : null;
const wordsFrom = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((word) => typeof word === 'string').slice(0, MOST_WORDS) : [];

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

/** What `update --accepts` ends with for a database that a newer version changed for good. */
export const REFUSED_EXIT = 4;
/** And what a program ends with that does not know the question. */
const UNKNOWN_QUESTION_EXIT = 2;
const ANSWER_WITHIN_MS = 20_000;

/**
 * Asks the program that is to run again whether it can use the database, and puts one that it cannot use aside: its
 * start then takes the snapshot that was made before the change. Without this it would refuse to start for ever, and
 * nobody would look at the schedules. `isKnown`: there was an answer; `aside`: the name of what was put aside.
 */
export async function makeWay(
  data: string,
  program: string,
  now: string,
): Promise<{ isKnown: boolean; aside: string | null }> {
  const database = join(data, DATABASE_NAME);
  const exit = await ask(program, database);
  if (exit === REFUSED_EXIT) {
    const [kept = database] = await moveAside(database, `broken-${timeName(now)}`);
    return { isKnown: true, aside: basename(kept) };
  }
  return { isKnown: exit === 0 || exit === UNKNOWN_QUESTION_EXIT, aside: null };
}

function ask(program: string, database: string): Promise<number | null> {
  const guard = join(program, 'scripts', 'require-node.mjs');
  const command = ['--import', guard, mainOf(program), 'update', '--accepts', database];
  return new Promise((resolve) => {
    execFile(join(program, 'bin', 'node'), command, { timeout: ANSWER_WITHIN_MS }, (error) => {
      if (error === null) resolve(0);
      // a word is of a program that could not be started
      else resolve(typeof error.code === 'number' ? error.code : null);
    });
  });
}
