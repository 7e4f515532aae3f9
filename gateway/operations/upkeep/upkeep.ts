import { checkWaterSums } from '#adapters/sql/build-water-sums.ts';
import type { Database } from '#adapters/sql/database.ts';
import { GOOD_TIME, LEAST_TIME, SHOWN_TIME } from '#adapters/sql/queries/control/last-run.ts';
import { sweepBelowDeleted } from '#adapters/sql/sweep-below-deleted.ts';
import { sweepByCount, sweepExpired, sweepTaken } from '#adapters/sql/sweep-expired.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';

// What keeps a database small, and what it knows of the time.

export type SweepDeps = {
  database: Database;
  kernel: Kernel;
  delivery: { sweep: () => Promise<unknown> };
  syncConflicts: { sweep: () => Promise<void> };
  /** null: this instance is paired with nobody, ever. */
  pairing: { paired: () => Promise<Paired | null> } | null;
};

/**
 * Removes what has run out. By a clock that is years ahead the logout of today had, so an untrusted one removes nothing by
 * age; what grows with every day is bounded by count then.
 */
export async function sweep({
  database,
  kernel,
  delivery,
  syncConflicts,
  pairing,
}: SweepDeps): Promise<void> {
  await delivery.sweep();
  await sweepTaken(database);
  if (kernel.clockQuality() !== 'trusted') return sweepByCount(database);
  await sweepExpired(database, kernel);
  await syncConflicts.sweep();
  const isPaired = async () => pairing !== null && (await pairing.paired()) !== null;
  await sweepBelowDeleted({ ...kernel, database, isPaired });
}

export type TimesDeps = {
  clock: Pick<DisciplinedClock, 'state' | 'steps' | 'look'>;
  kernel: Kernel;
  control: {
    executor: { lookedAt: () => number | null; tick: () => Promise<boolean> };
    flushPresence: (also: readonly Change[], which: 'due' | 'all') => Promise<void>;
  };
};

/** When each controller was last heard, and the last good time: one commit, because each writes whole pages. */
export function keepTimeAndPresence(deps: TimesDeps, which: 'due' | 'all' = 'due'): Promise<void> {
  return deps.control.flushPresence(timesOf(deps), which);
}

/** The times alone: a restart looks from the last good one for what came due meanwhile. */
export async function keepTime(deps: TimesDeps): Promise<void> {
  const changes = timesOf(deps);
  if (changes.length > 0) await deps.kernel.commit({ changes, actor: null });
}

/**
 * The last good time, and the least that the time can be: while the clock is not trusted it goes on from the last good
 * time, so that what ends by itself has not all of its time before it again after each restart.
 */
function timesOf({ clock, control, kernel }: TimesDeps): Change[] {
  const { trust, reason } = clock.state();
  const keep = (id: string, time: number) => put(instanceValue, { id, value: isoOf(time) });
  const now = kernel.now();
  const shown = keep(SHOWN_TIME, now);
  if (trust === 'trusted') {
    return [keep(GOOD_TIME, control.executor.lookedAt() ?? now), keep(LEAST_TIME, now), shown];
  }
  // any other time is the wall clock's own word
  const isReckoned = reason === 'before_last_known_time' || reason === 'stepped';
  return isReckoned ? [keep(LEAST_TIME, now), shown] : [shown];
}

/** Hours in which every part of the life of a pond was looked at once; no part of a day or a year. */
const CHECK_ROUND_H = 997;
/** Neighbours in this order lie far apart. */
const CHECK_STEP = 617;

/** Looks at one part of the sums of measurements; what is wrong is made again, and told. */
export async function checkSums({
  database,
  kernel,
}: {
  database: Parameters<typeof checkWaterSums>[0]['database'];
  kernel: Pick<Kernel, 'now' | 'pause' | 'log'>;
}): Promise<void> {
  const hour = Math.floor(kernel.now() / 3_600_000);
  const share = ((hour * CHECK_STEP) % CHECK_ROUND_H) / (CHECK_ROUND_H - 1);
  const ponds = await checkWaterSums({ database, pause: kernel.pause }, share);
  if (ponds.length > 0) kernel.log.warn({ ponds }, 'sums of measurements were wrong and are made again');
}
