/** `work` is told how many wait behind it. */
export type Line = <Answer>(source: string, work: (behind: number) => Promise<Answer>) => Promise<Answer>;

/**
 * Runs at most `parallel` works at a time. The others wait, sources taking turns, so that one that sends many keeps
 * nobody else waiting for long; who finds the line full is refused.
 */
export function takeTurns(bounds: {
  parallel: number;
  waiting: number;
  waitingPerSource: number;
  refuse: () => Error;
}): Line {
  const waitingBySource = new Map<string, (() => void)[]>();
  let running = 0;
  let waiting = 0;

  function next(): void {
    const first = waitingBySource.entries().next().value;
    if (first === undefined) {
      running -= 1;
      return;
    }
    const [source, starts] = first;
    const start = starts.shift();
    waitingBySource.delete(source);
    if (starts.length > 0) waitingBySource.set(source, starts);
    waiting -= 1;
    start?.();
  }

  function turn(source: string): Promise<void> {
    if (running < bounds.parallel) {
      running += 1;
      return Promise.resolve();
    }
    const starts = waitingBySource.get(source) ?? [];
    if (waiting >= bounds.waiting || starts.length >= bounds.waitingPerSource)
      return Promise.reject(bounds.refuse());
    waiting += 1;
    waitingBySource.set(source, starts);
    return new Promise((resolve) => starts.push(resolve));
  }

  return async (source, work) => {
    await turn(source);
    try {
      return await work(waiting);
    } finally {
      next();
    }
  };
}
