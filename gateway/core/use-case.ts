import type { Change, Commit, Committed, GuardSeen, StreamMove, Unit } from './changes.ts';
import { busy, StaleError, UniqueViolation } from './errors.ts';

/** What a use case decided: rows to change and what to tell the caller. */
export type Decision<Answer> = {
  answer: Answer;
  changes?: readonly Change[];
  guards?: readonly GuardSeen[];
  /** Points of a sync stream that move with it; read before the facts, as guards are. */
  stream?: StreamMove;
  isBackground?: Unit['isBackground'];
  mayBeLost?: Unit['mayBeLost'];
};

export type PerformDeps = {
  commit: Commit;
  /** Waits between attempts. */
  pause: (ms: number) => Promise<void>;
  random: () => number;
  /** See RightOfWay; absent where nothing comes from another instance. */
  goFirst?: RightOfWay['goFirst'];
};

const ATTEMPTS = 6;

/**
 * What is decided on this instance goes before what comes from the other one: merges can follow one another so closely
 * that whatever a decision read is always changed before its commit, and a motor would wait for as long as they come.
 */
export type RightOfWay = {
  /** Merges that have not begun wait until the function answered is called. */
  goFirst: () => () => void;
  /** Nobody goes first any more; or it took longer than anybody may keep the other instance waiting. */
  clear: () => Promise<void>;
};

const MOST_AHEAD_MS = 3_000;

export function createRightOfWay(later: (ms: number, then: () => void) => () => void): RightOfWay {
  const own = { ahead: 0, waiting: [] as (() => void)[] };
  return {
    goFirst() {
      own.ahead += 1;
      return () => {
        own.ahead -= 1;
        if (own.ahead === 0) for (const go of own.waiting.splice(0)) go();
      };
    },
    async clear() {
      if (own.ahead === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      own.waiting.push(resolve);
      const callOff = later(MOST_AHEAD_MS, resolve);
      await promise;
      callOff();
    },
  };
}

/**
 * Load → decide → commit. `decide` reads facts and answers a decision; when something it read has changed before the
 * commit, it is run again with jitter, and after six attempts the caller gets 503. Unique indexes are the last
 * tripwire behind the use case's own check: a violation also reruns it, so that its own words name the field. From the
 * second attempt on nothing that comes from the other instance gets between reading and commit.
 */
export async function perform<Answer>(
  deps: PerformDeps,
  actor: string | null,
  decide: () => Promise<Decision<Answer>>,
): Promise<{ answer: Answer; committed: Committed }> {
  const way = { giveBack: null as (() => void) | null };
  try {
    return await attempts(deps, actor, decide, () => void (way.giveBack ??= deps.goFirst?.() ?? null));
  } finally {
    way.giveBack?.();
  }
}

async function attempts<Answer>(
  deps: PerformDeps,
  actor: string | null,
  decide: () => Promise<Decision<Answer>>,
  goFirst: () => void,
): Promise<{ answer: Answer; committed: Committed }> {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, changes = [], guards = [], stream, isBackground, mayBeLost } = await decide();
    if (changes.length === 0 && stream === undefined) return { answer, committed: { rows: [] } };
    const how = {
      ...(stream && { stream }),
      ...(isBackground && { isBackground }),
      ...(mayBeLost && { mayBeLost }),
    };
    try {
      return { answer, committed: await deps.commit({ changes, guards, actor, ...how }) };
    } catch (error) {
      if (!(error instanceof StaleError) && !(error instanceof UniqueViolation)) throw error;
      if (attempt >= ATTEMPTS) throw busy();
      goFirst();
      await deps.pause(deps.random() * 20 * 2 ** attempt);
    }
  }
}
