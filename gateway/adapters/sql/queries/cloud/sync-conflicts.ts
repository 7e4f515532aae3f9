import { type RawBuilder, sql } from 'kysely';
import type { Resource } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import { expense } from '#contract/resources/finance.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { transfer } from '#contract/resources/transfers.ts';
import { user } from '#contract/resources/users.ts';
import { membersWith } from '#contract/rights.ts';
import type { FarmRole } from '#contract/words.ts';
import type {
  ConflictFilter,
  ConflictQueries,
  FoundRow,
  OverdrawnQueries,
  ShownConflict,
  TellQueries,
} from '#features/cloud/sync-conflicts/ports.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Database, Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf, isKnownOn, takenBelow } from '../farm/farms.ts';
import { inChunks } from '../paging.ts';
import { inSamePlace, type Role } from '../same-place.ts';

type Deps = Pick<Database, 'read' | 'dialect'>;
type RoleOf = (of: 'farm', id: string, userId: string) => Promise<{ role: FarmRole | null } | null>;

export function conflictQueries(database: Deps, accessTo: RoleOf, role: Role): ConflictQueries {
  const { read } = database;
  async function find(
    filter: ConflictFilter & { id?: string },
    page: { skip: number; limit: number },
    after: { found_at: string; id: string } | null = null,
  ) {
    const rows = await shown(database, filter)
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(c.found_at, c.id) < (${after?.found_at}, ${after?.id})`),
      )
      .select(sql<string>`${stateNow(database)}`.as('state_now'))
      .orderBy('c.found_at', 'desc')
      .orderBy('c.id', 'desc')
      .offset(page.skip)
      .limit(page.limit)
      .execute();
    return rows.map(
      ({ kept_by_name, dropped_by_name, state_now, ...row }): ShownConflict => ({
        ...decodeRow(syncConflict, row),
        // one of the four words, see stateNow
        state: state_now as ShownConflict['state'],
        kept_by_name,
        dropped_by_name,
      }),
    );
  }
  return {
    conflictsOf: (filter, page) =>
      inChunks<ShownConflict>(page, (after, { limit, offset }) =>
        find(filter, { skip: offset, limit }, after),
      ),
    async countConflicts(filter) {
      const row = await shown(database, filter)
        .clearSelect()
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    conflictFor: async (userId, id) => (await find({ userId, id }, { skip: 0, limit: 1 }))[0] ?? null,
    roleOn: async (farmId, userId) => (await accessTo('farm', farmId, userId))?.role ?? null,
    row: (resource, id) => rowOf(read, resource, id),
    async isTaken({ name }, values, exceptId) {
      const conditions = Object.entries(values).map(
        ([column, value]) => sql`${sql.ref(column)} = ${value as string}`,
      );
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(name)}
        where hidden = 0 and id <> ${exceptId} and ${sql.join(conditions, sql` and `)}
          and ${'device_id' in values ? isNear(role, name, exceptId) : sql`1 = 1`} limit 1`.execute(read);
      return rows.length > 0;
    },
    takenBelow: async ({ name }, id) =>
      name === 'farms' || name === 'ponds'
        ? takenBelow(read, role, { of: name === 'farms' ? 'farm' : 'pond', id })
        : null,
  };
}

/** Rows of control points or aerators where the name of that row's device stands once. */
function isNear(role: Role, table: string, id: string): RawBuilder<boolean> {
  if (table === 'control_points')
    return inSamePlace(role, 'farm_id', sql<string>`(select farm_id from control_points where id = ${id})`);
  const farmId = sql<string>`(select p.farm_id from ponds as p join aerators as a on a.pond_id = p.id where a.id = ${id})`;
  return sql<boolean>`pond_id in (select near.id from ponds as near where ${inSamePlace(role, 'near.farm_id', farmId)})`;
}

export function tellConflictQueries(
  { read }: Deps,
  toldId: (conflictId: string) => string,
  accessTo: RoleOf,
): TellQueries {
  return {
    async concerns({ farm_id: farmId, row_id: rowId }, userId) {
      if (farmId !== null) return ((await accessTo('farm', farmId, userId))?.role ?? null) !== null;
      if (rowId === userId) return true;
      const own = await read
        .selectFrom('addresses')
        .select('id')
        .where('id', '=', rowId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return own !== undefined;
    },
    async untold(since, limit) {
      const rows = await read
        .selectFrom('sync_conflicts')
        .selectAll()
        .where('state', '=', 'open')
        .where('found_at', '>=', since)
        .orderBy('found_at', 'desc')
        .limit(limit)
        .execute();
      if (rows.length === 0) return [];
      const ids = rows.map(({ id }) => toldId(id));
      const told = await read.selectFrom('logs').select('id').where('id', 'in', ids).execute();
      const known = new Set(told.map(({ id }) => id));
      return rows.filter(({ id }) => !known.has(toldId(id))).map((row) => decodeRow(syncConflict, row));
    },
  };
}

export function overdrawnQueries({ read, dialect }: Deps): OverdrawnQueries {
  return {
    async movesOf(ids) {
      const rows = await read
        .selectFrom('transfers as t')
        .innerJoin('batches as b', 'b.id', 't.batch_id')
        .innerJoin('ponds as p', 'p.id', 'b.pond_id')
        .innerJoin('sync_register as r', (join) =>
          join.onRef('r.id', '=', 't.id').on('r.entity', '=', transfer.entity),
        )
        .leftJoin('sync_farms as f', 'f.id', 'p.farm_id')
        .selectAll('t')
        .select(['p.farm_id', 'f.stream_id', 'r.hlc', stampOf(dialect, sql.lit('moved')).as('stamp')])
        .where('t.id', 'in', ids)
        .where('t.hidden', '=', 0)
        .orderBy('t.transfer_date')
        .orderBy('t.id')
        .execute();
      return rows.map(({ farm_id, stream_id, hlc, stamp, ...row }) => ({
        row: decodeRow(transfer, row),
        farm_id,
        // a gateway has one stream, the first
        stream_id: stream_id ?? 1,
        stamp: typeof stamp === 'string' ? stamp : hlc,
      }));
    },
  };
}

/** Of farms that the user may see, and of the user's own account; amounts only for those who may read them. */
function shown({ read, dialect }: Deps, { userId, farmId, state, id }: ConflictFilter & { id?: string }) {
  const withoutFinance = read
    .selectFrom('farm_members')
    .select('farm_id')
    .where('user_id', '=', userId)
    .where('role', 'not in', membersWith('read_finance'))
    .where('hidden', '=', 0);
  return read
    .selectFrom('sync_conflicts as c')
    .leftJoin('users as k', (join) => join.onRef('k.id', '=', 'c.kept_by').on(mayBeNamed('k', userId)))
    .leftJoin('users as d', (join) => join.onRef('d.id', '=', 'c.dropped_by').on(mayBeNamed('d', userId)))
    .selectAll('c')
    .select(['k.name as kept_by_name', 'd.name as dropped_by_name'])
    .where((row) =>
      row.or([
        row('c.farm_id', 'in', farmIdsOf(read, userId)),
        row.and([
          row('c.farm_id', 'is', null),
          row.or([
            row('c.kept_by', '=', userId),
            row('c.dropped_by', '=', userId),
            row.and([row('c.entity', '=', user.entity), row('c.row_id', '=', userId)]),
            row.and([
              row('c.entity', '=', address.entity),
              row('c.row_id', 'in', read.selectFrom('addresses').select('id').where('user_id', '=', userId)),
            ]),
          ]),
        ]),
      ]),
    )
    .where((row) =>
      row.not(row.and([row('c.entity', '=', expense.entity), row('c.farm_id', 'in', withoutFinance)])),
    )
    .$if(id !== undefined, (query) => query.where('c.id', '=', id ?? ''))
    .$if(farmId !== undefined, (query) => query.where('c.farm_id', '=', farmId ?? ''))
    .$if(state !== undefined, (query) => query.where(sql`${stateNow({ dialect })}`, '=', state ?? ''));
}

/** Of what is of no farm nobody stands beside it but the reader. */
const mayBeNamed = (person: 'k' | 'd', userId: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${person}.id`)} = ${userId} or ${isKnownOn(sql.ref(`${person}.id`), sql.ref('c.farm_id'))})`;

/**
 * `superseded` where it was changed again since. Looked up with every read: it costs one row by its key, and what a
 * commit on the other side did is known at once.
 */
function stateNow({ dialect }: Pick<Deps, 'dialect'>): RawBuilder<unknown> {
  return sql`case when c.state = 'open' and exists (${movedOn(dialect)}) then 'superseded' else c.state end`;
}

/** Of a row's register `r`: the stamp of a group that has one of its own. */
function stampOf(dialect: Deps['dialect'], group: RawBuilder<unknown>): RawBuilder<string | null> {
  return dialect === 'postgres'
    ? sql`(r.over_json::json ->> ${group})`
    : sql`json_extract(r.over_json, '$."' || ${group} || '"')`;
}

export function movedOn(dialect: Deps['dialect']): RawBuilder<unknown> {
  const stamp = stampOf(dialect, sql`c.field_group`);
  return sql`select r.id from sync_register as r where r.entity = c.entity and r.id = c.row_id and
    case when c.rule in ('delete_wins', 'duplicate') then r.cl % 2 = 1
    when c.rule = 'overdrawn' and r.cl % 2 = 0 then true
    else coalesce(${stamp}, r.hlc) > c.kept_hlc end`;
}

async function rowOf(read: Db, resource: Resource, id: string): Promise<FoundRow | null> {
  const codec = codecOf(resource);
  const columns = codec.columns.map((column) => sql.ref(`t.${column}`));
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(columns)}, t.rev as row_rev, t.hidden as row_hidden, r.cl as row_cl from ${sql.table(resource.name)} as t
    left join sync_register as r on r.entity = ${resource.entity} and r.id = t.id where t.id = ${id}`.execute(
    read,
  );
  const [stored] = rows;
  if (stored === undefined) return null;
  return {
    row: { ...codec.decode(stored), id },
    rev: Number(stored['row_rev']),
    isHidden: Number(stored['row_hidden']) === 1,
    isDeleted: Number(stored['row_cl'] ?? 1) % 2 === 0,
  };
}
