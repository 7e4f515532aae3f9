import * as z from 'zod';
import { idInput, idOrNumber } from '#contract/fields.ts';
import { lotAnswer, lotCreate, lotUpdate } from '#contract/resources/harvest-lots.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { lotAnswerOf } from './lot-answer.ts';
import type { HarvestLot, LotDeps } from './ports.ts';
import { changeLot, deleteLot, requireBatch, writeLot } from './write-lot.ts';

export const tag = 'Harvest lots';
const batchParams = z.object({ batch_id: idOrNumber });
export const lotParams = z.object({ lot_id: idInput });
const at = { who: 'farm', at: 'params', others: 404 } as const;
const atBatch = { ...at, of: 'batch', field: 'batch_id' } as const;
export const atLot = { ...at, of: 'harvest_lot', field: 'lot_id' } as const;

/** Lots of harvests: what went to one buyer in one load. */
export function lotRoutes(deps: LotDeps): Route[] {
  return [...lotsOfBatchRoutes(deps), ...singleLotRoutes(deps)];
}

export async function requireLot({ queries }: Pick<LotDeps, 'queries'>, id: string): Promise<HarvestLot> {
  const lot = await queries.lotById(id);
  if (lot === null) throw notFound('Harvest lot');
  return lot;
}

function lotsOfBatchRoutes(deps: LotDeps): Route[] {
  async function batchOf(ref: string) {
    const id = await deps.queries.batchIdOf(ref);
    if (id === null) throw notFound('Batch');
    return requireBatch(deps, id);
  }
  return [
    route({
      method: 'GET',
      path: '/batches/{batch_id}/harvest-lots',
      tag,
      summary: 'Lots of the harvests of a batch, oldest first',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      answers: { 200: { schema: z.array(lotAnswer) } },
      async handle(request) {
        const { batch } = await batchOf(request.params.batch_id);
        const rows = await deps.queries.lotsOf([batch.id]);
        const by = onFarm(request);
        return {
          answer: { status: 200, body: rows.map((row) => lotAnswerOf(row, batch.batch_code, by)) },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/batches/{batch_id}/harvest-lots',
      tag,
      summary: 'Record a lot of a harvest',
      access: { ...atBatch, right: 'manage' },
      invalid: 422,
      params: batchParams,
      body: lotCreate,
      answers: { 201: { schema: lotAnswer } },
      idempotent: true,
      async handle(request) {
        const { batch } = await batchOf(request.params.batch_id);
        const made = await writeLot(deps, signedIn(request), batch.id, {
          input: request.body,
          sentDate: request.rawBody['harvested_at'],
          language: request.language,
        });
        const { row, warnings } = made.answer;
        const body = { ...lotAnswerOf(row, batch.batch_code, onFarm(request)), warnings };
        return { ...made, answer: { status: 201, body, rev: 1 } };
      },
    }),
  ];
}

function singleLotRoutes(deps: LotDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/harvest-lots/{lot_id}',
      tag,
      summary: 'A lot of a harvest',
      access: { ...atLot, right: 'read' },
      params: lotParams,
      answers: { 200: { schema: lotAnswer } },
      async handle(request) {
        const row = await requireLot(deps, request.params.lot_id);
        const { batch } = await requireBatch(deps, row.batch_id);
        const body = lotAnswerOf(row, batch.batch_code, onFarm(request));
        return { answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/harvest-lots/{lot_id}',
      tag,
      summary: 'Correct a lot; old and new values stay in the log',
      access: { ...atLot, right: 'manage' },
      params: lotParams,
      body: lotUpdate,
      answers: { 200: { schema: lotAnswer } },
      async handle(request) {
        const current = await requireLot(deps, request.params.lot_id);
        requireMatch(request, current);
        const changed = await changeLot(deps, signedIn(request), current, {
          input: request.body,
          sentDate: request.rawBody['harvested_at'],
          language: request.language,
        });
        const { row, state, warnings } = changed.answer;
        const body = { ...lotAnswerOf(row, state.batch.batch_code, onFarm(request)), warnings };
        return { ...changed, answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/harvest-lots/{lot_id}',
      tag,
      summary: 'Delete a lot; its values stay in the log',
      access: { ...atLot, right: 'manage' },
      params: lotParams,
      answers: { 204: null },
      async handle(request) {
        const current = await requireLot(deps, request.params.lot_id);
        requireMatch(request, current);
        const gone = await deleteLot(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}
