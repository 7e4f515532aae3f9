import { type RawBuilder, sql } from 'kysely';
import { membersWith } from '#contract/rights.ts';
import type { MemberRole } from '#contract/words.ts';
import type { Db } from '../../database.ts';

/** A role of a newer program has no right here, in lists as elsewhere. */
const READERS = membersWith('read');

/** Ids of the farms a user owns or is a member of, as a subquery. */
export function farmIdsOf(db: Db, userId: string) {
  return db
    .selectFrom('farms')
    .select('farms.id')
    .where('farms.owner_id', '=', userId)
    .where('farms.hidden', '=', 0)
    .unionAll(
      db
        .selectFrom('farm_members')
        .select('farm_members.farm_id as id')
        .where('farm_members.user_id', '=', userId)
        .where('farm_members.role', 'in', READERS)
        .where('farm_members.hidden', '=', 0),
    );
}

/** The same with what the user is there; null: the owner. */
export function farmRolesOf(db: Db, userId: string) {
  return db
    .selectFrom('farms')
    .select((farm) => ['farms.id', farm.val<MemberRole | null>(null).as('role')])
    .where('farms.owner_id', '=', userId)
    .where('farms.hidden', '=', 0)
    .unionAll(
      db
        .selectFrom('farm_members')
        .select(['farm_members.farm_id as id', 'farm_members.role'])
        .where('farm_members.user_id', '=', userId)
        .where('farm_members.role', 'in', READERS)
        .where('farm_members.hidden', '=', 0),
    );
}

/**
 * Has that person to do with that farm, now or once: owner, member, or an account that its gateway made? Rows of a farm
 * name people by ids that a gateway may make up; only of these a name is shown beside them.
 */
export function isKnownOn(userId: RawBuilder<unknown>, farmId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(exists (select 1 from farms as of_farm where of_farm.id = ${farmId} and of_farm.owner_id = ${userId})
    or exists (select 1 from farm_members as on_farm where on_farm.farm_id = ${farmId} and on_farm.user_id = ${userId})
    or exists (select 1 from local_users as made join sync_farms as bound on bound.stream_id = made.stream_id
      where made.id = ${userId} and bound.id = ${farmId}))`;
}
