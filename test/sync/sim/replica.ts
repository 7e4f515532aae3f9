import type { Database, Stamping } from '#adapters/sql/database.ts';
import type { openSqlite } from '#adapters/sql/open-sqlite.ts';
import type { ReadRows } from './replica-state.ts';

/** Nothing of a run of the program goes on after this. */
export class PowerLost extends Error {
  constructor() {
    super('the power is lost');
    this.name = 'PowerLost';
  }
}

/** What can be done to a run of the program from outside. */
export type Breakable = {
  /** Statements it has run since it started. */
  statements(): number;
  /** The power goes before the n-th statement from now; null: it stays. */
  dieBefore(n: number | null): void;
  /** The power goes now, between two statements. */
  dieNow(): void;
  isDead(): boolean;
  /** From now on writes fail as on a full disk, or succeed again. */
  fillDisk(isFull: boolean): void;
};

/** A copy of a disk: puts it back when called. A run must be started anew. */
export type Image = () => Promise<void>;

/** The disk of one instance: it outlives the runs of the program. */
export type Replica = {
  /** Begins a run of the program on what is on disk, opened as that program does. The run before gets nothing more. */
  start(stamping: Stamping, open: typeof openSqlite): { database: Database; breakable: Breakable };
  /** What is on disk, for a check: past the program and past its faults. */
  read: ReadRows;
  /** Past the program, for what a pairing leaves behind. */
  execute(sql: string): Promise<void>;
  /** Children whose parents are missing, where the engine does not refuse them by itself. */
  orphans(): Promise<Record<string, unknown>[]>;
  image(): Promise<Image>;
  close(): Promise<void>;
};

const WRITES = /^\s*(insert|update|delete)/i;

/** Counts statements and says what becomes of the next one. */
export function createBreaker() {
  const state = { ran: 0, dieAt: Number.POSITIVE_INFINITY, isDead: false, isFull: false };
  const breakable: Breakable = {
    statements: () => state.ran,
    dieBefore(n) {
      state.dieAt = n === null ? Number.POSITIVE_INFINITY : state.ran + n;
    },
    dieNow() {
      state.isDead = true;
    },
    isDead: () => state.isDead,
    fillDisk(isFull) {
      state.isFull = isFull;
    },
  };
  return {
    breakable,
    next(sql: string): 'goes on' | 'dies' | 'has no room' {
      if (state.isDead) return 'dies';
      state.ran += 1;
      if (state.ran >= state.dieAt) {
        state.isDead = true;
        return 'dies';
      }
      return state.isFull && WRITES.test(sql) ? 'has no room' : 'goes on';
    },
  };
}
