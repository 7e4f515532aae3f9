import type { Commit, GuardSeen } from './changes.ts';

/** What every use case may ask for; each takes the few it needs with Pick. Made in compose.ts, faked in tests. */
export type Kernel = {
  /** Milliseconds since 1970 by the instance's disciplined clock. */
  now: () => number;
  /** Milliseconds that have really passed since an instant noted in this run, however the clock was set since. */
  elapsedSince: (notedAt: number) => number;
  /** `estimated` while the clock is not to be trusted: what is stored then says so. */
  clockQuality: () => 'trusted' | 'estimated';
  /** UUID v7. */
  newId: () => string;
  /** UUID v5 of a cause: the same cause has the same id on every instance. */
  idOf: (cause: string) => string;
  random: () => number;
  pause: (ms: number) => Promise<void>;
  commit: Commit;
  /** Merges that have not begun wait until the function answered is called; see RightOfWay. */
  goFirst?: () => () => void;
  /** Reads a guard's number; call it before reading the facts it protects, and hand it to the commit. */
  guard: (entity: string, id: string) => Promise<GuardSeen>;
  log: Log;
};

type LogSentence = (fields: Record<string, unknown>, sentence: string) => void;
export type Log = { debug: LogSentence; info: LogSentence; warn: LogSentence; error: LogSentence };

/** ISO 8601 UTC with milliseconds. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();
