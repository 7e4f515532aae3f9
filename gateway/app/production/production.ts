import { readFile } from 'node:fs/promises';
import { isWorkbook } from '#adapters/sheets/is-workbook.ts';
import { SheetTrouble } from '#adapters/sheets/sheet-trouble.ts';
import { buildWaterSums } from '#adapters/sql/build-water-sums.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accessQuery } from '#adapters/sql/queries/access.ts';
import { energyQueries } from '#adapters/sql/queries/control/energy.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { batchQueries, dailyTemperatures } from '#adapters/sql/queries/production/batches.ts';
import { biometryQueries } from '#adapters/sql/queries/production/biometries.ts';
import { dashboardQueries } from '#adapters/sql/queries/production/dashboard.ts';
import { exportQueries } from '#adapters/sql/queries/production/exports.ts';
import { feedStockQueries } from '#adapters/sql/queries/production/feed-stock.ts';
import { feedingQueries } from '#adapters/sql/queries/production/feeding.ts';
import { financeQueries } from '#adapters/sql/queries/production/finance.ts';
import { lotQueries } from '#adapters/sql/queries/production/harvest-lots.ts';
import { importQueries } from '#adapters/sql/queries/production/imports.ts';
import { latestWaterQuery } from '#adapters/sql/queries/production/latest-water.ts';
import { traceQueries } from '#adapters/sql/queries/production/lot-traces.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { recordQueries, withdrawalQueries } from '#adapters/sql/queries/production/records.ts';
import { reminderQueries, taskQueries } from '#adapters/sql/queries/production/tasks.ts';
import { pondContentsQueries, transferQueries } from '#adapters/sql/queries/production/transfers.ts';
import { waterReadQueries } from '#adapters/sql/queries/production/water-readings.ts';
import { sweepImports } from '#adapters/sql/sweep-imports.ts';
import type { Feature } from '#contract/plans.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { AppError, forbidden } from '#core/errors.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { pondContents } from '#features/farm/ponds/pond-cards.ts';
import { type ScienceOf, scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { scienceSettingRoutes } from '#features/farm/science-settings/routes.ts';
import { batchesThere } from '#features/production/batch-in-pond.ts';
import { missingOfCost } from '#features/production/batch-money.ts';
import type { BatchStates, ExpectedWeights, Reweighed } from '#features/production/batch-state.ts';
import { expectedWeights, growthOf } from '#features/production/batches/batch-growth.ts';
import { animalsOf } from '#features/production/batches/batch-state.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import { followWeighings } from '#features/production/batches/following-facts.ts';
import { lossesOf } from '#features/production/batches/losses.ts';
import { batchRoutes } from '#features/production/batches/routes.ts';
import { warningsOf as weighingWarnings } from '#features/production/biometries/record-biometry.ts';
import { biometryRoutes } from '#features/production/biometries/routes.ts';
import { dashboardRoutes } from '#features/production/dashboard/routes.ts';
import { type LotFileDeps, lotFileRoutes } from '#features/production/exports/lot-files.ts';
import { exportRoutes } from '#features/production/exports/routes.ts';
import { expiredLots } from '#features/production/feed-stock/read-stock.ts';
import { allEntries, feedStockRoutes } from '#features/production/feed-stock/routes.ts';
import { warnOfStock } from '#features/production/feed-stock/warn-of-stock.ts';
import { warningsOf as feedingWarnings, plainRationKg } from '#features/production/feeding/record-feeding.ts';
import { feedingRoutes } from '#features/production/feeding/routes.ts';
import { batchMoneyOf } from '#features/production/finance/finance-answers.ts';
import { financeRoutes } from '#features/production/finance/routes.ts';
import { lotAnswerOf } from '#features/production/harvest-lots/lot-answer.ts';
import { lotRoutes } from '#features/production/harvest-lots/routes.ts';
import { traceLot } from '#features/production/harvest-lots/trace-lot.ts';
import type { TraceDeps } from '#features/production/harvest-lots/trace-ports.ts';
import { traceRoutes } from '#features/production/harvest-lots/trace-routes.ts';
import type { RowJudge } from '#features/production/imports/ports.ts';
import { notATable } from '#features/production/imports/read-table.ts';
import { importRoutes } from '#features/production/imports/routes.ts';
import { recordRoutes } from '#features/production/records/routes.ts';
import { createReminders } from '#features/production/tasks/remind.ts';
import { taskRoutes } from '#features/production/tasks/routes.ts';
import { transferRoutes } from '#features/production/transfers/routes.ts';
import { waterQualityRoutes } from '#features/production/water-quality/routes.ts';
import { type Withdrawals, withdrawals } from '#features/production/withdrawal.ts';
import type { Limits } from '#operations/people/payments.ts';
import { checkSums } from '#operations/upkeep/upkeep.ts';
import { costPerKg } from '#science/economics.ts';
import { createPacker } from '#workers/jobs/pack-process.ts';
import { readWorkbookBeside } from '#workers/jobs/sheet-process.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { ControlArea } from '../control/control.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';

type WireDeps = {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong' | 'readLines'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
  expectedWeights: ExpectedWeights;
  withdrawals: Withdrawals;
  limits: Limits;
  hasFeature: (userId: string, feature: Feature) => Promise<boolean>;
};

export type Production = ReturnType<typeof wireProduction>;

/** Production, water and money: batches, biometries, feeding, measurements, transfers, finance, exports. */
export function wireProduction(
  platform: Platform,
  areas: {
    alarms: Pick<Alarms, 'alerts'>;
    people: Pick<People, 'subscriptions'>;
    control: Pick<ControlArea, 'control' | 'gateways'>;
  },
) {
  const { kernel, database } = platform;
  const { limits, hasFeature } = areas.people.subscriptions;
  const { alerting } = areas.alarms.alerts;
  // control hears of a measurement that the disk did not take
  const heardUnsaved = areas.control.control.oxygen.hear;
  // what every feature below may ask: how batches stand, and the figures that hold on a farm
  const batches = batchStates({ ...kernel, queries: batchFactQueries(database.read) });
  const scienceOf = scienceOfFarms(scienceSettingQueries(database.read));
  const weightsExpected = expectedWeights({ scienceOf, dailyTemperatures: dailyTemperatures(database.read) });
  const withdrawalsNow = withdrawals({ ...kernel, queries: withdrawalQueries(database.read) });
  const deps = {
    kernel,
    database,
    batches,
    scienceOf,
    limits,
    hasFeature,
    expectedWeights: weightsExpected,
    withdrawals: withdrawalsNow,
  };
  const water = {
    ...kernel,
    queries: { ...measurementQueries(database.read), ...waterReadQueries(database.read, database.readLong) },
    alerting,
    scienceOf,
    heardUnsaved,
  };
  const imports = wireImports(deps);
  const feedStock = wireFeedStock(deps);
  const reminders = createReminders({
    ...kernel,
    queries: reminderQueries(database.readLong),
    notify: platform.notify,
    isRunHere: (farmId) => !areas.control.gateways.isRunByGateway(farmId),
  });
  return {
    batches,
    scienceOf,
    // what is imported or undone beside requests is called off
    stop: { atOnce: imports.stop },
    pondContents: pondContents({ ...kernel, batches, queries: pondContentsQueries(database.read) }),
    routes: [
      ...wireBatches(deps),
      ...dashboardRoutes({
        ...kernel,
        queries: dashboardQueries(database.read),
        batches,
        withdrawals: withdrawalsNow,
        scienceOf,
        expectedWeights: expectedWeights({
          scienceOf,
          dailyTemperatures: dailyTemperatures(database.readLong),
        }),
      }),
      ...recordRoutes({
        ...kernel,
        batches,
        queries: recordQueries(database.read, database.readLong),
      }),
      ...feedStockRoutes(feedStock),
      ...taskRoutes({ ...kernel, queries: taskQueries(database.read, database.readLong) }),
      ...wireTransfers(deps),
      ...wireExports(deps),
      ...traceRoutes(wireTraces(deps)),
      ...imports.routes,
      ...waterQualityRoutes(water),
      ...wireFeedingAndFinance(deps),
    ],
    ticks: platform.onceForAll([
      {
        name: 'sums of measurements',
        everyS: 60,
        async run() {
          await buildWaterSums({ database, pause: kernel.pause });
        },
      },
      { name: 'check of sums', at: '29 * * * *', run: () => checkSums(platform) },
      {
        name: 'feed that runs out',
        at: '41 * * * *',
        run: () => warnOfStock({ ...kernel, ...feedStock, notify: platform.notify }),
      },
      { name: 'reminders of tasks', everyS: 60, run: reminders.tick },
      { name: 'old imports', at: '43 3 * * *', run: () => sweepImports(database, kernel) },
    ]),
  };
}

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

/** Wires what feed there is, by what came, was fed and was counted. */
function wireFeedStock({ kernel, database, batches, scienceOf }: WireDeps) {
  return {
    ...kernel,
    queries: feedStockQueries(database.read, database.readLong),
    async warnDays(farmId: string) {
      return (await scienceOf(farmId)).feedStock.warnDays;
    },
    async rationKg(farmId: string) {
      let sum = 0;
      for (const state of await batches.ofFarms([farmId], 'ACTIVE'))
        sum += (await plainRationKg({ scienceOf }, state)) ?? 0;
      return sum;
    },
  };
}

/** Wires what batches eat and what they cost. */
function wireFeedingAndFinance(deps: WireDeps): Route[] {
  const { kernel, database, batches, scienceOf, expectedWeights, withdrawals } = deps;
  const { read, readLong } = database;
  return [
    ...feedingRoutes({
      ...kernel,
      batches,
      scienceOf,
      expectedWeights,
      latestWater: latestWaterQuery(read),
      expiredLots: (farmId, meal) =>
        expiredLots({ ...kernel, queries: feedStockQueries(read, readLong) }, farmId, meal),
      queries: { ...feedingQueries(read), feedingsOf: feedingQueries(readLong).feedingsOf },
    }),
    ...financeRoutes({
      ...kernel,
      batches,
      scienceOf,
      withdrawals,
      queries: { ...financeQueries(read), expensesOf: financeQueries(readLong).expensesOf },
      energy: energyQueries(readLong),
    }),
  ];
}

/** Wires batches, their harvests and weighings, and the figures a farm has set for itself. */
function wireBatches({ kernel, database, batches, scienceOf, limits, withdrawals }: WireDeps): Route[] {
  const growth = { now: kernel.now, batches, scienceOf, dailyTemperatures: dailyTemperatures(database.read) };
  return [
    ...batchRoutes({
      ...kernel,
      ...growth,
      withdrawals,
      queries: batchQueries(database.read),
      onCreate: (created) => limits.batches([created]),
    }),
    ...biometryRoutes({
      ...kernel,
      batches,
      scienceOf,
      queries: biometryQueries(database.read),
      growthOf: (batchId) => growthOf(growth, batchId),
      following: followingIn({ kernel, database, batches, withdrawals }),
    }),
    ...lotRoutes({ ...kernel, batches, withdrawals, queries: lotQueries(database.read) }),
    ...scienceSettingRoutes({ ...kernel, queries: scienceSettingQueries(database.read) }),
  ];
}

/** Wires what follows from weighings, however they come. */
function followingIn({
  kernel,
  database,
  batches,
  withdrawals,
}: Pick<Deps, 'kernel' | 'database' | 'batches' | 'withdrawals'>) {
  const deps = { ...kernel, batches, withdrawals, queries: batchQueries(database.read) };
  return (by: { userId: string }, batchId: string, weighings: readonly Reweighed[]) =>
    followWeighings(deps, by, batchId, weighings);
}

/** Wires what died of a batch, for whoever tells of it. */
function wireLosses({ database, batches }: WireDeps) {
  return async (batchId: string) => {
    const losses = await lossesOf({ batches, queries: batchQueries(database.read) }, batchId);
    return losses.map(({ changed_at, died, weight_kg, severity, description, pond_id, cause }) => ({
      lost_at: changed_at,
      pond_id,
      cause,
      dead_count: died,
      dead_weight_kg: weight_kg,
      severity,
      event_description: description,
    }));
  };
}

/** Wires what a lot is traced by: reads of years go beside the main thread. */
function wireTraces(deps: WireDeps): TraceDeps {
  const { kernel, database, batches, withdrawals } = deps;
  const { pondCods, waterTotals } = exportQueries(database.read, database.readLong, database.readLines);
  return {
    ...kernel,
    batches,
    withdrawals,
    queries: lotQueries(database.read),
    traces: {
      ...traceQueries(database.readLong),
      farmOf: feedStockQueries(database.read, database.readLong).farmOf,
      batchesEverIn: recordQueries(database.read, database.readLong).batchesEverIn,
      pondCods,
      waterTotals,
    },
    lossesOf: wireLosses(deps),
  };
}

/** Wires what leaves as a file. */
function wireExports(deps: WireDeps): Route[] {
  const { kernel, database, batches, expectedWeights, scienceOf } = deps;
  const finance = financeQueries(database.read);
  const files: LotFileDeps = {
    ...kernel,
    queries: exportQueries(database.read, database.readLong, database.readLines),
    batches,
    feedStockOf: (farmId, role) => allEntries(wireFeedStock(deps), { farmId, role }),
    batchesThere: () => batchesThere({ batches, ...recordQueries(database.read, database.readLong) }),
    lossesOf: wireLosses(deps),
    expectedWeights,
    scienceOf,
    async costsOf(state) {
      const made = await batchMoneyOf({ ...kernel, queries: finance }, state);
      const { costs, producedKg } = made;
      const recorded = (cost: number) => (cost === 0 ? null : cost);
      return {
        totalFeedCost: recorded(costs.feedCost),
        totalOperationalCost: recorded(costs.operationalCost),
        totalEnergyCost: recorded(costs.energyCost),
        totalCost: recorded(costs.totalCost),
        costPerKg: costPerKg(costs.totalCost, producedKg),
        missing: missingOfCost(made),
      };
    },
    currencyOf: finance.currencyOf,
    packer: createPacker(),
    mayExport: ({ ownerId }) => deps.hasFeature(ownerId, 'export_data'),
    async lotsOfFarm({ farmId, role }) {
      const lots = await lotQueries(database.readLong).lotsOfFarm(farmId);
      return lots.map(({ batch_code, pond, ...row }) => ({
        ...lotAnswerOf(row, batch_code, { role }),
        pond,
      }));
    },
    async traceOf(lotId, by) {
      const traces = wireTraces(deps);
      const lot = await traces.queries.lotById(lotId);
      return lot === null ? null : traceLot(traces, lot, by);
    },
  };
  return [...exportRoutes(files), ...lotFileRoutes(files)];
}

type Deps = {
  kernel: Kernel;
  database: Pick<Database, 'read'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
  limits: Limits;
  withdrawals: Withdrawals;
};

/** Wires files of the past: workbooks are read in a process of their own, rows are judged as those entered by hand. */
function wireImports(deps: Deps): ReturnType<typeof importRoutes> {
  const { kernel, database, scienceOf, limits } = deps;
  return importRoutes({
    ...kernel,
    queries: importQueries(database.read),
    requireManager: managerCheck(database),
    scienceOf,
    onCreateBatches: limits.batches,
    judgeRows: () => rowJudge(deps),
    following: followingIn(deps),
    async readSheets(file) {
      try {
        if (await isWorkbook(file.path)) return await readWorkbookBeside(file.path);
      } catch (error) {
        throw error instanceof SheetTrouble ? notATable(error.message, 'WORKBOOK_UNREADABLE') : error;
      }
      if (file.bytes > MOST_TEXT_BYTES)
        throw new AppError(413, 'A file of text is larger than 8 MiB: send it in parts, or as a workbook', {
          code: 'BODY_TOO_LARGE',
        });
      return readFile(file.path);
    },
  });
}

/** Asked of work that goes on when its request was answered. */
function managerCheck({ read }: Pick<Deps['database'], 'read'>) {
  const accessTo = accessQuery(read);
  const { standingOf } = accountQueries(read);
  return async (farmId: string, userId: string): Promise<void> => {
    const [found, account] = await Promise.all([accessTo('farm', farmId, userId), standingOf(userId)]);
    const isManager = found?.role != null && mayOnFarm(found.role, 'manage');
    if (!isManager || account?.is_active !== true) throw forbidden('You do not manage this farm any more');
  };
}

/** A text is read in memory. */
const MOST_TEXT_BYTES = 8 * 1_048_576;

/** The warnings of the features of these records; what it read of a batch holds for all rows of one file. */
function rowJudge({ kernel, database, batches, scienceOf }: Deps): RowJudge {
  const { batchToWeigh } = biometryQueries(database.read);
  const weighed = remembered(batchToWeigh);
  const science = remembered(scienceOf);
  const stateOf = remembered(async (id: string) => (await batches.byIds([id])).get(id));
  const known: Pick<BatchStates, 'byIds'> = {
    async byIds(ids) {
      const states = await Promise.all(ids.map(async (id) => [id, await stateOf(id)] as const));
      return new Map(states.flatMap(([id, state]) => (state === undefined ? [] : [[id, state] as const])));
    },
  };
  return {
    feeding: (row, language) =>
      feedingWarnings({ ...kernel, batches: known, scienceOf: science }, row, language),
    async biometry(row, before, language) {
      const batch = await weighed(row.batch_id);
      if (batch === null) return [];
      const queries = { weighedBefore: async () => before };
      const weighing = { row: { id: '', ...row }, language };
      return weighingWarnings(
        { ...kernel, batches: known, queries },
        await science(batch.farm_id),
        batch,
        weighing,
      );
    },
  };
}

/** Asks for each thing once. */
function remembered<Answer>(ask: (id: string) => Promise<Answer>): (id: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (id) => {
    const known = answers.get(id) ?? ask(id);
    answers.set(id, known);
    return known;
  };
}
