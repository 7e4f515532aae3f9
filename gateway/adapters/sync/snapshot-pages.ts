import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { movedRange } from '#contract/resources/local-tables.ts';
import { SCOPES } from '#contract/sync/scopes.ts';
import type { WireRow } from '#contract/sync/wire.ts';
import { NewestMap } from '#core/newest-map.ts';
import { stampsOfLeft, toldRow } from '#store/merge/personal.ts';
import { codecOf } from '#store/row-codec.ts';
import type { HostedStore } from '../../sync/hosted/ports.ts';

export type Shared = keyof typeof sharedResources;

/** `own`: a gateway's database, which is of its own farms altogether. */
export type StreamOrOwn = number | 'own';

/**
 * Tables of a snapshot in the order a new gateway needs them: people and what control lives by, then the rest, what is
 * only history at last. Parents stand before their children.
 */
export const IN_ORDER = [
  'users',
  'addresses',
  'subscriptions',
  'farms',
  'farm_members',
  'control_points',
  'ponds',
  'aerators',
  'schedules',
  'orders',
  'farm_science',
  'farm_console',
  'alerts',
  'batches',
  'survival_changes',
  'harvests',
  'transfers',
  'biometries',
  'feeding_records',
  'expenses',
  'measurements',
  'farm_records',
  'feed_stock',
  'harvest_lots',
  'tasks',
  'task_marks',
  'photos',
  'notifications',
  'logs',
] as const satisfies readonly Shared[];

export const TIME_COLUMN: Partial<Record<Shared, string>> = { logs: 'timestamp' };

/** Pages over all rows a stream's gateway may know, deleted ones too, with their registers. */
export function snapshotPages(read: Db): HostedStore['snapshotPage'] {
  const ahead = idsAhead(read);
  return async (streamId, { epoch, after, limit, historyFrom }) => {
    let at =
      after === null ? 0 : IN_ORDER.findIndex((table) => sharedResources[table].entity === after.entity);
    let behind = after === null || after.id === '' ? null : after.id;
    const rows: WireRow[] = [];
    for (; at !== -1 && at < IN_ORDER.length; at += 1) {
      const table = IN_ORDER[at];
      if (table === undefined) break;
      for (let isEnd = false; !isEnd; ) {
        const wish = { table, streamId, epoch, behind, limit: limit - rows.length, historyFrom };
        const next = await ahead.next(wish);
        rows.push(...(await rowsOf(read, wish, next.ids)));
        const fitting = withinSize(rows, MOST_PAGE_SIZE);
        const last = fitting.at(-1);
        if ((rows.length === limit || fitting.length < rows.length) && last !== undefined)
          return { rows: fitting, next: { entity: last.entity, id: last.id } };
        ({ isEnd } = next);
        behind = next.ids.at(-1) ?? behind;
      }
      behind = null;
    }
    return { rows, next: null };
  };
}

/** A thousand rows with long notes would be more than a gateway takes in one answer. */
const MOST_PAGE_SIZE = 1_000_000;

/** As many of the rows as have that many characters, about; at least one. */
export function withinSize(rows: WireRow[], most: number): WireRow[] {
  let size = 0;
  const end = rows.findIndex(({ body }, place) => {
    size += sizeOf(body);
    return place > 0 && size > most;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Texts and lists are what makes a row large. */
const sizeOf = (body: WireRow['body']): number =>
  Object.values(body).reduce<number>(
    (sum, value) =>
      sum +
      (typeof value === 'string'
        ? value.length
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value).length
          : 8),
    0,
  );

type Page = {
  table: Shared;
  streamId: number;
  epoch: number;
  behind: string | null;
  limit: number;
  historyFrom: string | null;
};

export type StoredRow = Record<string, unknown> & {
  id: string;
  register_cl: number | null;
  register_hlc: string | null;
  register_over: string | null;
};

/** The ids of a farm are found among all its rows: once for fifty pages, and not once for each. */
const LOOKED_AHEAD = 50_000;
/** Gateways that compare everything at the same time; of one that falls out they are looked up again. */
const MOST_AHEAD = 16;

type Looked = { key: string; from: string | null; ids: string[] };

/** Nothing is behind these ids. */
const isWhole = ({ ids }: Looked): boolean => ids.length < LOOKED_AHEAD;

/** Where the ids behind one begin; null: it is none of these. */
function placeBehind({ from, ids }: Looked, id: string | null): number | null {
  if (id === from) return 0;
  const place = id === null ? -1 : ids.indexOf(id);
  return place === -1 ? null : place + 1;
}

/** Ids of the rows of a stream, in the order of its pages, as far as the last look went. */
function idsAhead(read: Db) {
  const looked = new NewestMap<number, Looked>(MOST_AHEAD);

  async function look({ table, behind, historyFrom, ...of }: Page): Promise<string[]> {
    const { lane } = resourceOf(table);
    const id = sql.ref('t.id');
    const conditions = [ofStream(table, of.streamId)];
    // history comes newest first, as far as ids grow with time
    if (behind !== null)
      conditions.push(lane === 'history' ? sql`${id} < ${behind}` : sql`${id} > ${behind}`);
    if (lane === 'history' && historyFrom !== null)
      conditions.push(sql`${sql.ref(`t.${TIME_COLUMN[table] ?? 'created_at'}`)} >= ${historyFrom}`);
    // Ordered by an expression: by the key itself PostgreSQL may walk through the rows of all farms to find those of one.
    const { rows } = await sql<{ id: string }>`select ${id} from ${sql.table(table)} as t
      where ${sql.join(conditions, sql` and `)}
      order by ${id} || '' ${lane === 'history' ? sql`desc` : sql`asc`} limit ${sql.lit(LOOKED_AHEAD)}`.execute(
      read,
    );
    return rows.map((row) => row.id);
  }

  return {
    /** At most `limit` ids behind one; `isEnd`: there are no more. */
    async next(page: Page): Promise<{ ids: string[]; isEnd: boolean }> {
      const { table, streamId, epoch, behind, limit, historyFrom } = page;
      // an older comparison looked before this one began, and does not know what came between
      const key = `${epoch} ${table} ${historyFrom}`;
      const before = looked.get(streamId);
      const place = before?.key === key ? placeBehind(before, behind) : null;
      const isKnown =
        before !== undefined && place !== null && (place < before.ids.length || isWhole(before));
      const known = isKnown ? before : { key, from: behind, ids: await look(page) };
      const start = isKnown ? place : 0;
      const isEnd = isWhole(known) && start + limit >= known.ids.length;
      if (isEnd) looked.delete(streamId);
      else looked.set(streamId, known);
      return { ids: known.ids.slice(start, start + limit), isEnd };
    },
  };
}

const ofStream = (table: Shared, streamId: number): RawBuilder<unknown> =>
  table === 'users'
    ? sql`(${inScope(table, 't', streamId)} or t.id in (${peopleOfMoved(streamId)}))`
    : inScope(table, 't', streamId);

/** The rows of these ids, in their order, as far as they still belong to the stream: a farm may have moved since they were looked up. */
async function rowsOf(read: Db, { table, streamId }: Page, ids: readonly string[]): Promise<WireRow[]> {
  if (ids.length === 0) return [];
  const resource = resourceOf(table);
  const columns = codecOf(resource).columns.map((column) => sql.ref(`t.${column}`));
  // materialised: found by their keys, whatever else is asked of them
  const { rows } = await sql<StoredRow>`
    with t as materialized (select * from ${sql.table(table)} where id in (${sql.join(ids)}))
    select ${sql.join(columns)}, r.cl as register_cl, r.hlc as register_hlc, r.over_json as register_over
    from t left join sync_register as r on r.entity = ${sql.lit(resource.entity)} and r.id = t.id
    where ${ofStream(table, streamId)}`.execute(read);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = ids.flatMap((id) => byId.get(id) ?? []);
  return overTheLine(
    read,
    { table, streamId },
    found.map((row) => wireRowOf(resource, row)),
  );
}

// rows of different tables; only their being rows counts here
const resourceOf = (table: Shared): Resource => sharedResources[table] as unknown as Resource;

export function wireRowOf(resource: Resource, row: StoredRow): WireRow {
  return {
    entity: resource.entity,
    id: row.id,
    // a row that was inserted once and never changed has no register
    cl: Number(row.register_cl ?? 1),
    hlc: row.register_hlc ?? '',
    // written by the register as an object of stamps
    over: JSON.parse(row.register_over ?? '{}') as Record<string, string>,
    body: codecOf(resource).decode(row),
  };
}

/**
 * Rows as they go over the line. People who have left stay known by their name, because records name them; the rest of
 * them is nothing for the farm's card any more.
 */
export async function overTheLine(
  read: Db,
  { table, streamId }: { table: Shared; streamId: StreamOrOwn },
  rows: WireRow[],
): Promise<WireRow[]> {
  const resource = resourceOf(table);
  if (table !== 'users' || rows.length === 0)
    return rows.map((row) => ({ ...row, body: toldRow(resource, row.body, 'present') }));
  const farms = farmsOf(streamId);
  const { rows: present } = await sql<{ id: string }>`
    select f.owner_id as id from farms as f where f.hidden = 0 and f.id in (${farms})
    union select m.user_id from farm_members as m where m.hidden = 0 and m.farm_id in (${farms})
    ${streamId === 'own' ? sql`` : sql`union select g.owner_id from gateways as g where g.stream_id = ${streamId}`}`.execute(
    read,
  );
  const ids = new Set(present.map(({ id }) => id));
  return rows.map((row) => {
    if (streamId === 'own' || ids.has(row.id)) {
      const isAdmin = streamId !== 'own' && row.body['role'] === 'ADMIN';
      return { ...row, body: toldRow(resource, row.body, isAdmin ? 'admin' : 'present') };
    }
    const standing = row.body['role'] === 'ADMIN' ? 'admin' : 'left';
    return { ...row, over: stampsOfLeft(row), body: toldRow(resource, row.body, standing) };
  });
}

/** Ids of the farms of a stream; on a gateway of those that it runs, as far as it has heard. */
function farmsOf(streamId: StreamOrOwn): RawBuilder<unknown> {
  if (streamId !== 'own') return sql`select b.id from sync_farms as b where b.stream_id = ${streamId}`;
  const [from, before] = movedRange('here');
  return sql`select b.id from farms as b where b.id not in (select substr(v.id, ${sql.lit(from.length + 1)})
    from instance_values as v where v.id >= ${from} and v.id < ${before})`;
}

/**
 * Who was on a farm when it was taken off this gateway: it hears that they left, though it compares everything meanwhile. Who
 * came to the farm since is nothing to it, not even by name.
 */
function peopleOfMoved(streamId: number): RawBuilder<unknown> {
  const [from, before] = movedRange(streamId);
  const moved = sql`(select substr(v.id, ${sql.lit(from.length + 1)}) as farm_id, v.value as moved_at
    from instance_values as v where v.id >= ${from} and v.id < ${before})`;
  return sql`select g.owner_id from gateways as g where g.stream_id = ${streamId}
      and exists (select 1 from ${moved} as moved)
    union select m.user_id from farm_members as m join ${moved} as moved on moved.farm_id = m.farm_id
      where m.created_at <= moved.moved_at`;
}

/** Whether a row of `table`, under the name `as`, belongs to a stream. */
export function inScope(table: Shared, as: string, streamId: StreamOrOwn): RawBuilder<unknown> {
  const scope = SCOPES[table];
  const column = (name: string) => sql.ref(`${as}.${name}`);
  const farms = farmsOf(streamId);
  const people = sql`select f.owner_id from farms as f where f.id in (${farms})
    union select m.user_id from farm_members as m where m.farm_id in (${farms})`;
  switch (scope.by) {
    case 'farm':
      return scope.person === undefined
        ? sql`${column(scope.column)} in (${farms})`
        : // the person of such a row must be there before it
          sql`(${column(scope.column)} in (${farms}) and ${column(scope.person)} in (${people}))`;
    case 'user':
      return sql`${column(scope.column)} in (${people})`;
    case 'owner':
      return sql`${column(scope.column)} in (select f.owner_id from farms as f where f.id in (${farms}))`;
    case 'named':
      return sql`${sql.ref(`${as}.id`)} in (select ${sql.ref(`f.${scope.column}`)} from farms as f where f.id in (${farms}))`;
    case 'parent': {
      const above = `${as}p`;
      return sql`${column(scope.column)} in (select ${sql.ref(`${above}.id`)} from ${sql.table(scope.table)} as ${sql.ref(above)}
        where ${inScope(scope.table, above, streamId)})`;
    }
    case 'nobody':
      return sql`1 = 0`;
  }
}
