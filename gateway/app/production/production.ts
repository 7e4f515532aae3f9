import type { Database } from '#adapters/sql/database.ts';
import { accessQuery } from '#adapters/sql/queries/access.ts';
import { energyQueries } from '#adapters/sql/queries/control/energy.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { batchQueries, dailyTemperatures } from '#adapters/sql/queries/production/batches.ts';
import { biometryQueries } from '#adapters/sql/queries/production/biometries.ts';
import { dashboardQueries } from '#adapters/sql/queries/production/dashboard.ts';
import { exportQueries } from '#adapters/sql/queries/production/exports.ts';
import { feedingQueries } from '#adapters/sql/queries/production/feeding.ts';
import { financeQueries } from '#adapters/sql/queries/production/finance.ts';
import { latestWaterQuery } from '#adapters/sql/queries/production/latest-water.ts';
import { pondContentsQueries } from '#adapters/sql/queries/production/pond-contents.ts';
import { transferQueries } from '#adapters/sql/queries/production/transfers.ts';
import type { Feature } from '#contract/plans.ts';
import type { Alerting } from '#core/alerting.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { pondContents } from '#features/farm/ponds/pond-contents.ts';
import type { PondContents } from '#features/farm/ponds/ports.ts';
import { type ScienceOf, scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { scienceSettingRoutes } from '#features/farm/science-settings/routes.ts';
import type { BatchStates, ExpectedWeights } from '#features/production/batch-state.ts';
import { expectedWeights, growthOf } from '#features/production/batches/batch-growth.ts';
import { animalsOf } from '#features/production/batches/batch-state.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import { batchRoutes } from '#features/production/batches/routes.ts';
import { biometryRoutes } from '#features/production/biometries/routes.ts';
import { dashboardRoutes } from '#features/production/dashboard/routes.ts';
import { exportRoutes } from '#features/production/exports/routes.ts';
import { feedingRoutes } from '#features/production/feeding/routes.ts';
import { batchMoneyOf } from '#features/production/finance/finance-answers.ts';
import { financeRoutes } from '#features/production/finance/routes.ts';
import { transferRoutes } from '#features/production/transfers/routes.ts';
import { costPerKg } from '#science/economics.ts';
import type { Limits } from '../people/subscriptions.ts';
import { wireImports } from './imports.ts';
import { wireWater } from './water.ts';

type WireDeps = {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  batches: BatchStates;
  limits: Limits;
};

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

/** Wires moves of animals between ponds. */
function wireTransfers({ kernel, database, batches, limits }: WireDeps): Route[] {
  const { factsOf } = batchFactQueries(database.read);
  const accessTo = accessQuery(database.read);
  return transferRoutes({
    ...kernel,
    queries: transferQueries(database.read),
    batches,
    async chainOf(batchId) {
      const [facts] = await factsOf([batchId], 'last two', countsUntil(kernel));
      return facts === undefined
        ? null
        : { batch: facts.batch, timezone: facts.timezone, animals: animalsOf(facts) };
    },
    accessToPond: (pondId, userId) => accessTo('pond', pondId, userId),
    onIncoming: ({ batch, pondId, ownerId }) => limits.incoming({ batchId: batch.id, pondId, ownerId }),
  });
}

/** Wires the figures over a whole farm, and what its pond cards show. */
function wireDashboard(deps: {
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

/** Wires what batches eat and what they cost. */
function wireFeedingAndFinance(deps: {
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

/** Wires batches, their harvests and weighings, and the figures a farm has set for itself. */
function wireBatches({
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

/** Wires what leaves as a file and what comes in as one. */
function wireFiles(deps: {
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
  const imports = wireImports(deps);
  return [...exports, ...imports];
}
