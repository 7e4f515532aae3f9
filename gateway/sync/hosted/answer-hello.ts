import type { HelloAnswer, HelloRequest, LogPoint, SyncLane } from '#contract/sync/wire.ts';
import type { GatewayCaller } from '../ports.ts';
import { decideHello } from './decide-hello.ts';
import { type HostedDeps, hostedFacts, lookAside, streamOf } from './hosted-deps.ts';
import { inOf } from './ports.ts';

/** The first word after every connection: where both stand, and whether they may go on from there. */
export async function answerHello(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: HelloRequest,
): Promise<HelloAnswer> {
  const { store } = deps;
  const stream = await streamOf(deps, caller);
  const facts = await hostedFacts(deps);
  const markOf = async (lane: SyncLane, { seq }: LogPoint) =>
    (await store.marks(caller.streamId, lane, { from: seq, to: seq }))[0]?.chain ?? null;
  const { directive, reason } = decideHello(request, {
    stream,
    timeline: facts.timeline,
    feedChain: await store.feedChain(caller.streamId, request.cursor.seq),
    markAtAcked: {
      core: await markOf('core', request.acked.core),
      history: await markOf('history', request.acked.history),
    },
  });
  const { core, history } = request.acked;
  return {
    ...facts,
    epoch: stream.epoch,
    in: inOf(stream),
    head: stream.core_seq,
    floor: stream.floor_seq,
    restamps: await store.restamps(caller.streamId, stream.epoch, { core: core.seq, history: history.seq }),
    directive,
    reason,
    wait_ms: null,
    kept_aside: await lookAside(deps, caller),
  };
}
