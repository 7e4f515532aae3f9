import { membersWith } from '#contract/rights.ts';
import type { DashboardQueries, PondArea } from '#features/production/dashboard/ports.ts';
import type { Db } from '../../database.ts';
import { isOfWhatStands } from '../alarms/standing-alerts.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { uuidOf } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';
import { spentByCategory } from './finance.ts';

export function dashboardQueries(db: Db): DashboardQueries {
  return {
    async countPonds(farmId) {
      const row = await db
        .selectFrom('ponds')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async countActiveBatches(farmId) {
      const row = await db
        .selectFrom('batches')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('farm_id', '=', farmId)
        .where('status', '=', 'ACTIVE')
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async countActiveAlerts(farmId) {
      const rows = await db
        .selectFrom('alerts')
        .select((count) => ['type', count.fn.count<number>('episode_id').distinct().as('n')])
        .where('farm_id', '=', farmId)
        .where('status', '=', 'ACTIVE')
        .where('folded_into', 'is', null)
        .where('hidden', '=', 0)
        .where(isOfWhatStands)
        .groupBy('type')
        .orderBy('type')
        .execute();
      return rows.map(({ type, n }) => ({ type, count: Number(n) }));
    },
    async farmsOf(userId) {
      const rows = await db
        .selectFrom('farms')
        .select('id')
        .where('id', 'in', farmIdsOf(db, userId))
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    async readsFinanceOf(userId) {
      const rows = await db
        .selectFrom(farmIdsOf(db, userId, membersWith('read_finance')).as('seen'))
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    async pondsOf(farmIds, { skip, limit }) {
      if (farmIds.length === 0) return [];
      return (
        db
          .selectFrom('ponds')
          .select(['id', 'cod', 'pond_type', 'size_m2'])
          .where('farm_id', 'in', farmIds)
          .where('hidden', '=', 0)
          .orderBy('created_at')
          .orderBy('id')
          // SQLite takes an offset only after a limit
          .limit(limit ?? MOST_PONDS)
          .offset(skip)
          .execute()
      );
    },
    async farmNames(farmIds) {
      if (farmIds.length === 0) return new Map();
      const rows = await db.selectFrom('farms').select(['id', 'name']).where('id', 'in', farmIds).execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    async areasOf(pondIds) {
      const areas = new Map<string, PondArea>();
      for (const ids of slicesOf(pondIds)) {
        const rows = await db
          .selectFrom('ponds')
          .select(['id', 'cod', 'size_m2'])
          .where('id', 'in', ids)
          .execute();
        for (const pond of rows) areas.set(pond.id, pond);
      }
      return areas;
    },
    spentByCategory: spentByCategory(db),
    async batchId(ref) {
      const row = await db
        .selectFrom('batches')
        .select('id')
        .where('id', '=', uuidOf(db, 'batch', ref))
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.id ?? null;
    },
  };
}

/** More than any owner has. */
const MOST_PONDS = 1_000_000;
