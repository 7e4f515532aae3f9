import type { Steps, UnitContext } from '../register.ts';
import { inList, listOf } from './id-lists.ts';

/** Streams of farms that have one. */
export function* streamsOfFarms(
  farms: ReadonlySet<string>,
  context: UnitContext,
): Steps<Map<string, number>> {
  if (farms.size === 0) return new Map();
  const bound = yield {
    sql: `select id, stream_id from sync_farms where ${inList('id', context)}`,
    params: [listOf(farms)],
  };
  return new Map(bound.map((row) => [String(row['id']), Number(row['stream_id'])]));
}

/** Streams of the farms that people own or are members of, and of those that they own. */
export type StreamsOfPeople = {
  any: Map<string, readonly number[]>;
  owned: Map<string, readonly number[]>;
};

export function* streamsOfPeople(people: ReadonlySet<string>, context: UnitContext): Steps<StreamsOfPeople> {
  const streams = { any: new Map<string, number[]>(), owned: new Map<string, number[]>() };
  if (people.size === 0) return streams;
  const seen = yield {
    sql: `select farms.owner_id as person, sync_farms.stream_id, 1 as owns from farms
        join sync_farms on sync_farms.id = farms.id where ${inList('farms.owner_id', context)}
      union select farm_members.user_id, sync_farms.stream_id, 0 from farm_members
        join sync_farms on sync_farms.id = farm_members.farm_id
        where farm_members.hidden = 0 and ${inList('farm_members.user_id', context)}`,
    params: [listOf(people), listOf(people)],
  };
  for (const row of seen) {
    const person = String(row['person']);
    const streamId = Number(row['stream_id']);
    for (const kind of Number(row['owns']) === 1 ? (['any', 'owned'] as const) : (['any'] as const)) {
      const known = streams[kind].get(person) ?? [];
      if (!known.includes(streamId)) streams[kind].set(person, [...known, streamId]);
    }
  }
  return streams;
}
