import type { Range } from './state.ts';
import { TUNING } from './tuning.ts';

export type Trouble = {
  /** Consecutive failures, this one included. */
  failures: number;
  /** Did nobody answer at all, or was the answer of no use? */
  isUnreachable: boolean;
  /** What the hosted instance asked for. */
  retryAfterMs: number | null;
};

/**
 * When to try again: anywhere between nothing and a limit that doubles (full jitter). What the hosted instance asked
 * for is the least, with some more so that not all come at the same moment.
 */
export function waitAfter({ failures, isUnreachable, retryAfterMs }: Trouble): Range {
  if (retryAfterMs !== null) {
    const least = Math.min(retryAfterMs, TUNING.backOffToMs);
    return [least, Math.ceil(least * 1.25) + TUNING.backOffFromMs];
  }
  const most = isUnreachable ? TUNING.unreachableToMs : TUNING.backOffToMs;
  const limit = TUNING.backOffFromMs * 2 ** Math.min(failures - 1, 20);
  return [0, Math.min(limit, most)];
}
