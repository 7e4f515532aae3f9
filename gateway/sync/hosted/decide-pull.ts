import type { PullRequest, WireChange } from '#contract/sync/wire.ts';
import type { Refused } from '../ports.ts';
import { whyCursorLost, whyLaneForked } from './decide-hello.ts';
import { inOf, type StreamRow } from './ports.ts';
import { belowFloor, fork, staleEpoch } from './refusals.ts';

/** Why the feed cannot go on at that cursor; null: it can. */
export function whyNotPulled(
  request: PullRequest,
  stream: StreamRow,
  feedChain: string | null,
): Refused | null {
  if (stream.resync !== null || request.epoch !== stream.epoch) return staleEpoch(stream);
  for (const lane of ['core', 'history'] as const) {
    const lost = whyLaneForked(inOf(stream)[lane], { head: null, acked: request.acked[lane] });
    if (lost !== null) return fork(`The ${lane} lane: ${lost}`);
  }
  const lost = whyCursorLost(stream, request.cursor, feedChain);
  if (lost === null) return null;
  return lost === 'feed forgotten' ? belowFloor(stream.floor_seq) : fork(`The feed: ${lost}`);
}

/**
 * What of the rows read goes into one answer: whole transactions, so that nobody sees half of one, unless a single one
 * is larger than an answer. `isEnd`: there is nothing behind the last row.
 */
export function wholeTransactions(rows: readonly WireChange[], isEnd: boolean): readonly WireChange[] {
  if (isEnd) return rows;
  const cutTx = rows.at(-1)?.tx;
  const whole = rows.findIndex(({ tx }) => tx === cutTx);
  return whole > 0 ? rows.slice(0, whole) : rows;
}
