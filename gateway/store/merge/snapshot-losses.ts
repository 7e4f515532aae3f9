import { comparedWithout, epochHead } from '#contract/resources/local-tables.ts';
import type { LanePoints } from '#contract/sync/wire.ts';
import { OWN_STREAM } from '../own-stream.ts';
import type { Steps, UnitContext } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { inList, listOf } from './id-lists.ts';
import type { Batch, LostEdit } from './merge.ts';

/**
 * Gateway: which of the values that lost against a snapshot, or that the snapshot lost, nobody had seen before. A
 * snapshot does not tell what its edits were made over; the gateway's own log, which is still there, tells it of the
 * gateway's. What is no longer in it was confirmed long ago, and whoever wrote over it knew it; and of what the hosted
 * instance heard it says itself whether anybody there knew it.
 */
export function* unheardOf(
  lost: readonly LostEdit[],
  { heard = null }: Batch,
  context: UnitContext,
): Steps<LostEdit[]> {
  if (lost.length === 0) return [];
  const known = yield* knownOf(lost, context, { streamId: OWN_STREAM, heard });
  return lost.filter((edit) => {
    const { group, keptHlc, droppedHlc } = edit;
    const row = `${edit.resource.entity} ${edit.id}`;
    // ours stands, made over what the hosted instance says, or the other way round
    return known.bases.has(`${row} ${group} ${keptHlc}`)
      ? !wasMadeOver(known, { row, group }, { from: keptHlc, to: droppedHlc })
      : known.bases.has(`${row} ${group} ${droppedHlc}`) &&
          !known.judged.has(`${row} ${group} ${droppedHlc}`);
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
  const known = yield* knownOf(ours, context, { streamId: OWN_STREAM });
  return news.filter(
    ({ resource, id, group, keptHlc, droppedHlc }) =>
      !wasMadeOver(known, { row: `${resource.entity} ${id}`, group }, { from: keptHlc, to: droppedHlc }),
  );
}

/**
 * Hosted: which losses are news, of a row that is told as it stands, after a comparison or when it could not be taken at
 * first. Nothing in it says what its edits were made over, and the gateway may hear of what became of it alone: whatever it
 * won against is noted here, and what it lost against, for the next comparison, or a card that went back, knows nothing of it
 * any more. Not where the gateway had heard the edit of this side, nor where anything tells that one was made
 * over the other, nor where its word of just now, which is one of `anew`, won over one that it had made itself: the comparison
 * told it of that one. A stamp of the gateway's that this side set anew looks like one of its own, and knew of nothing here.
 */
export function* unheardWhileWaiting(
  lost: readonly LostEdit[],
  batch: Batch,
  context: UnitContext,
): Steps<LostEdit[]> {
  const { streamId, changes } = batch;
  const waited = new Set(lost.filter(({ change, rule }) => change.base === null && rule === 'last_writer'));
  if (waited.size === 0) return [...lost];
  const known = yield* knownOf([...waited], context, { streamId });
  const heard = yield* heardOf([...waited], batch, context);
  const anew = new Set(changes.map((one) => one.anew));
  return lost.filter((edit) => {
    const { resource, id, group, keptHlc, droppedHlc } = edit;
    const row = `${resource.entity} ${id}`;
    return (
      !waited.has(edit) ||
      !(
        heard.has(edit) ||
        (anew.has(keptHlc) && known.ofGateway.has(droppedHlc)) ||
        wasMadeOver(known, { row, group }, { from: keptHlc, to: droppedHlc })
      )
    );
  });
}

/**
 * Hosted: of which losses had the gateway heard the edit of this side when it told its own? It had what it confirmed; but a
 * comparison takes its cursor past everything, also past what was told of farms that it does not run just then, of which no
 * snapshot tells, and its card may have gone back. A row that it tells after a comparison, and that need not wait, is of a farm
 * of which the snapshot told: it had all of the row but what the feed brings it next.
 */
function* heardOf(
  lost: readonly LostEdit[],
  { streamId, changes }: Batch,
  context: UnitContext,
): Steps<ReadonlySet<LostEdit>> {
  const [stream] = yield {
    sql: `select acked_core_seq, (select count(*) from instance_values where id = ?) as farms_away,
        (select value from instance_values where id = ?) as epoch_head
      from sync_stream where stream_id = ?`,
    params: [comparedWithout(streamId), epochHead(streamId), streamId],
  };
  const rows = yield {
    sql: `select seq, entity, id, hlc, base_json, over_json from sync_change
      where stream_id = ? and lane = 'core' and ${inList('id', context)}`,
    params: [streamId, idsOf(lost)],
  };
  // what stood in the feed when the epoch began was in the snapshot; its first push comes before it confirms that
  const confirmed = Math.max(Number(stream?.['epoch_head'] ?? 0), Number(stream?.['acked_core_seq']));
  const [came, coming] = [true, false].map((is) => rows.filter(({ seq }) => Number(seq) <= confirmed === is));
  const hasAll = Number(stream?.['farms_away']) === 0;
  const had = new Set(
    (came ?? []).flatMap(({ entity, id, hlc, base_json }) =>
      hasAll && base_json !== null ? [`${entity} ${id} ${hlc}`] : [],
    ),
  );
  const comes = new Set(
    (coming ?? []).flatMap(({ entity, id, hlc, over_json }) =>
      [hlc, ...stampsIn(over_json).map(([, stamp]) => stamp)].map((stamp) => `${entity} ${id} ${stamp}`),
    ),
  );
  const fresh = new Set(changes.flatMap(({ change, parkedId }) => (parkedId === null ? [change] : [])));
  const isHeard = ({ resource, id, group, change, droppedHlc }: LostEdit): boolean => {
    const stamp = `${resource.entity} ${id} ${droppedHlc}`;
    if (!fresh.has(change)) return had.has(stamp);
    return (change.over?.[group] ?? change.hlc) !== droppedHlc && !comes.has(stamp);
  };
  return new Set(lost.filter(isHeard));
}

/** Set by the hosted instance itself, not derived by a rule that both follow. */
const areHosteds = (...stamps: readonly string[]): boolean =>
  stamps.every((stamp) => isHostedStamp(stamp) && !stamp.endsWith('!'));

/** What this side knows of the edits of some rows. */
type KnownOf = {
  /** By row, group and stamp: the stamp that an edit of this side found there; '' where nothing tells. */
  bases: ReadonlyMap<string, string>;
  /** Gateway: stamps, by the same, of which the hosted instance says itself whether anybody there knew them. */
  judged: ReadonlySet<string>;
  /** Stamps that the hosted instance set in place of a gateway's: they look like its own, and knew of nothing there. */
  ofGateway: ReadonlySet<unknown>;
};

const idsOf = (lost: readonly LostEdit[]) => listOf(new Set(lost.map(({ id }) => id)));

/** The change log writes them as objects of stamps by group. */
const stampsIn = (text: unknown): [group: string, stamp: string][] =>
  typeof text === 'string' ? Object.entries(JSON.parse(text) as Record<string, string>) : [];

function* knownOf(
  lost: readonly LostEdit[],
  context: UnitContext,
  { streamId, heard = null }: { streamId: number; heard?: LanePoints | null },
): Steps<KnownOf> {
  const logged = yield {
    sql: `select sync_change.lane, sync_change.seq, entity, id, hlc, base_json, over_json, from_hlc, to_hlc
      from sync_change left join sync_restamps as anew
      on anew.stream_id = sync_change.stream_id and anew.lane = sync_change.lane and anew.seq = sync_change.seq
        and anew.chain = sync_change.chain
      where sync_change.stream_id = ? and ${inList('id', context)}`,
    params: [streamId, idsOf(lost)],
  };
  const stamps = new Set(lost.flatMap(({ keptHlc, droppedHlc }) => [keptHlc, droppedHlc]));
  const setAnew = yield {
    sql: `select to_hlc from sync_restamps where stream_id = ? and ${inList('to_hlc', context)}`,
    params: [streamId, listOf(stamps)],
  };
  const ofGateway = new Set([...setAnew, ...logged].map(({ to_hlc }) => to_hlc));
  const bases = new Map<string, string>();
  const judged = new Set<string>();
  for (const { lane, seq, entity, id, hlc, base_json, over_json, from_hlc, to_hlc } of logged) {
    const isJudged = Number(seq) <= (heard?.[lane === 'history' ? 'history' : 'core'].seq ?? 0);
    const note = (group: string, told: string, base: string) => {
      // as it was told, and as it stands since the hosted instance set it anew
      const isAnew = typeof from_hlc === 'string' && told >= from_hlc;
      for (const stamp of isAnew ? [told, String(to_hlc)] : [told]) {
        const key = `${entity} ${id} ${group} ${stamp}`;
        // a row that is told as it stands says nothing of what its edits were made over; the edit itself does
        if (base !== '' || !bases.has(key)) bases.set(key, base);
        if (isJudged) judged.add(key);
      }
    };
    for (const [group, base] of stampsIn(base_json)) note(group, String(hlc), base);
    for (const [group, stamp] of stampsIn(over_json)) note(group, stamp, '');
  }
  const away = yield {
    sql: `select entity, id, field_group, hlc, base_hlc from sync_bases where ${inList('id', context)}`,
    params: [idsOf(lost)],
  };
  for (const { entity, id, field_group, hlc, base_hlc } of away)
    bases.set(`${entity} ${id} ${field_group} ${hlc}`, String(base_hlc));
  return { bases, judged, ofGateway };
}

function wasMadeOver(
  { bases, ofGateway }: KnownOf,
  { row, group }: { row: string; group: string },
  { from, to }: { from: string; to: string },
): boolean {
  const seen = new Set<string>();
  const areOwn = (...two: readonly string[]) => areHosteds(...two) && !two.some((hlc) => ofGateway.has(hlc));
  for (let stamp: string | undefined = from; stamp !== undefined && !seen.has(stamp); ) {
    // of two of the hosted instance's the greater one knew the smaller
    if (stamp === to || (stamp > to && areOwn(stamp, to))) return true;
    seen.add(stamp);
    // a delete names the stamp of the making for every group that was never changed
    stamp = bases.get(`${row} ${group} ${stamp}`) ?? bases.get(`${row}  ${stamp}`);
  }
  return false;
}
