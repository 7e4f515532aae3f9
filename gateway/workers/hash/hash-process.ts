import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HashBeside, Hashing, Verifying } from '#adapters/passwords/argon2-passwords.ts';

/** What is said to the process, and by it; null: it could not. */
export type HashOrder = { id: number } & ({ hash: Hashing } | { verify: Verifying });
export type HashWord = { id: number; answer: string | boolean | null };

const FILE = fileURLToPath(new URL('./hash-child.ts', import.meta.url));
const FLAGS = [
  '--max-semi-space-size=1',
  '--max-old-space-size=32',
  '--import',
  new URL('../../../scripts/require-node.mjs', import.meta.url).href,
];
/** A machine whose processors are all taken gives the process next to nothing: then nobody waits for it. */
const ANSWER_WITHIN_MS = 2_000;
const REST_MS = 60_000;
const UNUSED_MS = 30_000;

/**
 * Hashes in a process of its own that gets the processor only while nobody else wants it. It is started when it is needed
 * and ends when it is not: its memory is the box's again.
 */
export function hashBeside(bounds: { answerWithinMs?: number; unusedMs?: number } = {}): HashBeside {
  const { answerWithinMs = ANSWER_WITHIN_MS, unusedMs = UNUSED_MS } = bounds;
  const waiting = new Map<number, (answer: HashWord['answer']) => void>();
  let child: ChildProcess | null = null;
  let lastId = 0;
  let restsUntil = 0;
  let unused: NodeJS.Timeout | undefined;

  function gone(process: ChildProcess, restMs: number): void {
    if (child !== process) return;
    child = null;
    restsUntil = performance.now() + restMs;
    process.kill('SIGKILL');
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  }

  function started(): ChildProcess {
    const process = fork(FILE, [], { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    process.on('message', ({ id, answer }: HashWord) => waiting.get(id)?.(answer));
    process.once('error', () => gone(process, REST_MS));
    process.once('exit', () => gone(process, REST_MS));
    // it ends with this process, which does not wait for it
    process.unref();
    process.channel?.unref();
    return process;
  }

  function ask(order: { hash: Hashing } | { verify: Verifying }): Promise<HashWord['answer']> {
    if (performance.now() < restsUntil) return Promise.resolve(null);
    try {
      child ??= started();
    } catch {
      restsUntil = performance.now() + REST_MS;
      return Promise.resolve(null);
    }
    const process = child;
    clearTimeout(unused);
    const id = (lastId += 1);
    return new Promise((resolve) => {
      const late = setTimeout(() => gone(process, REST_MS), answerWithinMs);
      waiting.set(id, (answer) => {
        clearTimeout(late);
        waiting.delete(id);
        if (waiting.size === 0) unused = setTimeout(() => gone(process, 0), unusedMs).unref();
        resolve(answer);
      });
      process.send({ id, ...order } satisfies HashOrder, (error) => {
        if (error !== null) gone(process, REST_MS);
      });
    });
  }

  return {
    async hash(work) {
      const answer = await ask({ hash: work });
      return typeof answer === 'string' ? answer : null;
    },
    async verify(work) {
      const answer = await ask({ verify: work });
      return typeof answer === 'boolean' ? answer : null;
    },
  };
}
