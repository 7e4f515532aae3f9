import * as z from 'zod';
import { flagInQuery } from '#contract/fields.ts';
import {
  type BatchAnswer,
  batchAbort,
  batchAnswer,
  batchCreate,
  batchDetail,
  batchFinish,
  batchFinished,
  batchQuery,
  batchUpdate,
} from '#contract/resources/batches.ts';
import { withdrawalOnDay, withdrawalQuery } from '#contract/resources/farm-records.ts';
import { journalAnswer } from '#core/audit.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { replayPopulation } from '#science/population.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import { animalsOf, type ChangeBatchDeps, daysInProduction } from './batch-state.ts';
import { batchToAnswer, detailToAnswer, finishedToAnswer } from './batch-states.ts';
import { changeBatch, deleteBatch, requireState } from './change-batch.ts';
import { type CreateBatchDeps, createBatch, requireBatch } from './create-batch.ts';
import { abortBatch, finishBatch } from './end-batch.ts';
import { type GrowthRoutesDeps, growthRoutes } from './growth-answers.ts';
import { lossRoutes } from './loss-routes.ts';
import type { BatchFilter, ListedBatch } from './ports.ts';
import { harvestRoutes } from './record-harvest.ts';

export type BatchRoutesDeps = CreateBatchDeps & ChangeBatchDeps & GrowthRoutesDeps;

export function batchRoutes(deps: BatchRoutesDeps): Route[] {
  return [
    ...registerRoutes(deps),
    ...singleBatchRoutes(deps),
    ...endRoutes(deps),
    ...growthRoutes(deps),
    ...harvestRoutes(deps),
    ...lossRoutes(deps),
  ];
}

function registerRoutes(deps: BatchRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/batches/',
      tag,
      summary: 'Stock a pond with a new batch',
      access: { who: 'farm', right: 'manage', of: 'pond', at: 'body', field: 'pond_id', others: 404 },
      body: batchCreate,
      answers: { 201: { schema: batchAnswer } },
      idempotent: true,
      async handle(request) {
        const by = { caller: signedIn(request), farm: onFarm(request), language: request.language };
        const made = await createBatch(deps, by, request.body, request.rawBody['expected_harvest_date']);
        const { row, timezone, warnings } = made.answer;
        const daysActive = daysInProduction(row, timezone, isoOf(deps.now()));
        const answer = batchToAnswer(row, { survivalRate: row.estimated_survival_rate, daysActive });
        return { ...made, answer: { status: 201, body: { ...answer, warnings }, rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/',
      tag,
      summary: 'Batches of the caller’s farms, newest first',
      access: {
        who: 'farm',
        right: 'read',
        of: 'pond',
        at: 'query',
        field: 'pond_id',
        others: 404,
        optional: true,
      },
      query: batchQuery,
      answers: { 200: { schema: batchAnswer, list: true } },
      async handle(request) {
        const { pond_id, farm_id, status } = request.query;
        const filter: BatchFilter = {
          userId: signedIn(request).userId,
          farmId: farm_id ?? null,
          pondRef: pond_id ?? null,
          status: status ?? null,
        };
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countBatches(filter),
            rows: (page) => answersOf(deps.queries.batchesOf(filter, page), isoOf(deps.now())),
          }),
        };
      },
    }),
  ];
}

function singleBatchRoutes(deps: BatchRoutesDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/batches/{batch_id}',
      tag,
      summary: 'A batch as it stands',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      answers: { 200: { schema: batchDetail } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const state = await requireState(deps, batch.id);
        const withdrawal = (await deps.withdrawals.ofBatches([state])).get(batch.id) ?? null;
        return {
          answer: { status: 200, body: { ...detailToAnswer(state), withdrawal }, rev: state.batch.rev },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/withdrawal',
      tag,
      summary: 'What keeps, or kept, a batch from being harvested on a day of the farm',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: withdrawalQuery,
      answers: { 200: { schema: withdrawalOnDay } },
      async handle({ params, query: { day } }) {
        const { batch } = await requireBatch(deps, params.batch_id);
        const withdrawal = await deps.withdrawals.on(await requireState(deps, batch.id), day);
        return { answer: { status: 200, body: { batch_id: batch.id, day, withdrawal } } };
      },
    }),
    route({
      method: 'PUT',
      path: '/batches/{batch_id}',
      tag,
      summary: 'Change a batch in production, or correct what was told of its stocking',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      body: batchUpdate,
      answers: { 200: { schema: batchAnswer } },
      async handle(request) {
        const found = await requireBatch(deps, request.params.batch_id);
        // before the batch is read: what is entered at the same moment is seen, or sees the correction
        const guard = await deps.guard('batch', found.batch.id);
        const state = await requireState(deps, found.batch.id);
        requireMatch(request, state.batch);
        const changed = await changeBatch(
          deps,
          signedIn(request),
          { state, guard },
          {
            input: request.body,
            sentHarvestDate: request.rawBody['expected_harvest_date'],
            language: request.language,
          },
        );
        const { batch, warnings, ...figures } = changed.answer;
        const answer = { ...batchToAnswer(batch, figures), warnings };
        return { ...changed, answer: { status: 200, body: answer, rev: batch.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/batches/{batch_id}',
      tag,
      summary: 'Delete a batch and all its records',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      query: z.object({
        force: flagInQuery.optional().describe('true: also a batch that is in production'),
      }),
      answers: { 204: null },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const evenActive = request.query.force === true;
        const gone = await deleteBatch(deps, signedIn(request), batch.id, { evenActive });
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

async function* answersOf(listed: AsyncIterable<ListedBatch>, now: string): AsyncIterable<BatchAnswer> {
  for await (const facts of listed) {
    const { batch, timezone } = facts;
    yield batchToAnswer(batch, {
      survivalRate: replayPopulation(animalsOf(facts)).survivalPercent,
      daysActive: daysInProduction(batch, timezone, now),
    });
  }
}

/** How a batch ends. */
function endRoutes(deps: ChangeBatchDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/batches/{batch_id}/finish',
      tag,
      summary: 'Harvest all that is left',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      body: batchFinish,
      // without them: now, with the estimate
      decidedBy: { fields: ['actual_harvest_date', 'final_weight_kg'], otherwise: 'warned' },
      answers: { 200: { schema: batchFinished } },
      idempotent: true,
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const finished = await finishBatch(deps, signedIn(request), batch.id, {
          input: request.body,
          sentDate: request.rawBody['actual_harvest_date'],
          language: request.language,
        });
        const body = finishedToAnswer(finished.answer);
        return { ...finished, answer: { status: 200, body, rev: finished.answer.batch.rev } };
      },
    }),
    route({
      method: 'POST',
      path: '/batches/{batch_id}/abort',
      tag,
      summary: 'End a batch that will not be harvested',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      body: batchAbort,
      answers: { 200: { schema: batchAnswer } },
      async handle(request) {
        const found = await requireBatch(deps, request.params.batch_id);
        const aborted = await abortBatch(deps, signedIn(request), found.batch.id, request.body.reason);
        const { batch, state } = aborted.answer;
        const daysActive = daysInProduction(batch, state.timezone, isoOf(deps.now()));
        const body = batchToAnswer(batch, { survivalRate: state.survivalRate, daysActive });
        return { ...aborted, answer: { status: 200, body, rev: batch.rev } };
      },
    }),
  ];
}
