import { existsSync } from 'node:fs';
import { heardSince, updateFactsOf } from '#adapters/sql/update-facts.ts';
import { systemIdentityAnswer } from '#contract/resources/system-identity.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { readRun, runFileOf } from '../doctor/run-file.ts';
import { requireCalm, requireRoom } from '../update/refusals.ts';
import { freeBytes } from '../update/stage-update.ts';
import { lockUpdates, lookAtState, writeState } from '../update/update-folder.ts';
import type { Before } from '../update/update-state.ts';
import { UpdateRefused } from '../update/update-trouble.ts';
import { databaseBytes, snapshotBeside } from './stage-deps.ts';

export type BeforePackageDeps = {
  config: Pick<Config, 'role' | 'data' | 'httpPort' | 'onlineAfterS' | 'pollIntervalS'>;
  now: () => number;
  print: (line: string) => void;
};

/**
 * What a package that is about to be unpacked over this program waits for: the animals are safe, there is room, a
 * snapshot of the database lies ready, and it is noted how the farm stands. Throws UpdateRefused; `isForced` only tells.
 */
export async function beforePackage(deps: BeforePackageDeps, isForced: boolean): Promise<void> {
  const { config, now, print } = deps;
  const file = databaseFile(config);
  if (!existsSync(file)) return;
  const unlock = await lockUpdates(config.data);
  try {
    await unlessForced(deps, isForced, async () => {
      if (unlock === null) throw new UpdateRefused('ALREADY_RUNNING', 'an update is under way; wait for it');
      requireCalm(updateFactsOf(file).oxygenAlarms);
      // the snapshot, and the plain copy that it is made of
      requireRoom(2 * (await databaseBytes(file)), await freeBytes(config.data));
    });
    print('making a snapshot of the database');
    await snapshotBeside(config, now);
    const farm = { online: onlineAt(deps, file), secured: await securedAt(config) };
    const { state, found } = await lookAtState(config.data);
    // it may be whole tomorrow, and says what runs
    if (found !== 'unreadable') await writeState(config.data, { ...state, farm });
  } finally {
    await unlock?.();
  }
}

async function unlessForced(
  { print }: BeforePackageDeps,
  isForced: boolean,
  demand: () => Promise<void>,
): Promise<void> {
  try {
    await demand();
  } catch (error) {
    if (!isForced || !(error instanceof UpdateRefused)) throw error;
    print(`${error.code}: ${error.message}; it goes on because it was forced`);
  }
}

/** More are not needed to tell whether a farm is reached. */
export const MOST_ONLINE = 1_000;
/** Whoever reports more seldom cannot be expected within a trial. */
export const OFTEN_S = 30;
/** Presence is written down twice a minute. */
const WRITTEN_LATE_MS = 30_000;

function onlineAt({ config, now }: BeforePackageDeps, file: string): string[] {
  if (config.pollIntervalS > OFTEN_S) return [];
  return heardSince(file, now() - config.onlineAfterS * 1000 - WRITTEN_LATE_MS, MOST_ONLINE);
}

/** Which secured ports the gateway that runs has open; none runs: none. */
async function securedAt(config: BeforePackageDeps['config']): Promise<Before['secured']> {
  const run = readRun(runFileOf(config));
  if (run === null || run.stopped_at !== null) return [];
  try {
    const answer = await fetch(`${run.address}/api/v1/system/identity`, {
      signal: AbortSignal.timeout(5_000),
    });
    const { ports } = systemIdentityAnswer.parse(await answer.json());
    return securedOf(ports);
  } catch {
    return [];
  }
}

export const securedOf = (ports: { https: number | null; mqtts: number | null }): string[] =>
  (['https', 'mqtts'] as const).filter((name) => ports[name] !== null);
