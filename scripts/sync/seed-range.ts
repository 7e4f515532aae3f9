import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Violation } from '../../test/sync/sim/check.ts';

// Many seeds of the simulated pair, in processes of their own: a seed is one thread's work.

export type SeedFound = { seed: number; violations: Violation[] };

export type RangeResult = {
  seeds: number;
  found: SeedFound[];
  counts: Record<string, number>;
  /** Of the first seed that failed; null: none did. */
  firstAfter: number | null;
};

export type RangeOptions = {
  from: number;
  count: number;
  processes: number;
  steps?: number;
  /** One side of each pair begins as an earlier version (older-schema.ts). */
  isMixed?: boolean;
  /** The next seeds are not looked at once one failed. */
  isFirstEnough?: boolean;
  /** A rule of the protocol that is broken in these processes (scripts/sync/mutants.ts). */
  mutant?: string;
  tell?: (sentence: string) => void;
};

export type WorkerOptions = Pick<RangeOptions, 'steps' | 'isMixed'> & { seeds: number[] };
export type WorkerSays =
  | { is: 'seed'; seed: number; violations: Violation[]; counts: Record<string, number> }
  | { is: 'failed'; why: string };

const WORKER = fileURLToPath(new URL('./seed-worker.ts', import.meta.url));
const BREAKER = new URL('./break-rule.mjs', import.meta.url).href;
/** Given to a process at a time: few, so that a failing seed ends the search soon. */
const HANDFUL = 10;

export async function runSeeds(options: RangeOptions): Promise<RangeResult> {
  const result: RangeResult = { seeds: 0, found: [], counts: {}, firstAfter: null };
  const work = { next: options.from, end: options.from + options.count };
  const lines = Array.from({ length: options.processes }, () => runLine(options, work, result));
  await Promise.all(lines);
  return result;
}

async function runLine(
  options: RangeOptions,
  work: { next: number; end: number },
  result: RangeResult,
): Promise<void> {
  const child = fork(WORKER, [], {
    execArgv: options.mutant === undefined ? [] : ['--import', BREAKER],
    env: { ...process.env, SYNC_MUTANT: options.mutant ?? '' },
    serialization: 'advanced',
  });
  try {
    while (work.next < work.end && !(options.isFirstEnough && result.found.length > 0)) {
      const count = Math.min(HANDFUL, work.end - work.next);
      const seeds = Array.from({ length: count }, (_, place) => work.next + place);
      work.next += count;
      await handful(
        child,
        {
          seeds,
          ...(options.steps === undefined ? {} : { steps: options.steps }),
          ...(options.isMixed === true ? { isMixed: true } : {}),
        },
        (said) => take(said, options, result),
      );
      if (result.seeds % 500 < HANDFUL)
        options.tell?.(`${result.seeds} seeds, ${result.found.length} failed`);
    }
  } finally {
    child.kill('SIGKILL');
  }
}

function take(said: WorkerSays & { is: 'seed' }, options: RangeOptions, result: RangeResult): void {
  result.seeds += 1;
  for (const [name, n] of Object.entries(said.counts)) result.counts[name] = (result.counts[name] ?? 0) + n;
  if (said.violations.length === 0) return;
  result.found.push({ seed: said.seed, violations: said.violations });
  const [first] = said.violations;
  options.tell?.(`seed ${said.seed}: ${first?.rule}: ${first?.what}`);
  result.firstAfter = Math.min(result.firstAfter ?? Number.POSITIVE_INFINITY, said.seed - options.from + 1);
}

function handful(
  child: ReturnType<typeof fork>,
  options: WorkerOptions,
  hear: (said: WorkerSays & { is: 'seed' }) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = options.seeds.length;
    const end = (code: number | null) => reject(new Error(`a process with seeds ended with ${code}`));
    const listen = (said: WorkerSays) => {
      if (said.is === 'failed') return reject(new Error(said.why));
      hear(said);
      left -= 1;
      if (left > 0) return undefined;
      child.off('message', listen).off('exit', end);
      return resolve();
    };
    child.on('message', listen).on('exit', end);
    child.send(options);
  });
}
