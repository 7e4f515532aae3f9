import type { PullAnswer, PullRequest, WireChange } from '#contract/sync/wire.ts';
import { StaleError } from '#core/errors.ts';
import type { GatewayCaller, Refused } from '../ports.ts';
import { whyCursorLost, whyLaneForked } from './answer-hello.ts';
import { ackedPoints, movedCursor } from './answer-push.ts';
import { type HostedDeps, hostedFacts, lookAside, restampsBehind, streamOf } from './hosted-deps.ts';
import { headOf, inOf, type StreamRow } from './ports.ts';
import { belowFloor, fork, staleEpoch } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

/** Why the feed cannot go on at that cursor; null: it can. */
function whyNotPulled(request: PullRequest, stream: StreamRow, feedChain: string | null): Refused | null {
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
function wholeTransactions(rows: readonly WireChange[], isEnd: boolean): readonly WireChange[] {
  if (isEnd) return rows;
  const cutTx = rows.at(-1)?.tx;
  const whole = rows.findIndex(({ tx }) => tx === cutTx);
  return whole > 0 ? rows.slice(0, whole) : rows;
}

const MAX_BYTES = 256 * 1024;

/** What of the feed comes behind the gateway's cursor. */
export async function answerPull(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: PullRequest,
): Promise<PullAnswer> {
  const { store } = deps;
  const { cursor, acked, limit } = request;
  // Rows first, points and stamps after: a row whose stamp rests on a renewed one never comes without it. Newer points
  // do no harm, they are what a push at that moment would be told.
  const from = Math.max(1, cursor.seq);
  const { rows: found, isEnd } = await store.feedFrom(caller.streamId, from, {
    rows: limit + 1,
    bytes: MAX_BYTES,
  });
  const stream = await streamOf(deps, caller);
  const here = found.find(({ seq }) => seq === cursor.seq)?.chain ?? null;
  const refused = whyNotPulled(request, stream, here);
  if (refused !== null) throw new RequestRefused(refused);
  const rows = wholeTransactions(
    found.filter(({ seq }) => seq > cursor.seq),
    isEnd,
  );
  const { seq: head } = headOf(stream);
  const answer = {
    rows: [...rows],
    head,
    more: (rows.at(-1)?.seq ?? cursor.seq) < head,
    in: inOf(stream),
    moved: await store.movedFarms(caller.streamId),
    restamps: await restampsBehind(store, stream, { core: acked.core.seq, history: acked.history.seq }),
    kept_aside: await lookAside(deps, stream),
    ...(await hostedFacts(deps)),
  };
  await noteCursor(deps, stream, cursor);
  return answer;
}

/** So that the feed may be forgotten up to there; somebody else who notes it meanwhile did the same work. */
async function noteCursor(deps: HostedDeps, stream: StreamRow, cursor: PullRequest['cursor']): Promise<void> {
  const moved = await movedCursor(deps, stream, cursor);
  if (moved === null) return;
  const { epoch, acked_core_seq } = stream;
  try {
    await deps.commit({
      actor: null,
      changes: [],
      stream: { id: stream.stream_id, expect: { epoch, acked_core_seq }, set: ackedPoints(moved) },
    });
  } catch (error) {
    if (!(error instanceof StaleError)) throw error;
  }
}
