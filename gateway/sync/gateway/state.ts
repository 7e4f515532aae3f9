import type { HelloAnswer, SyncLane } from '#contract/sync/wire.ts';
import type { SyncClientDeps } from './ports.ts';
import { BATCH, TUNING } from './tuning.ts';

// What the gateway's side of the sync knows, hears and wants done. Times are monotonic milliseconds.

const PHASES = ['unpaired', 'connecting', 'steady', 'resync', 'upgrade', 'revoked', 'fenced'] as const;
type Phase = (typeof PHASES)[number];

/** Milliseconds from and to; whoever sets the timer draws one between. */
export type Range = readonly [number, number];

export type Ask =
  | { kind: 'hello' }
  | { kind: 'push'; lane: SyncLane; size: BatchSize }
  | { kind: 'pull'; limit: number }
  | { kind: 'snapshot'; limit: number; why: string };

/** One request is under way in each at most. `link` is for hello and snapshot: nothing else goes on beside them. */
export const SLOTS = ['link', 'core', 'history', 'pull'] as const;
export type Slot = (typeof SLOTS)[number];

export type Flight = { id: number; ask: Ask; sinceMs: number };

export const TIMERS = ['retry', 'core', 'history', 'pull', 'watch'] as const;
export type Timer = (typeof TIMERS)[number];

type Trouble = { code: string; detail: string; atMs: number };

export type SyncState = {
  phase: Phase;
  /** Why it is in that phase, where that needs a word. */
  why: string | null;
  nextId: number;
  flights: Readonly<Record<Slot, Flight | null>>;
  batch: Readonly<Record<SyncLane, BatchSize>>;
  wants: { core: boolean; history: boolean; pull: boolean };
  /** Timers of the lanes that run. */
  isArmed: {
    core: boolean;
    history: boolean;
    /** It is the timer of history that runs, and soon. */
    news: boolean;
  };
  /** Core rows wait behind the request under way: history stays back until they are through. */
  isCoreBehind: boolean;
  /** History rows logged since history was last looked at. */
  historyRows: number;
  /** Nothing is asked until `retry`: after trouble, or because the hosted instance wishes it. */
  waiting: 'trouble' | 'asked' | null;
  failures: number;
  /** Of these, those that were answered: a night without a line must not make what answers badly in the morning wait. */
  useless: number;
  resyncsInARow: number;
  isSocketOpen: boolean;
  /** Number of the last applied change of the feed, as far as known. */
  cursor: number;
  /** Since when there is something to do and nothing has come of it. */
  progressAtMs: number;
  contactAtMs: number | null;
  ackAtMs: number | null;
  pullAtMs: number | null;
  trouble: Trouble | null;
  counts: { resyncs: number; restarts: number; pushedRows: number; pulledRows: number; failures: number };
};

export type Outcome =
  | {
      is: 'greeted';
      directive: HelloAnswer['directive'];
      reason: string | null;
      waitMs: number | null;
      /** What this side knows to be amiss already. */
      resyncDue: string | null;
      cursor: number;
    }
  | { is: 'pushed'; rows: number; tookMs: number; wasFull: boolean; more: boolean }
  /** There was nothing to push. */
  | { is: 'nothing' }
  /** History that rests on core rows which are not confirmed yet. */
  | { is: 'resting' }
  | { is: 'pulled'; rows: number; more: boolean; cursor: number }
  | { is: 'page'; rows: number; isLast: boolean }
  | { is: 'refused'; status: number; code: string; detail: string; retryAfterMs: number | null }
  | { is: 'failed'; why: 'unreachable' | 'timeout' | 'broken' | 'storage'; detail: string }
  /** Of the hosted database: hello finds out whether it lost anything of this gateway. */
  | { is: 'another life' }
  /** Both sides hold different histories: everything is compared anew. */
  | { is: 'amiss'; why: string };

export type SyncEvent =
  | { is: 'started'; isPaired: boolean }
  | { is: 'paired' }
  | { is: 'unpaired' }
  /**
   * Rows that were committed here, by lane, and how many of them are news for people; rows that came from the hosted
   * instance may be counted too.
   */
  | { is: 'logged'; core: number; history: number; news?: number }
  | { is: 'due'; timer: Timer }
  | { is: 'progress'; id: number }
  | { is: 'done'; id: number; outcome: Outcome }
  | { is: 'socket opened' }
  | { is: 'socket closed' }
  | { is: 'poked'; head: number }
  | { is: 'paused'; ms: number }
  | { is: 'told revoked' }
  /** A person wants both sides to have the same now. */
  | { is: 'asked for' };

export type Effect =
  | { do: 'ask'; id: number; ask: Ask }
  /** A timer that runs already begins anew. */
  | { do: 'wake'; timer: Timer; after: Range }
  | { do: 'open socket' }
  | { do: 'close socket' }
  /** Connections that may hang are dropped; answers that still come are nobody's. */
  | { do: 'drop connections' }
  | { do: 'tell'; level: 'info' | 'warn'; sentence: string; fields: Record<string, unknown> };

export type Step = { state: SyncState; effects: readonly Effect[] };

export const NO_FLIGHTS: SyncState['flights'] = { link: null, core: null, history: null, pull: null };

export function initialState(): SyncState {
  return {
    phase: 'unpaired',
    why: null,
    nextId: 1,
    flights: NO_FLIGHTS,
    batch: { core: firstBatch('core'), history: firstBatch('history') },
    wants: { core: false, history: false, pull: false },
    isArmed: { core: false, history: false, news: false },
    isCoreBehind: false,
    historyRows: 0,
    waiting: null,
    failures: 0,
    useless: 0,
    resyncsInARow: 0,
    isSocketOpen: false,
    cursor: 0,
    progressAtMs: 0,
    contactAtMs: null,
    ackAtMs: null,
    pullAtMs: null,
    trouble: null,
    counts: { resyncs: 0, restarts: 0, pushedRows: 0, pulledRows: 0, failures: 0 },
  };
}

/** What a request under way may use. */
export type FlightDeps = SyncClientDeps & {
  /** Whether its answer is still waited for; what nobody waits for changes nothing. */
  isCurrent: () => boolean;
  /** Something came of it: it is not stuck. */
  progress: () => void;
  inTurn: <Answer>(run: () => Promise<Answer>) => Promise<Answer>;
};

/** How much one push carries at most. */
export type BatchSize = { rows: number; bytes: number };

export const firstBatch = (lane: SyncLane): BatchSize => ({
  rows: BATCH[lane].rows.from,
  bytes: BATCH[lane].bytes.from,
});

/** Grows by steps while requests are quick, shrinks by a quarter when they drag: a line's capacity is found, not known. */
export function afterSuccess(
  lane: SyncLane,
  size: BatchSize,
  { tookMs, wasFull }: { tookMs: number; wasFull: boolean },
): BatchSize {
  const { rows, bytes } = BATCH[lane];
  if (tookMs > TUNING.slowMs) {
    return {
      rows: Math.max(rows.least, Math.floor(size.rows * 0.75)),
      bytes: Math.max(bytes.least, Math.floor(size.bytes * 0.75)),
    };
  }
  // a batch that was not full says nothing about a larger one
  if (tookMs > TUNING.quickMs || !wasFull) return size;
  return {
    rows: Math.min(rows.most, size.rows + rows.step),
    bytes: Math.min(bytes.most, size.bytes + 65_536),
  };
}

/** After a timeout or an answer that it was too large. */
export function halved(lane: SyncLane, size: BatchSize): BatchSize {
  const { rows, bytes } = BATCH[lane];
  return {
    rows: Math.max(rows.least, Math.floor(size.rows / 2)),
    bytes: Math.max(bytes.least, Math.floor(size.bytes / 2)),
  };
}
