// Waits are measured on the monotonic clock, and instants are noted in wall time. Where a wait begins at a noted instant
// (a token, an order, a silence), the clock may have been set since, and the two times no longer differ by the wait.

/** From one step of the clock to the next: what the clock showed at its begin, ms since 1970, and the monotonic instant. */
export type Stretch = { shown: number; monotonic: number };

/** A clock that is set every second is remembered for its last steps. */
export const STRETCHES_KEPT = 64;
/** Instants of tokens are noted in whole seconds. */
const NOTED_IN_MS = 1_000;

/**
 * Milliseconds that have really passed since an instant that was noted in this run, whatever the clock was set to
 * meanwhile. For an instant of an earlier run, or one ahead of every stretch, the difference of the times shown, which is
 * negative for one ahead. Where the clock showed an instant twice, the later showing counts.
 * `stretches`: of this run, oldest first.
 */
export function elapsedSince(
  stretches: readonly Stretch[],
  notedAt: number,
  at: { now: number; monotonic: number },
): number {
  let end = at;
  for (const begin of stretches.toReversed()) {
    const endShown = begin.shown + (end.monotonic - begin.monotonic);
    if (notedAt > begin.shown - NOTED_IN_MS && notedAt <= endShown)
      return at.monotonic - (begin.monotonic + Math.max(0, notedAt - begin.shown));
    end = { now: begin.shown, monotonic: begin.monotonic };
  }
  return at.now - notedAt;
}
