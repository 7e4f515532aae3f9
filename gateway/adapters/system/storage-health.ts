import { statfs } from 'node:fs/promises';
import type { DiskState } from '#contract/events/stream.ts';
import type { Commit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';

export type StorageHealth = {
  commit: Commit;
  /** `low`: little is left; `full`: the last write was refused, for want of room or by a disk that fails. */
  disk: () => DiskState;
  /**
   * The same for people: on a full disk small writes still pass between the refused ones, and one that is full and not
   * full by turns is full.
   */
  told: () => DiskState;
  /** Measures the free space; called now and then. */
  look: () => Promise<void>;
};

/** A day of a busy farm's writes, and room to compact the database. */
const LOW_BYTES = 64 * 1024 * 1024;
/** Without a refusal for so long a disk is not full any more. */
const SETTLED_MS = 120_000;
/** A broken page refuses whoever meets it; a card that died, or was made read-only, refuses everybody. */
const FAILURES = 3;
/** So much more than at the last refusal: somebody made room. */
const ROOM_BYTES = 8 * 1024 * 1024;

/** Watches the storage by what it does with writes, and by the space that is left. */
export function createStorageHealth(deps: {
  commit: Commit;
  monotonic: () => number;
  /** Folder of the database; null when it is on another machine. */
  folder: string | null;
  /** What people are told changed. */
  changed: (disk: DiskState) => void;
}): StorageHealth {
  const state = {
    isFull: false,
    isLow: false,
    /** Writes in a row that failed, but for want of room. */
    failures: 0,
    refusedAt: Number.NEGATIVE_INFINITY,
    freeBytes: 0,
    freeAtRefusal: Number.POSITIVE_INFINITY,
    told: 'ok' as DiskState,
  };
  const disk = () => (state.isFull ? 'full' : state.isLow ? 'low' : 'ok');

  function tell(): void {
    const hasRoom = state.freeBytes - state.freeAtRefusal >= ROOM_BYTES;
    const isSettled = hasRoom || deps.monotonic() - state.refusedAt >= SETTLED_MS;
    const next = state.told === 'full' && !isSettled ? 'full' : disk();
    if (next === state.told) return;
    state.told = next;
    deps.changed(next);
  }

  async function look(): Promise<void> {
    if (deps.folder !== null) {
      const { bavail, bsize } = await statfs(deps.folder);
      state.freeBytes = bavail * bsize;
      state.isLow = state.freeBytes < LOW_BYTES;
      if (state.isFull) state.freeAtRefusal = Math.min(state.freeAtRefusal, state.freeBytes);
    }
    tell();
  }
  const lookSoon = () => void look().catch(() => undefined);

  function refused(): void {
    if (!state.isFull) state.freeAtRefusal = Number.POSITIVE_INFINITY;
    state.isFull = true;
    state.refusedAt = deps.monotonic();
    tell();
    if (state.freeAtRefusal === Number.POSITIVE_INFINITY) lookSoon();
  }

  function failed(reason: StorageUnavailable['reason']): void {
    if (reason === 'full') refused();
    if (reason !== 'io') return;
    state.failures += 1;
    if (state.failures >= FAILURES) refused();
  }

  function taken(): void {
    state.failures = 0;
    if (!state.isFull) return;
    state.isFull = false;
    lookSoon();
  }

  return {
    disk,
    told: () => state.told,
    look,
    async commit(unit) {
      try {
        const committed = await deps.commit(unit);
        if (committed.unsaved === undefined) taken();
        else failed(committed.unsaved);
        return committed;
      } catch (error) {
        if (error instanceof StorageUnavailable) failed(error.reason);
        throw error;
      }
    },
  };
}
