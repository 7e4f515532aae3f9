import type { Change } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';

/** Where many come at once a few more come within this time; alone nobody waits. */
const GATHER_MS = 10;
const MOST_AT_ONCE = 96;

type Waiting = { changes: readonly Change[]; resolve: () => void; reject: (error: unknown) => void };

/**
 * Commits what many small decisions change in a few units: each costs the disk a flush, and control waits for it. One
 * that fails takes no other with it. `isBusy` tells that more is about to come.
 */
export function createSaveTogether(
  deps: Pick<Kernel, 'commit' | 'pause'> & { isBusy: () => boolean },
): (changes: readonly Change[]) => Promise<void> {
  const waiting: Waiting[] = [];
  const state = { isRunning: false };

  async function run(): Promise<void> {
    state.isRunning = true;
    while (waiting.length > 0) {
      if (deps.isBusy()) await deps.pause(GATHER_MS);
      await saveAll(waiting.splice(0, MOST_AT_ONCE));
    }
    state.isRunning = false;
  }

  async function saveAll(batch: readonly Waiting[]): Promise<void> {
    try {
      await deps.commit({ changes: batch.flatMap(({ changes }) => changes), actor: null });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || error instanceof StorageUnavailable)
        for (const { reject } of batch) reject(error);
      else for (const one of batch) await saveAll([one]);
    }
  }

  return (changes) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ changes, resolve, reject });
    if (!state.isRunning) void run();
    return promise;
  };
}
