// A process may stand still without being told: it was stopped, its machine slept, its card hung for a minute. What it did
// not hear meanwhile is its own silence, and nobody else's fault.

/** A time in which this process heard nobody, from when it was still there. Instants are monotonic ms. */
export type ProcessPause = { from: number; to: number };

export type ProcessPauses = {
  /** Notes a pause that nobody has noticed yet, and answers all of this run that are remembered, oldest first. */
  all: () => readonly ProcessPause[];
  /** When this process went on after it had stood still, monotonic ms; null: it never did. */
  lastResumedAt: () => number | null;
  /** Calls back after each pause. */
  onResume: (listener: (pause: ProcessPause) => void) => void;
};

/** A process that is taken never to stand still. */
export const NO_PAUSES: ProcessPauses = {
  all: () => [],
  lastResumedAt: () => null,
  onResume: () => undefined,
};

/** Controllers, gateways and their networks come back within this long after a pause. */
export const SETTLED_AFTER_MS = 90_000;

/** True while what was missed in a pause still comes in, and connections that broke in it are found to be broken. */
export function isSettling(pauses: readonly ProcessPause[], now: number): boolean {
  const last = pauses.at(-1);
  return last !== undefined && now - last.to < SETTLED_AFTER_MS;
}

/** How much of a time this process was there, ms. */
export function attendedMs(pauses: readonly ProcessPause[], from: number, to: number): number {
  const missed = pauses.reduce(
    (sum, pause) => sum + Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from)),
    0,
  );
  return Math.max(0, to - from - missed);
}
