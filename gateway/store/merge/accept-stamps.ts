import type { Resource } from '#contract/resource.ts';
import { OPS, type Restamp, type WireChange } from '#contract/sync/wire.ts';
import type { Incoming } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ChangeLog, StreamHead } from '../change-log.ts';
import { formatHlc, readHlc } from '../hlc.ts';
import { OWN_STREAM } from '../own-stream.ts';
import {
  LIFE,
  newestOf,
  type Register,
  type Rows,
  readRegister,
  type Steps,
  type UnitContext,
  writeRegister,
} from '../register.ts';
import { inPlaceOfGateways, isHostedStamp } from '../sync-node.ts';
import { type StoredChange, textOf, wireChangeOf } from './canonical-change.ts';
import { stampOf } from './claims.ts';
import type { Held } from './edit.ts';
import { inList, listOf } from './id-lists.ts';
import { setRegisters } from './set-registers.ts';
import { resourceOfEntity } from './shared-tables.ts';
import { registersByIds } from './whole-rows.ts';
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
  const { changes, streamId, lane } = incoming;
  const limits = incoming.from === 'hosted' ? null : yield* limitsOf(changes, log, context);
  const lateOf = (change: WireChange): string[] =>
    limits === null ? [] : stampsOf(change).filter((stamp) => stamp > limits.of(change));
  const isLate = (change: WireChange): boolean => lateOf(change).length > 0;
  const epoch = log.state.streams.get(streamId)?.epoch ?? 1;
  if (!changes.some(isLate)) {
    for (const change of changes) for (const stamp of stampsOf(change)) log.seen(stamp);
    return limits === null ? changes : inBases(changes, yield* setAnewBefore(incoming, epoch, context));
  }
  // found by a comparison: it has no number to be known by, and comes with its own change as well
  if (incoming.isRepair === true) return changes.filter((change) => !isLate(change));
  const known = yield* knownRestamps(incoming, epoch);
  const noted: Record<string, string | number>[] = [];
  const accepted = changes.map((change) => {
    if (!isLate(change)) {
      for (const stamp of stampsOf(change)) log.seen(stamp);
      return change;
    }
    const from = earliest(lateOf(change));
    const after = limits?.here.get(rowOf(change)) ?? null;
    const to = known.get(`${change.seq} ${change.chain}`) ?? inPlaceOfGateways(log.stamp(after));
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
  yield* noteRestamps(noted, context);
  return inBases(accepted, [...(yield* setAnewBefore(incoming, epoch, context)), ...noted]);
}

type Limits = {
  /** The last stamp of a change that is not too far in the future. */
  of: (change: WireChange) => string;
  /** The newest stamp of rows that are here, where any was looked for. */
  here: ReadonlyMap<string, string>;
};

const rowOf = ({ entity, id }: Pick<WireChange, 'entity' | 'id'>): string => `${entity} ${id}`;

/**
 * What this stream has seen is no future, though a clock that is behind says so: whatever is stamped here next is later. Set
 * anew, a word that this instance knows would win over what was made over it. Nor is what stands in the row here, which the
 * stream need not have seen: a farm is edited while it has no gateway, and comes to one.
 */
function* limitsOf(changes: readonly WireChange[], log: ChangeLog, context: UnitContext): Steps<Limits> {
  const limit = limitOf(log, context);
  const late = changes.filter((change) => stampsOf(change).some((stamp) => stamp > limit));
  const here = new Map<string, string>();
  for (const [entity, told] of Map.groupBy(late, (change) => change.entity)) {
    const resource = resourceOfEntity(entity);
    if (resource === null) continue;
    const registers = yield* registersByIds(resource, new Set(told.map(({ id }) => id)), context);
    for (const [id, register] of registers) here.set(rowOf({ entity, id }), newestOf(register));
  }
  return {
    of(change) {
      const newest = here.get(rowOf(change)) ?? '';
      return newest > limit ? newest : limit;
    },
    here,
  };
}

function limitOf({ state }: ChangeLog, { nowMs }: UnitContext): string {
  const ahead = formatHlc(nowMs + MOST_AHEAD_MS, 0xffff, 'ffffffff');
  if (state.hlc === null || state.hlc < ahead) return ahead;
  const { ms, counter } = readHlc(state.hlc);
  return formatHlc(ms, counter, 'ffffffff');
}

function* noteRestamps(rows: Parameters<typeof insertMany>[0]['rows'], context: UnitContext): Steps<void> {
  yield* insertMany(
    {
      table: 'sync_restamps',
      columns: ['stream_id', 'epoch', 'lane', 'seq', 'chain', 'from_hlc', 'to_hlc', 'restamped_at'],
      rows,
      conflict: `on conflict (stream_id, epoch, lane, seq) do update set chain = excluded.chain,
        from_hlc = excluded.from_hlc, to_hlc = excluded.to_hlc, restamped_at = excluded.restamped_at`,
    },
    context,
  );
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

/**
 * Stamps of earlier batches that were set anew, of those that the changes were made over: the gateway tells its next change
 * before it has heard of that.
 */
function* setAnewBefore(
  { streamId, changes }: Incoming,
  epoch: number,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  const bases = new Set(
    changes.flatMap(({ base }) => Object.values(base ?? {}).filter((stamp) => !isHostedStamp(stamp))),
  );
  if (bases.size === 0) return [];
  return yield {
    sql: `select from_hlc, to_hlc from sync_restamps where stream_id = ? and epoch = ? and ${inList('from_hlc', context)}`,
    params: [streamId, epoch, listOf(bases)],
  };
}

/** Changes that were made over stamps that are others now. */
function inBases(
  changes: readonly WireChange[],
  noted: readonly Readonly<Record<string, unknown>>[],
): readonly WireChange[] {
  if (noted.length === 0) return changes;
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

// Stamps of a row as a whole: of its making, of the last change of any group, of its last delete or restore.

/** The stamp of a delete or restore stays: it is of no group that the making could stand for. */
export const withoutMaking = (hlc: string, over: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(over).filter(([group, stamp]) => group === LIFE || stamp !== hlc));

/** Without the stamp of the last delete or restore. */
export const editable = (over: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(over).filter(([group]) => group !== LIFE));

/** The newest stamp of what is changed of the row: of its making or of any group. */
export const newestEditOf = (stamps: Pick<Register, 'hlc' | 'over'>): string =>
  newestOf({ cl: 1, hlc: stamps.hlc, over: editable(stamps.over) });

/** Does its `updated_at` count? That of the newest edit does; under one stamp the later moment, on both sides alike. */
export function isLaterEdit(edit: { stamp: string; at: unknown }, { row, register }: Held): boolean {
  const own = newestEditOf(register);
  return edit.stamp === own ? textOf(edit.at) > textOf(row['updated_at']) : edit.stamp > own;
}

/** The greater causal length wins, then the greater stamp of it. */
export function laterLife(
  register: Register,
  other: { cl: number; stamp: string },
): { cl: number; over: Record<string, string> } {
  const own = register.over[LIFE] ?? '';
  const stamp = other.cl > register.cl || (other.cl === register.cl && other.stamp > own) ? other.stamp : own;
  return { cl: Math.max(register.cl, other.cl), over: stamp === '' ? {} : { [LIFE]: stamp } };
}

/**
 * Gateway: stamps that the hosted instance set anew, in the registers of the rows. The log keeps what was sent: its chain
 * covers the original stamps, and a later push of it is known over there by that chain. Then the clock of the log comes
 * back from the future, as far as nothing that is still to be sent was stamped there. Answers changes that were dropped
 * here, for the other side's stamp was greater than their first one, and that count by their new one.
 */
export function* takeRestamps(
  restamps: readonly Restamp[],
  log: ChangeLog,
  context: UnitContext,
): Steps<WireChange[]> {
  const stream = log.state.streams.get(OWN_STREAM);
  const due = restamps.filter(({ epoch }) => epoch === stream?.epoch);
  if (stream === undefined || due.length === 0) return [];
  const again: WireChange[] = [];
  for (const restamp of due) again.push(...(yield* takeRestamp(restamp)));
  yield* noteTaken(due, context);
  yield* comeBack(stream, due, log);
  return again;
}

/**
 * Gateway: a card that went back beyond the beginning of an epoch knows nothing of the log in which its edits were told
 * later, and set anew. By the stamps themselves, which nobody sets twice, its registers get what they became: else an old
 * word from a future clock would win against what was written over it since.
 */
export function* takeLaterRestamps(
  restamps: readonly Restamp[],
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const epoch = log.state.streams.get(OWN_STREAM)?.epoch;
  const later = restamps.filter(
    (restamp) =>
      epoch !== undefined &&
      restamp.epoch > epoch &&
      !isHostedStamp(restamp.from) &&
      isHostedStamp(restamp.to),
  );
  if (later.length === 0) return;
  const toByFrom = new Map<string, string>();
  for (const { from, to } of later) if (to > (toByFrom.get(from) ?? '')) toByFrom.set(from, to);
  const least = earliest([...toByFrom.keys()]);
  // a stamp is longer than what it begins with, and so greater
  yield* setRegisters(least.slice(0, -1), (register) => setAsTold(register, toByFrom, context.node), context);
}

/** What was told with it is set with it; but not what was written here since the start. */
function setAsTold(register: Register, toByFrom: ReadonlyMap<string, string>, node: string): Register {
  const known = [register.hlc, ...Object.values(register.over)].filter((stamp) => toByFrom.has(stamp));
  if (known.length === 0) return register;
  const from = earliest(known);
  const to = toByFrom.get(from) ?? from;
  const set = (stamp: string): string =>
    toByFrom.get(stamp) ??
    (stamp > from && !isHostedStamp(stamp) && !stamp.includes(`.${node}`) ? to : stamp);
  return { ...register, hlc: set(register.hlc), over: mapped(register.over, set) };
}

/** The log keeps the stamps it was sent with: what a register says since then is told apart from a stranger's by these. */
function* noteTaken(due: readonly Restamp[], context: UnitContext): Steps<void> {
  const restamped_at = isoOf(context.nowMs);
  const rows = due.map(({ epoch, lane, seq, chain, from, to }) => ({
    stream_id: OWN_STREAM,
    epoch,
    lane,
    seq,
    chain,
    from_hlc: from,
    to_hlc: to,
    restamped_at,
  }));
  yield* noteRestamps(rows, context);
}

function* takeRestamp({ lane, seq, chain, from, to }: Restamp): Steps<WireChange[]> {
  const [sent] = yield {
    sql: 'select * from sync_change where stream_id = ? and lane = ? and seq = ? and chain = ?',
    params: [OWN_STREAM, lane, seq, chain],
  };
  const resource = sent === undefined ? null : resourceOfEntity(Number(sent['entity']));
  if (sent === undefined || resource === null) return [];
  const id = String(sent['id']);
  const register = yield* readRegister(resource, id);
  if (register === null) return [];
  const known = withRestamp(register, sent, { from, to });
  yield* writeRegister(resource, id, known);
  // a delete goes by its causal length
  if (sent['op'] === OPS.delete || resource.sync === 'fact') return [];
  // all columns of the row
  const change = restamped(wireChangeOf(sent as unknown as StoredChange), from, to);
  return groupsOf(resource, change).some((group) => stampOf(known, group) < toldStamp(change, group))
    ? [change]
    : [];
}

const groupsOf = ({ groups }: Resource, { base, body }: WireChange): string[] =>
  Object.keys(groups).filter((group) => base === null || Object.hasOwn(body ?? {}, group));

const toldStamp = ({ hlc, over }: WireChange, group: string): string => over?.[group] ?? hlc;

function withRestamp(
  register: Register,
  sent: Rows[number],
  { from, to }: Pick<Restamp, 'from' | 'to'>,
): Register {
  const over = { ...register.over };
  const replace = (group: string, stamp: string): void => {
    if (stamp >= from && over[group] === stamp) over[group] = to;
  };
  const hlc = String(sent['hlc']);
  if (sent['op'] === OPS.delete) {
    replace(LIFE, hlc);
    return { ...register, over };
  }
  if (sent['base_json'] !== null) {
    // written by the change log: an object by group
    const groups = Object.keys(JSON.parse(String(sent['body_json'])) as object);
    for (const group of groups) replace(group, hlc);
    return { ...register, over };
  }
  // as above: an object of stamps
  const told = JSON.parse(textOf(sent['over_json']) || '{}') as Record<string, string>;
  for (const [group, stamp] of Object.entries(told)) replace(group, stamp);
  return { ...register, hlc: hlc >= from && register.hlc === hlc ? to : register.hlc, over };
}

function* comeBack(stream: StreamHead, due: readonly Restamp[], log: ChangeLog): Steps<void> {
  let newest = due.reduce((last, { to }) => (to > last ? to : last), '');
  for (const lane of ['core', 'history'] as const) {
    const accepted = Math.max(0, ...due.filter((restamp) => restamp.lane === lane).map(({ seq }) => seq));
    const [unsent] = yield {
      sql: `select max(hlc) as hlc from sync_change where stream_id = ? and lane = ? and seq > ?
        and seq > (select acked_${lane}_seq from sync_stream where stream_id = ?)`,
      params: [stream.id, lane, accepted, stream.id],
    };
    const hlc = unsent?.['hlc'];
    if (typeof hlc === 'string' && hlc > newest) newest = hlc;
  }
  log.comeBack(newest);
}
