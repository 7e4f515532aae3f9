import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { writeKeyFile } from '#adapters/backup/recovery-key.ts';
import { isCode, syncFile, syncFolder, timeName, writeWhole } from '#adapters/backup/safe-files.ts';
import { controlTroubleOf, isInUse, isLocked, standOf } from '#adapters/sql/check-database.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { restoreCounted } from '#contract/resources/system-backup.ts';
import { purge } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Log } from '#core/kernel.ts';
import { prepareSqlite } from '#runtime/open-database.ts';
import { putAuthority } from '../backup/restore-authority.ts';
import { lastGoodFile } from './last-good.ts';
import { beginHistory, type HistoryDeps, snapshotFolder } from './new-history.ts';

// A restore that a person ordered in the console. What comes back is made ready in a folder of its own while control goes
// on; the next start puts it in its place. The plan says how far it is, and is on disk before each step that rests on it.

const plan = z.object({
  /**
   * checked: made ready, nobody ordered it. armed: the next start does it. placing: the files change their names.
   * placed: it runs and has not proven itself. returning: what was there before comes back. done, failed: over.
   */
  state: z.enum(['checked', 'armed', 'placing', 'placed', 'returning', 'done', 'failed']),
  backup: z.string(),
  made_at: z.string(),
  checked_at: z.string(),
  public_key: z.string(),
  /** Keys and certificates of the authority in the backup; null: none, or over. */
  authority: z.string().nullable(),
  counts: z.array(restoreCounted),
  farm_names: z.array(z.string()),
  newest_at: z.string().nullable(),
  armed_at: z.string().nullable(),
  armed_by: z.string().nullable(),
  /** Folder, in that of the gateway, to which goes what was there before. */
  aside: z.string().nullable(),
  /** Whether there was a database before. */
  had_database: z.boolean(),
  /** Starts since it was put in place. */
  starts: z.int(),
  ended_at: z.string().nullable(),
  detail: z.string().nullable(),
});
type RestorePlan = z.infer<typeof plan>;

export const restoreFolder = (data: string): string => join(data, 'restore');
/** The database that waits there. */
export const stagedFile = (data: string): string => join(restoreFolder(data), 'farm.db');
const planFile = (data: string): string => join(restoreFolder(data), 'plan.json');

/** Something lies ready and nobody knows what: whoever was at it was killed. */
export const isOrphaned = (data: string): boolean =>
  existsSync(restoreFolder(data)) && !existsSync(planFile(data));

/** null: none, or one that cannot be read: then nothing is done by it. */
export async function readPlan(data: string): Promise<RestorePlan | null> {
  try {
    return plan.parse(JSON.parse(await readFile(planFile(data), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

export async function writePlan(data: string, next: RestorePlan): Promise<RestorePlan> {
  await writeWhole(planFile(data), [Buffer.from(`${JSON.stringify(next)}\n`)]);
  return next;
}

/** Removes what was made ready; what is over stays known. */
async function dropStaged(data: string): Promise<void> {
  for (const part of ['', '-wal', '-shm', '-journal'])
    await rm(`${stagedFile(data)}${part}`, { force: true });
}

export async function dropPlan(data: string): Promise<void> {
  // the plan first: a database without one is rubbish, a plan without its database a promise
  await rm(planFile(data), { force: true });
  await rm(restoreFolder(data), { recursive: true, force: true });
}

type FinishDeps = HistoryDeps & {
  log: Log;
  /** Told after each thing that is on disk; for tests, which cut the power there. */
  step?: (name: string) => void;
};

/** Starts that may end before the data that came back has proven itself; then what was there before comes back. */
const MOST_STARTS = 3;
const SIDE_FILES = ['-wal', '-shm'] as const;
const inode = (file: string) => (existsSync(file) ? statSync(file).ino : null);

/**
 * Carries out a restore that was ordered, before anything opens the database, or takes one back that did not prove
 * itself. Can be cut off between any two steps and goes on from there at the next start. Never throws but for a database
 * that another program holds: a gateway that cannot restore starts with what it has.
 */
export async function finishRestore(data: string, file: string, deps: FinishDeps): Promise<void> {
  const plan = await readPlan(data).catch(() => null);
  if (plan === null) {
    if (isOrphaned(data)) await dropPlan(data).catch(() => undefined);
    return;
  }
  if (['armed', 'placing', 'returning'].includes(plan.state) && isHeld(file))
    throw new StorageUnavailable('locked', new Error('another gateway runs on this folder'));
  const at: At = { data, file, deps, step: deps.step ?? (() => undefined) };
  try {
    if (plan.state === 'checked') await dropPlan(data);
    else if (plan.state === 'armed' || plan.state === 'placing') await place(at, plan);
    else if (plan.state === 'placed') await judgeStart(at, plan);
    else if (plan.state === 'returning') await bringBack(at, plan);
    else await dropStaged(data);
  } catch (error) {
    if (isLocked(error)) throw error;
    deps.log.error({ err: error }, 'a restore could not be carried out; what was there before goes on');
    await giveUp(at, plan, error);
  }
}

/** What came back has run for a while and controls: from now on it is this gateway. Answers what was done. */
export async function confirmRestore(data: string, now: () => number): Promise<string | null> {
  const plan = await readPlan(data);
  if (plan?.state !== 'placed') return null;
  // until now the box could go back to what it was, keys included
  await writeKeyFile(data, plan.public_key, isoOf(now()));
  const said = await putAuthority(data, plan.authority, now).catch((error: unknown) => String(error));
  await writePlan(data, { ...plan, state: 'done', authority: null, ended_at: isoOf(now()), detail: null });
  return said;
}

/** By a gateway that runs: the files must not change their names under it. */
function isHeld(file: string): boolean {
  try {
    return existsSync(file) && isInUse(file);
  } catch {
    // a damaged one cannot be asked; it is what restores are for
    return false;
  }
}

type At = { data: string; file: string; deps: FinishDeps; step: (name: string) => void };

async function place(at: At, armed: RestorePlan): Promise<void> {
  const { data, file, deps, step } = at;
  const staged = stagedFile(data);
  let plan = armed;
  if (plan.state === 'armed') {
    if (!existsSync(staged)) throw new Error('what was to come back is not there any more');
    begin(staged, file, plan, deps);
    await syncFile(staged);
    step('new history');
    const aside =
      plan.aside ?? `before-restore-${timeName(isoOf(deps.now()))}-${randomBytes(2).toString('hex')}`;
    plan = await writePlan(data, { ...plan, state: 'placing', aside, had_database: existsSync(file) });
    step('placing');
  }
  const aside = asideOf(at, plan);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  // without the database that is to come back it is in its place already
  if (existsSync(staged)) {
    await keepPresent(at, aside);
    await rename(staged, file);
    await syncFolder(dirname(file));
    await syncFolder(dirname(staged));
    step('in place');
  }
  // of the database before: a start would take them for this one's
  for (const path of [lastGoodFile(data), snapshotFolder(data)]) await moveTo(aside, path, step);
  await syncFolder(data);
  const trouble = troubleOf(file);
  if (trouble !== null) throw new Error(`what came back does not hold: ${trouble}`);
  await writePlan(data, { ...plan, state: 'placed', starts: 1 });
  step('placed');
  deps.log.warn(
    { backup: plan.backup, aside: plan.aside },
    'a backup came back; what was there before is kept',
  );
}

/** Control points hear a new epoch; sessions that ended since the backup do not live again. */
function begin(staged: string, file: string, plan: RestorePlan, deps: FinishDeps): void {
  const connection = connectSqlite(staged);
  try {
    prepareSqlite(connection, deps.now());
    beginHistory(connection, deps, {
      story: {
        action: 'restore',
        rung: 'restore',
        detail: `restored from ${plan.backup}${plan.armed_by === null ? '' : `, ordered by ${plan.armed_by}`}`,
      },
      syncEpochAbove: epochOf(file),
      changes: [purge(instanceValue, 'jwt_secret')],
    });
    connection.pragma('journal_mode = delete');
  } finally {
    connection.close();
  }
}

/** The database keeps its name until the very rename that gives it to the other one. */
async function keepPresent({ file, step }: At, aside: string): Promise<void> {
  if (!existsSync(file)) return;
  // a log beside it goes into it, where it can be read
  epochOf(file);
  for (const part of SIDE_FILES) await moveTo(aside, `${file}${part}`, step);
  const second = join(aside, basename(file));
  // some file systems know no second name
  if (!existsSync(second)) await link(file, second).catch(() => rename(file, second));
  await syncFolder(aside);
  step('kept');
}

/** A crash of the restored one before it proved itself, again and again: the way back. */
async function judgeStart(at: At, plan: RestorePlan): Promise<void> {
  if (plan.starts < MOST_STARTS) {
    await writePlan(at.data, { ...plan, starts: plan.starts + 1 });
    return;
  }
  await bringBack(at, { ...plan, detail: `it did not start well in ${MOST_STARTS} tries` });
}

async function bringBack(at: At, found: RestorePlan): Promise<void> {
  const { data, file, deps, step } = at;
  const plan = await writePlan(data, { ...found, state: 'returning' });
  step('returning');
  const aside = asideOf(at, plan);
  const kept = join(aside, basename(file));
  if (existsSync(kept) || !plan.had_database) {
    if (inode(file) !== null && inode(file) === inode(kept)) await rm(kept);
    else {
      for (const part of ['', ...SIDE_FILES]) {
        if (!existsSync(`${file}${part}`)) continue;
        await rename(`${file}${part}`, join(aside, `rejected.db${part}`));
        step('rejected');
      }
      if (existsSync(kept)) await rename(kept, file);
    }
    step('returned');
  }
  for (const part of SIDE_FILES) await moveTo(dirname(file), join(aside, `${basename(file)}${part}`), step);
  for (const path of [lastGoodFile(data), snapshotFolder(data)]) {
    const former = join(aside, basename(path));
    if (!existsSync(former)) continue;
    await rm(path, { recursive: true, force: true });
    await rename(former, path);
    step('former');
  }
  await syncFolder(data);
  const rejected = join(aside, 'rejected.db');
  if (existsSync(rejected)) renew(file, rejected, plan, deps);
  await dropStaged(data);
  await writePlan(data, ended(plan, deps, plan.detail ?? 'it was taken back'));
  deps.log.error(
    { backup: plan.backup, detail: plan.detail },
    'a restore was taken back; what was there before goes on',
  );
}

/** Controllers and the hosted instance have seen later versions meanwhile; people are told. */
function renew(file: string, rejected: string, plan: RestorePlan, deps: FinishDeps): void {
  if (!existsSync(file)) return;
  try {
    const connection = connectSqlite(file);
    try {
      beginHistory(connection, deps, {
        story: {
          action: 'boot_recovery',
          rung: 'restore_failed',
          detail: `The backup ${plan.backup} was not restored: ${plan.detail ?? 'it was taken back'}. All is as it was before.`,
        },
        syncEpochAbove: epochOf(rejected),
      });
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isLocked(error)) throw error;
    // it was damaged before: the ladder of the start takes it from here
    deps.log.error({ err: error }, 'the database of before does not take a new history');
  }
}

/** Whatever kept it from being done: the files as they were, and the reason for people. */
async function giveUp(at: At, plan: RestorePlan, error: unknown): Promise<void> {
  const detail = error instanceof Error ? error.message : String(error);
  try {
    const now = (await readPlan(at.data)) ?? plan;
    if (now.aside === null) {
      await dropStaged(at.data);
      await writePlan(at.data, ended(now, at.deps, detail));
    } else await bringBack(at, { ...now, detail });
  } catch (second) {
    at.deps.log.error(
      { err: second },
      'the files of a restore could not be put back; the next start tries again',
    );
  }
}

const ended = (plan: RestorePlan, deps: FinishDeps, detail: string): RestorePlan => ({
  ...plan,
  state: 'failed',
  authority: null,
  ended_at: isoOf(deps.now()),
  detail,
});

const asideOf = ({ data }: At, { aside }: RestorePlan): string =>
  join(data, basename(aside ?? 'before-restore'));

async function moveTo(folder: string, path: string, step: At['step']): Promise<void> {
  if (!existsSync(path)) return;
  await rename(path, join(folder, basename(path)));
  step(`moved ${basename(path)}`);
}

function troubleOf(file: string): string | null {
  const connection = connectSqlite(file);
  try {
    return controlTroubleOf(connection);
  } finally {
    connection.close();
  }
}

/** The epoch of what is there now; 0 when it cannot be read. */
function epochOf(file: string): number {
  if (!existsSync(file)) return 0;
  try {
    const connection = connectSqlite(file);
    try {
      connection.pragma('wal_checkpoint(truncate)');
      return standOf(connection)?.syncEpoch ?? 0;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isLocked(error)) throw error;
    return 0;
  }
}
