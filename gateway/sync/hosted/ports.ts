import type {
  KeptAside,
  LanePoints,
  LogPoint,
  MovedFarm,
  Restamp,
  SnapshotAnswer,
  SyncLane,
  TimeReturn,
  WireChange,
  WireRow,
} from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';

// What the hosted side of the sync asks of its database.

export type StreamRow = StreamPoints & {
  stream_id: number;
  gateway_id: string;
  /** null: a stream that no pairing made (tests). */
  status: 'active' | 'revoked' | 'fenced' | null;
  /** Stamps of its epoch were set anew. */
  has_restamps: boolean;
  /** Changes of its gateway fitted nowhere. */
  has_kept_aside: boolean;
};

export type SnapshotPosition = SnapshotAnswer['next'];

export type HostedStore = {
  stream(streamId: number): Promise<StreamRow | null>;
  /** Changes of the feed from a number on, in order; `isEnd`: there were no more, whatever the bounds. */
  feedFrom(
    streamId: number,
    from: number,
    most: { rows: number; bytes: number },
  ): Promise<{ rows: readonly WireChange[]; isEnd: boolean }>;
  /** Chain of the feed at a number; null where the row is not kept. */
  feedChain(streamId: number, seq: number): Promise<string | null>;
  /** Chains that were applied, `from` to `to`, in order. */
  marks(streamId: number, lane: SyncLane, within: { from: number; to: number }): Promise<readonly LogPoint[]>;
  /** Numbers that were kept aside, `from` to `to`. */
  parked(streamId: number, lane: SyncLane, within: { from: number; to: number }): Promise<readonly number[]>;
  /** Numbers of all that is kept aside of a stream; undefined: too many to tell of. */
  keptAside(streamId: number): Promise<KeptAside>;
  /** Ids of what is kept aside of a stream because it is part of a row that is not here, nor waits aside. */
  partsOfAbsent(streamId: number): Promise<readonly string[]>;
  /** Whether some of it could not be read by an older version, and was not tried by this one. */
  hasReadable(streamId: number): Promise<boolean>;
  /** Stamps set anew in an epoch behind what the gateway knows to be applied, both lanes, in order. */
  restamps(streamId: number, epoch: number, after: Partial<Record<SyncLane, number>>): Promise<Restamp[]>;
  /** Stamps set anew in later epochs, for a card that went back beyond their beginning. */
  laterRestamps(streamId: number, epoch: number): Promise<Restamp[]>;
  /** Does a question about an account that this gateway told of wait for an administrator? */
  hasOpenQuestions(streamId: number): Promise<boolean>;
  /** Stamps from the future that were brought back, earliest first. */
  returns(): Promise<TimeReturn[]>;
  /** Farms that were taken off the stream's gateway and are not its own again. */
  movedFarms(streamId: number): Promise<MovedFarm[]>;
  /** Did the last comparison with the stream's gateway tell nothing of some of them? */
  isComparedWithout(streamId: number): Promise<boolean>;
  snapshotPage(
    streamId: number,
    page: { epoch: number; after: SnapshotPosition; limit: number; historyFrom: string | null },
  ): Promise<{ rows: WireRow[]; next: SnapshotPosition }>;
};

/** How far a stream's gateway was applied. */
export const inOf = (stream: StreamPoints): LanePoints => ({
  core: { seq: stream.in_core_seq, chain: stream.in_core_chain },
  history: { seq: stream.in_history_seq, chain: stream.in_history_chain },
});

/** How far the feed goes. */
export const headOf = (stream: StreamPoints): LogPoint => ({
  seq: stream.core_seq,
  chain: stream.core_chain,
});
