import {
  batchStatsAnswer,
  growthAnalysisAnswer,
  growthChartAnswer,
  growthCurveAnswer,
} from '#contract/resources/batches.ts';
import { notFound } from '#core/errors.ts';
import { type Route, route } from '#core/route.ts';
import type { BatchStates } from '../batch-state.ts';
import { type BatchGrowth, type GrowthDeps, growthOf } from './batch-growth.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import { requireBatch } from './batch-rules.ts';
import { requireState } from './change-batch.ts';
import { analysisToAnswer, chartToAnswer, curveToAnswer, statsToAnswer } from './growth-answers.ts';
import type { BatchQueries } from './ports.ts';

export type GrowthRoutesDeps = GrowthDeps & {
  queries: Pick<BatchQueries, 'batch'>;
  batches: Pick<BatchStates, 'byIds'>;
};

/** How a batch grows against what is expected of it. */
export function growthRoutes(deps: GrowthRoutesDeps): Route[] {
  async function growth(ref: string): Promise<BatchGrowth> {
    const { batch } = await requireBatch(deps, ref);
    const found = await growthOf(deps, batch.id);
    if (found === null) throw notFound('Batch');
    return found;
  }
  const common = {
    method: 'GET',
    tag,
    access: { ...atBatch, right: 'read' },
    params: batchParams,
  } as const;
  return [
    route({
      ...common,
      path: '/batches/{batch_id}/growth-curve',
      summary: 'Weights as measured and as expected',
      answers: { 200: { schema: growthCurveAnswer } },
      handle: async (request) => ({
        answer: { status: 200, body: curveToAnswer(await growth(request.params.batch_id)) },
      }),
    }),
    route({
      ...common,
      path: '/batches/{batch_id}/stats',
      summary: 'Figures of a batch as it stands',
      answers: { 200: { schema: batchStatsAnswer } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        return { answer: { status: 200, body: statsToAnswer(await requireState(deps, batch.id)) } };
      },
    }),
    route({
      ...common,
      path: '/batches/{batch_id}/growth-analysis',
      summary: 'Growth against the curve of the species, when to harvest, and what to do',
      answers: { 200: { schema: growthAnalysisAnswer } },
      handle: async (request) => ({
        answer: {
          status: 200,
          body: analysisToAnswer(await growth(request.params.batch_id), request.language),
        },
      }),
    }),
    route({
      ...common,
      path: '/batches/{batch_id}/growth-chart',
      summary: 'The growth curve as a chart',
      answers: { 200: { schema: growthChartAnswer } },
      handle: async (request) => ({
        answer: { status: 200, body: chartToAnswer(await growth(request.params.batch_id), request.language) },
      }),
    }),
  ];
}
