import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * A tenth of the weight of a thread at 0: control goes before, and on a box whose cores are all taken a login still ends
 * within seconds. Less does not help: hashing in the idle class, or at 19 in a process of its own, made the p99 of heartbeats
 * while fifty log in three to seven times that of calm in place of two, and with both cores busy a login took a minute:
 * whoever comes to stop an alarm must get in.
 */
const LOW_PRIORITY = 10;
const POOL_THREAD = 'libuv-worker';

/**
 * Lets heartbeats and orders go before the threads that hash. Linux knows priorities per thread; elsewhere nothing is
 * done. Answers false as long as there are no such threads: node makes them at the first work for them. Never throws.
 */
export function yieldToControl(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const threads = readdirSync('/proc/self/task').map(Number).filter(isOfPool);
    for (const thread of threads) {
      if (getPriority(thread) < LOW_PRIORITY) setPriority(thread, LOW_PRIORITY);
    }
    return threads.length > 0;
  } catch {
    // a system that hides its threads or forbids it: hashing goes on as it is
    return true;
  }
}

const isOfPool = (thread: number): boolean =>
  readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === POOL_THREAD;
