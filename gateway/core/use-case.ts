import type { Change, Commit, Committed, GuardSeen, StreamMove } from './changes.ts';
import { AppError, StaleError, UniqueViolation } from './errors.ts';

/** What a use case decided: rows to change and what to tell the caller. */
export type Decision<Answer> = {
  answer: Answer;
  changes?: readonly Change[];
  guards?: readonly GuardSeen[];
  /** Points of a sync stream that move with it; read before the facts, as guards are. */
  stream?: StreamMove;
};

export type PerformDeps = {
  commit: Commit;
  /** Waits between attempts. */
  pause: (ms: number) => Promise<void>;
  random: () => number;
};

const ATTEMPTS = 6;

/**
 * Load → decide → commit. `decide` reads facts and answers a decision; when something it read has changed before the
 * commit, it is run again with jitter, and after six attempts the caller gets 503. Unique indexes are the last
 * tripwire behind the use case's own check: a violation also reruns it, so that its own words name the field.
 */
export async function perform<Answer>(
  deps: PerformDeps,
  actor: string | null,
  decide: () => Promise<Decision<Answer>>,
): Promise<{ answer: Answer; committed: Committed }> {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, changes = [], guards = [], stream } = await decide();
    if (changes.length === 0 && stream === undefined) return { answer, committed: { rows: [] } };
    const moved = stream === undefined ? {} : { stream };
    try {
      return { answer, committed: await deps.commit({ changes, guards, actor, ...moved }) };
    } catch (error) {
      if (!(error instanceof StaleError) && !(error instanceof UniqueViolation)) throw error;
      if (attempt >= ATTEMPTS) {
        throw new AppError(503, 'Somebody else is changing the same thing; please try again', {
          code: 'BUSY',
          headers: { 'Retry-After': '1' },
        });
      }
      await deps.pause(deps.random() * 20 * 2 ** attempt);
    }
  }
}
