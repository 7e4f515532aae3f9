import type { Outcome } from './ports.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const MOST_ATTEMPTS = 12;
const FIRST_WAIT_MS = 30 * SECOND;
/** No wait, and nothing a receiver asks for, is longer. */
const LONGEST_WAIT_MS = 24 * HOUR;
/** Without a way out: look again soon at first, then every few minutes. */
const OUTAGE_WAIT_MS = { least: 30 * SECOND, most: 10 * MINUTE } as const;

export type Next =
  | { state: 'PENDING'; attempts: number; at: number; why: string }
  | { state: 'DEAD'; attempts: number; why: string };

/**
 * What follows from a failed attempt. Waits double from 30 s and are drawn anew each time from nothing to the whole (full
 * jitter), so that many that failed together do not come back together; twelve attempts take 17 hours at most, unless
 * the receiver asks for more time.
 */
export function nextAfter(
  outcome: Exclude<Outcome, { is: 'sent' }>,
  { attempts, createdAt }: { attempts: number; createdAt: number },
  { now, random }: { now: number; random: () => number },
): Next {
  const tried = attempts + 1;
  switch (outcome.is) {
    case 'refused':
    case 'gone':
      return { state: 'DEAD', attempts: tried, why: outcome.why };
    case 'unreachable':
      return {
        state: 'PENDING',
        attempts,
        at: now + outageWait(now - createdAt, random()),
        why: outcome.why,
      };
    case 'later':
      return { state: 'PENDING', attempts, at: now + outcome.afterMs, why: outcome.why };
    case 'retry': {
      const { why, afterMs = 0 } = outcome;
      if (tried >= MOST_ATTEMPTS) return { state: 'DEAD', attempts: tried, why };
      const wait = Math.max(SECOND, random() * FIRST_WAIT_MS * 2 ** attempts);
      const at = now + Math.min(LONGEST_WAIT_MS, Math.max(wait, afterMs));
      return { state: 'PENDING', attempts: tried, at, why };
    }
  }
}

function outageWait(ageMs: number, random: number): number {
  const most = Math.min(OUTAGE_WAIT_MS.most, Math.max(2 * OUTAGE_WAIT_MS.least, ageMs / 4));
  return OUTAGE_WAIT_MS.least + random * (most - OUTAGE_WAIT_MS.least);
}
