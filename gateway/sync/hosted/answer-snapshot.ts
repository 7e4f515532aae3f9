import { comparedWithout, epochHead, instanceValue } from '#contract/resources/local-tables.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import type { SnapshotAnswer, SnapshotRequest } from '#contract/sync/wire.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { isAfterLoss, lifeNow } from '#store/merge/lost-people.ts';
import type { GatewayCaller } from '../ports.ts';
import { type HostedDeps, hostedFacts, lookAndCommit, streamOf } from './hosted-deps.ts';
import { headOf } from './ports.ts';
import { staleEpoch } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

/** One page of everything the gateway may know, as it stands; the first page begins a new epoch. */
export async function answerSnapshot(
  deps: HostedDeps,
  caller: GatewayCaller,
  request: SnapshotRequest,
): Promise<SnapshotAnswer> {
  const resync = request.resync ?? (await beginEpoch(deps, caller, request.epoch));
  const stream = await streamOf(deps, caller);
  if (stream.epoch !== resync.epoch) throw new RequestRefused(staleEpoch(stream));
  const { rows, next } = await deps.store.snapshotPage(caller.streamId, {
    epoch: resync.epoch,
    after: request.after,
    limit: request.limit,
    historyFrom: request.history_from,
  });
  // behind the rows: one that is taken off now may be missing among them
  await noteTakenOffMeanwhile(deps, caller.streamId);
  return {
    resync,
    rows,
    next,
    restamps:
      request.resync === null
        ? [
            ...(await deps.store.restamps(caller.streamId, request.epoch, { core: 0, history: 0 })),
            ...(await deps.store.laterRestamps(caller.streamId, request.epoch)),
          ]
        : [],
    ...(request.resync === null ? { returns: await deps.store.returns() } : {}),
    asks_of_accounts:
      isAfterLoss(stream.timeline, deps.now()) || (await deps.store.hasOpenQuestions(caller.streamId)),
    ...(await hostedFacts(deps)),
  };
}

/** After this unit has tried what waited aside: a comparison tells nothing of farms that the gateway does not run. */
async function noteOfFarmsAway({ store, now }: HostedDeps, streamId: number): Promise<Change> {
  const id = comparedWithout(streamId);
  const isAway = (await store.movedFarms(streamId)).length > 0;
  return isAway ? put(instanceValue, { id, value: isoOf(now()) }) : purge(instanceValue, id);
}

/** Of a farm that was taken off between two pages the rest is told no more, and the gateway takes its place in the feed all the same. */
async function noteTakenOffMeanwhile(deps: HostedDeps, streamId: number): Promise<void> {
  const { store } = deps;
  await lookAndCommit(deps, async () => {
    const isNoted =
      (await store.movedFarms(streamId)).length === 0 || (await store.isComparedWithout(streamId));
    const changes = isNoted ? [] : [await noteOfFarmsAway(deps, streamId)];
    return { seen: null, unit: isNoted ? null : { actor: null, changes } };
  });
}

/**
 * Fences every older life of the gateway: what it still sends is refused from here on. Answers the point of the feed
 * from which the gateway goes on when it has all pages; they are read after it, so nothing falls in between.
 */
async function beginEpoch(deps: HostedDeps, caller: GatewayCaller, epochOfGateway: number) {
  const timeline = await deps.timeline();
  const { seen: epoch } = await lookAndCommit(deps, async () => {
    const stream = await streamOf(deps, caller);
    const next = Math.max(stream.epoch, epochOfGateway) + 1;
    return {
      seen: next,
      unit: {
        actor: null,
        // what was refused while the farm was away finds its place now that it is back
        incoming: {
          from: 'gateway',
          streamId: stream.stream_id,
          lane: 'core',
          changes: [],
          retry: 'parked',
        },
        // whoever has the row tells it whole in this epoch, and if nobody has it, it is gone with a disk; one that waits
        // aside may be the only copy, and so may its parts
        changes: [
          ...(await deps.store.partsOfAbsent(stream.stream_id)).map((id) => purge(parkedChange, id)),
          await noteOfFarmsAway(deps, stream.stream_id),
          put(instanceValue, { id: epochHead(stream.stream_id), value: String(stream.core_seq) }),
        ],
        stream: {
          id: stream.stream_id,
          expect: { epoch: stream.epoch },
          set: {
            epoch: next,
            timeline: lifeNow(stream.timeline, timeline, deps.now()),
            // the gateway counts its log anew
            in_core_seq: 0,
            in_core_chain: '',
            in_history_seq: 0,
            in_history_chain: '',
            resync: null,
          },
        },
      },
    };
  });
  return { epoch, head: headOf(await streamOf(deps, caller)) };
}
