import type { Database } from '#adapters/sql/database.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { dailyTemperatures } from '#adapters/sql/queries/production/batches.ts';
import type { Alerting } from '#core/alerting.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { PondContents } from '#features/farm/ponds/ports.ts';
import { type ScienceOf, scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { expectedWeights } from '#features/production/batches/batch-growth.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import type { Limits } from '../people/subscriptions.ts';
import { wireBatches } from './batches.ts';
import { wireDashboard } from './dashboard.ts';
import { wireFeedingAndFinance } from './feeding.ts';
import { wireFiles } from './files.ts';
import { wireTransfers } from './transfers.ts';
import { wireWater } from './water.ts';

/** Wires production, water and money: batches, biometries, feeding, measurements, transfers, finance, exports. */
export function wireProduction(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong' | 'readLines'>;
  alerting: Alerting;
  /** Control hears of a measurement that the disk did not take. */
  heardUnsaved: Parameters<typeof wireWater>[0]['heardUnsaved'];
  /** What the plan of an owner allows. */
  limits: Limits;
  hasFeature: Parameters<typeof wireFiles>[0]['hasFeature'];
}): {
  routes: Route[];
  pondContents: PondContents;
  batches: BatchStates;
  scienceOf: ScienceOf;
} {
  const { kernel, database, alerting, heardUnsaved, limits, hasFeature } = deps;
  // what every feature below may ask: how batches stand, and the figures that hold on a farm
  const batches = batchStates({ ...kernel, queries: batchFactQueries(database.read) });
  const scienceOf = scienceOfFarms(scienceSettingQueries(database.read));
  const weightsExpected = expectedWeights({ scienceOf, dailyTemperatures: dailyTemperatures(database.read) });
  const dashboard = wireDashboard({ kernel, database, batches, scienceOf });
  return {
    routes: [
      ...wireBatches({ kernel, database, batches, scienceOf, limits }),
      ...dashboard.routes,
      ...wireTransfers({ kernel, database, batches, limits }),
      ...wireFiles({
        kernel,
        database,
        batches,
        expectedWeights: weightsExpected,
        scienceOf,
        limits,
        hasFeature,
      }),
      ...wireWater({ kernel, database, alerting, scienceOf, heardUnsaved }).routes,
      ...wireFeedingAndFinance({ kernel, database, batches, scienceOf, expectedWeights: weightsExpected }),
    ],
    pondContents: dashboard.pondContents,
    batches,
    scienceOf,
  };
}

export type Production = ReturnType<typeof wireProduction>;
