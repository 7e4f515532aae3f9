import type { Database } from '#adapters/sql/database.ts';
import { dailyTemperatures } from '#adapters/sql/queries/batches.ts';
import { dashboardQueries } from '#adapters/sql/queries/dashboard.ts';
import { pondContentsQueries } from '#adapters/sql/queries/pond-contents.ts';
import type { BatchStates } from '#core/batch-state.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { expectedWeights } from '#features/batches/batch-growth.ts';
import { dashboardRoutes } from '#features/dashboard/routes.ts';
import { pondContents } from '#features/ponds/pond-contents.ts';
import type { PondContents } from '#features/ponds/ports.ts';
import type { ScienceOf } from '#features/science-settings/ports.ts';

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
