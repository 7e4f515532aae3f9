// Time that stands until somebody moves it. What is due at one moment happens in the order in which it was asked for.

export type VirtualTime = {
  /** Milliseconds since the world began; no clock of any box shows it. */
  now(): number;
  /** Answers how to take it back. */
  after(ms: number, run: () => Promise<void> | void): () => void;
  nextAt(): number | null;
  /** Moves on to what is next and does it; false: nothing is due until `until`, and it is that late now. */
  step(until: number): Promise<boolean>;
};

type Due = { at: number; order: number; run: () => Promise<void> | void };

export function createVirtualTime(): VirtualTime {
  const state = { now: 0, order: 0 };
  const due: Due[] = [];
  return {
    now: () => state.now,
    after(ms, run) {
      state.order += 1;
      const entry = { at: state.now + Math.max(0, ms), order: state.order, run };
      const place = due.findIndex(({ at }) => at > entry.at);
      due.splice(place < 0 ? due.length : place, 0, entry);
      return () => {
        const found = due.indexOf(entry);
        if (found >= 0) due.splice(found, 1);
      };
    },
    nextAt: () => due[0]?.at ?? null,
    async step(until) {
      const next = due[0];
      if (next === undefined || next.at > until) {
        state.now = Math.max(state.now, until);
        return false;
      }
      due.shift();
      state.now = next.at;
      await next.run();
      return true;
    },
  };
}

/** Lets everything run that needs no time: promises, and commits, which wait for a turn of the event loop each. */
export async function settled(activity: () => number): Promise<void> {
  let last = activity();
  for (let quiet = 0; quiet < 3; ) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = activity();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
}
