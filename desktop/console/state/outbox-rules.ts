// When an entry leaves this browser, and what an answer means for it. Pure.

export const UNDO_MS = 10_000;

/**
 * How long what an earlier visit of the page left still waits. The clock of a phone may have been set back since: nothing
 * waits longer than the time in which it can be taken back.
 */
export function waitMs(sendAt: number, now: number): number {
  return Math.min(Math.max(sendAt - now, 0), UNDO_MS);
}

/** What the gateway answered instead of taking the entry; null: nothing. */
export type Failure = { status: number; code: string } | null;

export type Fate =
  | { is: 'saved' }
  | { is: 'refused' }
  /** Sent again later. */
  | { is: 'queued'; mayHaveArrived: boolean };

/** Told that it is not signed in, asked too much or too slow: none of these is about the entry itself. */
const NOT_ABOUT_IT: readonly number[] = [401, 408, 425, 429];

export function fateOf(failure: Failure): Fate {
  if (failure === null) return { is: 'queued', mayHaveArrived: true };
  // the id was made here for this entry alone: it arrived before, and only the answer was lost
  if (failure.code === 'ID_TAKEN') return { is: 'saved' };
  if (failure.status >= 500) return { is: 'queued', mayHaveArrived: true };
  return NOT_ABOUT_IT.includes(failure.status) ? { is: 'queued', mayHaveArrived: false } : { is: 'refused' };
}
