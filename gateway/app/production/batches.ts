import type { Database } from '#adapters/sql/database.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { batchQueries, dailyTemperatures } from '#adapters/sql/queries/production/batches.ts';
import { biometryQueries } from '#adapters/sql/queries/production/biometries.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import { scienceSettingRoutes } from '#features/farm/science-settings/routes.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { growthOf } from '#features/production/batches/batch-growth.ts';
import { batchRoutes } from '#features/production/batches/routes.ts';
import { biometryRoutes } from '#features/production/biometries/routes.ts';
import type { Limits } from '../people/subscriptions.ts';

/** Wires batches, their harvests and weighings, and the figures a farm has set for itself. */
export function wireBatches({
  kernel,
  database,
  batches,
  scienceOf,
  limits,
}: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
  limits: Limits;
}): Route[] {
  const growth = { now: kernel.now, batches, scienceOf, dailyTemperatures: dailyTemperatures(database.read) };
  return [
    ...batchRoutes({
      ...kernel,
      ...growth,
      queries: batchQueries(database.read),
      onCreate: (created) => limits.batches([created]),
    }),
    ...biometryRoutes({
      ...kernel,
      batches,
      scienceOf,
      queries: biometryQueries(database.read),
      growthOf: (batchId) => growthOf(growth, batchId),
    }),
    ...scienceSettingRoutes({ ...kernel, queries: scienceSettingQueries(database.read) }),
  ];
}
