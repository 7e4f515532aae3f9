import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from '../process-usage.ts';

// One stretch of load: how much got through, how long each took, what the server used for it.

export type LoadResult = {
  done: number;
  perS: number;
  p50Ms: number;
  p99Ms: number;
  /** null where the kernel does not tell. */
  cpuUs: number | null;
  rssMb: number | null;
};

export type LoadWindow = {
  isOpen: () => boolean;
  /** Notes one answer that took this long. */
  took: (ms: number) => void;
};

/** Later answers are still counted, but no more timed. */
const MOST_TIMES = 4_000_000;

/** Lets `begin` start the load, closes after `ms`, and waits for `settled`: nothing is then under way. */
export async function measureWindow(
  serverPid: number,
  ms: number,
  load: { begin: (window: LoadWindow) => void; settled: () => Promise<void> },
): Promise<LoadResult> {
  const times = new Float64Array(MOST_TIMES);
  let done = 0;
  let isOpen = true;
  const before = usageOf(serverPid);
  const startedAt = performance.now();
  load.begin({
    isOpen: () => isOpen,
    took(tookMs) {
      if (done < MOST_TIMES) times[done] = tookMs;
      done += 1;
    },
  });
  await pause(ms);
  isOpen = false;
  await load.settled();
  const elapsedMs = performance.now() - startedAt;
  const after = usageOf(serverPid);
  const sorted = times.subarray(0, Math.min(done, MOST_TIMES)).sort();
  return {
    done,
    perS: (done * 1000) / elapsedMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuUs:
      before === null || after === null || done === 0 ? null : ((after.cpuMs - before.cpuMs) * 1000) / done,
    rssMb: after?.rssMb ?? null,
  };
}

/** Of values in ascending order; NaN when there are none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
