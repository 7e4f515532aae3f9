import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isCode, writeWhole } from '#adapters/backup/safe-files.ts';
import { restoreCounted } from '#contract/resources/system-backup.ts';

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
export type RestorePlan = z.infer<typeof plan>;

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
export async function dropStaged(data: string): Promise<void> {
  for (const part of ['', '-wal', '-shm', '-journal'])
    await rm(`${stagedFile(data)}${part}`, { force: true });
}

export async function dropPlan(data: string): Promise<void> {
  // the plan first: a database without one is rubbish, a plan without its database a promise
  await rm(planFile(data), { force: true });
  await rm(restoreFolder(data), { recursive: true, force: true });
}
