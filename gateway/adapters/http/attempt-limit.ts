import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { placeOf } from '#core/network.ts';
import type { AttemptLimit } from '#features/people/attempts.ts';

/** Runs one statement of the counting library against PostgreSQL. */
export type CountStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<{ rows: unknown[]; rowCount: number }>;

type CountBounds = {
  /** What is counted: keys of different names never meet. */
  name: string;
  points: number;
  windowS: number;
};

/** Counts in a table that all processes share; while it does not answer each process counts for itself. */
function sharedLimiter(run: CountStatement, { name, points, windowS }: CountBounds): RateLimiterPostgres {
  const query = ({ text, values = [] }: { text: string; values?: readonly unknown[] }) => run(text, values);
  return new RateLimiterPostgres({
    storeClient: { query },
    storeType: 'client',
    tableName: 'request_counts',
    // the migrations make it, and the hourly sweep empties it
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: windowS,
    insuranceLimiter: new RateLimiterMemory({ points, duration: windowS }),
  });
}

/** `attempts` within `windowS` seconds from the first. */
type AttemptBounds = {
  /** What is counted; each limit has a name of its own. */
  name: string;
  attempts: number;
  windowS: number;
  isExempt?: (key: string) => boolean;
};

/** Makes a limit on attempts per key. */
export type AttemptLimits = (bounds: AttemptBounds) => AttemptLimit;

/** Counts of this process alone. */
export const ownAttempts: AttemptLimits = (bounds) =>
  limitIn(new RateLimiterMemory({ points: bounds.attempts, duration: bounds.windowS }), bounds);

/** Counts that all processes share; while their table does not answer each process counts for itself. */
export const sharedAttempts =
  (run: CountStatement): AttemptLimits =>
  (bounds) =>
    limitIn(
      sharedLimiter(run, { name: bounds.name, points: bounds.attempts, windowS: bounds.windowS }),
      bounds,
    );

function limitIn(
  limiter: RateLimiterMemory | RateLimiterPostgres,
  { windowS, isExempt = () => false }: AttemptBounds,
): AttemptLimit {
  return {
    async take(key) {
      if (isExempt(key)) return null;
      try {
        await limiter.consume(digestOf(key));
        return null;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        // a clock that was set back must not make anyone wait longer than the window
        return Math.min(refused.msBeforeNext, windowS * 1000);
      }
    },
    async giveBack(key) {
      const left = await limiter.reward(digestOf(key));
      if (left.consumedPoints <= 0) await limiter.delete(digestOf(key));
    },
    async forget(key) {
      await limiter.delete(digestOf(key));
    },
  };
}

/** Keys of one size, whatever was typed. Where one begins with an address, all of its network count together. */
const digestOf = (key: string): string =>
  createHash('sha256').update(key.replace(/^\S+/, placeOf)).digest('base64url');

/** The box itself, as node names it. */
export const isLoopback = (source: string): boolean => /^(::ffff:)?127\.|^::1$/.test(source);

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
