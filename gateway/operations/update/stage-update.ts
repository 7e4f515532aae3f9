import type { KeyObject } from 'node:crypto';
import { rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCode, syncFolder } from '#adapters/backup/safe-files.ts';
import { fetchPackage, packageAt, type Remote, type Source, sourceOf } from './fetch-package.ts';
import {
  type Arch,
  type Manifest,
  type OpenedPackage,
  programTrouble,
  unpackedBytes,
  unpackPackage,
} from './package-file.ts';
import {
  appliedVersions,
  lockUpdates,
  lookAtState,
  tidyVersions,
  unfinishedFolder,
  updateFolder,
  versionFolder,
  writeState,
} from './update-folder.ts';
import {
  began,
  compareVersions,
  fetching,
  gaveUp,
  type Outcome,
  staged,
  trialMs,
  type UpdateState,
  unneeded,
} from './update-state.ts';
import { type RefusalCode, UpdateRefused } from './update-trouble.ts';

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
  /** Lets the new program open a copy of the database; answers how long its migration took. Throws with what it said. */
  rehearse: (program: string) => Promise<number>;
  /** Where the hosted instance hands out packages, and what opens there. Throws UpdateRefused. */
  hosted: () => Promise<Remote>;
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
  const to = join(updateFolder(deps.data), `package.unfinished-${process.pid}`);
  try {
    const { state: before, found } = await readableState(deps.data);
    // without the lock nobody is at it: an update that was killed
    if (before.step.at === 'staged' || before.step.at === 'trial')
      throw new UpdateRefused(
        'ALREADY_RUNNING',
        `the update to version ${before.step.version} is under way; wait for it`,
      );
    const state = calm(before);
    // what runs stays, whatever is written there
    const lying = (await appliedVersions(deps.data)).filter((version) => version !== deps.runningVersion);
    await tidyVersions(deps.data, found === 'whole' ? unneeded(state, lying) : []);
    const opened =
      source.kind === 'path'
        ? await fitting(deps, source.path, wish)
        : await fetched(deps, { state, source, to, wish });
    return await bringBeside(deps, state, opened);
  } finally {
    await rm(to, { force: true });
    await unlock();
  }
}

/** What cannot be read now may be whole tomorrow, and says what runs: nothing is written over it. */
async function readableState(data: string) {
  const looked = await lookAtState(data);
  if (looked.found !== 'unreadable') return looked;
  const why =
    'how far updates are cannot be read from the disk now; see what the doctor says of it, and try again';
  throw new UpdateRefused('ALREADY_RUNNING', why);
}

async function fitting(deps: StageDeps, path: string, wish: Wish): Promise<OpenedPackage> {
  const opened = await packageAt(path, deps.keys, deps.arch);
  await requireFitNow(deps, opened, wish);
  return opened;
}

type Fetching = { state: UpdateState; source: Exclude<Source, { kind: 'path' }>; to: string; wish: Wish };

/** Who asked for it may be gone when it has come: how far it is, and why it came to nothing, is written down. */
async function fetched(deps: StageDeps, { state, source, to, wish }: Fetching): Promise<OpenedPackage> {
  await writeState(deps.data, fetching(state));
  let opened: OpenedPackage | null = null;
  try {
    const remote = source.kind === 'hosted' ? await deps.hosted() : { ...source, token: null };
    deps.print(`fetching ${remote.address}`);
    const free = await freeBytes(deps.data);
    requireRoom(0, free);
    await fetchPackage(remote, to, free - SPARE_BYTES);
    opened = await packageAt(to, deps.keys, deps.arch);
    await requireFitNow(deps, opened, wish);
    return opened;
  } catch (error) {
    const isNone = source.kind === 'hosted' && error instanceof UpdateRefused && error.code === 'NOT_FOUND';
    const none = new UpdateRefused('NOT_FOUND', 'the hosted instance offers no newer version', {
      cause: error,
    });
    const version = opened?.manifest.version ?? '';
    throw await gaveUpFor(deps, state, { version, error: isNone ? none : error });
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
  found: UpdateState,
  opened: OpenedPackage,
): Promise<{ version: string }> {
  const { version } = opened.manifest;
  const state = began(found, version);
  await writeState(deps.data, state);
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
    const migratedMs = await deps.rehearse(folder);
    deps.print('making a snapshot of the database');
    await deps.snapshot();
    await writeState(deps.data, staged(state, version, trialMs(migratedMs)));
    return { version };
  } catch (error) {
    for (const made of [unfinished, folder]) await rm(made, { recursive: true, force: true });
    throw await gaveUpFor(deps, state, { version, error });
  }
}

async function gaveUpFor(
  deps: Pick<StageDeps, 'data' | 'now'>,
  state: UpdateState,
  { version, error }: { version: string; error: unknown },
): Promise<UpdateRefused> {
  const refused = asRefused(error);
  const { code, message: detail } = refused;
  const last: Outcome = { result: 'refused', version, code, detail, at: new Date(deps.now()).toISOString() };
  // on a full disk even this may fail; what is there then says how far it was, and the next start clears it
  await writeState(deps.data, gaveUp(state, last)).catch(() => undefined);
  return refused;
}

function asRefused(error: unknown): UpdateRefused {
  if (error instanceof UpdateRefused) return error;
  if (isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT'))
    return new UpdateRefused('DISK_SHORT', 'the disk is full; nothing was changed', { cause: error });
  const said = error instanceof Error ? error.message : String(error);
  return new UpdateRefused('REHEARSAL_FAILED', said, { cause: error });
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

type UpdateFacts = {
  runningVersion: string;
  arch: Arch | null;
  /** Names of migrations that the database has. */
  applied: readonly string[];
  freeBytes: number;
  neededBytes: number;
  /** Active alerts that say animals are in danger, in the words of their type. */
  oxygenAlarms: readonly string[];
  isAnotherRunning: boolean;
  allowOlder: boolean;
};

/** Room that stays free after an update, and while its package comes: control and the journal go on writing. */
const SPARE_BYTES = 128 * 1024 * 1024;

/** Throws UpdateRefused when this is not the package, or not the time. Nothing was changed until then. */
function requireFit(manifest: Manifest, facts: UpdateFacts): void {
  const refuse = (code: RefusalCode, message: string): never => {
    throw new UpdateRefused(code, message);
  };
  if (facts.isAnotherRunning) refuse('ALREADY_RUNNING', 'another update is under way; wait for it');
  if (facts.arch !== manifest.arch)
    refuse('FOREIGN', `the package is for ${manifest.arch}, this machine is ${facts.arch ?? 'another kind'}`);
  const order = compareVersions(manifest.version, facts.runningVersion);
  if (order === 0) refuse('SAME', `version ${manifest.version} runs already`);
  if (order < 0 && !facts.allowOlder)
    refuse(
      'OLDER',
      `the package is older (${manifest.version}) than what runs (${facts.runningVersion}); --allow-older takes it all the same`,
    );
  const applied = new Set(facts.applied);
  const oneWay = manifest.migrations.filter(({ name, expandOnly }) => !expandOnly && !applied.has(name));
  if (oneWay.length > 0)
    refuse(
      'NOT_REVERSIBLE',
      `after ${oneWay[0]?.name} this version could not run again; install the package (.deb) by hand after a backup`,
    );
  requireRoom(facts.neededBytes, facts.freeBytes);
  requireCalm(facts.oxygenAlarms);
}

export function requireRoom(neededBytes: number, freeBytes: number): void {
  const wanted = neededBytes + SPARE_BYTES;
  if (freeBytes >= wanted) return;
  throw new UpdateRefused(
    'DISK_SHORT',
    `the update needs ${megabytes(wanted)} MB, ${megabytes(freeBytes)} MB are free`,
  );
}

export function requireCalm(oxygenAlarms: readonly string[]): void {
  if (oxygenAlarms.length === 0) return;
  throw new UpdateRefused(
    'OXYGEN_ALARM',
    `an alarm is active (${oxygenAlarms.join(', ')}); update when it is over`,
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);
