import type * as z from 'zod';
import {
  batchStatsAnswer,
  growthAnalysisAnswer,
  growthChartAnswer,
  growthCurveAnswer,
} from '#contract/resources/batches.ts';
import { notFound } from '#core/errors.ts';
import { grams, kilograms, percent, ratio, roundTo } from '#core/rounding.ts';
import { type Route, route } from '#core/route.ts';
import { dayAfter, localDay } from '#core/zone-clock.ts';
import { growthAdvice } from '#science/advice/growth-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { averageDailyGainG, specificGrowthRatePercent } from '#science/growth.ts';
import { growthStatus, variancePercent } from '#science/growth-trend.ts';
import { endOf } from '../batch-in-pond.ts';
import type { BatchState, BatchStates } from '../batch-state.ts';
import { missingOfAnimals, missingOfFeed } from '../missing-facts.ts';
import { type BatchGrowth, type GrowthDeps, growthOf } from './batch-growth.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import { requireState } from './change-batch.ts';
import { requireBatch } from './create-batch.ts';
import type { BatchQueries } from './ports.ts';

type Point = { day: number; realG: number; expectedG: number };

function curveToAnswer(growth: BatchGrowth): z.infer<typeof growthCurveAnswer> {
  const { batch, daysActive } = growth.history.state;
  const latest = latestPoint(growth);
  return {
    batch_id: batch.id,
    batch_code: batch.batch_code,
    days_active: daysActive,
    data_points: pointsOf(growth).map(({ day, realG, expectedG }) => ({
      day,
      real_weight_g: grams(realG),
      expected_weight_g: grams(expectedG),
    })),
    performance: latest === null ? null : growthStatus(growth.science.growth, latest.realG, latest.expectedG),
  };
}

function statsToAnswer(state: BatchState): z.infer<typeof batchStatsAnswer> {
  const { batch, latestBiometry } = state;
  const latest =
    latestBiometry === null
      ? null
      : { day: latestBiometry.measurementDay, weightG: latestBiometry.batchWeightG };
  const initialG = batch.initial_avg_weight;
  return {
    batch_id: batch.id,
    days_active: state.daysActive,
    estimated_biomass_kg: kilograms(state.biomassKg),
    current_fca: ratio(state.fca),
    survival_rate: percent(state.survivalRate),
    growth_rate_g_per_day: latest === null ? null : grams(averageDailyGainG(initialG, latest)),
    total_feed_kg: kilograms(state.totalFeedKg),
    current_population: state.population,
    ...endOf(state),
    average_weight_g: grams(state.currentWeightG),
    specific_growth_rate:
      latest === null ? null : roundTo(specificGrowthRatePercent(initialG, latest.weightG, latest.day), 2),
    missing: missingOfFeed(state),
  };
}

function analysisToAnswer(growth: BatchGrowth, language: Language): z.infer<typeof growthAnalysisAnswer> {
  const { batch, daysActive, currentWeightG } = growth.history.state;
  const gainG = currentWeightG - batch.initial_avg_weight;
  return {
    batch_id: batch.id,
    batch_code: batch.batch_code,
    analysis: {
      total_days: daysActive,
      initial_weight_g: grams(batch.initial_avg_weight),
      current_weight_g: grams(currentWeightG),
      weight_gain_g: grams(gainG),
      adg: grams(growth.adgG),
      expected_adg: grams(growth.expectedAdgG),
      performance_percentage: percent(growth.performancePercent),
      ...harvestOf(growth),
    },
    recommendations: growth.facts === null ? [] : growthAdvice(growth.science, growth.facts, language),
    // survival changes no mean weight
    missing: missingOfAnimals(growth.history.state).filter((each) => each !== 'SURVIVAL'),
  };
}

/** When it will be harvested and how heavy; of a batch that has ended when it was, as last weighed. */
function harvestOf({ history, projection }: BatchGrowth) {
  const { batch, timezone, currentWeightG } = history.state;
  if (projection === null) {
    return {
      projected_harvest_weight_g: grams(currentWeightG),
      projected_harvest_date:
        batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, timezone),
    };
  }
  return {
    projected_harvest_weight_g: grams(projection.harvestWeightG),
    projected_harvest_date:
      projection.harvestDay === null ? null : dayAfter(batch.start_date, projection.harvestDay),
  };
}

const CHART_WORDS = {
  'pt-BR': { day: 'Dia', real: 'Peso real (g)', expected: 'Peso esperado (g)' },
  en: { day: 'Day', real: 'Real weight (g)', expected: 'Expected weight (g)' },
  es: { day: 'Día', real: 'Peso real (g)', expected: 'Peso esperado (g)' },
} satisfies Record<Language, { day: string; real: string; expected: string }>;

function chartToAnswer(growth: BatchGrowth, language: Language): z.infer<typeof growthChartAnswer> {
  const { batch } = growth.history.state;
  const points = pointsOf(growth);
  const words = CHART_WORDS[language];
  const latest = latestPoint(growth);
  const variance = latest === null ? null : variancePercent(latest.realG, latest.expectedG);
  return {
    batch_id: batch.id,
    batch_code: batch.batch_code,
    chart_data: {
      labels: points.map(({ day }) => `${words.day} ${day}`),
      datasets: [
        {
          label: words.real,
          data: points.map(({ realG }) => grams(realG)),
          borderColor: '#1f77b4',
          fill: false,
        },
        {
          label: words.expected,
          data: points.map(({ expectedG }) => grams(expectedG)),
          borderColor: '#7f7f7f',
          fill: false,
          borderDash: [5, 5],
        },
      ],
    },
    summary: { above_expected: variance !== null && variance > 0, variance_percentage: percent(variance) },
  };
}

/** Stocking and every weighing, with what was expected on that day. */
function pointsOf({ history, expectedWeightG }: BatchGrowth): Point[] {
  const { batch } = history.state;
  const stocking = { day: 0, realG: batch.initial_avg_weight, expectedG: expectedWeightG(0) };
  const weighed = history.weighings.map(({ measurementDay: day, batchWeightG: realG }) => ({
    day,
    realG,
    expectedG: expectedWeightG(day),
  }));
  // a weighing dated before the stocking keeps its place in time
  return [stocking, ...weighed].sort((a, b) => a.day - b.day);
}

function latestPoint({ history, expectedWeightG }: BatchGrowth): Point | null {
  const latest = history.state.latestBiometry;
  if (latest === null) return null;
  const { measurementDay: day, batchWeightG: realG } = latest;
  return { day, realG, expectedG: expectedWeightG(day) };
}

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
