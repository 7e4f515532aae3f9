import type { Resource } from '#contract/resource.ts';
import type { DifferenceSlice } from '#core/changes.ts';
import type { ChangeLog } from '../change-log.ts';
import { OWN_STREAM } from '../own-stream.ts';
import {
  LIFE,
  newRegister,
  type Register,
  type Rows,
  registerOf,
  type Steps,
  type UnitContext,
} from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { DETAILS } from './account-word.ts';
import { stampOf } from './claims.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { partsOfNothing } from './parked.ts';
import { scopeOf, TABLES_IN_ORDER } from './shared-tables.ts';
import { factOf, wholeRow } from './whole-rows.ts';

// The end of a resync. Where it stands lies in sync_stream.resync: any other text, then `difference <table> <id>`, then
// `forgetting`, then null. Each slice is one unit, so control goes on between them. What people and devices write
// meanwhile is logged as ever; that the difference may tell it again does no harm.

const DIFFERENCE = 'difference';
const FORGETTING = 'forgetting';

export function* logDifference(
  slice: DifferenceSlice,
  log: ChangeLog,
  context: UnitContext,
): Steps<{ isDone: boolean; logged: number }> {
  const { streamId } = slice;
  const [stream] = yield {
    sql: 'select epoch, resync from sync_stream where stream_id = ?',
    params: [streamId],
  };
  const resync = typeof stream?.['resync'] === 'string' ? stream['resync'] : null;
  const isTakenOver = Number(stream?.['epoch']) === slice.epoch;
  if (isTakenOver && resync === null) return { isDone: true, logged: 0 };
  if (isTakenOver && resync === FORGETTING) return yield* forgetSeen(slice);
  if (isTakenOver && resync?.startsWith(`${DIFFERENCE} `) === true)
    return yield* logSlice(resync, slice, log, context);
  yield* forgetLog(slice, log);
  return { isDone: false, logged: 0 };
}

/** The log of the epoch before: in slices, then with the last of them the new epoch begins. */
function* forgetLog({ streamId, epoch, cursor, limit }: DifferenceSlice, log: ChangeLog): Steps<void> {
  const oldest = yield {
    sql: 'select lane, seq from sync_change where stream_id = ? order by lane, seq limit ?',
    params: [streamId, limit + 1],
  };
  for (const [lane, seqs] of byLane(oldest.slice(0, limit)))
    yield {
      sql: 'delete from sync_change where stream_id = ? and lane = ? and seq <= ?',
      params: [streamId, lane, Math.max(...seqs)],
    };
  if (oldest.length > limit) return;
  log.restart(streamId);
  // the snapshot told every row: a part that still waits is of one that nobody has
  yield { sql: `delete from sync_parked where ${partsOfNothing(streamId)}`, params: [] };
  yield { sql: 'delete from sync_restamps where stream_id = ?', params: [streamId] };
  yield {
    sql: `update sync_stream set epoch = ?, in_core_seq = ?, in_core_chain = ?, acked_core_seq = 0, acked_core_chain = '',
      acked_history_seq = 0, acked_history_chain = '', resync = ? where stream_id = ?`,
    params: [epoch, cursor.seq, cursor.chain, `${DIFFERENCE} 0 `, streamId],
  };
}

function byLane(rows: Rows): Map<string, number[]> {
  const seqs = new Map<string, number[]>();
  for (const row of rows)
    seqs.set(String(row['lane']), [...(seqs.get(String(row['lane'])) ?? []), Number(row['seq'])]);
  return seqs;
}

function* logSlice(
  resync: string,
  { streamId, limit }: DifferenceSlice,
  log: ChangeLog,
  context: UnitContext,
): Steps<{ isDone: boolean; logged: number }> {
  const [, place = '0', after = ''] = resync.split(' ');
  const resource = TABLES_IN_ORDER[Number(place)];
  let next = FORGETTING;
  let logged = 0;
  if (resource !== undefined) {
    const looked = yield* resource.sync === 'fact'
      ? factsBeyond(resource, after, limit)
      : rowsBeyond(resource, after, limit);
    logged = yield* logRows(resource, looked.rows, log, context);
    next =
      looked.last === null ? `${DIFFERENCE} ${Number(place) + 1} ` : `${DIFFERENCE} ${place} ${looked.last}`;
  }
  yield { sql: 'update sync_stream set resync = ? where stream_id = ?', params: [next, streamId] };
  return { isDone: false, logged };
}

/** Rows of which this side knows more, and where to look on; null: that was the table. */
type Looked = { rows: Map<string, Register>; last: string | null };

function* rowsBeyond(resource: Resource, after: string, limit: number): Steps<Looked> {
  const stored = yield {
    sql: `select own.id, own.cl, own.hlc, own.over_json, seen.cl as seen_cl, seen.hlc as seen_hlc, seen.over_json as seen_over
      from sync_register as own left join sync_seen as seen on seen.entity = own.entity and seen.id = own.id
      where own.entity = ? and own.id > ? order by own.id limit ?`,
    params: [resource.entity, after, limit],
  };
  const rows = new Map<string, Register>();
  for (const row of stored) {
    const seen =
      row['seen_cl'] === null
        ? null
        : registerOf({ cl: row['seen_cl'], hlc: row['seen_hlc'], over_json: row['seen_over'] });
    if (knowsMore(resource, registerOf(row), seen)) rows.set(String(row['id']), registerOf(row));
  }
  return { rows, last: lastOf(stored, limit) };
}

function* factsBeyond(resource: Resource, after: string, limit: number): Steps<Looked> {
  const stored = yield {
    sql: `select ${resource.name}.id, sync_seen.cl from ${resource.name} left join sync_seen
      on sync_seen.entity = ? and sync_seen.id = ${resource.name}.id where ${resource.name}.id > ? order by ${resource.name}.id limit ?`,
    params: [resource.entity, after, limit],
  };
  const unseen = stored.filter((row) => row['cl'] === null);
  return {
    rows: new Map(unseen.map((row) => [String(row['id']), newRegister()])),
    last: lastOf(stored, limit),
  };
}

const lastOf = (rows: Rows, limit: number): string | null =>
  rows.length < limit ? null : String(rows.at(-1)?.['id']);

/** Is any stamp of ours greater, of what the hosted instance would take from us? */
export function knowsMore(
  { name, groups }: Pick<Resource, 'name' | 'groups'>,
  own: Register,
  seen: Register | null,
): boolean {
  if (seen === null || own.cl > seen.cl || own.hlc > seen.hlc) return true;
  if (own.cl === seen.cl && (own.over[LIFE] ?? '') > (seen.over[LIFE] ?? '')) return true;
  return Object.entries(groups).some(
    ([group, { owner }]) =>
      // that a password, an address or a role is older over there is offered to people, whoever keeps it
      (owner !== 'hosted' || (name === 'users' && (group === 'password' || DETAILS.has(group)))) &&
      stampOf(own, group) > stampOf(seen, group),
  );
}

function* logRows(
  resource: Resource,
  wanted: ReadonlyMap<string, Register>,
  log: ChangeLog,
  context: UnitContext,
): Steps<number> {
  if (wanted.size === 0) return 0;
  const codec = codecOf(resource);
  const stored = yield rowsByIds(
    { table: resource.name, columns: codec.columns, ids: wanted.keys() },
    context,
  );
  const told = yield* withoutHomeless(resource, stored, context);
  const ordered = told.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  for (const found of ordered) {
    const id = String(found['id']);
    const entry = wholeRow(resource, { ...codec.decode(found), id }, wanted.get(id) ?? newRegister());
    const whole = resource.sync === 'fact' ? factOf(entry, log.stamp(null)) : entry;
    yield* log.write({ ...whole, actor: null }, [OWN_STREAM]);
  }
  return stored.length;
}

/** Rows of no farm, and addresses that none names, stay here. */
function* withoutHomeless(resource: Resource, rows: Rows, context: UnitContext): Steps<Rows> {
  const scope = scopeOf(resource);
  if (scope.by === 'farm' && scope.column !== 'id') return rows.filter((row) => row[scope.column] !== null);
  if (scope.by !== 'named') return rows;
  const ids = rows.map(({ id }) => String(id));
  const naming = yield {
    sql: `select address_id from farms where ${inList('address_id', context)}`,
    params: [listOf(ids)],
  };
  const named = new Set(naming.map((row) => row['address_id']));
  return rows.filter(({ id }) => named.has(id));
}

function* forgetSeen({ streamId, limit }: DifferenceSlice): Steps<{ isDone: boolean; logged: number }> {
  const some = yield { sql: 'select entity, id from sync_seen order by entity, id limit ?', params: [limit] };
  const last = some.at(-1);
  if (last !== undefined && some.length === limit) {
    yield {
      sql: 'delete from sync_seen where (entity, id) <= (?, ?)',
      params: [Number(last['entity']), String(last['id'])],
    };
    return { isDone: false, logged: 0 };
  }
  yield { sql: 'delete from sync_seen', params: [] };
  yield { sql: 'update sync_stream set resync = null where stream_id = ?', params: [streamId] };
  return { isDone: true, logged: 0 };
}
