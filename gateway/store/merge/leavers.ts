import { farm, farmMember } from '#contract/resources/farms.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { type Committed, type CommittedRow, rowsOf } from '#core/changes.ts';
import type { ChangeLog } from '../change-log.ts';
import type { Rows, Steps, UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { stampsOfLeft, toldRow } from './personal.ts';
import { resourceOfTable } from './shared-tables.ts';
import { streamsOfFarms } from './streams-of.ts';
import { registersByIds, wholeRow } from './whole-rows.ts';

// Hosted: who is on none of a gateway's farms any more is told to it as such, in the unit that made it so. What of the
// person is left there is a name beside old records.

/** Tells gateways of the people who leave them with these rows. */
export function* tellLeavers(
  rows: readonly CommittedRow[],
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  if (context.streams === 'own') return;
  const leaving = leavingIn({ rows });
  const unbound = rowsOf({ rows }, syncFarm).filter(({ hidden }) => hidden);
  if (leaving.length + unbound.length === 0) return;
  const streamOf = yield* streamsOfFarms(new Set(leaving.map(({ farmId }) => farmId)), context);
  const byStream = new Map<number, Set<string>>();
  for (const { userId, farmId } of leaving) {
    const streamId = streamOf.get(farmId);
    if (streamId !== undefined) byStream.set(streamId, (byStream.get(streamId) ?? new Set()).add(userId));
  }
  for (const { id, after } of unbound) {
    const people = yield* peopleOfFarm(id);
    byStream.set(after.stream_id, new Set([...(byStream.get(after.stream_id) ?? []), ...people]));
  }
  for (const [streamId, people] of byStream) yield* tellWhoLeft(people, streamId, log, context);
}

function leavingIn(committed: Committed): { userId: string; farmId: string }[] {
  const members = rowsOf(committed, farmMember).filter(({ hidden }) => hidden);
  const farms = rowsOf(committed, farm).flatMap(({ id, before, after, hidden }) => {
    if (hidden) return [{ userId: after.owner_id, farmId: id }];
    return before === null || before.owner_id === after.owner_id
      ? []
      : [{ userId: before.owner_id, farmId: id }];
  });
  return [...members.map(({ after }) => ({ userId: after.user_id, farmId: after.farm_id })), ...farms];
}

function* peopleOfFarm(farmId: string): Steps<string[]> {
  const people = yield {
    sql: `select owner_id as id from farms where id = ? union select user_id from farm_members where farm_id = ? and hidden = 0`,
    params: [farmId, farmId],
  };
  return people.map(({ id }) => String(id));
}

/** Tells a gateway of those of them who are on none of its farms. */
export function* tellWhoLeft(
  people: ReadonlySet<string>,
  streamId: number,
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const present = new Set((yield* presentOf(streamId, people, context)).map(({ id }) => String(id)));
  const leaving = [...people].filter((id) => !present.has(id)).toSorted();
  const users = resourceOfTable('users');
  const codec = codecOf(users);
  const stored = yield rowsByIds(
    { table: users.name, columns: [...codec.columns, 'hidden'], ids: leaving },
    context,
  );
  const registers = yield* registersByIds(users, leaving, context);
  for (const found of stored) {
    const id = String(found['id']);
    const register = registers.get(id);
    // of an account that ended every gateway hears by itself
    if (found['hidden'] === 1 || register === undefined) continue;
    const person = codec.decode(found);
    const row = toldRow(users, person, person['role'] === 'ADMIN' ? 'admin' : 'left');
    yield* log.write(
      { ...wholeRow(users, { ...row, id }, { ...register, over: stampsOfLeft(register) }), actor: null },
      [streamId],
    );
  }
}

/** Who of them owns or works on a farm of the gateway that people see, or has the gateway. */
function* presentOf(streamId: number, people: ReadonlySet<string>, context: UnitContext): Steps<Rows> {
  const list = listOf(people);
  return yield {
    sql: `select farms.owner_id as id from farms join sync_farms on sync_farms.id = farms.id
        where sync_farms.stream_id = ? and farms.hidden = 0 and ${inList('farms.owner_id', context)}
      union select farm_members.user_id from farm_members join sync_farms on sync_farms.id = farm_members.farm_id
        where sync_farms.stream_id = ? and farm_members.hidden = 0 and ${inList('farm_members.user_id', context)}
      union select owner_id from gateways where stream_id = ? and ${inList('owner_id', context)}`,
    params: [streamId, list, streamId, list, streamId, list],
  };
}
