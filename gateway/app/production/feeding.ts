import type { Database } from '#adapters/sql/database.ts';
import { energyQueries } from '#adapters/sql/queries/control/energy.ts';
import { feedingQueries } from '#adapters/sql/queries/production/feeding.ts';
import { financeQueries } from '#adapters/sql/queries/production/finance.ts';
import { latestWaterQuery } from '#adapters/sql/queries/production/latest-water.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { BatchStates, ExpectedWeights } from '#features/production/batch-state.ts';
import { feedingRoutes } from '#features/production/feeding/routes.ts';
import { financeRoutes } from '#features/production/finance/routes.ts';

/** Wires what batches eat and what they cost. */
export function wireFeedingAndFinance(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
  expectedWeights: ExpectedWeights;
}): Route[] {
  const { kernel, database, batches, scienceOf, expectedWeights } = deps;
  const { read, readLong } = database;
  return [
    ...feedingRoutes({
      ...kernel,
      batches,
      scienceOf,
      expectedWeights,
      latestWater: latestWaterQuery(read),
      queries: { ...feedingQueries(read), feedingsOf: feedingQueries(readLong).feedingsOf },
    }),
    ...financeRoutes({
      ...kernel,
      batches,
      scienceOf,
      queries: { ...financeQueries(read), expensesOf: financeQueries(readLong).expensesOf },
      energy: energyQueries(readLong),
    }),
  ];
}
