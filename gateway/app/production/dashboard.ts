import type { Database } from '#adapters/sql/database.ts';
import { dailyTemperatures } from '#adapters/sql/queries/production/batches.ts';
import { dashboardQueries } from '#adapters/sql/queries/production/dashboard.ts';
import { pondContentsQueries } from '#adapters/sql/queries/production/pond-contents.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { pondContents } from '#features/farm/ponds/pond-contents.ts';
import type { PondContents } from '#features/farm/ponds/ports.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { expectedWeights } from '#features/production/batches/batch-growth.ts';
import { dashboardRoutes } from '#features/production/dashboard/routes.ts';

/** Wires the figures over a whole farm, and what its pond cards show. */
export function wireDashboard(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
}): { routes: Route[]; pondContents: PondContents } {
  const { kernel, database, batches, scienceOf } = deps;
  return {
    routes: dashboardRoutes({
      queries: dashboardQueries(database.read),
      batches,
      scienceOf,
      expectedWeights: expectedWeights({
        scienceOf,
        dailyTemperatures: dailyTemperatures(database.readLong),
      }),
    }),
    pondContents: pondContents({
      ...kernel,
      batches,
      queries: pondContentsQueries(database.read),
    }),
  };
}
