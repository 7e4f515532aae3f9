import { type RawBuilder, sql } from 'kysely';

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
