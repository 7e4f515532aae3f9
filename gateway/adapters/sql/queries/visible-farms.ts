import { membersWith } from '#contract/rights.ts';
import type { MemberRole } from '#contract/words.ts';
import type { Db } from '../database.ts';

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
