import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createStorageHealth } from '#adapters/system/storage-health.ts';
import type { Committed } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';

/** A disk that answers writes as the test says. */
function aDisk() {
  const state = { answer: 'taken' as 'taken' | 'kept' | StorageUnavailable['reason'], now: 0 };
  const told: string[] = [];
  const health = createStorageHealth({
    monotonic: () => state.now,
    folder: tmpdir(),
    changed: (disk) => told.push(disk),
    commit(): Promise<Committed> {
      if (state.answer === 'taken') return Promise.resolve({ rows: [] });
      if (state.answer === 'kept') return Promise.resolve({ rows: [], unsaved: 'full' });
      return Promise.reject(new StorageUnavailable(state.answer, null));
    },
  });
  return {
    told,
    health,
    /** Writes that are answered so; what follows from them has settled by then. */
    async writes(answer: typeof state.answer, times = 1): Promise<void> {
      state.answer = answer;
      for (let n = 0; n < times; n += 1)
        await health.commit({ changes: [], actor: null }).catch(() => undefined);
      await health.look();
    },
    later: (ms: number) => void (state.now += ms),
  };
}

describe('the storage', () => {
  it('that takes a small write between refused ones is told full once, until it has refused nothing for a while', async () => {
    const { writes, told, health, later } = aDisk();
    for (let n = 0; n < 20; n += 1) {
      await writes(n % 2 === 0 ? 'full' : 'kept');
      await writes('taken');
      later(10_000);
    }
    expect([told, health.disk(), health.told()]).toEqual([['full'], 'ok', 'full']);
    later(119_000);
    await writes('taken');
    expect(told).toEqual(['full', 'ok']);
  });

  it('that fails every write counts as full; one broken page, or a lock, says nothing of the disk', async () => {
    const { writes, told } = aDisk();
    await writes('io', 2);
    await writes('taken');
    await writes('io', 2);
    await writes('locked', 5);
    expect(told).toEqual([]);
    await writes('io', 1);
    expect(told).toEqual(['full']);
  });
});
