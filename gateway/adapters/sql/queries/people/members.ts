import { farmMember } from '#contract/resources/farms.ts';
import type { MemberQueries } from '#features/people/members/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';

export function memberQueries(db: Db): MemberQueries {
  const people = () => db.selectFrom('users').select(['id', 'name', 'email']).where('hidden', '=', 0);
  const members = (farmId: string, userId: string) =>
    db.selectFrom('farm_members').where('farm_id', '=', farmId).where('user_id', '=', userId);
  return {
    async ownerOf(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('owner_id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.owner_id ?? null;
    },
    async memberOf(farmId, userId) {
      const row = await members(farmId, userId).selectAll().where('hidden', '=', 0).executeTakeFirst();
      return row ? decodeRow(farmMember, row) : null;
    },
    async pastMemberships(farmId, userId) {
      const found = await members(farmId, userId)
        .select(({ fn }) => fn.countAll<number>().as('past'))
        .where('hidden', '=', 1)
        .executeTakeFirst();
      return Number(found?.past ?? 0);
    },
    membersOf(farmId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('farm_members')
          .innerJoin('users', 'users.id', 'farm_members.user_id')
          .selectAll('farm_members')
          .select(['users.name', 'users.email'])
          .where('farm_members.farm_id', '=', farmId)
          .where('farm_members.hidden', '=', 0)
          .where(createdAfter(after, 'farm_members'))
          .orderBy('farm_members.created_at')
          .orderBy('farm_members.id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => ({ ...decodeRow(farmMember, row), name: row.name, email: row.email }));
      });
    },
    async personById(userId) {
      return (await people().where('id', '=', userId).executeTakeFirst()) ?? null;
    },
    async personByEmail(emailKey) {
      return (await people().where('email_key', '=', emailKey).executeTakeFirst()) ?? null;
    },
  };
}
