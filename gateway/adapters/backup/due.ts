// When a copy is due. Pure; times in milliseconds.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MB = 1_000_000;
/** After a failed one. */
export const RETRY_MS = 10 * 60_000;
/** Also without a change of control the history in a snapshot should not grow old. */
const STALE_MS = 7 * DAY;

export type Tried = {
  /** Monotonic; null: not in this run. */
  triedAt: number | null;
  failed: boolean;
};

export function isBackupDue(facts: {
  now: number;
  monotonic: number;
  everyMs: number;
  newestAt: number | null;
  tried: Tried;
}): boolean {
  const { now, monotonic, everyMs, newestAt, tried } = facts;
  // within one run the monotonic clock counts: a clock that steps must not make a backup each minute, nor none for years
  if (tried.triedAt !== null) return monotonic - tried.triedAt >= (tried.failed ? RETRY_MS : everyMs);
  return newestAt === null || newestAt > now + HOUR || now - newestAt >= everyMs;
}

/** Spread so that the bytes of a snapshot, over the time until the next, stay within the budget of the card. */
export function isSnapshotDue(facts: {
  now: number;
  monotonic: number;
  hasChanged: boolean;
  newest: { madeAt: number; bytes: number } | null;
  mbPerDay: number;
  tried: Tried;
}): boolean {
  const { now, monotonic, hasChanged, newest, mbPerDay, tried } = facts;
  if (tried.failed && tried.triedAt !== null && monotonic - tried.triedAt < RETRY_MS) return false;
  if (newest === null) return hasChanged;
  const paidFor = Math.max(HOUR, (newest.bytes / (mbPerDay * MB)) * DAY);
  const age =
    tried.triedAt === null || tried.failed ? Math.abs(now - newest.madeAt) : monotonic - tried.triedAt;
  return age >= Math.max(paidFor, hasChanged ? 0 : STALE_MS);
}

const QUICK_MS = 10_000;
const SLOW_MS = 15 * 60_000;

/**
 * The configuration is saved soon after a person changed it; targets and reports change all day, and the schedules give
 * the right state anyway: these may wait.
 */
export function isSaveDue(facts: {
  monotonic: number;
  configChangedAt: number | null;
  stateChangedAt: number | null;
}): boolean {
  const { monotonic, configChangedAt, stateChangedAt } = facts;
  const quick = configChangedAt !== null && monotonic - configChangedAt >= QUICK_MS;
  return quick || (stateChangedAt !== null && monotonic - stateChangedAt >= SLOW_MS);
}
