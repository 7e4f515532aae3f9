import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { instanceValue, TOLD_AS_OF } from '#contract/resources/local-tables.ts';
import type { WireRow } from '#contract/sync/wire.ts';
import { put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import {
  addTo,
  bucketOf,
  digestOf,
  isCompared,
  noSums,
  type Sums,
  waysToCompare,
} from '#store/merge/digest.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { toldRow } from '#store/merge/personal.ts';
import { schemaOfRow } from '#store/merge/schemas.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Compared, CompareStore } from '../../sync/gateway/compare.ts';
import type { SyncStore } from '../../sync/gateway/ports.ts';
import { TUNING } from '../../sync/gateway/tuning.ts';
import {
  IN_ORDER,
  inScope,
  overTheLine,
  type Shared,
  type StoredRow,
  type StreamOrOwn,
  TIME_COLUMN,
  wireRowOf,
} from './snapshot-pages.ts';

// Rows as a comparison reads them: in slices, with a pause between them, so that control never waits.

/** Rows looked at in one go. On a farm's small box that is a few milliseconds. */
const SLICE = { own: 200, hosted: 500 } as const;
const DAY_MS = 86_400_000;
/** History in one question to PostgreSQL: of a day of readings and a week of the rest at first, then of as long as has about so many rows. */
const AT_ONCE = { least: 1_000, most: 10_000 } as const;

type HistoryWindow = { from: string; to: string };
type Reading = { table: Shared; window: HistoryWindow; ids?: { after: string | null; to: string | null } };

const COMPARED: readonly Shared[] = IN_ORDER.filter(isCompared);

export const isComparedTable = (table: string): table is Shared =>
  (COMPARED as readonly string[]).includes(table);

/** @param stream the gateway's stream on a hosted instance; `own` on the gateway itself */
export function comparedRows({ read, dialect }: Pick<Database, 'read' | 'dialect'>, stream: StreamOrOwn) {
  /**
   * Rows of a table by growing ids, piece by piece; `all`: those that were deleted, too. What went with a parent is in
   * neither: the parent's own row tells of it.
   */
  async function* pieces(reading: Reading, which: 'alive' | 'all'): AsyncIterable<WireRow[]> {
    const looking = { ...reading, stream, which };
    if (dialect === 'postgres' && isOfTime(looking)) return yield* byTime(read, looking);
    for await (const from of stream === 'own' ? steps(read, reading) : chunks(read, looking)) {
      const conditions = stream === 'own' ? conditionsOf(looking) : [sql`1 = 1`];
      yield await rowsOf(read, looking, { from, conditions, order: sql`order by t.id` });
      await breath();
    }
  }

  return {
    /** Sums of everything people see, in the ways of some schemas; a table of which none knows has none. */
    async sums(window: HistoryWindow, schemasOf: (table: string) => readonly number[]): Promise<Sums> {
      const sums: Sums = new Map();
      for (const table of COMPARED) {
        const ways = schemasOf(table).map((schema) => ({ schema, sums: noSums() }));
        if (ways.length === 0) continue;
        for await (const rows of pieces({ table, window }, 'alive'))
          for (const row of rows)
            for (const way of ways) addTo(way.sums, row.id, digestOf(table, row, way.schema));
        sums.set(
          table,
          ways.map((way) => way.sums),
        );
      }
      return sums;
    },
    /** Ids of the rows in some buckets of a table, in order. */
    async idsIn(
      table: Shared,
      buckets: readonly number[],
      window: HistoryWindow,
    ): Promise<Map<number, string[]>> {
      const ids = new Map<number, string[]>(buckets.map((bucket) => [bucket, []]));
      for await (const rows of pieces({ table, window }, 'all'))
        for (const { id } of rows) ids.get(bucketOf(id))?.push(id);
      return ids;
    },
    /** Rows of one bucket behind an id and up to another, deleted ones too. */
    async within(
      {
        table,
        bucket,
        after,
        to,
      }: { table: Shared; bucket: number; after: string | null; to: string | null },
      window: HistoryWindow,
    ): Promise<WireRow[]> {
      const found: WireRow[] = [];
      for await (const rows of pieces({ table, window, ids: { after, to } }, 'all'))
        for (const row of rows) if (bucketOf(row.id) === bucket) found.push(row);
      return overTheLine(read, { table, streamId: stream }, found);
    },
  };
}

/** Lets everything else of the process go first. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Looking = Reading & { stream: StreamOrOwn; which: 'alive' | 'all' };

/**
 * On a gateway a table is walked through by its ids, the same number of rows at a time whatever is asked of them: years
 * of readings of which none is wanted must not be one long look. The limit keeps SQLite from going by another index.
 */
async function* steps(read: Db, { table, ids }: Reading): AsyncIterable<RawBuilder<unknown>> {
  const from = sql.table(table);
  const end = ids?.to ?? null;
  for (let behind = ids?.after ?? ''; ; ) {
    const slice = (columns: RawBuilder<unknown>) => sql`select ${columns} from ${from} where id > ${behind}
      ${end === null ? sql`` : sql`and id <= ${end}`} order by id limit ${sql.lit(SLICE.own)}`;
    const { rows } = await sql<{
      last: string | null;
    }>`select max(id) as last from (${slice(sql`id`)}) as step`.execute(read);
    const last = rows[0]?.last ?? null;
    if (last === null) return;
    yield sql`(${slice(sql`*`)})`;
    behind = last;
  }
}

/** Rows that lie in time, and of which no range of ids is wanted: an index leads to those of a farm and a day. */
const isOfTime = ({ table, stream, ids, window }: Looking): boolean =>
  stream !== 'own' &&
  ids === undefined &&
  resourceOf(table).lane === 'history' &&
  // a gateway says it, and may say anything
  [window.from, window.to].every((at) => Number.isFinite(Date.parse(at)));

/** Each row is found once, and in no order: that costs PostgreSQL a third of looking up ids, and then their rows by key. */
async function* byTime(read: Db, looking: Looking): AsyncIterable<WireRow[]> {
  const end = Date.parse(looking.window.to);
  let from = looking.window.from;
  for (let span = looking.table === 'measurements' ? DAY_MS : 7 * DAY_MS; from < looking.window.to; ) {
    const to = Date.parse(from) + span;
    const window = { from, to: to < end ? isoOf(to) : looking.window.to };
    const conditions = [...conditionsOf({ ...looking, window }), ...daysOf(looking.table, window)];
    const rows = await rowsOf(read, looking, { from: sql.table(looking.table), conditions, order: sql`` });
    for (let at = 0; at < rows.length; at += SLICE.hosted) {
      yield rows.slice(at, at + SLICE.hosted);
      await breath();
    }
    if (rows.length < AT_ONCE.least) span *= 4;
    else if (rows.length > AT_ONCE.most) span /= 2;
    from = window.to;
  }
}

/** The days of a window, in the words of the index `measurements_day`. */
function daysOf(table: Shared, { from, to }: HistoryWindow): RawBuilder<unknown>[] {
  if (table !== 'measurements') return [];
  const day = sql`left(${sql.ref('t.created_at')}, 10)`;
  return [sql`${day} >= ${from.slice(0, 10)}`, sql`${day} <= ${to.slice(0, 10)}`];
}

/** On a hosted instance many farms share a table: the ids of one are looked up once, then their rows by key. */
async function* chunks(read: Db, looking: Looking): AsyncIterable<RawBuilder<unknown>> {
  const { table } = looking;
  const { rows } = await sql<{ id: string }>`select t.id from ${sql.table(table)} as t
    ${registerOf(looking)} where ${sql.join(conditionsOf(looking), sql` and `)}`.execute(read);
  const ids = rows.map(({ id }) => id).toSorted();
  for (let at = 0; at < ids.length; at += SLICE.hosted)
    yield sql`(select * from ${sql.table(table)} where id in (${sql.join(ids.slice(at, at + SLICE.hosted))}))`;
}

type Wanted = { from: RawBuilder<unknown>; conditions: RawBuilder<unknown>[]; order: RawBuilder<unknown> };

async function rowsOf(read: Db, looking: Looking, { from, conditions, order }: Wanted): Promise<WireRow[]> {
  const resource = resourceOf(looking.table);
  const columns = codecOf(resource).columns.map((column) => sql.ref(`t.${column}`));
  const { rows } = await sql<StoredRow>`
    select ${sql.join(columns)}, r.cl as register_cl, r.hlc as register_hlc, r.over_json as register_over
    from ${from} as t ${registerOf(looking)}
    where ${sql.join(conditions, sql` and `)} ${order}`.execute(read);
  // what is compared is what the other side was told
  return rows.map((row) => {
    const wire = wireRowOf(resource, row);
    const isAdmin = looking.stream !== 'own' && wire.body['role'] === 'ADMIN';
    return { ...wire, body: toldRow(resource, wire.body, isAdmin ? 'admin' : 'present') };
  });
}

// rows of different tables; only their being rows counts here
const resourceOf = (table: Shared) => sharedResources[table] as unknown as Resource;

const registerOf = ({ table }: Looking): RawBuilder<unknown> =>
  sql`left join sync_register as r on r.entity = ${sql.lit(resourceOf(table).entity)} and r.id = t.id`;

function conditionsOf({ table, stream, which, window, ids }: Looking): RawBuilder<unknown>[] {
  const resource = resourceOf(table);
  const conditions = [inScope(table, 't', stream)];
  if (ids?.after) conditions.push(sql`t.id > ${ids.after}`);
  if (ids?.to) conditions.push(sql`t.id <= ${ids.to}`);
  if (resource.lane === 'history') {
    const at = sql.ref(`t.${TIME_COLUMN[table] ?? 'created_at'}`);
    conditions.push(sql`${at} >= ${window.from}`, sql`${at} < ${window.to}`);
  }
  const isAlive = sql`coalesce(r.cl, 1) % 2 = 1`;
  const isSeen = inSight(resource, 't');
  return [
    ...conditions,
    which === 'alive' ? sql`${isAlive} and ${isSeen}` : sql`(not (${isAlive}) or ${isSeen})`,
  ];
}

/**
 * What is below something deleted is seen by nobody, and may be erased on one side already. Rows that go by their parent
 * are not marked themselves, or not on both sides.
 */
function inSight({ goesBy, parents }: Resource, as: string): RawBuilder<unknown> {
  if (goesBy === 'row') return sql`${sql.ref(`${as}.hidden`)} = 0`;
  const above = `${as}p`;
  const conditions = Object.entries(parents).map(([table, column]) => {
    // the parents of a shared table are shared tables
    const parent = (sharedResources as unknown as Readonly<Record<string, Resource>>)[table];
    const own = sql.ref(`${as}.${column}`);
    return parent === undefined
      ? sql`1 = 1`
      : sql`(${own} is null or exists (select 1 from ${sql.table(table)} as ${sql.ref(above)}
          where ${sql.ref(`${above}.id`)} = ${own} and ${inSight(parent, above)}))`;
  });
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}

/** What the last comparison left behind; id in instance_values. */
const COMPARED_AT = 'sync_compared';

/** The farm's database as the comparison sees it. */
export function compareStore(
  { read, dialect, commit }: Pick<Database, 'read' | 'dialect' | 'commit'>,
  { points }: Pick<SyncStore, 'points'>,
): CompareStore {
  const rows = comparedRows({ read, dialect }, 'own');
  return {
    points,
    async isHistoryTouched(seq) {
      const edit = await read
        .selectFrom('sync_change')
        .select('seq')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', 'history')
        .where('seq', '>', seq)
        .where((either) => either.or([either('base_json', 'is not', null), either('op', 'in', [2, 3])]))
        .limit(1)
        .executeTakeFirst();
      return edit !== undefined;
    },
    sums: (window, schema, which) =>
      rows.sums(window, (table) => {
        // none of a table that came with a later schema: it has no lane here either
        const ways = waysToCompare(table, schema).slice(0, 1);
        const isOther = which === 'history' && ways.length > 0 && isComparedTable(table);
        return isOther && resourceOf(table).lane !== which ? [] : ways;
      }),
    idsIn: async (table, buckets, window) =>
      isComparedTable(table) ? rows.idsIn(table, buckets, window) : new Map(),
    async within({ table, ...range }, window, schema) {
      if (!isComparedTable(table)) return [];
      const found = await rows.within({ table, ...range }, window);
      return found.filter((row) => schemaOfRow(row) <= schema);
    },
    async mend(table, theirs) {
      let mended = 0;
      for (let from = 0; from < theirs.length; from += TUNING.rowsPerUnit) {
        const changes = theirs.slice(from, from + TUNING.rowsPerUnit).map(changeOf);
        const { rows: changed } = await commit({
          actor: null,
          changes: [],
          incoming: { from: 'hosted', streamId: OWN_STREAM, lane: 'core', changes, isRepair: true },
        });
        mended += changed.filter((row) => row.table === table).length;
      }
      return mended;
    },
    async compared() {
      const row = await read
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', COMPARED_AT)
        .executeTakeFirst();
      // written below
      return row === undefined ? null : (JSON.parse(row.value) as Compared);
    },
    async toldAsOf() {
      const row = await read
        .selectFrom('instance_values')
        .select('value')
        .where('id', '=', TOLD_AS_OF)
        .executeTakeFirst();
      return Number(row?.value ?? 0);
    },
    async remember(compared) {
      await commit({
        actor: null,
        changes: [put(instanceValue, { id: COMPARED_AT, value: JSON.stringify(compared) })],
      });
    },
  };
}
