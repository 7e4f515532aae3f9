import type { LogPoint, PushAnswer, PushRequest, SyncLane, WireChange } from '#contract/sync/wire.ts';
import type { StreamPoints, Unit } from '#core/changes.ts';
import type { GatewayCaller } from '../ports.ts';
import { decidePush, marksOf, whyUnsound } from './decide-push.ts';
import { type HostedDeps, hostedFacts, lookAndCommit, streamOf } from './hosted-deps.ts';
import { inOf, type StreamRow } from './ports.ts';
import { staleEpoch } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

/** Applies what of a batch is new; the same batch again changes nothing and is answered the same. */
export async function answerPush(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: PushRequest,
): Promise<PushAnswer> {
  const unsound = whyUnsound(deps, request);
  if (unsound !== null) throw new RequestRefused(unsound);
  const { lane, after, rows } = request;
  const parked: number[] = [];
  let isRepeated = false;
  let rest: number;
  do {
    const { seen, committed } = await lookAndCommit(deps, () => lookAtPush(deps, caller, request));
    isRepeated ||= seen.isRepeated;
    rest = seen.rest;
    const { dropped } = committed?.merged ?? {};
    if (dropped !== undefined) deps.dropped(caller.streamId, dropped);
    parked.push(...(committed?.merged?.parked ?? []).map(({ seq }) => seq));
  } while (rest > 0);
  if (isRepeated) {
    const batch = { from: after.seq + 1, to: after.seq + rows.length };
    parked.push(...(await deps.store.parked(caller.streamId, lane, batch)));
  }
  const stream = await streamOf(deps, caller);
  // numbers of a new epoch would be taken for an answer to this push
  if (stream.epoch !== request.epoch) throw new RequestRefused(staleEpoch(stream));
  return {
    in: inOf(stream)[lane],
    restamps: await deps.store.restamps(caller.streamId, stream.epoch, { [lane]: after.seq }),
    parked: [...new Set(parked)].toSorted((a, b) => a - b),
    ...(await hostedFacts(deps)),
  };
}

/** What is next of the batch, as the stream stands now: `rest` counts what comes behind it. */
async function lookAtPush(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: PushRequest,
): Promise<{ seen: { rest: number; isRepeated: boolean }; unit: Unit | null }> {
  const { lane, after, rows } = request;
  const stream = await streamOf(deps, caller);
  const own = inOf(stream)[lane].seq;
  const isOverlapping = own > after.seq && rows.length > 0;
  const marks = isOverlapping
    ? await deps.store.marks(caller.streamId, lane, { from: after.seq, to: after.seq + rows.length })
    : [];
  const decision = decidePush(request, stream, marks);
  if (decision.is === 'refuse') throw new RequestRefused(decision.refused);
  const changes = decision.suffix.slice(0, deps.rowsPerUnit);
  const cursor = await movedCursor(deps, stream, request.cursor);
  const seen = {
    rest: decision.suffix.length - changes.length,
    isRepeated: decision.suffix.length < rows.length,
  };
  if (changes.length === 0 && cursor === null) return { seen, unit: null };
  return { seen, unit: unitOf({ stream, lane, changes, cursor }) };
}

function unitOf(push: {
  stream: StreamRow;
  lane: SyncLane;
  changes: readonly WireChange[];
  cursor: LogPoint | null;
}): Unit {
  const { stream, lane, changes, cursor } = push;
  const last = changes.at(-1);
  return {
    actor: null,
    changes: [],
    ...(last === undefined
      ? {}
      : { incoming: { from: 'gateway', streamId: stream.stream_id, lane, changes } as const }),
    stream: {
      id: stream.stream_id,
      expect: { epoch: stream.epoch, ...inPoints(lane, inOf(stream)[lane]) },
      set: { ...(last === undefined ? {} : inPoints(lane, last)), ...ackedPoints(cursor) },
      marks: marksOf(changes).map((mark) => ({ lane, ...mark })),
    },
  };
}

function inPoints(lane: SyncLane, { seq, chain }: LogPoint): Partial<StreamPoints> {
  return lane === 'core'
    ? { in_core_seq: seq, in_core_chain: chain }
    : { in_history_seq: seq, in_history_chain: chain };
}

export function ackedPoints(cursor: LogPoint | null): Partial<StreamPoints> {
  return cursor === null ? {} : { acked_core_seq: cursor.seq, acked_core_chain: cursor.chain };
}

/**
 * The gateway's cursor when it proves more than was known. One that is behind is no news: requests of two lanes overtake
 * each other; one that proves another history is left to the next pull to refuse.
 */
export async function movedCursor(
  deps: HostedDeps,
  stream: StreamRow,
  cursor: LogPoint,
): Promise<LogPoint | null> {
  if (cursor.seq <= stream.acked_core_seq || cursor.seq > stream.core_seq) return null;
  const chain = await deps.store.feedChain(stream.stream_id, cursor.seq);
  return chain === cursor.chain ? { seq: cursor.seq, chain } : null;
}
