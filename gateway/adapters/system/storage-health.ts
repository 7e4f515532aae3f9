import { statfs } from 'node:fs/promises';
import type { DiskState } from '#contract/events/stream.ts';
import type { Commit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';

export type StorageHealth = {
  commit: Commit;
  /** `low`: little is left; `full`: the last write was refused. */
  disk: () => DiskState;
  /** Measures the free space; called now and then. */
  look: () => Promise<void>;
};

/** A day of a busy farm's writes, and room to compact the database. */
const LOW_BYTES = 64 * 1024 * 1024;

/** Watches the storage by what it does with writes, and by the space that is left. */
export function createStorageHealth(deps: {
  commit: Commit;
  /** Folder of the database; null when it is on another machine. */
  folder: string | null;
  changed: (disk: DiskState) => void;
}): StorageHealth {
  let isFull = false;
  let isLow = false;
  const disk = () => (isFull ? 'full' : isLow ? 'low' : 'ok');
  function set(change: () => void): void {
    const before = disk();
    change();
    if (disk() !== before) deps.changed(disk());
  }
  return {
    disk,
    async commit(unit) {
      try {
        const committed = await deps.commit(unit);
        if (isFull) set(() => (isFull = false));
        return committed;
      } catch (error) {
        if (error instanceof StorageUnavailable && error.reason === 'full') set(() => (isFull = true));
        throw error;
      }
    },
    async look() {
      if (deps.folder === null) return;
      const { bavail, bsize } = await statfs(deps.folder);
      set(() => (isLow = bavail * bsize < LOW_BYTES));
    },
  };
}
