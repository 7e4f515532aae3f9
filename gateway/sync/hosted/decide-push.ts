import { type LogPoint, MAX_ROWS, type PushRequest, type WireChange } from '#contract/sync/wire.ts';
import type { Refused } from '../ports.ts';
import { inOf, type StreamRow } from './ports.ts';
import { forged, fork, gap, malformed, needsCore, staleEpoch, tooMany } from './refusals.ts';

/** Every so often the chain at a number is noted, so that an old batch that comes again can be checked. */
const MARK_EVERY = 64;

export type ChainAfter = (chain: string, change: WireChange) => string;

export type PushDecision =
  | { is: 'refuse'; refused: Refused }
  /** What has not been applied yet, in order; empty for a batch that came before. */
  | { is: 'apply'; suffix: readonly WireChange[] };

/** What is wrong with a batch in itself, whatever the stream; null: nothing. */
export function whyUnsound(
  deps: { chainAfter: ChainAfter },
  { lane, after, rows }: PushRequest,
): Refused | null {
  if (rows.length > MAX_ROWS[lane]) return tooMany(MAX_ROWS[lane]);
  let chain = after.chain;
  for (const [place, row] of rows.entries()) {
    if (row.seq !== after.seq + 1 + place) return malformed(`Change ${row.seq} stands out of order`);
    chain = deps.chainAfter(chain, row);
    if (row.chain !== chain) return forged(row.seq);
  }
  return null;
}

/**
 * What of a sound batch is to be applied. A chain that is equal at one number is equal at all before it, so one
 * comparison where both histories meet is enough; `marks` are chains that were applied within the batch.
 */
export function decidePush(
  request: PushRequest,
  stream: StreamRow,
  marks: readonly LogPoint[],
): PushDecision {
  const { lane, after, rows } = request;
  const own = inOf(stream)[lane];
  const refuse = (refused: Refused): PushDecision => ({ is: 'refuse', refused });
  if (stream.resync !== null || request.epoch !== stream.epoch) return refuse(staleEpoch(stream));
  if (after.seq > own.seq) return refuse(gap(own));
  const known = [...marks, own];
  for (const point of [after, ...rows]) {
    const meeting = known.find(({ seq }) => seq === point.seq);
    if (meeting !== undefined && meeting.chain !== point.chain) {
      return refuse(fork(`Change ${point.seq} is another one here: both sides tell different histories`));
    }
  }
  const suffix = rows.filter(({ seq }) => seq > own.seq);
  // what was applied already has nothing to wait for
  if (suffix.length > 0 && lane === 'history' && stream.in_core_seq < request.needs_core)
    return refuse(needsCore(inOf(stream).core));
  return { is: 'apply', suffix };
}

/** The points of a batch that are worth a mark: every 64th number, and its end. */
export function marksOf(rows: readonly WireChange[]): LogPoint[] {
  return rows
    .filter(({ seq }, place) => seq % MARK_EVERY === 0 || place === rows.length - 1)
    .map(({ seq, chain }) => ({ seq, chain }));
}
