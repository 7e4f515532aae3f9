import type { LanePoints, LogPoint, SyncLane } from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';

export const ackedOf = (points: StreamPoints): LanePoints => ({
  core: { seq: points.acked_core_seq, chain: points.acked_core_chain },
  history: { seq: points.acked_history_seq, chain: points.acked_history_chain },
});

export const headOf = (points: StreamPoints): LanePoints => ({
  core: { seq: points.core_seq, chain: points.core_chain },
  history: { seq: points.history_seq, chain: points.history_chain },
});

export const cursorOf = (points: StreamPoints): LogPoint => ({
  seq: points.in_core_seq,
  chain: points.in_core_chain,
});

export function ackedPoints(lane: SyncLane, { seq, chain }: LogPoint): Partial<StreamPoints> {
  return lane === 'core'
    ? { acked_core_seq: seq, acked_core_chain: chain }
    : { acked_history_seq: seq, acked_history_chain: chain };
}

export type Claim = {
  /** What the hosted instance says it applied of our log. */
  claimed: LogPoint;
  /** What we knew to be applied when the request left, and what we know now. */
  sent: LogPoint;
  acked: LogPoint;
  head: LogPoint;
  /** Chain of our log at the claimed number; null: no longer kept. */
  ownChain: string | null;
};

export type Verdict = { is: 'news' } | { is: 'known' } | { is: 'amiss'; why: string };

/**
 * Whether what the hosted instance says it applied can be believed. A number alone proves nothing: after a restored
 * backup on either side the same number may stand for another history, so the chains decide.
 */
export function judgeClaim({ claimed, sent, acked, head, ownChain }: Claim): Verdict {
  // an answer that was overtaken by another one may tell less than is known now, never less than when it was asked for
  if (claimed.seq < sent.seq)
    return { is: 'amiss', why: 'the hosted instance lost changes it had confirmed' };
  if (claimed.seq > head.seq) return { is: 'amiss', why: 'this gateway lost changes it had sent' };
  if (ownChain === null) {
    return claimed.seq <= acked.seq
      ? { is: 'known' }
      : { is: 'amiss', why: 'the change log of this gateway has a hole' };
  }
  if (ownChain !== claimed.chain) return { is: 'amiss', why: 'both sides tell different histories' };
  return claimed.seq > acked.seq ? { is: 'news' } : { is: 'known' };
}

/** Another life of the hosted database may have lost its last commits, even where every number still fits. */
export function judgeTimeline(known: string, told: string): Verdict {
  if (known !== '' && known !== told) return { is: 'amiss', why: 'the hosted database was brought back' };
  return known === told ? { is: 'known' } : { is: 'news' };
}
