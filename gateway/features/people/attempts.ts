import { AppError } from '#core/errors.ts';

/** A count of attempts per key within a window of time. */
export type AttemptLimit = {
  /** Counts one attempt; answers the milliseconds to wait when there are too many, else null. */
  take: (key: string) => Promise<number | null>;
  giveBack: (key: string) => Promise<void>;
  forget: (key: string) => Promise<void>;
};

/**
 * Counts a letter or SMS to an address that somebody names: accounts are made by the hundred from one place, and a stranger's
 * mailbox must not be filled by all of them together. Throws 429.
 */
export async function takeMessageFrom(
  { messagesFrom }: { messagesFrom: Pick<AttemptLimit, 'take'> },
  source: string,
): Promise<void> {
  const waitMs = await messagesFrom.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many messages were asked for from this network', waitMs);
}

export function tooManyAttempts(what: string, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(429, `${what}; try again in ${seconds} seconds`, {
    code: 'TOO_MANY_ATTEMPTS',
    headers: { 'Retry-After': String(seconds) },
  });
}
