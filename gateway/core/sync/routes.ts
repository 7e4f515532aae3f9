import type { Resource } from '#contract/resource.ts';
import type { Change, Unit } from '../changes.ts';
import { OWN_STREAM } from '../own-stream.ts';
import type { Steps, UnitContext } from '../statements.ts';
import { inList, listOf } from './id-lists.ts';
import { idsOfPlace, type Places, placesOf } from './places.ts';
import { isTold, scopeOf } from './shared-tables.ts';
import { streamsOfFarms, streamsOfPeople } from './streams-of.ts';
import { textOf } from './text-of.ts';

// Which streams a unit logs to. They are found before anything is locked, so that all units lock them in one order.

export type Routes = {
  /** Streams to lock, ascending. */
  streams: readonly number[];
  of(resource: Resource, id: string): readonly number[];
  /** People whom this unit makes visible to a stream that did not know them. */
  newcomers: readonly { userId: string; streamId: number }[];
};

export function* routesOf(unit: Unit, context: UnitContext): Steps<Routes> {
  return context.streams === 'own' ? ownRoutes(unit) : yield* routesByScope(unit, context);
}

function ownRoutes(unit: Unit): Routes {
  const { incoming, stream, restamps, snapshot, difference } = unit;
  const isNeeded =
    [incoming, stream, restamps, snapshot, difference].some((part) => part !== undefined) ||
    unit.changes.some(({ resource }) => resource.sync !== 'local');
  const homeless = new Set(unit.changes.filter(staysHere).map(({ row }) => row.id));
  return {
    streams: isNeeded ? [OWN_STREAM] : [],
    of: (resource, id) => (isTold(resource) && !homeless.has(id) ? [OWN_STREAM] : []),
    newcomers: [],
  };
}

/** A new row of no farm: nobody elsewhere could see it. */
function staysHere(change: Change): change is Extract<Change, { op: 'insert' }> {
  if (change.op !== 'insert' || change.resource.sync === 'local') return false;
  const scope = scopeOf(change.resource);
  return scope.by === 'farm' && change.row[scope.column] === null;
}

function* routesByScope(unit: Unit, context: UnitContext): Steps<Routes> {
  const places = yield* placesOf(unit, context);
  const farms = new Set([...places.values()].flatMap((place) => place.farms));
  const people = new Set([...places.values()].flatMap((place) => place.people));
  const named = [...namedPeople(unit), ...(yield* peopleOfBound(unit, context))];
  for (const { userId } of named) people.add(userId);
  const streamsByFarm = yield* streamsOfFarms(farms, context);
  for (const [farmId, streamId] of boundHere(unit)) streamsByFarm.set(farmId, streamId);
  const streamsByPerson = yield* streamsOfPeople(people, context);
  const newcomers = newcomersOf(named, streamsByFarm, streamsByPerson);
  for (const { userId, streamId } of newcomers)
    streamsByPerson.set(userId, [...(streamsByPerson.get(userId) ?? []), streamId]);
  const of = (resource: Resource, id: string): readonly number[] =>
    ascending(streamsOfPlace(places, idsOfPlace(resource, id), { streamsByFarm, streamsByPerson }));
  return {
    streams: ascending([...streamsOfUnit(unit), ...allStreams(places, { streamsByFarm, streamsByPerson })]),
    of,
    newcomers,
  };
}

type StreamsBy = {
  streamsByFarm: ReadonlyMap<string, number>;
  streamsByPerson: ReadonlyMap<string, readonly number[]>;
};

const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].toSorted((a, b) => a - b);

function streamsOfPlace(places: Places, key: string, by: StreamsBy): number[] {
  const place = places.get(key);
  if (place === undefined) return [];
  const ofFarms = place.farms.flatMap((id) => by.streamsByFarm.get(id) ?? []);
  return [...ofFarms, ...place.people.flatMap((id) => by.streamsByPerson.get(id) ?? [])];
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

/** Farms this unit binds to a stream. */
function boundHere({ changes }: Unit): (readonly [farmId: string, streamId: number])[] {
  return changes.flatMap((change) =>
    change.resource.name === 'sync_farms' && 'row' in change
      ? [[change.row.id, Number(change.row['stream_id'])] as const]
      : [],
  );
}

type PersonOfFarm = { userId: string; farmId: string };

/** People whom the rows of this unit name as members or owners of a farm. */
function namedPeople({ changes }: Unit): PersonOfFarm[] {
  return changes.flatMap((change) => {
    const { resource } = change;
    if (resource.name === 'farm_members' && change.op === 'insert')
      return [{ userId: String(change.row['user_id']), farmId: String(change.row['farm_id']) }];
    if (resource.name !== 'farms') return [];
    if (change.op === 'insert') return [{ userId: String(change.row['owner_id']), farmId: change.row.id }];
    if (change.op === 'update' && change.set['owner_id'] !== undefined)
      return [{ userId: textOf(change.set['owner_id']), farmId: change.id }];
    return [];
  });
}

/** People of farms that this unit binds. */
function* peopleOfBound(unit: Unit, context: UnitContext): Steps<PersonOfFarm[]> {
  const farms = boundHere(unit).map(([farmId]) => farmId);
  if (farms.length === 0) return [];
  const people = yield {
    sql: `select id as farm_id, owner_id as user_id from farms where ${inList('id', context)}
      union select farm_id, user_id from farm_members where hidden = 0 and ${inList('farm_id', context)}`,
    params: [listOf(farms), listOf(farms)],
  };
  return people.map((row) => ({ userId: String(row['user_id']), farmId: String(row['farm_id']) }));
}

function newcomersOf(
  named: readonly PersonOfFarm[],
  streamsByFarm: ReadonlyMap<string, number>,
  streamsByPerson: ReadonlyMap<string, readonly number[]>,
): Routes['newcomers'] {
  const found = new Map<string, { userId: string; streamId: number }>();
  for (const { userId, farmId } of named) {
    const streamId = streamsByFarm.get(farmId);
    if (streamId === undefined || streamsByPerson.get(userId)?.includes(streamId)) continue;
    found.set(`${userId} ${streamId}`, { userId, streamId });
  }
  return [...found.values()];
}
