import type { Resource } from '#contract/resource.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import type { Incoming } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Steps, UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { ALL_OF_STREAM, dropBeyond, type Kept as MostKept, scannedStream, uuidOfText } from './conflicts.ts';
import { inList, listOf } from './id-lists.ts';
import type { Batch, Heard, Kept } from './merge.ts';
import type { Readable } from './own-say.ts';
import { TABLES_IN_ORDER } from './shared-tables.ts';
import { keyOf, type WorkingSet } from './working-set.ts';
import { insertMany } from './write-rows.ts';

// Changes that could not be applied wait aside, as they came. They are tried again when what they waited for has come.

/** Tried again with one batch, most. */
const MOST_TRIED = 200;
/** A reading waits for its pond, the pond for its farm. */
const MOST_ROUNDS = 4;

// the codec takes any resource
const PARKED = parkedChange as unknown as Resource;

/** Of what an older version could not read: it is tried once more by each that knows more. */
export const READABLE_NOW = `(reason like 'entity:%' or reason like 'schema:%' or reason like 'refused:%')
  and tried_schema < ${SYNC_SCHEMA}`;

/** Of a stream, as SQL: parts of rows that do not wait aside themselves. Where that is the only copy its parts stay with it. */
export const partsOfNothing = (
  streamId: number,
): string => `stream_id = ${streamId} and reason like 'absent:%'
  and (entity, row_id) not in (select entity, row_id from sync_parked
    where stream_id = ${streamId} and reason not like 'absent:%')`;

/** What is kept aside of a stream and may find its place with this batch; and what waits for that in turn. */
export function* parkedToTry(incoming: Incoming, context: UnitContext): Steps<Heard[]> {
  const found = new Map<string, Heard>();
  for (const heard of yield* waitedLongEnough(incoming)) found.set(heard.parkedId, heard);
  let ids = [...incoming.changes, ...[...found.values()].map(({ change }) => change)].map(({ id }) => id);
  for (let round = 0; round < MOST_ROUNDS && found.size < MOST_TRIED; round += 1) {
    // what an upgrade made readable waits for no row: it is looked for once
    const stored = yield* waitingFor({ ids, incoming, andReadable: round === 0 }, context);
    const fresh = stored.filter(({ parkedId }) => !found.has(parkedId));
    if (fresh.length === 0) break;
    for (const heard of fresh) found.set(heard.parkedId, heard);
    ids = fresh.map(({ change }) => change.id);
  }
  return [...found.values()];
}

/** `parent:` and `absent:` before the table, a stroke and the id behind it. */
const [WAITS, ID] = [7, 36];
// of shorter reasons, which PostgreSQL may read before it leaves them out, there is nothing behind the stroke
const AWAITED = `case substr(reason, ${WAITS + 1}, case when length(reason) > ${WAITS + 1 + ID} then length(reason) - ${WAITS + 1 + ID} else 0 end) ${TABLES_IN_ORDER.map(
  ({ name, entity }) => `when '${name}' then ${entity}`,
).join(' ')} end`;

/**
 * What waits for a row that is known by now, though no batch names it any more: there were more of them than are tried with
 * one, or that row was erased, and they go with it.
 */
function* waitedLongEnough({ streamId }: Incoming): Steps<Waiting[]> {
  const stored = yield {
    sql: `select p.id, p.change_json from sync_parked as p join sync_register as r
      on r.entity = ${AWAITED} and r.id = substr(reason, case when length(reason) > ${ID} then length(reason) - ${ID - 1} else 1 end)
      where ${scannedStream('p.stream_id')} = ? and (reason like 'parent:%' or reason like 'absent:%')
      order by parked_at, seq limit ${MOST_TRIED}`,
    params: [streamId],
  };
  return stored.map(waitingOf);
}

export const isAbsent = (reason: string): boolean => reason.startsWith('absent:');

/** Of rows that are not here and of which parts are told: those that wait aside as a whole. */
export function* wholesAside(
  items: readonly Readable[],
  set: WorkingSet,
  { streamId }: Batch,
  context: UnitContext,
): Steps<Set<string>> {
  const parts = items.filter(
    ({ resource, heard, edit }) =>
      edit.is !== 'whole' && set.works.get(keyOf(resource.name, heard.change.id))?.row === null,
  );
  if (parts.length === 0) return new Set();
  const stored = yield {
    sql: `select entity, row_id from sync_parked where stream_id = ? and reason not like 'absent:%'
      and ${inList('row_id', context)}`,
    params: [streamId, listOf(new Set(parts.map(({ heard }) => heard.change.id)))],
  };
  const waiting = new Set(stored.map(({ entity, row_id }) => `${Number(entity)} ${String(row_id)}`));
  return new Set(
    parts.flatMap(({ resource, heard: { change } }) =>
      waiting.has(`${change.entity} ${change.id}`) ? [keyOf(resource.name, change.id)] : [],
    ),
  );
}

type Waiting = { change: WireChange; parkedId: string };

// the change is written below
const waitingOf = (row: Readonly<Record<string, unknown>>): Waiting => ({
  change: JSON.parse(String(row['change_json'])) as WireChange,
  parkedId: String(row['id']),
});

function* waitingFor(
  asked: { ids: readonly string[]; incoming: Incoming; andReadable: boolean },
  context: UnitContext,
): Steps<Waiting[]> {
  const { streamId, retry } = asked.incoming;
  const everything = retry === 'parked';
  const isNamed = inList('substr(reason, length(reason) - 35)', context);
  // `parent:ponds/<id>` and `absent:ponds/<id>` wait for a row by its id; an upgrade makes the others readable
  const stored = yield {
    sql: `select id, change_json from sync_parked where ${ALL_OF_STREAM}${
      everything ? '' : ` and ${asked.andReadable ? `(${isNamed} or (${READABLE_NOW}))` : isNamed}`
    } order by parked_at, seq limit ${MOST_TRIED}`,
    params: everything ? [streamId] : [streamId, listOf(asked.ids)],
  };
  return stored.map(waitingOf);
}

export function* writeParked(
  {
    incoming,
    kept,
    unparked,
  }: { incoming: Pick<Incoming, 'streamId' | 'lane'>; kept: readonly Kept[]; unparked: readonly string[] },
  context: UnitContext,
): Steps<number> {
  const codec = codecOf(PARKED);
  const fresh = kept.filter(({ parkedId }) => parkedId === null);
  const again = kept.flatMap(({ parkedId, reason }) => (parkedId === null ? [] : [{ parkedId, reason }]));
  yield* insertMany(
    {
      table: PARKED.name,
      columns: codec.columns,
      rows: [...new Map(fresh.map((item) => [idOf(incoming, item.change), item])).values()].map((item) =>
        codec.encode(rowOf(item, incoming, context)),
      ),
      conflict:
        'on conflict (id) do update set reason = excluded.reason, tries = sync_parked.tries + 1, tried_schema = excluded.tried_schema',
    },
    context,
  );
  // a hundred that wait for one row wait with one reason
  for (const [reason, waiting] of Map.groupBy(again, (item) => item.reason))
    yield {
      sql: `update sync_parked set tries = tries + 1, reason = ?, tried_schema = ? where ${inList('id', context)}`,
      params: [reason, SYNC_SCHEMA, listOf(waiting.map(({ parkedId }) => parkedId))],
    };
  if (unparked.length > 0)
    yield { sql: `delete from sync_parked where ${inList('id', context)}`, params: [listOf(unparked)] };
  return fresh.length === 0 ? 0 : yield* dropBeyond(ASIDE, incoming.streamId);
}

/** First what was refused and waits for nothing goes, then the oldest; a comparison of both sides finds them again. */
const ASIDE: MostKept = {
  table: 'sync_parked',
  texts: ['change_json'],
  bestFirst: `case when reason like 'refused:%' or reason like 'tenant:%' then 1 else 0 end, parked_at desc, seq desc, id`,
};

const idOf = ({ streamId, lane }: Pick<Incoming, 'streamId' | 'lane'>, change: WireChange): string =>
  uuidOfText(['parked', streamId, lane, change.seq, change.entity, change.id, change.chain].join(' '));

function rowOf(
  { change, reason }: Kept,
  incoming: Pick<Incoming, 'streamId' | 'lane'>,
  context: UnitContext,
) {
  return {
    id: idOf(incoming, change),
    stream_id: incoming.streamId,
    lane: incoming.lane,
    seq: change.seq,
    entity: change.entity,
    row_id: change.id,
    reason,
    change_json: JSON.stringify(change),
    parked_at: isoOf(context.nowMs),
    tries: 1,
    tried_schema: SYNC_SCHEMA,
  };
}
