import type { Resource } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import { movedRange } from '#contract/resources/local-tables.ts';
import type { Steps, UnitContext } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { textOf } from './canonical-change.ts';
import type { Fields } from './edit.ts';
import { inList, listOf } from './id-lists.ts';
import { mayLeadElsewhere, referencesOf, resourceOfTable, scopeOf } from './shared-tables.ts';
import { standingOf, type WorkingSet } from './working-set.ts';

// Hosted: what a gateway may speak of. A stolen one reaches its own farms and their people, nothing else.

export type Tenancy = {
  streamId: number;
  farms: Set<string>;
  /** Of the addresses asked for: those that these farms name, and those that a gateway made. */
  addresses: Set<string>;
  made: ReadonlySet<string>;
  /**
   * Of those asked for: who owns these farms or works on them now, local users of this gateway, and who was lost here, by
   * this gateway's word first, until that is answered.
   */
  people: Set<string>;
  /** Of those asked for: who worked on one of these farms once. */
  past: ReadonlySet<string>;
  /** Of those asked for: who owns a farm that was taken off this gateway, or ever worked on it. */
  away: ReadonlySet<string>;
  /** Which of them are on which of these farms, as `isOnFarm` asks. */
  standings: Set<string>;
  /** Of those asked for: people whose account stands on this gateway alone. */
  locals: Set<string>;
  /** Of those asked for: accounts that gateways know and this instance lost, as told; no administrator has decided. */
  lost: ReadonlyMap<string, { name: string; email: string }>;
  /** Of those asked for: lost accounts of which this gateway told, and an administrator answered. */
  answered: ReadonlySet<string>;
  /** Of those asked for: lost accounts of which an administrator answered, whichever gateway told. */
  decided: ReadonlySet<string>;
  /** Whose the gateway is; null: no pairing made it. */
  ownerId: string | null;
};

export const standingKey = (farmId: string, userId: string): string => `${farmId} ${userId}`;

/** Owns that farm, or works on it; or their account is the gateway's own to speak of. */
export const isOnFarm = ({ standings, locals }: Tenancy, farmId: string, userId: string): boolean =>
  locals.has(userId) || standings.has(standingKey(farmId, userId));

export function* loadTenancy(
  streamId: number,
  { people: asked, addresses }: { people: ReadonlySet<string>; addresses: ReadonlySet<string> },
  context: UnitContext,
): Steps<Tenancy> {
  const bound = yield { sql: 'select id from sync_farms where stream_id = ?', params: [streamId] };
  const [gateway] = yield { sql: 'select owner_id from gateways where stream_id = ?', params: [streamId] };
  const people = asked.size === 0 ? [] : yield* peopleOf(streamId, asked, context);
  const named =
    addresses.size === 0
      ? []
      : yield {
          sql: `select farms.address_id as id from farms join sync_farms on sync_farms.id = farms.id
            where sync_farms.stream_id = ? and ${inList('farms.address_id', context)}`,
          params: [streamId, listOf(addresses)],
        };
  const registers =
    addresses.size === 0
      ? []
      : yield {
          sql: `select id, hlc from sync_register where entity = ? and ${inList('id', context)}`,
          params: [address.entity, listOf(addresses)],
        };
  const past = asked.size === 0 ? [] : yield* pastMembers(streamId, asked, context);
  const away = asked.size === 0 ? [] : yield* peopleOfMoved(streamId, asked, context);
  const lost =
    asked.size === 0
      ? []
      : yield {
          sql: `select user_id as id, stream_id, told_before, state, name, email from lost_people
            where kind = 'account' and ${inList('user_id', context)} order by told_before desc, id`,
          params: [listOf(asked)],
        };
  const open = lost.filter(({ state }) => state === 'open');
  const decided = lost.filter(({ state }) => state !== 'open');
  const own = (rows: typeof lost) => rows.filter((row) => Number(row['stream_id']) === streamId);
  const first = own(open).filter((row) => Number(row['told_before']) === 0);
  const ownerId = typeof gateway?.['owner_id'] === 'string' ? gateway['owner_id'] : null;
  const ids = (rows: readonly Record<string, unknown>[]): string[] => rows.map((row) => String(row['id']));
  return {
    streamId,
    farms: new Set(ids(bound)),
    addresses: new Set(ids(named)),
    made: new Set(ids(registers.filter(({ hlc }) => !isHostedStamp(textOf(hlc))))),
    people: new Set([...ids(people), ...ids(first), ...(ownerId === null ? [] : [ownerId])]),
    past: new Set(ids(past)),
    away: new Set(ids(away)),
    lost: new Map(
      open.map((row) => [String(row['id']), { name: textOf(row['name']), email: textOf(row['email']) }]),
    ),
    answered: new Set(ids(own(decided))),
    decided: new Set(ids(decided)),
    standings: new Set(people.map((row) => standingKey(String(row['farm_id']), String(row['id'])))),
    locals: new Set(ids(people.filter((row) => Number(row['is_local']) === 1))),
    ownerId,
  };
}

function* pastMembers(
  streamId: number,
  asked: ReadonlySet<string>,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  return yield {
    sql: `select farm_members.user_id as id from farm_members join sync_farms on sync_farms.id = farm_members.farm_id
      where sync_farms.stream_id = ? and farm_members.hidden = 1 and ${inList('farm_members.user_id', context)}`,
    params: [streamId, listOf(asked)],
  };
}

function* peopleOfMoved(
  streamId: number,
  asked: ReadonlySet<string>,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  const [from, before] = movedRange(streamId);
  const moved = yield {
    sql: 'select id from instance_values where id >= ? and id < ?',
    params: [from, before],
  };
  if (moved.length === 0) return [];
  const farms = listOf(new Set(moved.map(({ id }) => String(id).slice(from.length))));
  return yield {
    sql: `select owner_id as id from farms where ${inList('id', context)} and ${inList('owner_id', context)}
      union select user_id from farm_members where ${inList('farm_id', context)} and ${inList('user_id', context)}`,
    params: [farms, listOf(asked), farms, listOf(asked)],
  };
}

function* peopleOf(
  streamId: number,
  asked: ReadonlySet<string>,
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  const list = listOf(asked);
  return yield {
    sql: `select farms.owner_id as id, farms.id as farm_id, 0 as is_local from farms join sync_farms on sync_farms.id = farms.id
        where sync_farms.stream_id = ? and ${inList('farms.owner_id', context)}
      union select farm_members.user_id, farm_members.farm_id, 0 from farm_members join sync_farms on sync_farms.id = farm_members.farm_id
        where sync_farms.stream_id = ? and farm_members.hidden = 0 and ${inList('farm_members.user_id', context)}
      union select id, null, 1 from local_users where stream_id = ? and state = 'local' and ${inList('id', context)}`,
    params: [streamId, list, streamId, list, streamId, list],
  };
}

/**
 * Is a row of the gateway's farms or their people? An address is as long as one of the farms names it. Of who owns the
 * gateway it may be one that a gateway made; of somebody of its own any.
 */
export function belongs(
  tenancy: Tenancy,
  set: WorkingSet,
  { resource, id, row }: { resource: Resource; id: string; row: Fields },
  isStanding = true,
): boolean {
  const scope = scopeOf(resource);
  const value = (column: string): string => (column === 'id' ? id : textOf(row[column]));
  switch (scope.by) {
    case 'farm':
      return (
        tenancy.farms.has(value(scope.column)) &&
        (scope.person === undefined || isOnFarm(tenancy, value(scope.column), value(scope.person)))
      );
    case 'user':
      return tenancy.people.has(value(scope.column));
    case 'owner':
      return false;
    case 'named': {
      const of = value('user_id');
      if (tenancy.addresses.has(id) || tenancy.locals.has(of)) return true;
      return tenancy.ownerId === of && (!isStanding || tenancy.made.has(id));
    }
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

/** Does everything that it names anew belong to them, too? Answers the column that does not. */
export function strangerIn(
  tenancy: Tenancy,
  set: WorkingSet,
  { resource, row }: { resource: Resource; row: Fields | null },
  fields: Fields,
): string | null {
  for (const [column, table] of referencesOf(resource)) {
    const id = fields[column];
    if (typeof id !== 'string' || row?.[column] === id) continue;
    const standing = standingOf(set, table, id);
    if (
      standing === null ||
      !belongs(tenancy, set, { resource: resourceOfTable(table), id, row: standing.fields })
    )
      return column;
  }
  return null;
}

/** The farm a row lies on; null: it is of none, or that is not known. */
function farmOf(set: WorkingSet, resource: Resource, row: Fields): string | null {
  const scope = scopeOf(resource);
  if (scope.by !== 'farm' && scope.by !== 'parent') return null;
  const own = row[scope.column];
  const of = scope.by === 'farm' ? own : standingOf(set, scope.table, textOf(own))?.fields['farm_id'];
  return typeof of === 'string' ? of : null;
}

/**
 * Would these fields take a row to another farm, or have it name something there? Nothing goes from farm to farm, though
 * both be the gateway's: their people are not the same. `row` as it stands; null: there is none.
 */
export function leavesItsFarm(
  set: WorkingSet,
  { resource, row }: { resource: Resource; row: Fields | null },
  fields: Fields,
): boolean {
  const [stands, would] = [row ?? fields, { ...row, ...fields }].map((one) => farmOf(set, resource, one));
  if (stands === null || stands === undefined) return false;
  if (would !== stands) return true;
  return referencesOf(resource).some(([column, table]) => {
    const id = fields[column];
    if (typeof id !== 'string' || row?.[column] === id || mayLeadElsewhere(resource, column)) return false;
    const of = standingOf(set, table, id)?.fields['farm_id'];
    return typeof of === 'string' && of !== stands;
  });
}
