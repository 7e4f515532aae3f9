import type { Database } from '#adapters/sql/database.ts';
import { batchQueries, dailyTemperatures } from '#adapters/sql/queries/batches.ts';
import { biometryQueries } from '#adapters/sql/queries/biometries.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/science-settings.ts';
import type { BatchStates } from '#core/batch-state.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { growthOf } from '#features/batches/batch-growth.ts';
import { batchRoutes } from '#features/batches/routes.ts';
import { biometryRoutes } from '#features/biometries/routes.ts';
import type { ScienceOf } from '#features/science-settings/ports.ts';
import { scienceSettingRoutes } from '#features/science-settings/routes.ts';
import type { Limits } from './compose-subscriptions.ts';

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
