import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { withScratch } from '#adapters/backup/safe-files.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { heardSince, updateFactsOf } from '#adapters/sql/update-facts.ts';
import { hostedAddress } from '#adapters/sync/ask-hosted.ts';
import { programVersion } from '#adapters/system/machine-facts.ts';
import { systemIdentityAnswer } from '#contract/resources/system.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { makeSnapshot } from '../backup/make-snapshot.ts';
import { readRun, runFileOf } from '../doctor/run-file.ts';
import type { Remote } from '../update/fetch-package.ts';
import { archOf, mainOf, readPublicKeys } from '../update/package-file.ts';
import { freeBytes, requireCalm, requireRoom, type StageDeps } from '../update/stage-update.ts';
import { lockUpdates, lookAtState, writeState } from '../update/update-folder.ts';
import type { Before } from '../update/update-state.ts';
import { troubleIn, UpdateRefused } from '../update/update-trouble.ts';

const ANSWER_WITHIN_MS = 30_000;

const entrance = z.object({ hosted_url: z.string(), token: z.string() });
export type HostedEntrance = z.infer<typeof entrance>;

/**
 * Where the hosted instance hands out the package for this machine. The gateway that runs is asked: it alone signs in
 * there, because two that do so with one key look like a copied box. Throws UpdateRefused.
 */
export async function askedAtGateway(config: Pick<Config, 'data' | 'role' | 'httpPort'>): Promise<Remote> {
  const { hosted_url } = await entranceOf(config);
  const address = hostedAddress(hosted_url);
  if (!address.ok) throw new UpdateRefused('INSECURE_SOURCE', address.why);
  const wish = new URLSearchParams({ arch: archOf(process.arch) ?? '', version: programVersion() });
  return {
    address: `${hosted_url.replace(/\/+$/, '')}/sync/v1/update?${wish}`,
    token: async () => (await entranceOf(config)).token,
  };
}

async function entranceOf(config: Pick<Config, 'data' | 'role' | 'httpPort'>): Promise<HostedEntrance> {
  const run = readRun(runFileOf(config));
  if (run === null || run.key === '') throw notRunning();
  const answer = await fetch(`${run.address}/local/hosted-entrance`, {
    headers: { authorization: `Local ${run.key}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw notRunning(cause);
  });
  const said: unknown = await answer.json().catch(() => null);
  const found = entrance.safeParse(said);
  if (answer.ok && found.success) return found.data;
  const { code, detail } = refusal.parse(said);
  if (code === 'NOT_PAIRED') throw new UpdateRefused('NOT_PAIRED', detail);
  throw new UpdateRefused('NOT_REACHABLE', detail || `the gateway that runs answered ${answer.status}`);
}

const refusal = z.object({ code: z.string(), detail: z.string() }).catch({ code: '', detail: '' });

const notRunning = (cause?: unknown) =>
  new UpdateRefused(
    'NOT_REACHABLE',
    'a package of the hosted instance comes through the gateway: start it first',
    {
      cause,
    },
  );

const REHEARSAL_MS = 10 * 60_000;
const SNAPSHOT_BYTES = 1_000_000_000;

type StageConfig = Pick<Config, 'role' | 'data' | 'httpPort' | 'databaseUrl' | 'updateKeys'>;

/** What carrying out an update takes on this machine. Throws UpdateRefused where nothing updates this program. */
export function stageDeps(config: StageConfig, print: (line: string) => void, now: () => number): StageDeps {
  const file = databaseFile(config);
  const bytes = () => databaseBytes(file);
  return {
    data: config.data,
    keys: keysOf(config),
    arch: archOf(process.arch),
    runningVersion: programVersion(),
    now,
    print,
    databaseFacts: () => updateFactsOf(file),
    databaseBytes: bytes,
    snapshot: () => snapshotBeside(config, now),
    rehearse: async (program) =>
      withScratch(config.data, await bytes(), async (scratch) => {
        const copy = `${scratch}/farm.db`;
        if (existsSync(file)) await takeSnapshot(file, copy);
        return rehearseWith(program, copy);
      }),
    hosted: () => askedAtGateway(config),
  };
}

const databaseBytes = async (file: string): Promise<number> =>
  existsSync(file) ? (await stat(file)).size : 0;

/** A copy of the database beside it, for a start that finds it broken or changed for good. */
async function snapshotBeside(config: Pick<Config, 'data'>, now: () => number): Promise<void> {
  const databaseFileName = databaseFile(config);
  if (!existsSync(databaseFileName)) return;
  await makeSnapshot({
    kind: 'snapshot',
    data: config.data,
    databaseFile: databaseFileName,
    madeAt: new Date(now()).toISOString(),
    maxBytes: SNAPSHOT_BYTES,
  });
}

function keysOf({ role, databaseUrl, updateKeys }: StageConfig) {
  const isOurs = role === 'gateway' && databaseUrl === null && updateKeys !== null;
  if (!isOurs)
    throw new UpdateRefused(
      'NOT_MANAGED',
      'this program does not update itself: it was not installed as a gateway package; update it the way it was installed',
    );
  try {
    return readPublicKeys(readFileSync(updateKeys, 'utf8'));
  } catch (cause) {
    throw new UpdateRefused('NOT_MANAGED', 'this installation knows no key of updates', { cause });
  }
}

/** What `update --rehearse` says of itself. */
export const rehearsedText = (migratedMs: number): string => JSON.stringify({ migratedMs });

/** The program that is to come opens a copy: what it cannot do is known before anything is switched. */
async function rehearseWith(program: string, copy: string): Promise<number> {
  const guard = join(program, 'scripts', 'require-node.mjs');
  const command = [
    '--max-old-space-size=256',
    '--import',
    guard,
    mainOf(program),
    'update',
    '--rehearse',
    copy,
  ];
  try {
    const { stdout } = await promisify(execFile)(join(program, 'bin', 'node'), command, {
      timeout: REHEARSAL_MS,
    });
    return migratedMsIn(stdout);
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? troubleIn(String(cause.stderr)) : '';
    const ended =
      cause instanceof Error && 'code' in cause ? `it ended with ${String(cause.code)}` : 'it hung';
    const detail = said === '' ? ended : said;
    throw new UpdateRefused('REHEARSAL_FAILED', `the new version cannot use the database: ${detail}`, {
      cause,
    });
  }
}

/** Another version may say nothing of it; its trial then has the time that every trial has. */
function migratedMsIn(stdout: string): number {
  const found = /^\{"migratedMs":(\d{1,9})\}$/m.exec(stdout)?.[1];
  return found === undefined ? 0 : Number(found);
}

type BeforePackageDeps = {
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
