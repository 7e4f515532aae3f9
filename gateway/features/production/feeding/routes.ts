import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  type FeedingAnswer,
  type FeedingSummary,
  feedingAnswer,
  feedingCreate,
  feedingJournal,
  feedingRecommendation,
  type feedingRecord,
  feedingSummary,
  feedingUpdate,
  recommendationQuery,
} from '#contract/resources/feeding.ts';
import { mayOnFarm, seesPriceOfFeed } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { kilograms, money, percent, ratio } from '#core/rounding.ts';
import { type Answer, type FarmAccess, type Route, route } from '#core/route.ts';
import { efficiencyRating } from '#science/biomass.ts';
import type { BatchHistory, BatchState, BatchStates } from '../batch-state.ts';
import type { FeedingRecord } from './ports.ts';
import { type RecommendDeps, recommendFeeding } from './recommend-feeding.ts';
import {
  type ChangeFeedingDeps,
  changeFeeding,
  deleteFeeding,
  type FeedingWarning,
  type RecordFeedingDeps,
  recordFeeding,
  requireBatch,
} from './record-feeding.ts';

export type FeedingRoutesDeps = RecordFeedingDeps &
  ChangeFeedingDeps &
  RecommendDeps & { batches: Pick<BatchStates, 'byIds' | 'historyOf'> };

const tag = 'Feeding';
const recordParams = z.object({ feeding_id: idInput });
const batchParams = z.object({ batch_id: idOrNumber });
const ofRecord = {
  who: 'farm',
  of: 'feeding_record',
  at: 'params',
  field: 'feeding_id',
  others: 404,
} as const;
const ofBatch = { who: 'farm', of: 'batch', field: 'batch_id', others: 404 } as const;
const readBatch = { ...ofBatch, at: 'params', right: 'read' } as const;

export function feedingRoutes(deps: FeedingRoutesDeps): Route[] {
  return [...batchRoutes(deps), ...recordRoutes(deps)];
}

function batchRoutes(deps: FeedingRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/feeding/',
      tag,
      summary: 'Record a feeding of an ACTIVE batch',
      access: { ...ofBatch, right: 'record', at: 'body' },
      body: feedingCreate,
      answers: { 201: { schema: feedingAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await recordFeeding(deps, signedIn(request), {
          input: request.body,
          sentDate: request.rawBody['feed_date'],
          language: request.language,
        });
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/feeding/batch/{batch_id}',
      tag,
      summary: 'Feedings of a batch, newest first',
      access: readBatch,
      params: batchParams,
      query: pageQuery,
      answers: { 200: { schema: feedingJournal } },
      async handle(request) {
        const { batch_id: ref } = request.params;
        return { answer: await journalOf(deps, ref, { query: request.query, by: onFarm(request) }) };
      },
    }),
    route({
      method: 'GET',
      path: '/feeding/batch/{batch_id}/summary',
      tag,
      summary: 'What a batch was fed, and its feed conversion',
      access: readBatch,
      params: batchParams,
      answers: { 200: { schema: feedingSummary } },
      async handle(request) {
        const { id } = await requireBatch(deps, request.params.batch_id);
        const history = await deps.batches.historyOf(id);
        if (history === null) throw notFound('Batch');
        return { answer: { status: 200, body: feedingSummaryOf(history, onFarm(request)) } };
      },
    }),
    route({
      method: 'GET',
      path: '/feeding/batch/{batch_id}/recommendation',
      tag,
      summary: 'What to feed today, meal by meal, and why',
      access: readBatch,
      params: batchParams,
      query: recommendationQuery,
      answers: { 200: { schema: feedingRecommendation } },
      async handle(request) {
        const { condition, condition_days_ago: daysAgo } = request.query;
        const state = await stateOf(deps, request.params.batch_id);
        const seen = condition === undefined ? null : { condition, daysAgo };
        const body = await recommendFeeding(deps, state, { seen, language: request.language });
        return { answer: { status: 200, body } };
      },
    }),
  ];
}

function recordRoutes(deps: FeedingRoutesDeps): Route[] {
  async function visibleRecord(id: string): Promise<FeedingRecord> {
    const record = await deps.queries.feedingById(id);
    if (record === null) throw notFound('Feeding record');
    return record;
  }
  return [
    route({
      method: 'GET',
      path: '/feeding/{feeding_id}',
      tag,
      summary: 'A feeding record',
      access: { ...ofRecord, right: 'read' },
      params: recordParams,
      answers: { 200: { schema: feedingAnswer } },
      async handle(request) {
        const row = await visibleRecord(request.params.feeding_id);
        const body = shownTo(onFarm(request), feedingAnswerOf(row));
        return { answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/feeding/{feeding_id}',
      tag,
      summary: 'Correct a feeding record; old and new values stay in the log',
      access: { ...ofRecord, right: 'manage', recorder: 'record' },
      params: recordParams,
      body: feedingUpdate,
      answers: { 200: { schema: feedingAnswer } },
      async handle(request) {
        const current = await visibleRecord(request.params.feeding_id);
        requireMatch(request, current);
        const sentDate = request.rawBody['feed_date'];
        const by = { input: request.body, sentDate, language: request.language };
        const changed = await changeFeeding(deps, signedIn(request), current, by);
        const { row } = changed.answer;
        return { ...changed, answer: { status: 200, body: toAnswer(changed.answer), rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/feeding/{feeding_id}',
      tag,
      summary: 'Delete a feeding record; its values stay in the log',
      access: { ...ofRecord, right: 'manage', recorder: 'record' },
      params: recordParams,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleRecord(request.params.feeding_id);
        requireMatch(request, current);
        const gone = await deleteFeeding(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

async function journalOf(
  deps: FeedingRoutesDeps,
  ref: string,
  { query, by }: { query: z.infer<typeof pageQuery>; by: FarmAccess },
): Promise<Answer> {
  const batch = await requireBatch(deps, ref);
  const answer = await journalAnswer(query, {
    count: () => deps.queries.countFeedings(batch.id),
    rows: (page) => answersOf(deps.queries.feedingsOf(batch.id, page), by),
  });
  const rest = { batch_id: batch.id, batch_number: batch.batch_code };
  return { ...answer, inside: { field: 'feeding_records', rest } };
}

async function* answersOf(rows: AsyncIterable<FeedingRecord>, by: FarmAccess): AsyncIterable<FeedingAnswer> {
  for await (const row of rows) yield shownTo(by, feedingAnswerOf(row));
}

const shownTo = ({ role }: FarmAccess, answer: FeedingAnswer): FeedingAnswer =>
  seesPriceOfFeed(role) ? answer : { ...answer, cost_per_kg: null, total_cost: null };

async function stateOf(deps: FeedingRoutesDeps, ref: string): Promise<BatchState> {
  const { id } = await requireBatch(deps, ref);
  const state = (await deps.batches.byIds([id])).get(id);
  if (state === undefined) throw notFound('Batch');
  return state;
}

function toAnswer(made: { row: RowOf<typeof feedingRecord>; warnings: FeedingWarning[] }): FeedingAnswer {
  const { row, warnings } = made;
  return { ...feedingAnswerOf(row), ...(warnings.length === 0 ? {} : { warnings }) };
}

function feedingAnswerOf(row: RowOf<typeof feedingRecord>): FeedingAnswer {
  return {
    id: row.id,
    batch_id: row.batch_id,
    pond_id: row.pond_id,
    feed_type: row.feed_type,
    quantity_kg: kilograms(row.quantity_kg),
    cost_per_kg: money(row.cost_per_kg),
    total_cost: money(row.quantity_kg * row.cost_per_kg),
    feed_date: row.feed_date,
    tray_leftover_percent: percent(row.tray_leftover_percent),
    notes: row.notes,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** What a batch was fed, and what became of it. */
function feedingSummaryOf({ state, feedDays }: BatchHistory, { role }: FarmAccess): FeedingSummary {
  const { totalFeedKg, fca } = state;
  return {
    batch_id: state.batch.id,
    batch_number: state.batch.batch_code,
    summary: {
      total_feed_consumed_kg: kilograms(totalFeedKg),
      total_feed_cost: mayOnFarm(role, 'read_finance') ? money(state.totalFeedCost) : null,
      average_daily_feed_kg: feedDays === 0 ? null : kilograms(totalFeedKg / feedDays),
      days_with_feeding: feedDays,
      current_fca: ratio(fca),
      total_feeding_records: state.feedingCount,
    },
    fca_analysis: {
      total_feed_kg: kilograms(totalFeedKg),
      biomass_gained_kg: kilograms(state.biomassGainedKg),
      initial_biomass_kg: kilograms(state.initialBiomassKg),
      current_biomass_kg: kilograms(state.biomassKg),
      harvested_kg: kilograms(state.harvestedKg),
      fca: ratio(fca),
      efficiency_rating: efficiencyRating(fca),
    },
  };
}
