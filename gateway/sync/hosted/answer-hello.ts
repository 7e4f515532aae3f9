import type { HelloAnswer, HelloRequest, LogPoint, SyncLane } from '#contract/sync/wire.ts';
import { lifeGoneOn } from '#store/merge/lost-people.ts';
import type { GatewayCaller } from '../ports.ts';
import {
  type HostedDeps,
  hostedFacts,
  lookAndCommit,
  lookAside,
  restampsBehind,
  streamOf,
} from './hosted-deps.ts';
import { inOf, type StreamRow } from './ports.ts';

/** Gateways older than this send rows that this version can no longer read. */
const OLDEST_SCHEMA = 1;
const LANES: readonly SyncLane[] = ['core', 'history'];

type HelloFacts = {
  stream: StreamRow;
  timeline: string;
  /** Chain of the feed at the gateway's cursor; null: not kept. */
  feedChain: string | null;
  /** Chain that was applied at the gateway's acknowledged number, per lane; null: not marked. */
  markAtAcked: Readonly<Record<SyncLane, string | null>>;
};

type Directive = { directive: 'go' | 'resync' | 'upgrade'; reason: string | null };

/** Whether both sides still tell the same history; a word of the reason when they do not. */
function decideHello(request: HelloRequest, facts: HelloFacts): Directive {
  if (request.schema < OLDEST_SCHEMA) return { directive: 'upgrade', reason: 'schema' };
  const reason = whyResync(request, facts);
  return reason === null ? { directive: 'go', reason: null } : { directive: 'resync', reason };
}

function whyResync(request: HelloRequest, { stream, timeline, feedChain, markAtAcked }: HelloFacts) {
  if (stream.resync !== null) return stream.resync;
  if (request.epoch !== stream.epoch) return 'epoch';
  const isAnotherLife = request.timeline !== '' && request.timeline !== timeline;
  for (const lane of LANES) {
    const own = inOf(stream)[lane];
    const acked = request.acked[lane];
    const lost = whyLaneForked(own, { head: request.head[lane], acked });
    if (lost !== null) return `${lane} ${lost}`;
    const mark = markAtAcked[lane];
    if (mark !== null && mark !== acked.chain) return `${lane} fork`;
    // Another life of the database may have lost its last commits. Points move in one commit with the rows that they
    // cover, so the chain at what the gateway counts on shows that none of them are missing; it must be there to show it.
    const isShown = acked.seq === 0 || acked.seq === own.seq || mark !== null;
    if (isAnotherLife && !isShown) return 'timeline';
  }
  return whyCursorLost(stream, request.cursor, feedChain);
}

/** Compares what was applied of a lane with what its writer has; null: nothing speaks against it. */
export function whyLaneForked(
  own: LogPoint,
  { head, acked }: { head: LogPoint | null; acked: LogPoint },
): 'gateway lost changes' | 'hosted lost changes' | 'fork' | null {
  if (head !== null && head.seq < own.seq) return 'gateway lost changes';
  if (acked.seq > own.seq) return 'hosted lost changes';
  if (head !== null && head.seq === own.seq && head.chain !== own.chain) return 'fork';
  if (acked.seq === own.seq && acked.chain !== own.chain) return 'fork';
  return null;
}

/** Whether the feed can go on at a cursor; null: it can. */
export function whyCursorLost(
  stream: Pick<StreamRow, 'core_seq' | 'floor_seq'>,
  cursor: LogPoint,
  feedChain: string | null,
): 'feed lost changes' | 'feed forgotten' | 'feed fork' | null {
  if (cursor.seq > stream.core_seq) return 'feed lost changes';
  // the row at the cursor must still stand: its chain proves that both mean the same history
  if (cursor.seq === 0) return stream.floor_seq > 1 ? 'feed forgotten' : null;
  if (cursor.seq < stream.floor_seq) return 'feed forgotten';
  return feedChain === cursor.chain ? null : 'feed fork';
}

/** At the head the stream itself says it, and before the first row there is none. */
function feedChainAt(store: HostedDeps['store'], stream: StreamRow, seq: number): Promise<string | null> {
  if (seq === 0) return Promise.resolve(null);
  if (seq === stream.core_seq) return Promise.resolve(stream.core_chain);
  return store.feedChain(stream.stream_id, seq);
}

/** The life of the database under which the gateway's stream goes on, with nothing lost. */
async function noteLife(
  deps: HostedDeps,
  caller: GatewayCaller,
  { timeline, known }: { timeline: string; known: StreamRow },
): Promise<void> {
  if (lifeGoneOn(known.timeline, timeline) === known.timeline) return;
  await lookAndCommit(deps, async () => {
    const { stream_id: id, epoch, timeline: stood } = await streamOf(deps, caller);
    const life = lifeGoneOn(stood, timeline);
    if (life === stood) return { seen: null, unit: null };
    const stream = { id, expect: { epoch, timeline: stood }, set: { timeline: life } };
    return { seen: null, unit: { actor: null, changes: [], stream } };
  });
}

/** The first word after every connection: where both stand, and whether they may go on from there. */
export async function answerHello(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: HelloRequest,
): Promise<HelloAnswer> {
  const { store } = deps;
  const stream = await streamOf(deps, caller);
  const facts = await hostedFacts(deps);
  const applied = inOf(stream);
  // at the newest number the stream itself says it, and before the first there is none
  const markOf = async (lane: SyncLane, { seq }: LogPoint) =>
    seq === 0 || seq === applied[lane].seq
      ? null
      : ((await store.marks(caller.streamId, lane, { from: seq, to: seq }))[0]?.chain ?? null);
  const { directive, reason } = decideHello(request, {
    stream,
    timeline: facts.timeline,
    feedChain: await feedChainAt(store, stream, request.cursor.seq),
    markAtAcked: {
      core: await markOf('core', request.acked.core),
      history: await markOf('history', request.acked.history),
    },
  });
  if (directive === 'go') await noteLife(deps, caller, { timeline: facts.timeline, known: stream });
  const { core, history } = request.acked;
  return {
    ...facts,
    epoch: stream.epoch,
    in: applied,
    head: stream.core_seq,
    floor: stream.floor_seq,
    restamps: await restampsBehind(store, stream, { core: core.seq, history: history.seq }),
    directive,
    reason,
    wait_ms: null,
    kept_aside: await lookAside(deps, stream),
  };
}
