import { type RawBuilder, sql } from 'kysely';
import { address } from '#contract/resources/addresses.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { farmConsole } from '#contract/resources/farm-console.ts';
import { farm } from '#contract/resources/farms.ts';
import { membersWith } from '#contract/rights.ts';
import type { MemberRole } from '#contract/words.ts';
import type { AddressQueries } from '#features/farm/addresses/ports.ts';
import type { FarmConsoleQueries } from '#features/farm/farm-console/ports.ts';
import type { FarmQueries } from '#features/farm/farms/ports.ts';
import { readHlc } from '#store/hlc.ts';
import { isAlive, LIFE, registerOf } from '#store/register.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';
import { inSamePlace, type Role } from '../same-place.ts';

export function addressQueries(db: Db): AddressQueries {
  const visibleOf = (userId: string) =>
    db.selectFrom('addresses').selectAll().where('user_id', '=', userId).where('hidden', '=', 0);
  return {
    async addressOf(userId, id) {
      const row = await visibleOf(userId).where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(address, row) : null;
    },
    addressesOf(userId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await visibleOf(userId)
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(address, row));
      });
    },
    async primaryAddressesOf(userId) {
      const rows = await visibleOf(userId).where('is_primary', '=', 1).execute();
      return rows.map((row) => decodeRow(address, row));
    },
    async isIdTaken(id) {
      const row = await db.selectFrom('addresses').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async farmsAt(addressId) {
      const rows = await db
        .selectFrom('farms')
        .selectAll()
        .where('address_id', '=', addressId)
        .where('hidden', '=', 0)
        .execute();
      return rows.map((row) => decodeRow(farm, row));
    },
  };
}

/** A role of a newer program has no right here, in lists as elsewhere. */
const READERS = membersWith('read');

/** Ids of the farms a user owns or is a member of, as a subquery. */
export function farmIdsOf(db: Db, userId: string, roles: readonly MemberRole[] = READERS) {
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
        .where('farm_members.role', 'in', roles)
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

const MOST_DELETED = 200;

/** What stands once only beyond a farm, as the unique indexes say (contract/sync/scopes.ts, UNIQUE_KEYS). */
const NAMED = [
  { table: 'control_points', below: 'farm', columns: ['owner_id', 'cod'] },
  { table: 'control_points', below: 'farm', columns: ['device_id'] },
  { table: 'aerators', below: 'pond', columns: ['device_id'] },
  { table: 'batches', below: 'farm', columns: ['owner_id', 'batch_code'] },
] as const;

/**
 * What would come back with a deleted farm or pond under a name that something else has meanwhile; null: nothing. Names of
 * devices are asked about where they stand once: what strangers call theirs is in nobody's way.
 */
export async function takenBelow(
  db: Db,
  role: Role,
  { of, id }: { of: 'farm' | 'pond'; id: string },
): Promise<string | null> {
  const farmId =
    of === 'farm' ? sql<string>`${id}` : sql<string>`(select farm_id from ponds where id = ${id})`;
  const ponds = of === 'farm' ? sql`select id from ponds where farm_id = ${id}` : sql`${id}`;
  for (const { table, below, columns } of NAMED) {
    if (of === 'pond' && below === 'farm') continue;
    const isNear =
      below === 'farm'
        ? inSamePlace(role, 'other.farm_id', farmId)
        : sql`other.pond_id in (select near.id from ponds as near where ${inSamePlace(role, 'near.farm_id', farmId)})`;
    const { rows } = await sql<{ name: string }>`select ${sql.ref(`own.${columns.at(-1)}`)} as name
      from ${sql.table(table)} as own
      where ${below === 'farm' ? sql`own.farm_id = ${id}` : sql`own.pond_id in (${ponds})`}
        and own.hidden = 1
        and not exists (select 1 from sync_register as r
          where r.entity = ${sharedResources[table].entity} and r.id = own.id and r.cl % 2 = 0)
        and exists (select 1 from ${sql.table(table)} as other where other.hidden = 0 and ${sql.join(
          columns.map((column) => sql`${sql.ref(`other.${column}`)} = ${sql.ref(`own.${column}`)}`),
          sql` and `,
        )} and ${(columns as readonly string[]).includes('device_id') ? isNear : sql`1 = 1`})
      limit 1`.execute(db);
    if (rows[0] !== undefined) return `${columns.at(-1)} ${rows[0].name}`;
  }
  return null;
}

/** @param role asked where a farm comes back: whose names of devices stand once, see inSamePlace */
export function farmQueries(db: Db, role: Role = 'hosted'): FarmQueries {
  return {
    async farmById(id) {
      const row = await db
        .selectFrom('farms')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(farm, row) : null;
    },
    farmsOf(userId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('farms')
          .selectAll()
          .where('hidden', '=', 0)
          .where('id', 'in', farmIdsOf(db, userId))
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(farm, row));
      });
    },
    async pondsOfFarm(farmId) {
      return db
        .selectFrom('ponds')
        .select(['id', 'cod', 'pond_type'])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },
    async idTaken(id) {
      return (
        (await db.selectFrom('farms').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      );
    },
    async deletedFarmsOf(ownerId) {
      const found = await db
        .selectFrom('farms')
        .innerJoin('sync_register', (join) =>
          join.onRef('sync_register.id', '=', 'farms.id').on('sync_register.entity', '=', farm.entity),
        )
        .selectAll('farms')
        .select(['sync_register.cl', 'sync_register.hlc', 'sync_register.over_json'])
        .where('farms.owner_id', '=', ownerId)
        .where('farms.hidden', '=', 1)
        .orderBy('farms.id', 'desc')
        .limit(MOST_DELETED)
        .execute();
      return found.flatMap(({ cl, hlc, over_json, ...row }) => {
        const register = registerOf({ cl, hlc, over_json });
        if (isAlive(register)) return [];
        return [{ farm: decodeRow(farm, row), deletedAt: readHlc(register.over[LIFE] ?? '').ms }];
      });
    },
    takenWhile: (farmId) => takenBelow(db, role, { of: 'farm', id: farmId }),
    primaryAddressesOf: addressQueries(db).primaryAddressesOf,
    async addressById(id) {
      const row = await db
        .selectFrom('addresses')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(address, row) : null;
    },
    async userExists(id) {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

export function farmConsoleQueries(db: Db): FarmConsoleQueries {
  return {
    async farmConsole(farmId) {
      const row = await db
        .selectFrom('farm_console')
        .selectAll()
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : decodeRow(farmConsole, row);
    },
    async farmExists(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async pondIdsOf(farmId) {
      const rows = await db
        .selectFrom('ponds')
        .select('id')
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}
