// One clock for a whole fleet: a heap of timers behind a single timer of the operating system, so that five thousand
// controllers cost one wake-up. Tests turn the same clock by hand.

export type SimTimer = { cancel(): void };

export type SimClock = {
  /** Monotonic milliseconds of the simulation. */
  nowMs(): number;
  /** Wall clock of the simulation, ms since 1970. */
  unixMs(): number;
  at(atMs: number, run: () => void): SimTimer;
  stop(): void;
};

export type ManualClock = SimClock & {
  /** Runs everything due within the next `ms`, in order of time. */
  advance(ms: number): void;
};

type Entry = { atMs: number; order: number; run: (() => void) | null };

/** A clock that follows the machine's, `speed` times as fast. */
export function createRealClock(options: { speed?: number } = {}): SimClock {
  const speed = options.speed ?? 1;
  const startedAt = performance.now();
  const startedUnixMs = Date.now();
  const queue = createQueue();
  let armed: { atMs: number; handle: NodeJS.Timeout } | null = null;

  const nowMs = () => (performance.now() - startedAt) * speed;
  const arm = () => {
    const next = queue.peek();
    if (next === null) {
      if (armed !== null) clearTimeout(armed.handle);
      armed = null;
      return;
    }
    if (armed !== null && armed.atMs <= next) return;
    if (armed !== null) clearTimeout(armed.handle);
    const waitMs = Math.min(Math.max(0, (next - nowMs()) / speed), 3_600_000);
    armed = { atMs: next, handle: setTimeout(fire, waitMs) };
  };
  const fire = () => {
    armed = null;
    const dueBy = nowMs();
    for (let run = queue.popDue(dueBy); run !== null; run = queue.popDue(dueBy)) run();
    arm();
  };
  return {
    nowMs,
    unixMs: () => startedUnixMs + nowMs(),
    at: (atMs, run) => {
      const timer = queue.push(atMs, run);
      arm();
      return timer;
    },
    stop: () => {
      if (armed !== null) clearTimeout(armed.handle);
      armed = null;
      queue.clear();
    },
  };
}

/** A clock that stands still until it is turned. */
export function createManualClock(options: { unixMs?: number } = {}): ManualClock {
  const baseUnixMs = options.unixMs ?? 1_767_225_600_000;
  const queue = createQueue();
  let currentMs = 0;
  return {
    nowMs: () => currentMs,
    unixMs: () => baseUnixMs + currentMs,
    at: (atMs, run) => queue.push(atMs, run),
    advance: (ms) => {
      const untilMs = currentMs + ms;
      for (let next = queue.peek(); next !== null && next <= untilMs; next = queue.peek()) {
        currentMs = Math.max(currentMs, next);
        queue.popDue(currentMs)?.();
      }
      currentMs = untilMs;
    },
    stop: () => queue.clear(),
  };
}

function createQueue() {
  const heap: Entry[] = [];
  let order = 0;
  const isBefore = (a: Entry, b: Entry) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

  const pop = (): Entry | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || top === last) return top;
    heap[0] = last;
    sink(heap, isBefore);
    return top;
  };
  const dropCancelled = () => {
    while (heap[0]?.run === null) pop();
  };
  return {
    push(atMs: number, run: () => void): SimTimer {
      order += 1;
      const entry: Entry = { atMs, order, run };
      heap.push(entry);
      rise(heap, isBefore);
      return {
        cancel: () => {
          entry.run = null;
        },
      };
    },
    peek(): number | null {
      dropCancelled();
      return heap[0]?.atMs ?? null;
    },
    popDue(nowMs: number): (() => void) | null {
      dropCancelled();
      const top = heap[0];
      if (top === undefined || top.atMs > nowMs) return null;
      return pop()?.run ?? null;
    },
    clear() {
      heap.length = 0;
    },
  };
}

function rise(heap: Entry[], isBefore: (a: Entry, b: Entry) => boolean): void {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIf(heap, index, parent, isBefore)) return;
    index = parent;
  }
}

function sink(heap: Entry[], isBefore: (a: Entry, b: Entry) => boolean): void {
  for (let index = 0; ; ) {
    const left = 2 * index + 1;
    const leftEntry = heap[left];
    if (leftEntry === undefined) return;
    const rightEntry = heap[left + 1];
    const child = rightEntry !== undefined && isBefore(rightEntry, leftEntry) ? left + 1 : left;
    if (!swapIf(heap, child, index, isBefore)) return;
    index = child;
  }
}

function swapIf(
  heap: Entry[],
  lower: number,
  upper: number,
  isBefore: (a: Entry, b: Entry) => boolean,
): boolean {
  const below = heap[lower];
  const above = heap[upper];
  if (below === undefined || above === undefined || !isBefore(below, above)) return false;
  heap[upper] = below;
  heap[lower] = above;
  return true;
}
