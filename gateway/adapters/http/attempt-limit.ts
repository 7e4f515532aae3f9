import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AttemptLimit } from '#core/attempts.ts';

/** Counts attempts per key in this process: `attempts` within `windowS` seconds from the first. */
export function attemptLimit(bounds: {
  attempts: number;
  windowS: number;
  isExempt?: (key: string) => boolean;
}): AttemptLimit {
  const limiter = new RateLimiterMemory({ points: bounds.attempts, duration: bounds.windowS });
  const isExempt = bounds.isExempt ?? (() => false);
  return {
    async take(key) {
      if (isExempt(key)) return null;
      try {
        await limiter.consume(digestOf(key));
        return null;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        // a clock that was set back must not make anyone wait longer than the window
        return Math.min(refused.msBeforeNext, bounds.windowS * 1000);
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
