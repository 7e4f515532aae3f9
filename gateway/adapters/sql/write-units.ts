import type { Committed, Unit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';

export type WriteUnitsDeps = {
  /** `on disk`: it is there once it is committed. */
  begin: (how: 'on disk' | 'unsynced') => void;
  /** Plain SQL of transactions and savepoints. */
  run: (sql: 'commit' | 'rollback' | 'savepoint unit' | 'release unit' | 'rollback to unit') => void;
  isInTransaction: () => boolean;
  /** What a unit does, statement by statement. */
  stepsOf: (unit: Unit) => Iterator<void, Committed>;
  /** Called when a transaction is over, however it ended. */
  ended: () => void;
  /** Turns SQLite's codes into failures the kernel knows. */
  asExpected: (error: unknown) => Error;
};

type Result = Committed | Error;

/** More than so many that meet broken pages are the disk's trouble, and control does not wait for each to find out. */
const MOST_SET_ASIDE = 8;

export const isLocked = (error: unknown): boolean =>
  error instanceof StorageUnavailable && error.reason === 'locked';
const isBroken = (error: unknown): boolean => error instanceof StorageUnavailable && error.reason === 'io';

/** One unit whose transaction stays open between its turns. */
export type OpenUnit = {
  /**
   * Goes on with it for about so long; null: there is more to do. Where it throws, all it did is undone. Queries see what it
   * has done so far; whatever is decided by that is written after it, and its guards are looked at then.
   */
  goOn: (forMs: number) => Committed | null;
};
export type WriteUnits = {
  together: (units: readonly Unit[]) => Result[];
  /** Committed, and not yet on the disk, when it is done. */
  open: (unit: Unit) => OpenUnit;
};

/**
 * Writes units in one transaction; answers per unit what it did or why it failed, and throws what is the trouble of all.
 * Hardly ever one fails: only then each is written behind a savepoint of its own, which copies every page that it
 * touches.
 */
export function createWriteUnits(deps: WriteUnitsDeps): WriteUnits {
  function runUnit(unit: Unit): Committed {
    const steps = deps.stepsOf(unit);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value;
  }

  function open(unit: Unit): OpenUnit {
    const steps = deps.stepsOf(unit);
    let isBegun = false;
    let done: Committed | null = null;
    function advance(until: number): Committed | null {
      if (!isBegun) deps.begin('unsynced');
      isBegun = true;
      while (done === null) {
        const step = steps.next();
        if (step.done === true) done = step.value;
        if (performance.now() >= until) return null;
      }
      deps.run('commit');
      deps.ended();
      return done;
    }
    return {
      goOn(forMs) {
        try {
          return advance(performance.now() + forMs);
        } catch (error) {
          if (deps.isInTransaction()) deps.run('rollback');
          deps.ended();
          throw deps.asExpected(error);
        }
      },
    };
  }

  function inTransaction(write: () => Result[]): Result[] {
    try {
      deps.begin('on disk');
      const results = write();
      deps.run('commit');
      return results;
    } catch (error) {
      if (deps.isInTransaction()) deps.run('rollback');
      throw deps.asExpected(error);
    } finally {
      deps.ended();
    }
  }

  function runBesideOthers(unit: Unit): Result {
    deps.run('savepoint unit');
    try {
      const committed = runUnit(unit);
      deps.run('release unit');
      return committed;
    } catch (error) {
      // a full disk may have rolled back the whole transaction, and with it the units before
      if (!deps.isInTransaction()) throw error;
      deps.run('rollback to unit');
      deps.run('release unit');
      return deps.asExpected(error);
    }
  }

  /**
   * A transaction that met a damaged page writes nothing any more, not even what it wrote before: whoever met it is set
   * aside, and the others are written again without it.
   */
  function withoutBroken(units: readonly Unit[]): Result[] {
    const results = new Map<number, Result>();
    let broken = 0;
    while (results.size < units.length) {
      const left = [...units.entries()].filter(([index]) => !results.has(index));
      let at: number | null = null;
      try {
        const written = inTransaction(() => {
          const done = left.map(([index, unit]) => {
            at = index;
            return runUnit(unit);
          });
          at = null;
          return done;
        });
        for (const [n, [index]] of left.entries()) results.set(index, written[n] ?? notWritten());
      } catch (error) {
        // at the end nobody knows whose it is
        if (at === null && !(error instanceof StorageUnavailable))
          for (const [index, unit] of left) results.set(index, alone(unit));
        else if (at === null || isLocked(error) || broken === MOST_SET_ASIDE) throw error;
        else {
          // what is refused by itself, as by a guard that moved, says nothing of the disk
          if (isBroken(error)) broken += 1;
          results.set(at, deps.asExpected(error));
        }
      }
    }
    return units.map((_, index) => results.get(index) ?? notWritten());
  }

  function alone(unit: Unit): Result {
    try {
      return inTransaction(() => [runUnit(unit)])[0] ?? notWritten();
    } catch (error) {
      return deps.asExpected(error);
    }
  }

  function together(units: readonly Unit[]): Result[] {
    try {
      return inTransaction(() => units.map(runUnit));
    } catch (error) {
      // alone it failed by itself, and whoever holds the lock holds it against all
      if (units.length === 1 || isLocked(error)) throw error;
      if (isBroken(error)) return withoutBroken(units);
    }
    try {
      return inTransaction(() => units.map(runBesideOthers));
    } catch (error) {
      if (isBroken(error)) return withoutBroken(units);
      if (error instanceof StorageUnavailable) throw error;
      // a reference to a row that is not there is found at the very end: whose it is shows only one by one
      return units.map(alone);
    }
  }

  return { together, open };
}

const notWritten = () => new Error('a unit was lost between two attempts to write it');
