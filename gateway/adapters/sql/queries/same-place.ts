import { type RawBuilder, sql } from 'kysely';
import type { SharedName } from '#core/shared-names.ts';
import type { Db } from '../database.ts';

export type Role = 'gateway' | 'hosted';

/**
 * Farms among whose devices a name stands once, those of `farmId` among them: on a gateway all of the box; on a hosted
 * instance those of the gateway that runs it, or those of its owner that have none. What other people call theirs is
 * nobody's business.
 *
 * @param column of a farm's id
 * @param farmId the id, or an expression that gives it
 */
export function inSamePlace(
  role: Role,
  column: string,
  farmId: string | RawBuilder<string>,
): RawBuilder<boolean> {
  if (role === 'gateway') return sql<boolean>`1 = 1`;
  return sql<boolean>`${sql.ref(column)} in (
    select b.id from sync_farms as b where b.stream_id = (select a.stream_id from sync_farms as a where a.id = ${farmId})
    union all
    select f.id from farms as f where f.owner_id = (select o.owner_id from farms as o where o.id = ${farmId})
      and not exists (select 1 from sync_farms as s where s.id = f.id or s.id = ${farmId}))`;
}

const MOST_SHARED = 50;

/**
 * Names of a farm's devices that farms of that owner without a gateway give to theirs: where it comes to stand among them, two
 * would bear one name.
 */
export async function sharedNames(db: Db, farmId: string, ownerId: string): Promise<SharedName[]> {
  const isBeside = sql`beside.owner_id = ${ownerId} and beside.hidden = 0 and beside.id <> ${farmId}
    and not exists (select 1 from sync_farms as bound where bound.id = beside.id)`;
  const { rows } = await sql<SharedName>`
    select 'control_point' as of, here.device_id as name, beside.name as farm from control_points as here
      join control_points as there on there.device_id = here.device_id and there.hidden = 0
      join farms as beside on beside.id = there.farm_id
      where here.farm_id = ${farmId} and here.hidden = 0 and ${isBeside}
    union all
    select 'aerator' as of, here.device_id as name, beside.name as farm from aerators as here
      join ponds as own on own.id = here.pond_id
      join aerators as there on there.device_id = here.device_id and there.hidden = 0
      join ponds as near on near.id = there.pond_id
      join farms as beside on beside.id = near.farm_id
      where own.farm_id = ${farmId} and here.hidden = 0 and ${isBeside}
    order by 2, 3 limit ${MOST_SHARED}`.execute(db);
  return rows;
}

/** What a farm's devices are called: nobody gives one of these names meanwhile. */
export async function deviceNames(db: Db, farmId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select device_id as name from control_points where farm_id = ${farmId} and hidden = 0
    union
    select aerators.device_id as name from aerators join ponds on ponds.id = aerators.pond_id
      where ponds.farm_id = ${farmId} and aerators.hidden = 0 and aerators.device_id is not null
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}
