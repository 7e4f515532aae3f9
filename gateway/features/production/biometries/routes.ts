import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import {
  type BiometryAnswer,
  biometryAnswer,
  biometryCreate,
  type biometryInJournal,
  biometryJournal,
  biometrySummary,
  biometryUpdate,
} from '#contract/resources/biometries.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { grams, percent, roundTo } from '#core/rounding.ts';
import { type Route, route } from '#core/route.ts';
import { daysBetween, localDay } from '#core/zone-clock.ts';
import { biometryAdvice } from '#science/advice/growth-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { averageWeeklyGainG } from '#science/growth.ts';
import { averageCvPercent, cvOfSample, uniformityRating } from '#science/uniformity.ts';
import type { BatchState } from '../batch-state.ts';
import type { BatchToWeigh, Biometry, GrowthOf } from './ports.ts';
import {
  averageG,
  changeBiometry,
  deleteBiometry,
  type RecordBiometryDeps,
  recordBiometry,
  requireBatch,
} from './record-biometry.ts';

export type BiometryRoutesDeps = RecordBiometryDeps & { growthOf: GrowthOf };

const batchParams = z.object({ batch_id: idOrNumber });
const biometryParams = z.object({ biometry_id: idInput });
const atBatch = { who: 'farm', of: 'batch', at: 'params', field: 'batch_id', others: 404 } as const;
const atBiometry = { who: 'farm', of: 'biometry', at: 'params', field: 'biometry_id', others: 404 } as const;
const tag = 'Biometries';

export function biometryRoutes(deps: BiometryRoutesDeps): Route[] {
  return [...batchBiometryRoutes(deps), ...singleBiometryRoutes(deps)];
}

function batchBiometryRoutes(deps: BiometryRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/biometries/',
      tag,
      summary: 'Record a weighing of a sample',
      access: { who: 'farm', right: 'record', of: 'batch', at: 'body', field: 'batch_id', others: 404 },
      body: biometryCreate,
      answers: { 201: { schema: biometryAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await recordBiometry(deps, signedIn(request), {
          input: request.body,
          sentDate: request.rawBody['measurement_date'],
          language: request.language,
        });
        const { row, batch, warnings } = made.answer;
        const body = { ...biometryToAnswer(row, batch, deps.now()), warnings };
        return { ...made, answer: { status: 201, body, rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/biometries/batch/{batch_id}',
      tag,
      summary: 'Weighings of a batch, newest first, and its growth',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: pageQuery,
      answers: { 200: { schema: biometryJournal } },
      async handle(request) {
        const batch = await requireBatch(deps, request.params.batch_id);
        const state = (await deps.batches.byIds([batch.id])).get(batch.id);
        if (state === undefined) throw notFound('Batch');
        const answer = await journalAnswer(request.query, {
          count: () => Promise.resolve(state.biometryCount),
          rows: (page) =>
            linesToAnswer(deps.queries.biometriesOf(batch.id, page), { batch, nowMs: deps.now() }),
        });
        return { answer: { ...answer, inside: { field: 'biometries', rest: headToAnswer(state) } } };
      },
    }),
    route({
      method: 'GET',
      path: '/biometries/batch/{batch_id}/summary',
      tag,
      summary: 'Growth, uniformity and what to do next',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      answers: { 200: { schema: biometrySummary } },
      async handle(request) {
        const batch = await requireBatch(deps, request.params.batch_id);
        const growth = await deps.growthOf(batch.id);
        if (growth === null) throw notFound('Batch');
        return { answer: { status: 200, body: summaryToAnswer(growth, request.language) } };
      },
    }),
  ];
}

function singleBiometryRoutes(deps: BiometryRoutesDeps): Route[] {
  async function visibleBiometry(id: string): Promise<Biometry> {
    const biometry = await deps.queries.biometryById(id);
    if (biometry === null) throw notFound('Biometry');
    return biometry;
  }
  return [
    route({
      method: 'GET',
      path: '/biometries/{biometry_id}',
      tag,
      summary: 'A weighing',
      access: { ...atBiometry, right: 'read' },
      params: biometryParams,
      answers: { 200: { schema: biometryAnswer } },
      async handle(request) {
        const row = await visibleBiometry(request.params.biometry_id);
        const batch = await requireBatch(deps, row.batch_id);
        return { answer: { status: 200, body: biometryToAnswer(row, batch, deps.now()), rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/biometries/{biometry_id}',
      tag,
      summary: 'Correct a weighing',
      access: { ...atBiometry, right: 'manage', recorder: 'record' },
      params: biometryParams,
      body: biometryUpdate,
      answers: { 200: { schema: biometryAnswer } },
      async handle(request) {
        const current = await visibleBiometry(request.params.biometry_id);
        requireMatch(request, current);
        const changed = await changeBiometry(deps, signedIn(request), current, {
          input: request.body,
          sentDate: request.rawBody['measurement_date'],
          language: request.language,
        });
        const { row, batch, warnings } = changed.answer;
        const body = { ...biometryToAnswer(row, batch, deps.now()), warnings };
        return { ...changed, answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/biometries/{biometry_id}',
      tag,
      summary: 'Delete a weighing',
      access: { ...atBiometry, right: 'manage', recorder: 'record' },
      params: biometryParams,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleBiometry(request.params.biometry_id);
        const gone = await deleteBiometry(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

type Growth = NonNullable<Awaited<ReturnType<GrowthOf>>>;
type Dates = Pick<BatchToWeigh, 'start_date' | 'actual_harvest_date' | 'timezone'>;

function biometryToAnswer(row: Omit<Biometry, 'rev'>, batch: Dates, nowMs: number): BiometryAnswer {
  return {
    ...inJournal(row, batch, nowMs),
    batch_id: row.batch_id,
    weight_sd_g: roundTo(row.weight_sd_g, 4),
    individual_weights_g: row.individual_weights_g,
    clock_quality: row.clock_quality,
    updated_at: row.updated_at,
  };
}

/** What stands above a journal of weighings. */
function headToAnswer(state: BatchState): Omit<z.infer<typeof biometryJournal>, 'biometries'> {
  const { batch, latestBiometry, currentWeightG } = state;
  const initialG = batch.initial_avg_weight;
  const latest =
    latestBiometry === null
      ? null
      : { day: latestBiometry.measurementDay, weightG: latestBiometry.batchWeightG };
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    growth_summary: {
      initial_weight_g: grams(initialG),
      current_weight_g: grams(currentWeightG),
      total_growth_g: grams(currentWeightG - initialG),
      average_weekly_growth_g: latest === null ? null : grams(averageWeeklyGainG(initialG, latest)),
      total_measurements: state.biometryCount,
    },
  };
}

async function* linesToAnswer(
  rows: AsyncIterable<Biometry>,
  { batch, nowMs }: { batch: Dates; nowMs: number },
): AsyncIterable<z.infer<typeof biometryInJournal>> {
  for await (const row of rows) yield inJournal(row, batch, nowMs);
}

function summaryToAnswer(growth: Growth, language: Language): z.infer<typeof biometrySummary> {
  const { history, science } = growth;
  const { batch, daysActive, currentWeightG, latestBiometry } = history.state;
  const averageCv = averageCvPercent(history.weighings.map((each) => each.coefficient_variation));
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    total_biometries: history.weighings.length,
    summary: {
      initial_weight_g: grams(batch.initial_avg_weight),
      current_weight_g: grams(currentWeightG),
      weight_gain_g: grams(currentWeightG - batch.initial_avg_weight),
      days_in_production: daysActive,
      adg: grams(growth.adgG),
      expected_adg: grams(growth.expectedAdgG),
      performance_percentage: percent(growth.performancePercent),
      average_cv: percent(averageCv),
      uniformity_rating: uniformityRating(science.uniformity, averageCv, currentWeightG),
    },
    latest_biometry:
      latestBiometry === null
        ? null
        : {
            id: latestBiometry.id,
            measurement_date: latestBiometry.measurement_date,
            measurement_day: latestBiometry.measurementDay,
            sample_size: latestBiometry.sample_size,
            average_weight_g: grams(latestBiometry.average_weight_g),
            coefficient_variation: percent(latestBiometry.coefficient_variation),
          },
    growth_trend: growth.trend.trend,
    recommendations: growth.facts === null ? [] : biometryAdvice(science, growth.facts, language),
  };
}

function inJournal(
  row: Omit<Biometry, 'rev'>,
  { start_date, actual_harvest_date, timezone }: Dates,
  nowMs: number,
): z.infer<typeof biometryInJournal> {
  const age = (instant: string) => daysBetween(start_date, localDay(instant, timezone));
  return {
    id: row.id,
    pond_id: row.pond_id,
    measurement_date: row.measurement_date,
    days_in_production: Math.max(0, age(actual_harvest_date ?? isoOf(nowMs))),
    measurement_day: age(row.measurement_date),
    sample_size: row.sample_size,
    total_weight_g: roundTo(row.total_weight_g, 4),
    average_weight_g: grams(averageG(row)),
    coefficient_variation: percent(variationOf(row)),
    notes: row.notes,
    created_by: row.created_by,
    created_at: row.created_at,
  };
}

/** Percent; null where only a total was weighed. */
function variationOf(
  row: Pick<Biometry, 'sample_size' | 'total_weight_g' | 'weight_sd_g' | 'individual_weights_g'>,
) {
  return cvOfSample(
    { individualWeightsG: row.individual_weights_g, standardDeviationG: row.weight_sd_g },
    averageG(row),
  );
}
