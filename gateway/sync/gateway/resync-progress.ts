import { type LogPoint, logPoint } from '#contract/sync/wire.ts';

// How far a comparison of everything has come. It stands in the stream's `resync` and moves in the same unit of work as
// the rows of a page, so that a restart goes on where it was.

export type ResyncProgress = {
  why: string;
  /** null: the first page was not there yet. */
  page: {
    epoch: number;
    head: LogPoint;
    after: { entity: number; id: string } | null;
    historyFrom: string | null;
  } | null;
};

/** null: nothing is amiss. A plain sentence is a reason without any progress; anything unreadable, too. */
export function readResync(stored: string | null): ResyncProgress | null {
  if (stored === null) return null;
  const progress = stored.startsWith('{') ? parsed(stored) : null;
  return progress ?? { why: stored, page: null };
}

export const writeResync = (progress: ResyncProgress): string =>
  progress.page === null ? progress.why : JSON.stringify(progress);

function parsed(stored: string): ResyncProgress | null {
  try {
    // written by writeResync above; the points in it are checked again
    const progress = JSON.parse(stored) as ResyncProgress;
    const isSound =
      typeof progress.why === 'string' &&
      progress.page !== null &&
      logPoint.safeParse(progress.page.head).success;
    return isSound ? progress : null;
  } catch {
    return null;
  }
}

/** The new epoch has begun, what the hosted instance does not know is being logged (core/sync/log-difference.ts). */
export const isDifference = (stored: string | null): boolean =>
  stored !== null && (stored.startsWith('difference ') || stored === 'forgetting');
