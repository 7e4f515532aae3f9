import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  batchComparison,
  batchComparisonQuery,
  biomassTrend,
  biomassTrendQuery,
  dashboardOverview,
  dashboardPonds,
  dashboardQuery,
  feedEfficiency,
  growthRates,
  survivalRates,
} from '#contract/resources/dashboard.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { BatchState, BatchStates, ExpectedWeights } from '../batch-state.ts';
import type { Withdrawals } from '../withdrawal.ts';
import { biomassTrendOf, feedLine, growthLine, pondLine, survivalLine } from './batch-lines.ts';
import { comparedBatch, yieldingPonds } from './compare-batches.ts';
import type { DashboardQueries } from './ports.ts';

export type DashboardDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: DashboardQueries;
  batches: BatchStates;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  expectedWeights: ExpectedWeights;
  withdrawals: Withdrawals;
};

/** A comparison is reckoned in parts, so that nobody waits for the whole of it. */
const COMPARED_AT_ONCE = 100;

const common = { method: 'GET', tag: 'Dashboard' } as const;
const ofFarmOrAll = {
  who: 'farm',
  right: 'read',
  of: 'farm',
  at: 'query',
  field: 'farm_id',
  others: 404,
  optional: true,
} as const;

export function dashboardRoutes(deps: DashboardDeps): Route[] {
  return [
    overviewRoute(deps),
    pondsRoute(deps),
    trendRoute(deps),
    ...batchRoutes(deps),
    comparisonRoute(deps),
  ];
}

function overviewRoute({ queries }: DashboardDeps): Route {
  return route({
    ...common,
    path: '/dashboard/overview',
    summary: 'A farm in five numbers',
    access: { who: 'farm', right: 'read', of: 'farm', at: 'query', field: 'farm_id', others: 404 },
    query: z.object({ farm_id: idInput }),
    answers: { 200: { schema: dashboardOverview } },
    async handle(request) {
      const { farmId } = onFarm(request);
      const alerts = await queries.countActiveAlerts(farmId);
      const body = {
        farm_id: farmId,
        total_ponds: await queries.countPonds(farmId),
        active_batches: await queries.countActiveBatches(farmId),
        total_active_alerts: alerts.reduce((sum, { count }) => sum + count, 0),
        alerts_by_type: Object.fromEntries(alerts.map(({ type, count }) => [type, count])),
      };
      return { answer: { status: 200, body } };
    },
  });
}

function pondsRoute(deps: DashboardDeps): Route {
  return route({
    ...common,
    path: '/dashboard/ponds',
    summary: 'How each pond stands',
    access: ofFarmOrAll,
    query: dashboardQuery,
    answers: { 200: { schema: dashboardPonds } },
    async handle(request) {
      const ponds = await deps.queries.pondsOf(await farmsAsked(deps, request), request.query);
      const states = await deps.batches.activeInPonds(ponds.map(({ id }) => id));
      const kept = await deps.withdrawals.ofBatches([...states.values()].flat());
      const lines = ponds.map((pond) => {
        const line = pondLine(pond, states.get(pond.id) ?? []);
        return { ...line, withdrawal: kept.get(line.batch_id ?? '') ?? null };
      });
      return { answer: { status: 200, body: { ponds: lines } } };
    },
  });
}

function trendRoute({ queries, batches }: DashboardDeps): Route {
  return route({
    ...common,
    path: '/dashboard/biomass-trend',
    summary: 'What a batch weighed, from stocking on',
    access: { who: 'farm', right: 'read', of: 'batch', at: 'query', field: 'batch_id', others: 404 },
    query: biomassTrendQuery,
    answers: { 200: { schema: biomassTrend } },
    async handle(request) {
      const batchId = await queries.batchId(request.query.batch_id);
      const history = batchId === null ? null : await batches.historyOf(batchId);
      if (history === null) throw notFound('Batch');
      return { answer: { status: 200, body: biomassTrendOf(history) } };
    },
  });
}

/** Batches beside each other, whatever became of them. */
function comparisonRoute(deps: DashboardDeps): Route {
  return route({
    ...common,
    path: '/dashboard/batch-comparison',
    summary: 'Figures of batches side by side, running and finished, entered last first',
    access: ofFarmOrAll,
    query: batchComparisonQuery,
    answers: { 200: { schema: batchComparison } },
    async handle(request) {
      const { query } = request;
      const farmIds = await farmsAsked(deps, request);
      const readsFinance = await financeAsked(deps, request);
      const page = (skip: number, limit: number) =>
        deps.batches.pageOfFarms(farmIds, { status: query.status ?? null, skip, limit });
      const first = await page(query.skip, Math.min(COMPARED_AT_ONCE, query.limit ?? COMPARED_AT_ONCE));
      const { total } = first;
      async function* rows({ skip, limit }: { skip: number; limit: number }) {
        const end = Math.min(skip + limit, total);
        for (let at = skip; at < end; at += COMPARED_AT_ONCE) {
          const { states } = at === skip ? first : await page(at, Math.min(COMPARED_AT_ONCE, end - at));
          yield* await comparedLines(deps, states, readsFinance);
        }
      }
      const answer = await journalAnswer(query, { count: async () => total, rows });
      return { answer: { ...answer, inside: { field: 'batches', rest: { total } } } };
    },
  });
}

async function comparedLines(
  { queries, ...clock }: DashboardDeps,
  states: readonly BatchState[],
  readsFinance: ReadonlySet<string>,
) {
  const seen = states.filter(({ batch }) => readsFinance.has(batch.farm_id));
  const spent = await queries.spentByCategory(
    seen.map(({ batch }) => batch.id),
    countsUntil(clock),
  );
  const names = await queries.farmNames([...new Set(states.map(({ batch }) => batch.farm_id))]);
  const areas = await queries.areasOf([...new Set(states.flatMap(yieldingPonds))]);
  return states.map((state) => {
    const { id, farm_id } = state.batch;
    const money = readsFinance.has(farm_id) ? (spent.get(id) ?? []) : null;
    return comparedBatch(state, { farmName: names.get(farm_id) ?? '', areas, spent: money });
  });
}

/** One line for each active batch. */
function batchRoutes(deps: DashboardDeps): Route[] {
  const ofBatches = { ...common, access: ofFarmOrAll, query: dashboardQuery };
  return [
    route({
      ...ofBatches,
      path: '/dashboard/growth-rates',
      summary: 'Growth of the active batches against the curve of their species',
      answers: { 200: { schema: growthRates } },
      async handle(request) {
        const lines = await growthLines(deps, await statesAsked(deps, request));
        return { answer: { status: 200, body: { batches: lines } } };
      },
    }),
    route({
      ...ofBatches,
      path: '/dashboard/survival-rates',
      summary: 'Survival of the active batches',
      answers: { 200: { schema: survivalRates } },
      async handle(request) {
        const states = await statesAsked(deps, request);
        const constants = await constantsOf(deps, states);
        const batches = states.flatMap((state) => {
          const science = constants.get(state.batch.farm_id);
          return science === undefined ? [] : [survivalLine(science.survival, state)];
        });
        return { answer: { status: 200, body: { batches } } };
      },
    }),
    route({
      ...ofBatches,
      path: '/dashboard/feed-efficiency',
      summary: 'What the active batches made of their feed',
      answers: { 200: { schema: feedEfficiency } },
      async handle(request) {
        const states = await statesAsked(deps, request);
        const readsFinance = await financeAsked(deps, request);
        const batches = states.map((state) => feedLine(state, readsFinance.has(state.batch.farm_id)));
        return { answer: { status: 200, body: { batches } } };
      },
    }),
  ];
}

type Asking = Pick<Request<unknown, z.infer<typeof dashboardQuery>, unknown>, 'caller' | 'farm' | 'query'>;

async function farmsAsked({ queries }: DashboardDeps, request: Asking): Promise<string[]> {
  return request.farm === null ? queries.farmsOf(signedIn(request).userId) : [request.farm.farmId];
}

async function financeAsked({ queries }: DashboardDeps, { caller, farm }: Asking): Promise<Set<string>> {
  if (farm === null) return new Set(await queries.readsFinanceOf(signedIn({ caller }).userId));
  return new Set(mayOnFarm(farm.role, 'read_finance') ? [farm.farmId] : []);
}

async function statesAsked(deps: DashboardDeps, request: Asking): Promise<BatchState[]> {
  const { skip, limit } = request.query;
  const states = await deps.batches.ofFarms(await farmsAsked(deps, request), 'ACTIVE');
  return states.slice(skip, limit === undefined ? undefined : skip + limit);
}

async function constantsOf(
  deps: Pick<DashboardDeps, 'scienceOf'>,
  states: readonly BatchState[],
): Promise<ReadonlyMap<string, ScienceConstants>> {
  const scienceByFarm = new Map<string, ScienceConstants>();
  for (const { batch } of states) {
    if (scienceByFarm.has(batch.farm_id)) continue;
    scienceByFarm.set(batch.farm_id, await deps.scienceOf(batch.farm_id));
  }
  return scienceByFarm;
}

async function growthLines(deps: DashboardDeps, states: readonly BatchState[]) {
  const expected = await deps.expectedWeights(states);
  const scienceByFarm = await constantsOf(deps, states);
  return states.flatMap((state) => {
    const science = scienceByFarm.get(state.batch.farm_id);
    const expectedG = expected.get(state.batch.id);
    return science === undefined || expectedG === undefined
      ? []
      : [growthLine(science.growth, state, expectedG)];
  });
}
