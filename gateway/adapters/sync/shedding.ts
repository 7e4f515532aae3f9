// How much of the sync one process does at a time. After an outage every gateway comes back at once: what cannot be done
// soon is sent away with a time to come again, so that the rest is done quickly and people's requests have room.

export type Rank = 'core' | 'history';

export type Shedding = {
  /** Runs `work` when it is its turn, core before history; null: too many wait already, nothing was done. */
  run<Answer>(rank: Rank, work: () => Promise<Answer>): Promise<Answer | null>;
  counts(): { running: number; waiting: number; shed: number };
};

type Waiting = { go: (isTurn: boolean) => void };

export function createShedding(bounds: {
  running: number;
  /** Of these at most so many of history: orders must find a connection, and a processor, between years of readings. */
  runningHistory: number;
  waiting: Readonly<Record<Rank, number>>;
  /**
   * While others of history wait, a place rests this many times as long as it worked: whatever hundreds of gateways have
   * to tell, most of a processor stays with orders.
   */
  rest: number;
  /** Milliseconds on a clock that only grows. */
  monotonic: () => number;
  later: (ms: number, then: () => void) => void;
}): Shedding {
  const queues: Record<Rank, Waiting[]> = { core: [], history: [] };
  const state = { running: 0, runningHistory: 0, shed: 0 };

  function turn(rank: Rank): Promise<boolean> {
    if (mayRun(rank)) {
      begin(rank);
      return Promise.resolve(true);
    }
    if (queues[rank].length >= bounds.waiting[rank]) return Promise.resolve(false);
    return new Promise((go) => queues[rank].push({ go }));
  }

  function mayRun(rank: Rank): boolean {
    if (state.running >= bounds.running) return false;
    return rank === 'core' || state.runningHistory < bounds.runningHistory;
  }

  function begin(rank: Rank): void {
    state.running += 1;
    if (rank === 'history') state.runningHistory += 1;
  }

  function end(rank: Rank): void {
    state.running -= 1;
    if (rank === 'history') state.runningHistory -= 1;
    for (const next of ['core', 'history'] as const) {
      while (mayRun(next)) {
        const first = queues[next].shift();
        if (first === undefined) break;
        begin(next);
        first.go(true);
      }
    }
  }

  function endRested(rank: Rank, startedAt: number): void {
    if (rank === 'core' || queues.history.length === 0) end(rank);
    else bounds.later((bounds.monotonic() - startedAt) * bounds.rest, () => end(rank));
  }

  return {
    async run(rank, work) {
      if (!(await turn(rank))) {
        state.shed += 1;
        return null;
      }
      const startedAt = bounds.monotonic();
      try {
        return await work();
      } finally {
        endRested(rank, startedAt);
      }
    },
    counts: () => ({
      running: state.running,
      shed: state.shed,
      waiting: queues.core.length + queues.history.length,
    }),
  };
}
