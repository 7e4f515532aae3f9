import type { DashboardQueries } from '#features/dashboard/ports.ts';
import type { Db } from '../database.ts';

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
    async countActiveAlerts(farmId) {
      const rows = await db
        .selectFrom('alerts')
        .select((count) => ['type', count.fn.count<number>('episode_id').distinct().as('n')])
        .where('farm_id', '=', farmId)
        .where('status', '=', 'ACTIVE')
        .where('folded_into', 'is', null)
        .where('hidden', '=', 0)
        .groupBy('type')
        .orderBy('type')
        .execute();
      return rows.map(({ type, n }) => ({ type, count: Number(n) }));
    },
  };
}
