import type { MovedFarm, SyncLane } from '#contract/sync/wire.ts';

// What the sync tells of itself. Ages are milliseconds of the monotonic clock; null: never since the start.

export type LaneFigures = { waitingRows: number; oldestAtMs: number | null };

export type SyncFacts = {
  phase: 'unpaired' | 'connecting' | 'steady' | 'resync' | 'upgrade' | 'revoked' | 'fenced';
  why: string | null;
  isSocketOpen: boolean;
  /** The hosted instance wants to be left alone for a while. */
  isAskedToWait: boolean;
  socketAgeMs: number | null;
  contactAgeMs: number | null;
  ackAgeMs: number | null;
  pullAgeMs: number | null;
  trouble: { code: string; detail: string; ageMs: number } | null;
  /** Farms that were taken off this gateway; all of them. */
  moved: readonly MovedFarm[];
  counts: { resyncs: number; restarts: number; pushedRows: number; pulledRows: number; failures: number };
};

/** Counted in the database now and then; `ageMs` says when. */
export type LogFigures = {
  lanes: Readonly<Record<SyncLane, LaneFigures>>;
  logBytes: number;
  quotaBytes: number;
  bytesPerDay: number;
  parkedHere: number;
  parkedThere: number;
  conflictsOpen: number;
  ageMs: number;
  /** Of the three about the size, which are measured more rarely. */
  sizeAgeMs: number;
};

/** The comparison of both sides: the last one, and rows made right since the start. */
export type ComparedFigures = {
  last: { at: number; tables: readonly string[] } | null;
  repairedRows: number;
};

export type ClockFigures = { aheadMs: number | null; ageMs: number | null };

/** Bytes of bodies, packed; `since` is midnight, or the start of the program on its first day. */
export type DataToday = { sentBytes: number; receivedBytes: number; since: string };

export type ParkedRow = {
  id: string;
  isThere: boolean;
  lane: SyncLane;
  table: string;
  rowId: string;
  reason: string;
  parkedAt: string;
  tries: number;
};

export type SyncStatusQueries = {
  parked(page: { skip: number; limit: number }): Promise<{ rows: readonly ParkedRow[]; total: number }>;
  parkedById(id: string): Promise<ParkedRow | null>;
  /** Whether the user owns or manages a farm of this gateway. */
  runsFarm(userId: string): Promise<boolean>;
};
