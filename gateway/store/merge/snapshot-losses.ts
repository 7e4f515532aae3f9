import { OWN_STREAM } from '../own-stream.ts';
import type { Steps, UnitContext } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { inList, listOf } from './id-lists.ts';
import type { LostEdit } from './merge.ts';

/**
 * Gateway: which of the values that lost against a snapshot, or that the snapshot lost, nobody had seen before. A
 * snapshot does not tell what its edits were made over; the gateway's own log, which is still there, tells it of the
 * gateway's. What is no longer in it was confirmed long ago, and whoever wrote over it knew it.
 */
export function* unheardOf(lost: readonly LostEdit[], context: UnitContext): Steps<LostEdit[]> {
  if (lost.length === 0) return [];
  const bases = yield* basesOf(new Set(lost.map(({ id }) => id)), context);
  return lost.filter((edit) => {
    const { group, keptHlc, droppedHlc } = edit;
    const row = `${edit.resource.entity} ${edit.id}`;
    // ours stands, made over what the hosted instance says, or the other way round
    return bases.has(`${row} ${group} ${keptHlc}`)
      ? !wasMadeOver(bases, { row, group }, { from: keptHlc, to: droppedHlc })
      : bases.has(`${row} ${group} ${droppedHlc}`);
  });
}

/**
 * Gateway: which losses of a feed are news. After a resync the feed tells again what was changed while the snapshot was
 * taken, one change at a time and in batches of any size, so that a change may come long after the one made over it.
 * - The hosted instance makes its changes one after the other, each over what it has: of two of its stamps the greater
 *   one knew the smaller, and nothing is lost.
 * - Where an edit of this gateway stands, its own log tells what it was made over. An edit made while the resync ran is
 *   told as a whole row afterwards, and its base with it is forgotten: such a loss is noted rather than passed over.
 * A gateway's stamp that was set anew is one of the hosted instance's: what it won against is noted over there alone.
 */
export function* notKnownBefore(lost: readonly LostEdit[], context: UnitContext): Steps<LostEdit[]> {
  const news = lost.filter(
    ({ keptHlc, droppedHlc, change }) => change.hlc !== droppedHlc || !areHosteds(keptHlc, droppedHlc),
  );
  const ours = news.filter(({ keptHlc }) => !isHostedStamp(keptHlc));
  if (ours.length === 0) return news;
  const bases = yield* basesOf(new Set(ours.map(({ id }) => id)), context);
  return news.filter(
    ({ resource, id, group, keptHlc, droppedHlc }) =>
      !wasMadeOver(bases, { row: `${resource.entity} ${id}`, group }, { from: keptHlc, to: droppedHlc }),
  );
}

/**
 * Hosted: which losses are news, of a row that waited aside while its farm was away, or that was told after a comparison
 * under stamps too far ahead. It is told as it stands, without what its edits were made over, and the gateway hears of what
 * became of it alone: whatever it won against is noted here, and what it lost against, for a card that went back knows
 * nothing of it any more. Not where the gateway had confirmed the edit of this side, or had made it itself, nor where the log
 * tells that one was made over the other. A stamp of the gateway's that this side set anew looks like one of its own, and knew
 * of nothing here.
 */
export function* unheardWhileWaiting(
  lost: readonly LostEdit[],
  streamId: number,
  context: UnitContext,
): Steps<LostEdit[]> {
  const waited = new Set(lost.filter(({ change, rule }) => change.base === null && rule === 'last_writer'));
  if (waited.size === 0) return [...lost];
  const ids = listOf(new Set([...waited].map(({ id }) => id)));
  const bases = yield* basesOf(new Set([...waited].map(({ id }) => id)), context, streamId);
  const heard = yield {
    sql: `select hlc from sync_change where stream_id = ? and lane = 'core' and base_json is not null
        and seq <= (select acked_core_seq from sync_stream where stream_id = ?) and ${inList('id', context)}`,
    params: [streamId, streamId, ids],
  };
  const stamps = new Set([...waited].flatMap(({ keptHlc, droppedHlc }) => [keptHlc, droppedHlc]));
  const setAnew = yield {
    sql: `select to_hlc from sync_restamps where stream_id = ? and ${inList('to_hlc', context)}`,
    params: [streamId, listOf(stamps)],
  };
  const known = new Set(heard.map(({ hlc }) => hlc));
  const ofGateway = new Set(setAnew.map(({ to_hlc }) => to_hlc));
  const areOwn = (...two: readonly string[]) => areHosteds(...two) && !two.some((hlc) => ofGateway.has(hlc));
  return lost.filter((edit) => {
    const { resource, id, group, keptHlc, droppedHlc } = edit;
    const row = `${resource.entity} ${id}`;
    return (
      !waited.has(edit) ||
      !(
        known.has(droppedHlc) ||
        ofGateway.has(droppedHlc) ||
        wasMadeOver(bases, { row, group }, { from: keptHlc, to: droppedHlc, areOwn })
      )
    );
  });
}

/** Set by the hosted instance itself, not derived by a rule that both follow. */
const areHosteds = (...stamps: readonly string[]): boolean =>
  stamps.every((stamp) => isHostedStamp(stamp) && !stamp.endsWith('!'));

/** By row, group and stamp: the stamp that an edit of this side found there; '' where it does not tell. */
type Bases = ReadonlyMap<string, string>;

function* basesOf(
  ids: ReadonlySet<string>,
  context: UnitContext,
  streamId: number = OWN_STREAM,
): Steps<Bases> {
  const logged = yield {
    sql: `select entity, id, hlc, base_json, over_json, from_hlc, to_hlc from sync_change left join sync_restamps as anew
      on anew.stream_id = sync_change.stream_id and anew.lane = sync_change.lane and anew.seq = sync_change.seq
        and anew.chain = sync_change.chain
      where sync_change.stream_id = ? and ${inList('id', context)}`,
    params: [streamId, listOf(ids)],
  };
  const bases = new Map<string, string>();
  for (const { entity, id, hlc, base_json, over_json, from_hlc, to_hlc } of logged) {
    // the change log writes both as objects of stamps by group
    const stamps = (text: unknown) =>
      typeof text === 'string' ? Object.entries(JSON.parse(text) as Record<string, string>) : [];
    const note = (group: string, stamp: string, base: string) => {
      bases.set(`${entity} ${id} ${group} ${stamp}`, base);
      // as it stands since the hosted instance set it anew
      if (typeof from_hlc === 'string' && stamp >= from_hlc)
        bases.set(`${entity} ${id} ${group} ${to_hlc}`, base);
    };
    for (const [group, base] of stamps(base_json)) note(group, String(hlc), base);
    for (const [group, stamp] of stamps(over_json)) note(group, stamp, '');
  }
  return bases;
}

function wasMadeOver(
  bases: Bases,
  { row, group }: { row: string; group: string },
  { from, to, areOwn = areHosteds }: { from: string; to: string; areOwn?: typeof areHosteds },
): boolean {
  const seen = new Set<string>();
  for (let stamp: string | undefined = from; stamp !== undefined && !seen.has(stamp); ) {
    // of two of the hosted instance's the greater one knew the smaller
    if (stamp === to || (stamp > to && areOwn(stamp, to))) return true;
    seen.add(stamp);
    // a delete names the stamp of the making for every group that was never changed
    stamp = bases.get(`${row} ${group} ${stamp}`) ?? bases.get(`${row}  ${stamp}`);
  }
  return false;
}
