import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { dashboardOverview } from '#contract/resources/dashboard.ts';
import { onFarm } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { DashboardQueries } from './ports.ts';

export type DashboardDeps = {
  queries: DashboardQueries;
  /** Batches in production on a farm; the feature of batches brings it. */
  countActiveBatches: (farmId: string) => Promise<number>;
};

export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/dashboard/overview',
      tag: 'Dashboard',
      summary: 'A farm in five numbers',
      access: { who: 'farm', right: 'read', of: 'farm', at: 'query', field: 'farm_id', others: 404 },
      query: z.object({ farm_id: idInput }),
      answers: { 200: { schema: dashboardOverview } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const alerts = await deps.queries.countActiveAlerts(farmId);
        const body = {
          farm_id: farmId,
          total_ponds: await deps.queries.countPonds(farmId),
          active_batches: await deps.countActiveBatches(farmId),
          total_active_alerts: alerts.reduce((sum, { count }) => sum + count, 0),
          alerts_by_type: Object.fromEntries(alerts.map(({ type, count }) => [type, count])),
        };
        return { answer: { status: 200, body } };
      },
    }),
  ];
}
