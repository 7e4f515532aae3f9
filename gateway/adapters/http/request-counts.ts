import { RateLimiterMemory, type RateLimiterPostgres } from 'rate-limiter-flexible';
import { type CountStatement, sharedLimiter } from './shared-limiter.ts';

/** How many requests a user has made in the running hour, this one included, and how long the hour goes on. */
export type RequestCounts = { count: (userId: string) => Promise<{ used: number; resetMs: number }> };

const HOUR_S = 3_600;
/** Plans differ and change: what is too much is judged by who asks, the library only counts. */
const NO_END = 1_000_000_000;

/** Counts of this process alone. */
export function ownRequestCounts(): RequestCounts {
  return countsIn(new RateLimiterMemory({ points: NO_END, duration: HOUR_S }));
}

/** Counts in a table that all processes share; while it does not answer each process counts for itself. */
export function sharedRequestCounts(run: CountStatement): RequestCounts {
  return countsIn(sharedLimiter(run, { name: 'hour', points: NO_END, windowS: HOUR_S }));
}

function countsIn(limiter: RateLimiterMemory | RateLimiterPostgres): RequestCounts {
  return {
    async count(userId) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(userId);
      // a clock that was set back must not make anyone wait longer than the hour
      return { used: consumedPoints, resetMs: Math.min(msBeforeNext, HOUR_S * 1000) };
    },
  };
}
