import { TIME_RETURNS_TAKEN } from '#contract/resources/local-tables.ts';
import type { TimeReturn, WireChange } from '#contract/sync/wire.ts';
import type { HeardReturns } from '#core/changes.ts';
import type { ChangeLog } from '../change-log.ts';
import { formatHlc, nextHlc, readHlc } from '../hlc.ts';
import { OWN_STREAM } from '../own-stream.ts';
import { type Register, type Rows, type Steps, type UnitContext } from '../register.ts';
import { MOST_AHEAD_MS, mapped, stampsOf } from './accept-stamps.ts';
import { textOf } from './canonical-change.ts';
import { eachRegister, newestIn, setRegisters } from './set-registers.ts';

// Stamps from a future that will not be waited for. Hosted processes once stamped by their own clocks, and one whose clock
// was years ahead drew whole streams along with it: whatever a gateway wrote was "too far ahead" for good. The hosted
// instance brings such stamps back, in their order, to right behind everything that was stamped rightly in those rows: an
// edit stays later than the one it was made over, and all edits to come are later still. A gateway brings its own back
// before the first page of the comparison, as far as it had told them to just before: the hosted instance knows them and
// what was made over them. What it has not told yet is newer than both.

/** Within this time behind a return the stamps that the hosted instance brought back lie: 65 million of them. */
const BEHIND_MS = 1_000;
const PER_MS = 0x1_0000;
/** Why the gateways of such streams compare everything. */
export const STAMPS_CAME_BACK = 'stamps came back';

/** Beyond it a stamp is none that any clock in order could have set. */
export const stampLimit = (nowMs: number): string => lastStampOf(nowMs + MOST_AHEAD_MS);
const lastStampOf = (ms: number): string => formatHlc(ms, 0xffff, 'ffffffff');

/** Millisecond and counter, without the node: what two stamps are told apart by in time. */
const MOMENT = 17;

/** Stamps of a future by their moments, and the newest stamp before it in the rows that have some. */
type Future = { moments: readonly string[]; newestBefore: string };

function futureOf(stamps: Iterable<string>, limit: string): Future {
  const moments = new Set<string>();
  let newestBefore = '';
  for (const stamp of stamps) {
    if (stamp > limit) moments.add(stamp.slice(0, MOMENT));
    else if (stamp > newestBefore) newestBefore = stamp;
  }
  return { moments: [...moments].toSorted(), newestBefore };
}

/** How many moments are earlier. */
function placeOf(moments: readonly string[], stamp: string): number {
  const moment = stamp.slice(0, MOMENT);
  let [from, to] = [0, moments.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((moments[middle] ?? '') < moment) from = middle + 1;
    else to = middle;
  }
  return from;
}

const stampAt = (ms: number, place: number, { node }: { node: string }): string =>
  formatHlc(ms + Math.floor(place / PER_MS), ((place % PER_MS) + PER_MS) % PER_MS, node);

/** On the hosted instance: in their order right behind the return, so that none comes to lie before what it was made over. */
const behind = (
  { moments }: Future,
  { returned_ms }: Pick<TimeReturn, 'returned_ms'>,
  stamp: string,
): string => stampAt(returned_ms + 1, placeOf(moments, stamp), readHlc(stamp));

/** On a gateway: in their order right before it. */
const before = (
  { moments }: Future,
  { returned_ms }: Pick<TimeReturn, 'returned_ms'>,
  stamp: string,
): string => stampAt(returned_ms + 1, placeOf(moments, stamp) - moments.length, readHlc(stamp));

/** Hosted: brings everything back that lies in the future. Answers how much that was. */
export function* returnStamps(
  log: ChangeLog,
  context: UnitContext,
): Steps<{ rows: number; streams: number }> {
  // rows that no stream hears of are stamped without one
  if (context.dialect === 'postgres')
    yield { sql: 'lock table sync_register in share row exclusive mode', params: [] };
  const limit = stampLimit(context.nowMs);
  // behind the registers, as units that no stream hears of lock it
  yield {
    sql: 'update sync_stream set hlc = ? where stream_id = ? and hlc > ?',
    params: [formatHlc(context.nowMs, 0, context.node), OWN_STREAM, limit],
  };
  const newest = yield* newestBeyond(limit, log, context);
  if (newest === null) return { rows: 0, streams: 0 };
  const future = futureOf([newest, ...(yield* stampsBeyond(limit, context))], limit);
  const known: TimeReturn = {
    limit_ms: readHlc(limit).ms,
    newest_ms: readHlc(newest).ms,
    returned_ms: Math.max(Math.floor(context.nowMs), readHlc(future.newestBefore).ms || 0),
  };
  const set = (stamp: string): string => (stamp > limit ? behind(future, known, stamp) : stamp);
  const streams = yield* compareThoseWhoKnow(limit, context);
  const rows = yield* setRegisters(limit, (register) => withStamps(register, set), context);
  yield* setRestamps(limit, set);
  yield* setConflicts(limit, set);
  yield* setParked(limit, set);
  yield* setBases(limit, set);
  log.comeBack(set(newest));
  // in the order in which they were: a clock that was behind returned to before the others
  const [earlier] = yield { sql: 'select count(*) as returns from sync_time_returns', params: [] };
  // behind those of before, which began with the milliseconds since 1970
  const id = `9${String(earlier?.['returns']).padStart(12, '0')} ${context.node}`;
  yield {
    sql: 'insert into sync_time_returns (id, limit_ms, newest_ms, returned_ms) values (?, ?, ?, ?)',
    params: [id, known.limit_ms, known.newest_ms, known.returned_ms],
  };
  return { rows, streams };
}

/**
 * Gateway: brings its own stamps back as the hosted instance did, by each return once. What it has not told yet is stamped by
 * when it was written, for nobody else knows it: it wins over what was written before, there or here, or had been brought
 * back. A return is gone by as it was: meanwhile a clock that had been behind may be right, and the time of stamps that
 * were ahead may have come. Of one from before this gateway heard of any, what lies ahead even now comes back.
 */
export function* followReturns(
  { returns, hostedNowMs }: HeardReturns,
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const ahead = stampLimit(hostedNowMs);
  const taken = yield* takenReturns();
  const fresh = returns.filter((one) => taken?.has(nameOf(one)) !== true);
  for (const [place, one] of fresh.entries()) {
    const limit = taken === null ? ahead : lastStampOf(one.limit_ms);
    const isOf = (stamp: string): boolean =>
      stamp > limit && (readHlc(stamp).ms <= one.newest_ms || (place === fresh.length - 1 && stamp > ahead));
    yield* followReturn({ one, limit, isOf, hostedNowMs }, log, context);
  }
  if (fresh.length === 0 && taken !== null) return;
  yield {
    sql: 'insert into instance_values (id, value) values (?, ?) on conflict (id) do update set value = excluded.value',
    params: [TIME_RETURNS_TAKEN, JSON.stringify(returns.map(nameOf))],
  };
}

const nameOf = ({ limit_ms, newest_ms, returned_ms }: TimeReturn): string =>
  `${limit_ms} ${newest_ms} ${returned_ms}`;

/** null: it has not heard of any yet, or of none. */
function* takenReturns(): Steps<ReadonlySet<string> | null> {
  const [stored] = yield {
    sql: 'select value from instance_values where id = ?',
    params: [TIME_RETURNS_TAKEN],
  };
  // written above
  return stored === undefined ? null : new Set(JSON.parse(String(stored['value'])) as string[]);
}

type Followed = {
  one: TimeReturn;
  limit: string;
  /** Is it one that the hosted instance brought back? */
  isOf: (stamp: string) => boolean;
  hostedNowMs: number;
};

function* followReturn(
  { one, limit, isOf, hostedNowMs }: Followed,
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const stamps = yield* stampsBeyond(limit, context);
  const { newestBefore } = futureOf(stamps, limit);
  const future = futureOf(stamps.filter(isOf), limit);
  const floorOf = (stamp: string): string => {
    const floor = formatHlc(one.returned_ms + BEHIND_MS, 0, readHlc(stamp).node);
    return floor > newestBefore ? floor : newestBefore;
  };
  const untold = yield* untoldBeyond(limit, { floorOf, hostedNowMs }, context);
  let newest = formatHlc(hostedNowMs, 0, context.node);
  const set = (stamp: string): string => {
    const to = untold.get(stamp) ?? (isOf(stamp) ? before(future, one, stamp) : stamp);
    if (to > newest) newest = to;
    return to;
  };
  yield* setRegisters(limit, (register) => withStamps(register, set), context);
  yield* setConflicts(limit, set);
  yield* setOwnLog(limit, set, context);
  log.comeBack(newest);
}

/**
 * Of the log, which is not told any more, this comparison still learns what an edit was made over: whether somebody's edit
 * was lost hangs on it.
 */
function* setOwnLog(limit: string, set: (stamp: string) => string, context: UnitContext): Steps<void> {
  const stored = yield {
    sql: `select lane, seq, hlc, base_json, over_json from sync_change where stream_id = ? and
      (hlc > ? or ${newestIn('base_json', context)} > ? or ${newestIn('over_json', context)} > ?)`,
    params: [OWN_STREAM, limit, limit, limit],
  };
  const setAll = (json: unknown): string | null =>
    // written by the change log: an object of stamps
    typeof json === 'string' ? JSON.stringify(mapped(JSON.parse(json) as Record<string, string>, set)) : null;
  for (const row of stored)
    yield {
      sql: `update sync_change set hlc = ?, base_json = ?, over_json = ? where stream_id = ? and lane = ? and seq = ?`,
      params: [
        set(String(row['hlc'])),
        setAll(row['base_json']),
        setAll(row['over_json']),
        OWN_STREAM,
        String(row['lane']),
        Number(row['seq']),
      ],
    };
}

/** Own changes from the future that the other side has not confirmed, and their stamps by the time they were written. */
function* untoldBeyond(
  limit: string,
  { floorOf, hostedNowMs }: { floorOf: (stamp: string) => string; hostedNowMs: number },
  context: UnitContext,
): Steps<Map<string, string>> {
  const stored = yield {
    sql: `select hlc, body_json, boot_id, monotonic_ms from sync_change where stream_id = ? and hlc > ? and seq >
      (select case sync_change.lane when 'core' then acked_core_seq else acked_history_seq end from sync_stream where stream_id = ?)
      order by hlc`,
    params: [OWN_STREAM, limit, OWN_STREAM],
  };
  const stamps = new Map<string, string>();
  let last = '';
  for (const row of stored) {
    const stamp = String(row['hlc']);
    const ownMs = readHlc(stamp).ms;
    // a time that has come may well be right
    const writtenMs = Math.min(
      hostedNowMs,
      writtenAt(row, { hostedNowMs, context }) || (ownMs <= hostedNowMs ? ownMs : 0),
    );
    const earliest = floorOf(stamp);
    const floor = earliest > last ? earliest : last;
    last = nextHlc(floor, writtenMs, readHlc(stamp).node);
    stamps.set(stamp, last);
  }
  return stamps;
}

/** By the time that went by since then, or by what the row says of itself; 0: nothing tells. */
function writtenAt(
  row: Rows[number],
  { hostedNowMs, context }: { hostedNowMs: number; context: UnitContext },
): number {
  if (row['boot_id'] === context.bootId)
    return hostedNowMs - (context.monotonicMs - Number(row['monotonic_ms']));
  // written by the change log: an object
  const body = JSON.parse(textOf(row['body_json']) || '{}') as Record<string, unknown>;
  return Date.parse(textOf(body['updated_at'])) || 0;
}

/** What edits of the future were made over: the other side may have it still, by a clock that is a little ahead. */
function* replacedBy(limit: string, context: UnitContext): Steps<string[]> {
  const [base] = yield {
    sql: `select max(value) as hlc from (select ${newestIn('base_json', context)} as value from sync_change
      where hlc > ? and base_json is not null) as bases where value <= ?`,
    params: [limit, limit],
  };
  // of an own edit that was set anew meanwhile the log names the stamp of before
  const [anew] = yield {
    sql: 'select max(to_hlc) as hlc from sync_restamps where to_hlc <= ?',
    params: [limit],
  };
  return [textOf(base?.['hlc']), textOf(anew?.['hlc'])];
}

/** All stamps of what has one beyond, of rows and of what is kept beside them. */
function* stampsBeyond(limit: string, context: UnitContext): Steps<string[]> {
  const stamps: string[] = [];
  const noted = (slice: readonly { register: Register }[]): null => {
    for (const { register } of slice) stamps.push(register.hlc, ...Object.values(register.over));
    return null;
  };
  yield* eachRegister(limit, noted, context);
  for (const { to_hlc } of yield restampsBeyond(limit)) stamps.push(String(to_hlc));
  stamps.push(...(yield* replacedBy(limit, context)));
  for (const row of yield conflictsBeyond(limit))
    stamps.push(textOf(row['kept_hlc']), textOf(row['dropped_hlc']));
  for (const { change } of yield* parkedBeyond(limit)) stamps.push(...stampsOf(change));
  return stamps;
}

function* newestBeyond(limit: string, log: ChangeLog, context: UnitContext): Steps<string | null> {
  const [found] = yield {
    sql: `select max(hlc) as made, max(${newestIn('over_json', context)}) as edited from sync_register`,
    params: [],
  };
  const stamps = [log.state.hlc, found?.['made'], found?.['edited']].map(textOf);
  const newest = stamps.reduce((most, stamp) => (stamp > most ? stamp : most), '');
  return newest > limit ? newest : null;
}

/** Streams that were drawn along, and those that were told of such rows. Nothing is taken of them until they compared. */
function* compareThoseWhoKnow(limit: string, context: UnitContext): Steps<number> {
  const marked = yield {
    sql: `update sync_stream set resync = ? where stream_id <> ? and (hlc > ? or exists (select 1 from sync_change
      where sync_change.stream_id = sync_stream.stream_id and (sync_change.hlc > ?
        or ${newestIn('sync_change.over_json', context)} > ?))) returning stream_id`,
    params: [STAMPS_CAME_BACK, OWN_STREAM, limit, limit, limit],
  };
  return marked.length;
}

const withStamps = (register: Register, set: (stamp: string) => string): Register => ({
  ...register,
  hlc: set(register.hlc),
  over: mapped(register.over, set),
});

const restampsBeyond = (limit: string) => ({
  sql: 'select distinct to_hlc from sync_restamps where to_hlc > ?',
  params: [limit],
});

/** What gateways are still told of stamps that were set anew. */
function* setRestamps(limit: string, set: (stamp: string) => string): Steps<void> {
  for (const row of yield restampsBeyond(limit)) {
    const stamp = String(row['to_hlc']);
    yield { sql: 'update sync_restamps set to_hlc = ? where to_hlc = ?', params: [set(stamp), stamp] };
  }
}

const conflictsBeyond = (limit: string) => ({
  sql: 'select id, kept_hlc, dropped_hlc from sync_conflicts where kept_hlc > ? or dropped_hlc > ?',
  params: [limit, limit],
});

function* setConflicts(limit: string, set: (stamp: string) => string): Steps<void> {
  for (const row of yield conflictsBeyond(limit))
    yield {
      sql: 'update sync_conflicts set kept_hlc = ?, dropped_hlc = ? where id = ?',
      params: [set(String(row['kept_hlc'])), set(String(row['dropped_hlc'])), String(row['id'])],
    };
}

/** What edits of farms without a gateway were made over: an edit is later than that. */
function* setBases(limit: string, set: (stamp: string) => string): Steps<void> {
  const stored = yield {
    sql: 'select distinct hlc, base_hlc from sync_bases where hlc > ?',
    params: [limit],
  };
  for (const row of stored) {
    const [hlc, base] = [String(row['hlc']), String(row['base_hlc'])];
    yield {
      sql: 'update sync_bases set hlc = ?, base_hlc = ? where hlc = ? and base_hlc = ?',
      params: [set(hlc), set(base), hlc, base],
    };
  }
}

function* parkedBeyond(limit: string): Steps<{ id: string; change: WireChange }[]> {
  const stored = yield { sql: 'select id, change_json from sync_parked', params: [] };
  return (
    stored
      // written by writeParked
      .map((row) => ({ id: String(row['id']), change: JSON.parse(String(row['change_json'])) as WireChange }))
      .filter(({ change }) => stampsOf(change).some((stamp) => stamp > limit))
  );
}

/** What waits aside was accepted before, and is merged one day under the stamps it has. */
function* setParked(limit: string, set: (stamp: string) => string): Steps<void> {
  for (const { id, change } of yield* parkedBeyond(limit)) {
    const over = change.over === null ? null : mapped(change.over, set);
    const back: WireChange = { ...change, hlc: set(change.hlc), over };
    yield {
      sql: 'update sync_parked set change_json = ? where id = ?',
      params: [JSON.stringify(back), id],
    };
  }
}
