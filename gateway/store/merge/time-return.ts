import type { TimeReturn, WireChange } from '#contract/sync/wire.ts';
import type { HeardReturns } from '#core/changes.ts';
import type { ChangeLog } from '../change-log.ts';
import { formatHlc, nextHlc, readHlc } from '../hlc.ts';
import { OWN_STREAM } from '../own-stream.ts';
import { type Register, type Rows, type Steps, type UnitContext } from '../register.ts';
import { MOST_AHEAD_MS, mapped, stampsOf } from './accept-stamps.ts';
import { textOf } from './canonical-change.ts';
import { newestIn, setRegisters } from './set-registers.ts';

// Stamps from a future that will not be waited for. Hosted processes once stamped by their own clocks, and one whose clock
// was years ahead drew whole streams along with it: whatever a gateway wrote was "too far ahead" for good. The hosted
// instance brings such stamps back, in their order, to where all later edits win over them, and compares everything with
// the gateways that know them. A gateway does the same with its own before the first page of that comparison: it then
// holds what the hosted instance holds, and of its own only what it has not told yet is newer.

/** They come to lie in this time before the return. Narrow: what was stamped rightly is mostly older. */
const WINDOW_MS = 3_600_000;
/** Why the gateways of such streams compare everything. */
export const STAMPS_CAME_BACK = 'stamps came back';

/** Beyond it a stamp is none that any clock in order could have set. */
export const stampLimit = (nowMs: number): string => formatHlc(nowMs + MOST_AHEAD_MS, 0xffff, 'ffffffff');

/** Where a stamp of the future lies after a return; the order of two never turns round. */
export function broughtBack(stamp: string, { limit_ms, newest_ms, returned_ms }: TimeReturn): string {
  const { ms, counter, node } = readHlc(stamp);
  const share = Math.min(1, Math.max(0, ms - limit_ms) / Math.max(1, newest_ms - limit_ms));
  return formatHlc(returned_ms - WINDOW_MS + Math.floor(share * WINDOW_MS), counter, node);
}

/** Hosted: brings everything back that lies in the future. Answers how much that was. */
export function* returnStamps(
  log: ChangeLog,
  context: UnitContext,
): Steps<{ rows: number; streams: number }> {
  // rows that no stream hears of are stamped without one
  if (context.dialect === 'postgres')
    yield { sql: 'lock table sync_register in share row exclusive mode', params: [] };
  const limit = stampLimit(context.nowMs);
  const newest = yield* newestBeyond(limit, log, context);
  if (newest === null) return { rows: 0, streams: 0 };
  const known: TimeReturn = {
    limit_ms: readHlc(limit).ms,
    newest_ms: readHlc(newest).ms,
    returned_ms: Math.floor(context.nowMs),
  };
  const set = (stamp: string): string => (stamp > limit ? broughtBack(stamp, known) : stamp);
  const streams = yield* compareThoseWhoKnow(limit, context);
  const rows = yield* setRegisters(limit, (register) => withStamps(register, set), context);
  yield* setRestamps(limit, set);
  yield* setConflicts(limit, set);
  yield* setParked(limit, set);
  log.comeBack(set(newest));
  const id = `${known.returned_ms} ${context.node}`;
  yield {
    sql: 'insert into sync_time_returns (id, limit_ms, newest_ms, returned_ms) values (?, ?, ?, ?)',
    params: [id, known.limit_ms, known.newest_ms, known.returned_ms],
  };
  return { rows, streams };
}

/**
 * Gateway: brings its own stamps back as the hosted instance did. What it has not told yet is stamped by when it was
 * written, for nobody else knows it: it wins over what was written before, there or here.
 */
export function* followReturns(
  { returns, hostedNowMs }: HeardReturns,
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const last = returns.at(-1);
  if (last === undefined) return;
  const limit = stampLimit(hostedNowMs);
  const back = (stamp: string): string => {
    const { ms } = readHlc(stamp);
    return broughtBack(stamp, returns.find(({ newest_ms }) => ms <= newest_ms) ?? last);
  };
  const untold = yield* untoldBeyond(limit, { back, hostedNowMs }, context);
  let newest = formatHlc(hostedNowMs, 0, context.node);
  const set = (stamp: string): string => {
    if (stamp <= limit) return stamp;
    const to = untold.get(stamp) ?? back(stamp);
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
  { back, hostedNowMs }: { back: (stamp: string) => string; hostedNowMs: number },
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
    const writtenMs = Math.min(hostedNowMs, writtenAt(row, { hostedNowMs, context }));
    const earliest = back(stamp);
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
    sql: `update sync_stream set resync = ? where hlc > ? or exists (select 1 from sync_change
      where sync_change.stream_id = sync_stream.stream_id and (sync_change.hlc > ?
        or ${newestIn('sync_change.over_json', context)} > ?)) returning stream_id`,
    params: [STAMPS_CAME_BACK, limit, limit, limit],
  };
  return marked.length;
}

const withStamps = (register: Register, set: (stamp: string) => string): Register => ({
  ...register,
  hlc: set(register.hlc),
  over: mapped(register.over, set),
});

/** What gateways are still told of stamps that were set anew. */
function* setRestamps(limit: string, set: (stamp: string) => string): Steps<void> {
  const stored = yield { sql: 'select distinct to_hlc from sync_restamps where to_hlc > ?', params: [limit] };
  for (const row of stored) {
    const stamp = String(row['to_hlc']);
    yield { sql: 'update sync_restamps set to_hlc = ? where to_hlc = ?', params: [set(stamp), stamp] };
  }
}

function* setConflicts(limit: string, set: (stamp: string) => string): Steps<void> {
  const stored = yield {
    sql: 'select id, kept_hlc, dropped_hlc from sync_conflicts where kept_hlc > ? or dropped_hlc > ?',
    params: [limit, limit],
  };
  for (const row of stored)
    yield {
      sql: 'update sync_conflicts set kept_hlc = ?, dropped_hlc = ? where id = ?',
      params: [set(String(row['kept_hlc'])), set(String(row['dropped_hlc'])), String(row['id'])],
    };
}

/** What waits aside was accepted before, and is merged one day under the stamps it has. */
function* setParked(limit: string, set: (stamp: string) => string): Steps<void> {
  const stored = yield { sql: 'select id, change_json from sync_parked', params: [] };
  for (const row of stored) {
    // written by writeParked
    const change = JSON.parse(String(row['change_json'])) as WireChange;
    if (!stampsOf(change).some((stamp) => stamp > limit)) continue;
    const over = change.over === null ? null : mapped(change.over, set);
    const back: WireChange = { ...change, hlc: set(change.hlc), over };
    yield {
      sql: 'update sync_parked set change_json = ? where id = ?',
      params: [JSON.stringify(back), String(row['id'])],
    };
  }
}
