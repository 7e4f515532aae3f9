import { createHash } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { AttemptLimit } from '#features/people/attempts.ts';
import { type CountStatement, sharedLimiter } from './shared-limiter.ts';

/** `attempts` within `windowS` seconds from the first. */
export type AttemptBounds = {
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

/** Keys of one size, whatever was typed. */
const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** The box itself, as node names it. */
export const isLoopback = (source: string): boolean => /^(::ffff:)?127\.|^::1$/.test(source);
