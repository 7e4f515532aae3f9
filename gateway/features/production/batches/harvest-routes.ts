import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import {
  type HarvestAnswer,
  harvestAnswer,
  harvestCreate,
  harvestUpdate,
} from '#contract/resources/batches.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import { harvestToAnswer } from './batch-answers.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import { requireBatch } from './batch-rules.ts';
import type { Harvest } from './ports.ts';
import { changeHarvest, deleteHarvest, type HarvestDeps, recordHarvest } from './record-harvest.ts';

const harvestParams = z.object({ batch_id: idOrNumber, harvest_id: idInput });
const atHarvest = { who: 'farm', of: 'harvest', at: 'params', field: 'harvest_id', others: 404 } as const;

/** Animals taken out while the batch goes on. */
export function harvestRoutes(deps: HarvestDeps): Route[] {
  /** 404 also for a harvest of another batch than the path says. */
  async function harvestOf(params: { batch_id: string; harvest_id: string }): Promise<Harvest> {
    const harvest = await deps.queries.harvestById(params.harvest_id);
    const found = await deps.queries.batch(params.batch_id);
    if (harvest === null || found?.batch.id !== harvest.batch_id) throw notFound('Harvest');
    return harvest;
  }
  return [
    ...harvestsOfBatchRoutes(deps),
    route({
      method: 'PUT',
      path: '/batches/{batch_id}/harvests/{harvest_id}',
      tag,
      summary: 'Correct a partial harvest',
      access: { ...atHarvest, right: 'manage' },
      params: harvestParams,
      body: harvestUpdate,
      answers: { 200: { schema: harvestAnswer } },
      async handle(request) {
        const current = await harvestOf(request.params);
        requireMatch(request, current);
        const changed = await changeHarvest(deps, signedIn(request), current, {
          input: request.body,
          sentDate: request.rawBody['harvest_date'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { row, warnings } = changed.answer;
        const body = { ...harvestToAnswer(row, seenBy(onFarm(request))), warnings };
        return { ...changed, answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/batches/{batch_id}/harvests/{harvest_id}',
      tag,
      summary: 'Delete the record of a partial harvest',
      access: { ...atHarvest, right: 'manage' },
      params: harvestParams,
      answers: { 204: null },
      async handle(request) {
        const current = await harvestOf(request.params);
        const gone = await deleteHarvest(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function harvestsOfBatchRoutes(deps: HarvestDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/batches/{batch_id}/harvests',
      tag,
      summary: 'Record a partial harvest',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      body: harvestCreate,
      answers: { 201: { schema: harvestAnswer } },
      idempotent: true,
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const made = await recordHarvest(deps, signedIn(request), batch.id, {
          input: request.body,
          sentDate: request.rawBody['harvest_date'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { row, warnings } = made.answer;
        const body = { ...harvestToAnswer(row, seenBy(onFarm(request))), warnings };
        return { ...made, answer: { status: 201, body, rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/harvests',
      tag,
      summary: 'Partial harvests of a batch, newest first',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: pageQuery,
      answers: { 200: { schema: harvestAnswer, list: true } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const seen = seenBy(onFarm(request));
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countHarvests(batch.id),
            rows: (page) => answersOf(deps.queries.harvestsOf(batch.id, page), seen),
          }),
        };
      },
    }),
  ];
}

const seenBy = ({ role }: FarmAccess) => ({ readsFinance: mayOnFarm(role, 'read_finance') });

async function* answersOf(
  harvests: AsyncIterable<Harvest>,
  seen: { readsFinance: boolean },
): AsyncIterable<HarvestAnswer> {
  for await (const harvest of harvests) yield harvestToAnswer(harvest, seen);
}
