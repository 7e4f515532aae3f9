import type { BoxRight } from '#contract/resources/box-rights.ts';
import { membersWith } from '#contract/rights.ts';
import { BOX_RIGHT, type MayOnBox, readBoxRight } from '#features/people/box-rights.ts';
import type { Db } from '../../database.ts';

export type BoxRightsRead = {
  mayOnBox: MayOnBox;
  all: () => Promise<(BoxRight & { userId: string })[]>;
  /** The OWNER whose farm is the oldest: owner of a box that was founded before boxes had one. null: there is none. */
  founder: () => Promise<string | null>;
  hasOwnerAccount: () => Promise<boolean>;
};

/** @param claimer who owns the box by its pairing, with a hosted instance */
export function boxRightsQueries(
  db: Db,
  role: 'gateway' | 'hosted',
  claimer: () => Promise<(BoxRight & { userId: string }) | null>,
): BoxRightsRead {
  async function all() {
    const rows = await db
      .selectFrom('instance_values')
      .selectAll()
      .where('id', 'like', `${BOX_RIGHT}%`)
      .execute();
    const granted = rows.map(({ id, value }) => ({
      userId: id.slice(BOX_RIGHT.length),
      ...readBoxRight(value),
    }));
    const claimed = await claimer();
    return claimed === null
      ? granted
      : [...granted.filter(({ userId }) => userId !== claimed.userId), claimed];
  }

  async function isAdmin(userId: string): Promise<boolean> {
    const row = await db
      .selectFrom('users')
      .select('role')
      .where('id', '=', userId)
      .where('is_active', '=', 1)
      .executeTakeFirst();
    return row?.role === 'ADMIN';
  }

  async function worksFor(owners: readonly string[], userId: string): Promise<boolean> {
    if (owners.length === 0) return false;
    const works = await db
      .selectFrom('farm_members')
      .innerJoin('farms', 'farms.id', 'farm_members.farm_id')
      .select('farms.id')
      .where('farm_members.user_id', '=', userId)
      .where('farm_members.role', 'in', membersWith('operate'))
      .where('farm_members.hidden', '=', 0)
      .where('farms.hidden', '=', 0)
      .where('farms.owner_id', 'in', owners)
      .limit(1)
      .executeTakeFirst();
    return works !== undefined;
  }

  return {
    all,
    async mayOnBox(need, userId) {
      if (await isAdmin(userId)) return true;
      if (role === 'hosted') return false;
      const rights = await all();
      const own = rights.find((one) => one.userId === userId);
      const owners = rights.filter(({ right }) => right === 'owner').map((one) => one.userId);
      switch (need) {
        case 'own':
          return own?.right === 'owner';
        case 'keep':
          return own !== undefined;
        case 'work':
          return own !== undefined || (await worksFor(owners, userId));
      }
    },
    async founder() {
      const row = await db
        .selectFrom('farms')
        .innerJoin('users', 'users.id', 'farms.owner_id')
        .select('users.id')
        .where('farms.hidden', '=', 0)
        .where('users.is_active', '=', 1)
        .orderBy('farms.created_at')
        .orderBy('farms.id')
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async hasOwnerAccount() {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('role', '=', 'OWNER')
        .where('hidden', '=', 0)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
