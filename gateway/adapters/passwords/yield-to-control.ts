import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The lowest: a login may wait for everything else. */
const LOW_PRIORITY = 19;
const POOL_THREAD = 'libuv-worker';
/** Linux's SCHED_IDLE, as /proc tells it. */
const IDLE_POLICY = '5';
const CHRT_WITHIN_MS = 5_000;

/**
 * Lets the threads that hash run only where nothing else wants to, so that heartbeats and orders go before on a box with
 * few cores. The lowest priority alone did less: with fifty logins at once the p99 of heartbeats was about 6 ms with it
 * and 2.5 ms so (1 ms in calm). Node cannot ask for that, `chrt` can; where it is missing the priority has to do.
 * Linux knows this per thread; elsewhere nothing is done. Answers false as long as there are no such threads: node makes
 * them at the first work for them. Never throws, nobody waits for it.
 */
export function yieldToControl(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const threads = readdirSync('/proc/self/task').filter((thread) => nameOf(thread) === POOL_THREAD);
    void makeIdle(threads.filter((thread) => policyOf(thread) !== IDLE_POLICY));
    return threads.length > 0;
  } catch {
    // a system that hides its threads: hashing goes on as it is
    return true;
  }
}

async function makeIdle(threads: readonly string[]): Promise<void> {
  for (const thread of threads) {
    try {
      await run('chrt', ['--idle', '--pid', '0', thread], { timeout: CHRT_WITHIN_MS });
    } catch {
      lower(thread);
    }
  }
}

function lower(thread: string): void {
  try {
    setPriority(Number(thread), LOW_PRIORITY);
  } catch {
    // a system that forbids it: hashing goes on as it is
  }
}

function nameOf(thread: string): string {
  return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
}

/** The 41st field; the second, a name in brackets, may hold spaces. */
function policyOf(thread: string): string | undefined {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .at(38);
}
