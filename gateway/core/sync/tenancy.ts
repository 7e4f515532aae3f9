import type { Resource } from '#contract/resource.ts';
import type { Steps, UnitContext } from '../statements.ts';
import type { Fields } from './edit.ts';
import { inList, listOf } from './id-lists.ts';
import { referencesOf, resourceOfTable, scopeOf } from './shared-tables.ts';
import { textOf } from './text-of.ts';
import { standingOf, type WorkingSet } from './working-set.ts';

// Hosted: what a gateway may speak of. A stolen one reaches its own farms and their people, nothing else.

export type Tenancy = {
  streamId: number;
  farms: Set<string>;
  /** Of those asked for: people of these farms, and local users of this gateway. */
  people: Set<string>;
  /** Of those asked for: people whose account stands on this gateway alone. */
  locals: Set<string>;
  /** Whose the gateway is; null: no pairing made it. */
  ownerId: string | null;
};

export function* loadTenancy(
  streamId: number,
  asked: ReadonlySet<string>,
  context: UnitContext,
): Steps<Tenancy> {
  const bound = yield { sql: 'select id from sync_farms where stream_id = ?', params: [streamId] };
  const [gateway] = yield { sql: 'select owner_id from gateways where stream_id = ?', params: [streamId] };
  const people = asked.size === 0 ? [] : yield* peopleOf(streamId, asked, context);
  const ownerId = typeof gateway?.['owner_id'] === 'string' ? gateway['owner_id'] : null;
  const ids = (rows: readonly Record<string, unknown>[]): string[] => rows.map((row) => String(row['id']));
  return {
    streamId,
    farms: new Set(ids(bound)),
    people: new Set([...ids(people), ...(ownerId === null ? [] : [ownerId])]),
    locals: new Set(ids(people.filter((row) => Number(row['is_local']) === 1))),
    ownerId,
  };
}

function* peopleOf(
  streamId: number,
  asked: ReadonlySet<string>,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  const list = listOf(asked);
  return yield {
    sql: `select farms.owner_id as id, 0 as is_local from farms join sync_farms on sync_farms.id = farms.id
        where sync_farms.stream_id = ? and ${inList('farms.owner_id', context)}
      union select farm_members.user_id, 0 from farm_members join sync_farms on sync_farms.id = farm_members.farm_id
        where sync_farms.stream_id = ? and ${inList('farm_members.user_id', context)}
      union select id, 1 from local_users where stream_id = ? and state = 'local' and ${inList('id', context)}`,
    params: [streamId, list, streamId, list, streamId, list],
  };
}

/** Does a row belong to the gateway's farms or their people? */
export function belongs(
  tenancy: Tenancy,
  set: WorkingSet,
  { resource, id, row }: { resource: Resource; id: string; row: Fields },
): boolean {
  const scope = scopeOf(resource);
  const value = (column: string): string => (column === 'id' ? id : textOf(row[column]));
  switch (scope.by) {
    case 'farm':
      return tenancy.farms.has(value(scope.column));
    case 'user':
      return tenancy.people.has(value(scope.column));
    case 'farm or user':
      return row[scope.farm] === null || row[scope.farm] === undefined
        ? tenancy.people.has(value(scope.user))
        : tenancy.farms.has(value(scope.farm)) && tenancy.people.has(value(scope.user));
    case 'parent': {
      const parent = standingOf(set, scope.table, value(scope.column));
      return tenancy.farms.has(textOf(parent?.fields['farm_id']));
    }
    case 'nobody':
      return false;
    default:
      return scope satisfies never;
  }
}

/** Does everything that it names belong to them, too? Answers the column that does not. */
export function strangerIn(
  tenancy: Tenancy,
  set: WorkingSet,
  resource: Resource,
  fields: Fields,
): string | null {
  for (const [column, table] of referencesOf(resource)) {
    const id = fields[column];
    if (typeof id !== 'string') continue;
    const standing = standingOf(set, table, id);
    if (
      standing === null ||
      !belongs(tenancy, set, { resource: resourceOfTable(table), id, row: standing.fields })
    )
      return column;
  }
  return null;
}
