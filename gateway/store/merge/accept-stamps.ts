import type { WireChange } from '#contract/sync/wire.ts';
import type { Incoming } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ChangeLog } from '../change-log.ts';
import { formatHlc } from '../hlc.ts';
import type { Steps, UnitContext } from '../statements.ts';
import { insertMany } from './write-rows.ts';

/** How far a gateway's clock may be ahead. A stamp beyond would win against everybody until that time comes. */
export const MOST_AHEAD_MS = 5 * 60_000;

/**
 * Hosted: takes note of the stamps of a batch. Those too far in the future are set anew, once and in their order, and
 * noted for the gateway: nobody else has seen them, so nobody is misled. The same change again gets the same stamp.
 */
export function* acceptStamps(
  incoming: Incoming,
  log: ChangeLog,
  context: UnitContext,
): Steps<readonly WireChange[]> {
  const limit = formatHlc(context.nowMs + MOST_AHEAD_MS, 0xffff, 'ffffffff');
  const { changes, streamId, lane } = incoming;
  const isLate = (change: WireChange): boolean => stampsOf(change).some((stamp) => stamp > limit);
  if (incoming.from === 'hosted' || !changes.some(isLate)) {
    for (const change of changes) for (const stamp of stampsOf(change)) log.seen(stamp);
    return changes;
  }
  // found by a comparison: it has no number to be known by, and comes with its own change as well
  if (incoming.isRepair === true) return changes.filter((change) => !isLate(change));
  const epoch = log.state.streams.get(streamId)?.epoch ?? 1;
  const known = yield* knownRestamps(incoming, epoch);
  const noted: Record<string, string | number>[] = [];
  const accepted = changes.map((change) => {
    if (!isLate(change)) {
      for (const stamp of stampsOf(change)) log.seen(stamp);
      return change;
    }
    const from = earliest(stampsOf(change).filter((stamp) => stamp > limit));
    const to = known.get(`${change.seq} ${change.chain}`) ?? log.stamp(null);
    noted.push({
      stream_id: streamId,
      epoch,
      lane,
      seq: change.seq,
      chain: change.chain,
      from_hlc: from,
      to_hlc: to,
      restamped_at: isoOf(context.nowMs),
    });
    return restamped(change, from, to);
  });
  yield* insertMany(
    {
      table: 'sync_restamps',
      columns: ['stream_id', 'epoch', 'lane', 'seq', 'chain', 'from_hlc', 'to_hlc', 'restamped_at'],
      rows: noted,
      conflict: `on conflict (stream_id, epoch, lane, seq) do update set chain = excluded.chain,
        from_hlc = excluded.from_hlc, to_hlc = excluded.to_hlc, restamped_at = excluded.restamped_at`,
    },
    context,
  );
  return inBases(accepted, noted);
}

const earliest = (stamps: readonly string[]): string =>
  stamps.reduce((least, stamp) => (stamp < least ? stamp : least));

export const stampsOf = ({ hlc, over }: Pick<WireChange, 'hlc' | 'over'>): string[] => [
  hlc,
  ...Object.values(over ?? {}),
];

/** A change whose stamps from `from` on are `to`: both sides do the same with what was sent. */
export function restamped(change: WireChange, from: string, to: string): WireChange {
  const set = (stamp: string): string => (stamp >= from ? to : stamp);
  return { ...change, hlc: set(change.hlc), over: change.over === null ? null : mapped(change.over, set) };
}

export const mapped = (
  stamps: Readonly<Record<string, string>>,
  set: (stamp: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(stamps).map(([group, stamp]) => [group, set(stamp)]));

/** Later changes of the batch were made over stamps that are others now. */
function inBases(
  changes: readonly WireChange[],
  noted: readonly Record<string, string | number>[],
): WireChange[] {
  const toByFrom = new Map(noted.map(({ from_hlc, to_hlc }) => [String(from_hlc), String(to_hlc)]));
  return changes.map((change) =>
    change.base === null
      ? change
      : { ...change, base: mapped(change.base, (stamp) => toByFrom.get(stamp) ?? stamp) },
  );
}

function* knownRestamps({ streamId, lane, changes }: Incoming, epoch: number): Steps<Map<string, string>> {
  const seqs = changes.map(({ seq }) => seq);
  const stored = yield {
    sql: `select seq, chain, to_hlc from sync_restamps where stream_id = ? and epoch = ? and lane = ? and seq >= ? and seq <= ?`,
    params: [streamId, epoch, lane, Math.min(...seqs), Math.max(...seqs)],
  };
  return new Map(stored.map((row) => [`${row['seq']} ${row['chain']}`, String(row['to_hlc'])]));
}
