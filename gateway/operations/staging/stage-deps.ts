import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withScratch } from '#adapters/backup/scratch.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import { programVersion } from '#adapters/system/program-version.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { makeSnapshot } from '../backup/make-snapshot.ts';
import { archOf, readPublicKeys } from '../update/manifest.ts';
import { mainOf } from '../update/program-folder.ts';
import type { StageDeps } from '../update/stage-update.ts';
import { troubleIn, UpdateRefused } from '../update/update-trouble.ts';
import { askedAtGateway } from './hosted-package.ts';

const REHEARSAL_MS = 10 * 60_000;
const SNAPSHOT_BYTES = 1_000_000_000;

export type StageConfig = Pick<Config, 'role' | 'data' | 'httpPort' | 'databaseUrl' | 'updateKeys'>;

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

export const databaseBytes = async (file: string): Promise<number> =>
  existsSync(file) ? (await stat(file)).size : 0;

/** A copy of the database beside it, for a start that finds it broken or changed for good. */
export async function snapshotBeside(config: Pick<Config, 'data'>, now: () => number): Promise<void> {
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
