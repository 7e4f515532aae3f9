import type { KeyObject } from 'node:crypto';
import { rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCode, syncFolder } from '#adapters/backup/safe-files.ts';
import { fetchPackage, packageAt, sourceOf } from './find-package.ts';
import type { Arch } from './manifest.ts';
import { type OpenedPackage, unpackedBytes, unpackPackage } from './package-file.ts';
import { programTrouble } from './program-folder.ts';
import { requireFit } from './refusals.ts';
import {
  appliedVersions,
  lockUpdates,
  readState,
  tidyVersions,
  unfinishedFolder,
  updateFolder,
  versionFolder,
  writeState,
} from './update-folder.ts';
import { began, GATE_MS, gaveUp, type Outcome, staged, type UpdateState, unneeded } from './update-state.ts';
import { UpdateRefused } from './update-trouble.ts';

export type StageDeps = {
  data: string;
  keys: readonly KeyObject[];
  arch: Arch | null;
  runningVersion: string;
  now: () => number;
  print: (line: string) => void;
  /** Migrations the database has, and alarms that forbid an update. */
  databaseFacts: () => { applied: string[]; oxygenAlarms: string[] };
  databaseBytes: () => Promise<number>;
  /** A copy of the database beside it, for a start that finds it broken. */
  snapshot: () => Promise<void>;
  /** Lets the new program open a copy of the database; answers how long that took. Throws with what it said. */
  rehearse: (program: string) => Promise<number>;
};

export type Wish = { from: string; allowOlder: boolean };

/**
 * Brings an update beside the running program, up to where only the switch is left. Control does not notice. Throws
 * UpdateRefused, leaving nothing behind.
 */
export async function stageUpdate(deps: StageDeps, wish: Wish): Promise<{ version: string }> {
  const source = sourceOf(wish.from);
  const unlock = await lockUpdates(deps.data);
  if (unlock === null) throw new UpdateRefused('ALREADY_RUNNING', 'another update is under way; wait for it');
  const fetched = join(updateFolder(deps.data), `package.unfinished-${process.pid}`);
  try {
    const state = await readState(deps.data);
    // without the lock nobody is at it: an update that was killed
    if (state.step.at === 'staged' || state.step.at === 'trial')
      throw new UpdateRefused(
        'ALREADY_RUNNING',
        `the update to ${state.step.version} is under way; wait for it`,
      );
    await tidyVersions(deps.data, unneeded(calm(state), await appliedVersions(deps.data)));
    if (source.kind === 'address') {
      deps.print(`fetching ${source.address}`);
      await fetchPackage(source.address, fetched, await freeBytes(deps.data));
    }
    const opened = await packageAt(source.kind === 'address' ? fetched : source.path, deps.keys, deps.arch);
    await requireFitNow(deps, opened, wish);
    return await bringBeside(deps, calm(state), opened);
  } finally {
    await rm(fetched, { force: true });
    await unlock();
  }
}

/** Whether this package may be applied now, looked at without taking the lock or changing anything. */
export async function requireFitNow(
  deps: Pick<StageDeps, 'data' | 'arch' | 'runningVersion' | 'databaseFacts' | 'databaseBytes'>,
  { manifest }: OpenedPackage,
  { allowOlder }: Wish,
): Promise<void> {
  // program, snapshot, and a copy to rehearse on
  const neededBytes = unpackedBytes(manifest) + 2 * (await deps.databaseBytes());
  requireFit(manifest, {
    runningVersion: deps.runningVersion,
    arch: deps.arch,
    ...deps.databaseFacts(),
    freeBytes: await freeBytes(deps.data),
    neededBytes,
    isAnotherRunning: false,
    allowOlder,
  });
}

/** A staging step that nobody is at any more. */
const calm = (state: UpdateState): UpdateState => ({ ...state, step: { at: 'rest' } });

async function bringBeside(
  deps: StageDeps,
  state: UpdateState,
  opened: OpenedPackage,
): Promise<{ version: string }> {
  const { version } = opened.manifest;
  await writeState(deps.data, began(state, version));
  const unfinished = unfinishedFolder(deps.data, version);
  const folder = versionFolder(deps.data, version);
  try {
    deps.print(`unpacking version ${version}`);
    await rm(unfinished, { recursive: true, force: true });
    await unpackPackage(opened, unfinished);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
    await syncFolder(dirname(folder));
    const trouble = await programTrouble(folder, deps.keys);
    if (trouble !== null) throw new UpdateRefused('DAMAGED', `the program did not arrive whole: ${trouble}`);
    deps.print('rehearsing on a copy of the database');
    const rehearsedMs = await deps.rehearse(folder);
    deps.print('making a snapshot of the database');
    await deps.snapshot();
    await writeState(deps.data, staged(state, version, GATE_MS + 4 * rehearsedMs));
    return { version };
  } catch (error) {
    for (const made of [unfinished, folder]) await rm(made, { recursive: true, force: true });
    const refused = asRefused(error);
    const at = new Date(deps.now()).toISOString();
    const last: Outcome = { result: 'refused', version, detail: refused.message, at };
    // on a full disk even this may fail; what is there then says "staging", and the next start clears it
    await writeState(deps.data, gaveUp(state, last)).catch(() => undefined);
    throw refused;
  }
}

function asRefused(error: unknown): UpdateRefused {
  if (error instanceof UpdateRefused) return error;
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT'))
    return new UpdateRefused('DISK_SHORT', 'the disk is full; nothing was changed', { cause: error });
  const said = error instanceof Error ? error.message : String(error);
  return new UpdateRefused('REHEARSAL_FAILED', said, { cause: error });
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
