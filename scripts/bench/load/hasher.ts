import { setPriority } from 'node:os';
import { hash } from 'argon2';
import { PASSWORD_COST } from '#adapters/passwords/argon2-passwords.ts';
import { answerCalls } from '../remote.ts';

// One password after the other, as the gateway hashes them, in a process of its own.

const handlers = {
  /** From now on, until the process ends. */
  async hash({ priority }: { priority: number }): Promise<void> {
    setPriority(priority);
    void forEver();
  },
};
export type HasherLoad = typeof handlers;

async function forEver(): Promise<never> {
  for (;;) await hash('a-long-password', { ...PASSWORD_COST, parallelism: 1 });
}

answerCalls(handlers);
