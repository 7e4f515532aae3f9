import type { Resource } from '#contract/resource.ts';
import { MOVED_FROM_ANY } from '#contract/resources/local-tables.ts';
import type { Unit } from '#core/changes.ts';
import { OWN_STREAM } from '../own-stream.ts';
import type { Steps, UnitContext } from '../register.ts';
import { textOf } from './canonical-change.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { addressesSet, farmsNaming, idsOfPlace, type Places, placesOf } from './places.ts';
import { isTold, scopeOf } from './shared-tables.ts';
import { type StreamsOfPeople, streamsOfFarms, streamsOfPeople } from './streams-of.ts';

// Which streams a unit logs to. They are found before anything is locked, so that all units lock them in one order.

export type Routes = {
  /** Streams to lock, ascending. */
  streams: readonly number[];
  of(resource: Resource, id: string): readonly number[];
  /** Hosted: the farm of a row where it was taken off its gateway and has none since; else null. */
  awayOf(resource: Resource, id: string): string | null;
  /** People whom this unit makes visible to a stream that did not know them, or did not know as an owner. */
  newcomers: readonly { userId: string; streamId: number; isOwner: boolean }[];
  /** Addresses that farms of a stream name from now on. */
  addresses: readonly { id: string; streamId: number }[];
  /** Hosted: is that account an ADMIN, before this unit or after it? */
  isAdmin(id: string, body: Readonly<Record<string, unknown>>): boolean;
};

export function* routesOf(unit: Unit, context: UnitContext): Steps<Routes> {
  return context.streams === 'own' ? yield* ownRoutes(unit, context) : yield* routesByScope(unit, context);
}

function* ownRoutes(unit: Unit, context: UnitContext): Steps<Routes> {
  const { incoming, stream, restamps, returns, snapshot, difference } = unit;
  const isNeeded =
    [incoming, stream, restamps, returns, snapshot, difference].some((part) => part !== undefined) ||
    unit.changes.some(({ resource }) => resource.sync !== 'local');
  const homeless = yield* stayingHere(unit, context);
  const named = yield* addressesNamed(unit, context);
  return {
    streams: isNeeded ? [OWN_STREAM] : [],
    of: (resource, id) => (isTold(resource) && !homeless.has(id) ? [OWN_STREAM] : []),
    awayOf: () => null,
    newcomers: [],
    addresses: named.map(({ id }) => ({ id, streamId: OWN_STREAM })),
    isAdmin: () => false,
  };
}

/** Rows of no farm: nobody elsewhere may see them. */
function* stayingHere(unit: Unit, context: UnitContext): Steps<Set<string>> {
  const homeless = new Set<string>();
  const asked = new Map<Resource, Set<string>>();
  for (const change of unit.changes) {
    const { resource } = change;
    if (resource.sync === 'local' || change.op === 'tell') continue;
    const id = 'row' in change ? change.row.id : change.id;
    const scope = scopeOf(resource);
    if (scope.by === 'named') homeless.add(id);
    if (scope.by !== 'farm' || scope.column === 'id') continue;
    if (change.op === 'insert' && change.row[scope.column] === null) homeless.add(id);
    if (change.op !== 'insert' && isNullable(resource, scope.column))
      asked.set(resource, (asked.get(resource) ?? new Set()).add(id));
  }
  for (const [{ name }, ids] of asked) {
    const stored = yield rowsByIds({ table: name, columns: ['id', 'farm_id'], ids }, context);
    for (const row of stored) if (row['farm_id'] === null) homeless.add(String(row['id']));
  }
  for (const { id } of yield* farmsNaming(homeless, unit, context)) homeless.delete(id);
  return homeless;
}

const isNullable = ({ row }: Resource, column: string): boolean =>
  row.shape[column]?.safeParse(null).success === true;

function* routesByScope(unit: Unit, context: UnitContext): Steps<Routes> {
  const places = yield* placesOf(unit, context);
  const farms = new Set([...places.values()].flatMap((place) => place.farms));
  const people = new Set([...places.values()].flatMap((place) => [...place.people, ...place.owners]));
  const named = [...namedPeople(unit), ...(yield* peopleOfBound(unit, context))];
  for (const { userId } of named) people.add(userId);
  const addresses = yield* addressesNamed(unit, context);
  for (const { farmId } of addresses) farms.add(farmId);
  const streamsByFarm = yield* streamsOfFarms(farms, context);
  for (const [farmId, streamId] of boundHere(unit)) streamsByFarm.set(farmId, streamId);
  const away = yield* farmsAway(
    [...farms].filter((id) => !streamsByFarm.has(id)),
    unit,
    context,
  );
  const streamsByPerson = yield* streamsOfPeople(people, context);
  const newcomers = newcomersOf(named, streamsByFarm, streamsByPerson);
  for (const { userId, streamId, isOwner } of newcomers)
    for (const kind of isOwner ? (['any', 'owned'] as const) : (['any'] as const))
      streamsByPerson[kind].set(userId, [...(streamsByPerson[kind].get(userId) ?? []), streamId]);
  const admins = yield* adminsIn(unit, context);
  const of = (resource: Resource, id: string): readonly number[] =>
    ascending(streamsOfPlace(places, idsOfPlace(resource, id), { streamsByFarm, streamsByPerson }));
  return {
    streams: ascending([
      ...streamsOfUnit(unit),
      ...(yield* everyStream(unit)),
      ...allStreams(places, { streamsByFarm, streamsByPerson }),
    ]),
    of,
    awayOf: (resource, id) =>
      places.get(idsOfPlace(resource, id))?.farms.find((farmId) => away.has(farmId)) ?? null,
    newcomers,
    addresses: addresses.flatMap(({ id, farmId }) => {
      const streamId = streamsByFarm.get(farmId);
      return streamId === undefined ? [] : [{ id, streamId }];
    }),
    isAdmin: (id, body) => body['role'] === 'ADMIN' || admins.has(id),
  };
}

/** Of some farms without a gateway those that had one, where this unit changes rows. */
function* farmsAway(farms: readonly string[], { changes }: Unit, context: UnitContext): Steps<Set<string>> {
  if (farms.length === 0 || !changes.some((change) => 'set' in change)) return new Set();
  const farmId = 'substr(id, length(id) - 35)';
  const noted = yield {
    sql: `select ${farmId} as farm_id from instance_values where id >= ? and id < ? and ${inList(farmId, context)}`,
    params: [...MOVED_FROM_ANY, listOf(farms)],
  };
  return new Set(noted.map(({ farm_id }) => String(farm_id)));
}

/** Of the accounts that this unit changes those that are an ADMIN's, before it or after it. */
function* adminsIn({ changes }: Unit, context: UnitContext): Steps<Set<string>> {
  const edits = changes.flatMap((change) =>
    change.resource.name === 'users' && 'set' in change ? [change] : [],
  );
  if (edits.length === 0) return new Set();
  const stored = yield {
    sql: `select id from users where role = 'ADMIN' and ${inList('id', context)}`,
    params: [listOf(new Set(edits.map(({ id }) => id)))],
  };
  const made = edits.filter(({ set }) => set['role'] === 'ADMIN').map(({ id }) => id);
  return new Set([...stored.map(({ id }) => String(id)), ...made]);
}

type StreamsBy = {
  streamsByFarm: ReadonlyMap<string, number>;
  streamsByPerson: StreamsOfPeople;
};

const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

function streamsOfPlace(places: Places, key: string, by: StreamsBy): number[] {
  const place = places.get(key);
  if (place === undefined) return [];
  const ofFarms = place.farms.flatMap((id) => by.streamsByFarm.get(id) ?? []);
  const { any, owned } = by.streamsByPerson;
  return [
    ...ofFarms,
    ...place.people.flatMap((id) => any.get(id) ?? []),
    ...place.owners.flatMap((id) => owned.get(id) ?? []),
  ];
}

const allStreams = (places: Places, by: StreamsBy): number[] =>
  [...places.keys()].flatMap((key) => streamsOfPlace(places, key, by));

function streamsOfUnit({ incoming, stream, changes }: Unit): number[] {
  return [
    ...(incoming === undefined ? [] : [incoming.streamId]),
    ...(stream === undefined ? [] : [stream.id]),
    ...changes.flatMap((change) => (change.op === 'tell' ? [change.streamId] : [])),
  ];
}

function* everyStream({ returnStamps }: Unit): Steps<number[]> {
  if (returnStamps !== true) return [];
  const stored = yield {
    sql: 'select stream_id from sync_stream where stream_id <> ?',
    params: [OWN_STREAM],
  };
  return stored.map((row) => Number(row['stream_id']));
}

/** Farms this unit binds to a stream. */
function boundHere({ changes }: Unit): (readonly [farmId: string, streamId: number])[] {
  return changes.flatMap((change) =>
    change.resource.name === 'sync_farms' && 'row' in change
      ? [[change.row.id, Number(change.row['stream_id'])] as const]
      : [],
  );
}

type PersonOfFarm = { userId: string; farmId: string; isOwner: boolean };

/** People whom the rows of this unit name as members or owners of a farm. */
function namedPeople({ changes }: Unit): PersonOfFarm[] {
  return changes.flatMap((change): PersonOfFarm[] => {
    const { resource } = change;
    if (resource.name === 'farm_members' && change.op === 'insert')
      return [
        { userId: String(change.row['user_id']), farmId: String(change.row['farm_id']), isOwner: false },
      ];
    if (resource.name !== 'farms') return [];
    if (change.op === 'insert')
      return [{ userId: String(change.row['owner_id']), farmId: change.row.id, isOwner: true }];
    if (change.op === 'update' && change.set['owner_id'] !== undefined)
      return [{ userId: textOf(change.set['owner_id']), farmId: change.id, isOwner: true }];
    return [];
  });
}

/** People of farms that this unit binds. */
function* peopleOfBound(unit: Unit, context: UnitContext): Steps<PersonOfFarm[]> {
  const farms = boundHere(unit).map(([farmId]) => farmId);
  if (farms.length === 0) return [];
  const people = yield {
    sql: `select id as farm_id, owner_id as user_id, 1 as owns from farms where ${inList('id', context)}
      union select farm_id, user_id, 0 from farm_members where hidden = 0 and ${inList('farm_id', context)}`,
    params: [listOf(farms), listOf(farms)],
  };
  return people.map((row) => ({
    userId: String(row['user_id']),
    farmId: String(row['farm_id']),
    isOwner: Number(row['owns']) === 1,
  }));
}

type AddressOfFarm = { id: string; farmId: string };

/** Addresses that this unit has farms name, and those of farms that it binds. */
function* addressesNamed(unit: Unit, context: UnitContext): Steps<AddressOfFarm[]> {
  const bound = boundHere(unit).map(([farmId]) => farmId);
  const stored =
    bound.length === 0
      ? []
      : yield {
          sql: `select id, address_id from farms where address_id is not null and ${inList('id', context)}`,
          params: [listOf(bound)],
        };
  return [
    ...addressesSet(unit),
    ...stored.map((row) => ({ id: String(row['address_id']), farmId: String(row['id']) })),
  ];
}

function newcomersOf(
  named: readonly PersonOfFarm[],
  streamsByFarm: ReadonlyMap<string, number>,
  streamsByPerson: StreamsOfPeople,
): Routes['newcomers'] {
  const found = new Map<string, Routes['newcomers'][number]>();
  // as an owner first: that is told with more
  for (const { userId, farmId, isOwner } of named.toSorted((a, b) => Number(b.isOwner) - Number(a.isOwner))) {
    const streamId = streamsByFarm.get(farmId);
    if (streamId === undefined) continue;
    const known = streamsByPerson[isOwner ? 'owned' : 'any'].get(userId);
    const key = `${userId} ${streamId}`;
    if (!known?.includes(streamId) && !found.has(key)) found.set(key, { userId, streamId, isOwner });
  }
  return [...found.values()];
}
