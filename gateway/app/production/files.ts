import type { Database } from '#adapters/sql/database.ts';
import { exportQueries } from '#adapters/sql/queries/production/exports.ts';
import { financeQueries } from '#adapters/sql/queries/production/finance.ts';
import { importQueries } from '#adapters/sql/queries/production/imports.ts';
import type { Feature } from '#contract/plans.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { BatchStates, ExpectedWeights } from '#features/production/batch-state.ts';
import { exportRoutes } from '#features/production/exports/routes.ts';
import { batchMoneyOf } from '#features/production/finance/finance-answers.ts';
import { importRoutes } from '#features/production/imports/routes.ts';
import { costPerKg } from '#science/economics.ts';
import type { Limits } from '../people/subscriptions.ts';

/** Wires what leaves as a file and what comes in as one. */
export function wireFiles(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong' | 'readLines'>;
  batches: BatchStates;
  expectedWeights: ExpectedWeights;
  scienceOf: ScienceOf;
  limits: Limits;
  hasFeature: (userId: string, feature: Feature) => Promise<boolean>;
}): Route[] {
  const { kernel, database, batches, expectedWeights, scienceOf } = deps;
  const finance = financeQueries(database.read);
  const exports = exportRoutes({
    ...kernel,
    queries: exportQueries(database.read, database.readLong, database.readLines),
    batches,
    expectedWeights,
    scienceOf,
    async costsOf(state) {
      const { costs, producedKg } = await batchMoneyOf({ ...kernel, queries: finance }, state);
      return {
        totalFeedCost: costs.feedCost,
        totalOperationalCost: costs.operationalCost,
        totalEnergyCost: costs.energyCost,
        totalCost: costs.totalCost,
        costPerKg: costPerKg(costs.totalCost, producedKg),
      };
    },
    currencyOf: finance.currencyOf,
    mayExport: ({ ownerId }) => deps.hasFeature(ownerId, 'export_data'),
  });
  const imports = importRoutes({
    ...kernel,
    queries: importQueries(database.read),
    scienceOf,
    onCreateBatches: deps.limits.batches,
  });
  return [...exports, ...imports];
}
