import type {
  CommandFrame,
  GatewayFrame,
  HostedFrame,
  KeptAside,
  LanePoints,
  LogPoint,
  MovedFarm,
  Restamp,
  SyncLane,
  WireChange,
  WireRow,
} from '#contract/sync/wire.ts';
import type { HeardReturns, Incoming, MergeReport, StreamPoints } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { GatewayLiveParts, SyncTransport } from '../ports.ts';

// What the gateway's side of the sync asks of the parts around it.

export type OutRows = {
  rows: readonly WireChange[];
  /** A bound was reached: there may be more. */
  isFull: boolean;
};

/** One unit of work: stamps set anew first, then what came, and the points that move with it. */
export type Taking = {
  restamps: readonly Restamp[];
  /** Stamps from the future that the hosted instance brought back. */
  returns?: HeardReturns;
  /** Of the feed, in its order. */
  changes: readonly WireChange[];
  told?: Incoming['told'];
  /** Of a snapshot; they are noted as what the hosted instance knows, too. */
  rows?: readonly WireRow[];
  /** Nobody over there asks what this gateway knows later of an account. */
  isSettled?: boolean;
  /** How far the hosted instance heard this gateway's log; absent: nobody knows. */
  heard?: LanePoints;
  expect: Partial<StreamPoints>;
  set: Partial<StreamPoints>;
};

export type SyncStore = {
  points(): Promise<StreamPoints>;
  /** Chain of the own log at a number; null where the row is not kept. */
  chainAt(lane: SyncLane, seq: number): Promise<string | null>;
  /**
   * Rows of the own log behind a number, cut at the end of a transaction where one ends within the bounds. Of `history`
   * only rows whose transaction has all its core rows, and all before them, up to `coreAcked`.
   */
  outRows(ask: {
    lane: SyncLane;
    after: number;
    coreAcked: number;
    rows: number;
    bytes: number;
  }): Promise<OutRows>;
  /** Throws StaleError when a point is not as expected. */
  take(taking: Taking): Promise<MergeReport>;
  /** Farms that this gateway runs no longer, all of them. */
  noteMoved(farms: readonly MovedFarm[]): Promise<void>;
  /** Rows that the hosted instance keeps aside: shown here, too. */
  noteKeptAside(lane: SyncLane, rows: readonly WireChange[]): Promise<void>;
  /** Forgets those that the hosted instance keeps no longer, of the numbers that its answer is about. */
  forgetKeptAside(kept: KeptAside, answered: Readonly<Record<SyncLane, { seq: number }>>): Promise<void>;
  /** Tries again what was kept aside here because an older version could not read it. */
  retryReadable(): Promise<void>;
  /** Since when history is to be fetched: a box without any gets the newest back, all others compare all of it (null). */
  historyFrom(points: StreamPoints): Promise<string | null>;
  /**
   * Everything is told anew: forgets what an unfinished comparison had noted, and remembers what both sides know of the
   * rows while they are told.
   */
  beginSnapshot(schema: number): Promise<void>;
  /**
   * One slice of the end of a comparison: the new epoch begins, and what the hosted instance does not know is logged as
   * its first rows. The same again until it answers true.
   */
  logDifference(end: { epoch: number; cursor: LogPoint }): Promise<boolean>;
};

/** The outbound live socket. It connects again by itself while it is open. */
export type LiveLine = {
  open(heard: LiveHandlers): void;
  close(): void;
  /** Answers whether there was a socket to send it on. */
  send(frame: GatewayFrame): boolean;
};

export type LiveHandlers = {
  opened(): void;
  closed(): void;
  /** Something came over it: the other end lives. */
  alive(): void;
  command(frame: CommandFrame): void;
  /** The answer to a question whether an order still counts. */
  still(frame: Extract<HostedFrame, { is: 'still' }>): void;
  poke(head: number): void;
  pause(ms: number): void;
  revoked(): void;
};

export type SyncClientDeps = Pick<Kernel, 'now' | 'random' | 'log'> & {
  store: SyncStore;
  transport: SyncTransport & { dropConnections?: () => void };
  line: LiveLine | null;
  /** The part that switches; null where there is none. */
  live: GatewayLiveParts | null;
  /** Milliseconds that only grow, also while the machine sleeps. */
  monotonic: () => number;
  /** Runs something after so many milliseconds; answers how to call it off. */
  later: (ms: number, run: () => void) => () => void;
  clockTrust: () => 'trusted' | 'untrusted';
  software: string;
  /** Chain of the log behind a change (core). */
  chainAfter: (chain: string, change: WireChange) => string;
  /** Both sides have just spoken with each other. */
  onMet?: () => void;
  /** What the process that answered knows of the rows. */
  onHostedSchema?: (schema: number) => void;
  /** Its database was brought back as another life of it, and lost nothing of this gateway. */
  onAnotherLife?: () => void;
  /** What the hosted instance says the time is, with half the time the question took. */
  onHostedTime?: (time: { serverNowMs: number; roundTripMs: number }) => void;
};
