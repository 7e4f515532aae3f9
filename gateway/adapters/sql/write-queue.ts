import { type FileHandle, open } from 'node:fs/promises';
import type BetterSqlite from 'better-sqlite3';
import type { Committed, Unit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isLocked, type OpenUnit } from './write-units.ts';

// Units that arrive while one is being written share its transaction, and one that fails takes no other with it: on an
// SD card an fsync takes 5 to 20 ms, and two hundred controllers report at once when the power returns.
const UNITS_PER_TRANSACTION = 64;
const MAX_QUEUED_UNITS = 10_000;
const LOCK_PATIENCE_MS = 2_000;
/** Of a unit that nobody waits for: heartbeats have the loop between two such slices. */
const SLICE_MS = 1;

type Waiting = {
  unit: Unit;
  resolve: (committed: Committed) => void;
  reject: (error: Error) => void;
  since: number;
};
type Written = { entry: Waiting; result: Committed | Error };

export type WriteQueueDeps = {
  /** Writes in one transaction, on the disk when it returns; answers per unit what it did or why it failed. */
  writeBatch: (units: readonly Unit[]) => (Committed | Error)[];
  /** One alone, slice by slice, without waiting for the disk. */
  openUnsynced: (unit: Unit) => OpenUnit;
  /** Resolves when all that was written is on the disk; the loop goes on meanwhile. */
  sync: () => Promise<void>;
  tell: (committed: Committed) => void;
  asExpected: (error: unknown) => Error;
};

/**
 * The order in which units are written. Those that nobody waits for come after all others, one at a time and in slices, until
 * another comes: then the rest of it is written at once. The disk takes them beside the loop: who sent one hears of it, and so
 * do listeners, when it is on the disk and not before.
 */
export function createWriteQueue({ writeBatch, openUnsynced, sync, tell, asExpected }: WriteQueueDeps): {
  add: (unit: Unit) => Promise<Committed>;
  /** Writes the rest of a unit of which slices are left, so that nothing else comes into its transaction. */
  finishOpen: () => void;
  drained: () => Promise<void>;
} {
  const waiting: Waiting[] = [];
  const inBackground: Waiting[] = [];
  const onDrained: (() => void)[] = [];
  /** Written, and not known to be on the disk. */
  let unsynced: Written[] = [];
  let open: { entry: Waiting; unit: OpenUnit; tookMs: number } | null = null;
  let isScheduled = false;
  let isSyncing = false;

  function schedule(delayMs: number): void {
    if (isScheduled) return;
    isScheduled = true;
    if (delayMs === 0) setImmediate(drain);
    else setTimeout(drain, delayMs);
  }

  function drain(): void {
    isScheduled = false;
    if (waiting.length > 0) finishOpen();
    else if (open !== null) goOn(open, SLICE_MS);
    const batch = open === null ? waiting.splice(0, UNITS_PER_TRANSACTION) : [];
    if (batch.length > 0) write(batch);
    else if (open === null && !isSyncing) {
      const [entry] = inBackground.splice(0, 1);
      if (entry !== undefined) goOn({ entry, unit: openUnsynced(entry.unit), tookMs: 0 }, SLICE_MS);
    }
    if (open !== null || waiting.length > 0 || (inBackground.length > 0 && !isSyncing)) schedule(0);
    else if (!isSyncing) for (const done of onDrained.splice(0)) done();
  }

  function finishOpen(): void {
    if (open !== null) goOn(open, Number.POSITIVE_INFINITY);
  }

  function write(batch: readonly Waiting[]): void {
    let results: (Committed | Error)[];
    try {
      results = writeBatch(batch.map(({ unit }) => unit));
    } catch (error) {
      retryOrReject(batch, waiting, asError(error));
      return;
    }
    settle(results.flatMap((result, index) => (batch[index] ? [{ entry: batch[index], result }] : [])));
  }

  function goOn(writing: NonNullable<typeof open>, forMs: number): void {
    const { entry, unit } = writing;
    const from = performance.now();
    open = null;
    try {
      const committed = unit.goOn(forMs);
      // how long the loop stood still for it
      const tookMs = writing.tookMs + performance.now() - from;
      if (committed === null) open = { entry, unit, tookMs };
      else settleOnDisk([{ entry, result: { ...committed, tookMs } }]);
    } catch (error) {
      retryOrReject([entry], inBackground, asError(error));
    }
  }

  /** A commit that is on the disk has all before it there, too: these are told first, in their order. */
  function settle(written: readonly Written[]): void {
    const before = unsynced;
    unsynced = [];
    for (const { entry, result } of [...before, ...written]) {
      if (result instanceof Error) entry.reject(result);
      else {
        tell(result);
        entry.resolve(result);
      }
    }
  }

  function settleOnDisk(written: Written[]): void {
    unsynced = written;
    isSyncing = true;
    const after = (failure: Error | null) => {
      isSyncing = false;
      if (failure === null) settle([]);
      else for (const { entry } of unsynced.splice(0)) entry.reject(failure);
      schedule(0);
    };
    sync().then(
      () => after(null),
      (error: unknown) => after(new StorageUnavailable('io', asExpected(error))),
    );
  }

  function retryOrReject(batch: readonly Waiting[], into: Waiting[], error: Error): void {
    const mayWait = isLocked(error);
    const patient = batch.filter(({ since }) => mayWait && performance.now() - since < LOCK_PATIENCE_MS);
    for (const entry of batch) if (!patient.includes(entry)) entry.reject(error);
    if (patient.length === 0) return;
    into.unshift(...patient);
    schedule(100);
  }

  return {
    add(unit) {
      if (waiting.length + inBackground.length >= MAX_QUEUED_UNITS) {
        return Promise.reject(
          new StorageUnavailable('locked', new Error('too many units wait for the database')),
        );
      }
      return new Promise((resolve, reject) => {
        const queue = unit.isBackground === true ? inBackground : waiting;
        queue.push({ unit, resolve, reject, since: performance.now() });
        schedule(0);
      });
    },
    finishOpen,
    drained() {
      const isIdle =
        waiting.length + inBackground.length === 0 && open === null && !isScheduled && !isSyncing;
      return isIdle ? Promise.resolve() : new Promise((resolve) => onDrained.push(resolve));
    },
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The log of a database in a file, as the disk has it; of one in memory there is none. */
export function logOnDisk({ memory, name }: Pick<BetterSqlite.Database, 'memory' | 'name'>): {
  sync: () => Promise<void>;
  close: () => Promise<void>;
} {
  let file: FileHandle | null = null;
  return {
    async sync() {
      if (memory) return;
      // the log is the same file for as long as the connection is open
      file ??= await open(`${name}-wal`, 'r+');
      await file.datasync();
    },
    async close() {
      await file?.close();
      file = null;
    },
  };
}
