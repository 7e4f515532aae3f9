import { sql } from 'kysely';
import { address } from '#contract/resources/addresses.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { farm } from '#contract/resources/farms.ts';
import type { FarmQueries } from '#features/farm/farms/ports.ts';
import { readHlc } from '#store/hlc.ts';
import { isAlive, LIFE, registerOf } from '#store/register.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { createdAfter, inChunks } from '../paging.ts';
import { addressQueries } from './addresses.ts';
import { farmIdsOf } from './visible-farms.ts';

const MOST_DELETED = 200;

/** What stands once only beyond a farm, as the unique indexes say (contract/sync/scopes.ts, UNIQUE_KEYS). */
const NAMED = [
  { table: 'control_points', below: 'farm', columns: ['owner_id', 'cod'] },
  { table: 'control_points', below: 'farm', columns: ['device_id'] },
  { table: 'aerators', below: 'pond', columns: ['device_id'] },
  { table: 'batches', below: 'farm', columns: ['owner_id', 'batch_code'] },
] as const;

export function farmQueries(db: Db): FarmQueries {
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
    async takenWhile(farmId) {
      for (const { table, below, columns } of NAMED) {
        const { rows } = await sql<{ name: string }>`select ${sql.ref(`own.${columns.at(-1)}`)} as name
          from ${sql.table(table)} as own
          where ${below === 'farm' ? sql`own.farm_id = ${farmId}` : sql`own.pond_id in (select id from ponds where farm_id = ${farmId})`}
            and own.hidden = 1
            and not exists (select 1 from sync_register as r
              where r.entity = ${sharedResources[table].entity} and r.id = own.id and r.cl % 2 = 0)
            and exists (select 1 from ${sql.table(table)} as other where other.hidden = 0 and ${sql.join(
              columns.map((column) => sql`${sql.ref(`other.${column}`)} = ${sql.ref(`own.${column}`)}`),
              sql` and `,
            )})
          limit 1`.execute(db);
        if (rows[0] !== undefined) return `${columns.at(-1)} ${rows[0].name}`;
      }
      return null;
    },
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
