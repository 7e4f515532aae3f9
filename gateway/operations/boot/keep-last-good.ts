import { createHash } from 'node:crypto';
import { isSaveDue } from '#adapters/backup/due.ts';
import type { Database } from '#adapters/sql/database.ts';
import { onTables } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { gatherLastGood, type LastGood, readLastGood, saveLastGood } from './last-good.ts';
import { CONTROL_TABLES, controlChangeOf } from './watch-control.ts';

export type LastGoodKeeper = {
  /** Saves what is due; called every few seconds, and once more at the end. */
  tick: (which?: { isLast: boolean }) => Promise<void>;
  bytesWritten: () => number;
};

/** Keeps the file of the last known good configuration true, without writing more than it must. */
export function keepLastGood(
  deps: Pick<Kernel, 'now' | 'log'> & { monotonic: () => number; data: string; database: Database },
): LastGoodKeeper {
  const state = {
    // at a start the file may be of a run before
    configChangedAt: deps.monotonic() as number | null,
    stateChangedAt: null as number | null,
    savedHash: null as string | null,
    bytes: 0,
    hasFailed: false,
  };
  deps.database.onRows(
    onTables(CONTROL_TABLES, (committed) => {
      const change = controlChangeOf(committed);
      if (change === 'config') state.configChangedAt ??= deps.monotonic();
      if (change === 'state') state.stateChangedAt ??= deps.monotonic();
    }),
  );

  async function save(): Promise<void> {
    const before = { config: state.configChangedAt, state: state.stateChangedAt };
    const good = await gatherLastGood(deps.database.read, isoOf(deps.now()));
    if (good !== null) {
      state.savedHash ??= await hashOnDisk();
      const hash = hashOf(good);
      if (hash !== state.savedHash) {
        state.bytes += await saveLastGood(deps.data, good);
        state.savedHash = hash;
      }
    }
    // what changed while it was written is saved the next time
    if (state.configChangedAt === before.config) state.configChangedAt = null;
    if (state.stateChangedAt === before.state) state.stateChangedAt = null;
  }

  async function hashOnDisk(): Promise<string> {
    const known = await readLastGood(deps.data);
    return typeof known === 'string' ? known : hashOf(known);
  }

  return {
    bytesWritten: () => state.bytes,
    async tick({ isLast } = { isLast: false }) {
      const hasChanged = state.configChangedAt !== null || state.stateChangedAt !== null;
      if (!hasChanged || (!isLast && !isSaveDue({ monotonic: deps.monotonic(), ...state }))) return;
      try {
        await save();
        state.hasFailed = false;
      } catch (error) {
        if (!state.hasFailed)
          deps.log.warn(
            { err: error },
            'the last known good configuration could not be saved; it is tried again',
          );
        state.hasFailed = true;
      }
    },
  };
}

/** What matters of it: not when it was saved, nor how far the log had come. */
function hashOf(good: LastGood): string {
  const { good_time: _, ...values } = good.values;
  const content = { ...good, saved_at: '', core_seq: 0, values };
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
