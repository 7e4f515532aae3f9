import { sql } from 'kysely';
import type { SubscriptionQueries } from '#features/people/subscriptions/ports.ts';
import type { Db } from '../database.ts';

type Places = Pick<SubscriptionQueries, 'farmNamed' | 'pondNamed' | 'farmsWithPonds' | 'pondsWithBatches'>;

/** Farms and ponds on which a plan may allow nothing more. */
export function placeQueries(db: Db): Places {
  return {
    async farmNamed(farmId) {
      const row = await db
        .selectFrom('farms')
        .select(['id as farmId', 'name as farmName'])
        .where('id', '=', farmId)
        .executeTakeFirst();
      return row === undefined ? null : { kind: 'farm', ...row };
    },
    async pondNamed(pondId) {
      const row = await namedPonds(db).where('ponds.id', '=', pondId).executeTakeFirst();
      return row === undefined ? null : { kind: 'pond', ...row };
    },
    async farmsWithPonds({ ownerId, atLeast }) {
      const rows = await db
        .selectFrom('farms')
        .leftJoin('ponds', (join) => join.onRef('ponds.farm_id', '=', 'farms.id').on('ponds.hidden', '=', 0))
        .select(['farms.id as farmId', 'farms.name as farmName', sql<number>`count(ponds.id)`.as('current')])
        .where('farms.owner_id', '=', ownerId)
        .where('farms.hidden', '=', 0)
        .groupBy(['farms.id', 'farms.name', 'farms.created_at'])
        .having(sql`count(ponds.id)`, '>=', atLeast)
        .orderBy('farms.created_at')
        .orderBy('farms.id')
        .execute();
      return rows.map((row) => ({ kind: 'farm', ...row, current: Number(row.current) }));
    },
    async pondsWithBatches({ ownerId, atLeast }) {
      const active = db
        .selectFrom('batches')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .where('farms.owner_id', '=', ownerId)
        .where('farms.hidden', '=', 0)
        .where('batches.status', '=', 'ACTIVE')
        .where('batches.hidden', '=', 0);
      // `union` counts one that began there and came back once
      const ever = active
        .select(['batches.pond_id as pond_id', 'batches.id as batch_id'])
        .union(
          active
            .innerJoin('transfers', 'transfers.batch_id', 'batches.id')
            .where('transfers.hidden', '=', 0)
            .select(['transfers.destination_pond_id as pond_id', 'batches.id as batch_id']),
        );
      const rows = await namedPonds(db)
        .where('farms.owner_id', '=', ownerId)
        .where('farms.hidden', '=', 0)
        .where('ponds.hidden', '=', 0)
        .where((where) =>
          atLeast <= 0
            ? where.lit(true)
            : where(
                'ponds.id',
                'in',
                db
                  .selectFrom(ever.as('ever'))
                  .select('ever.pond_id')
                  .groupBy('ever.pond_id')
                  .having(sql`count(*)`, '>=', atLeast),
              ),
        )
        .orderBy('ponds.created_at')
        .orderBy('ponds.id')
        .execute();
      return rows.map((row) => ({ kind: 'pond', ...row }));
    },
  };
}

const namedPonds = (db: Db) =>
  db
    .selectFrom('ponds')
    .innerJoin('farms', 'farms.id', 'ponds.farm_id')
    .select(['ponds.id as pondId', 'ponds.cod', 'farms.id as farmId', 'farms.name as farmName']);
