import * as z from 'zod';
import { idOrNumber, pageQuery } from '#contract/fields.ts';
import {
  type TransferAnswer,
  type TransferDetail,
  type TransferHistory,
  transferAnswer,
  transferCreate,
  transferDetail,
  transferHistory,
  transferPage,
  transferUpdate,
} from '#contract/resources/transfers.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { grams, kilograms } from '#core/rounding.ts';
import { type Answer, type Route, route } from '#core/route.ts';
import type { BatchState } from '../batch-state.ts';
import { changeTransfer, createTransfer, deleteTransfer } from './change-transfer.ts';
import type { Named, NamedTransfer, TransferDeps, TransferScope } from './ports.ts';

/** Moves of one batch that its history tells of; a batch is moved a handful of times. */
const HISTORY_ROWS = 10_000;

const atTransfer = { who: 'farm', of: 'transfer', at: 'params', field: 'transfer_id', others: 404 } as const;
const atBatch = {
  who: 'farm',
  right: 'read',
  of: 'batch',
  at: 'params',
  field: 'batch_id',
  others: 404,
} as const;
const transferParams = z.object({ transfer_id: idOrNumber });
const batchParams = z.object({ batch_id: idOrNumber });
const page = pageQuery.extend({ limit: pageQuery.shape.limit.unwrap().default(100) });

export function transferRoutes(deps: TransferDeps): Route[] {
  // the release notes name the same things by another path
  return [
    ...transferWrites(deps),
    ...transferReads(deps, { base: '/transfers', isAlias: false }),
    ...transferReads(deps, { base: '/batch-transfers', isAlias: true }),
    route({
      method: 'GET',
      path: '/transfers/batch/{batch_id}/history',
      tag: 'Transfers',
      summary: 'Where the animals of a batch went, and where they are now',
      access: atBatch,
      params: batchParams,
      answers: { 200: { schema: transferHistory } },
      handle: async (request) => ({ answer: await historyAnswer(deps, request.params.batch_id) }),
    }),
  ];
}

function transferWrites(deps: TransferDeps): Route[] {
  const tag = 'Transfers';
  return [
    route({
      method: 'POST',
      path: '/transfers/',
      tag,
      summary: 'Move animals of a batch from one pond to another',
      access: { who: 'farm', right: 'manage', of: 'batch', at: 'body', field: 'batch_id', others: 404 },
      body: transferCreate,
      answers: { 201: { schema: transferAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createTransfer(deps, signedIn(request), {
          input: request.body,
          rawDate: request.rawBody['transfer_date'],
          language: request.language,
        });
        const { named, warnings } = made.answer;
        return { ...made, answer: { status: 201, body: { ...toAnswer(named), warnings }, rev: 1 } };
      },
    }),
    route({
      method: 'PUT',
      path: '/transfers/{transfer_id}',
      tag,
      summary: 'Correct a transfer; the later moves of the batch must still find their animals',
      access: { ...atTransfer, right: 'manage' },
      params: transferParams,
      body: transferUpdate,
      answers: { 200: { schema: transferAnswer } },
      async handle(request) {
        const current = await visible(deps, request.params.transfer_id);
        requireMatch(request, current.transfer);
        const changed = await changeTransfer(deps, signedIn(request), current, {
          input: request.body,
          rawDate: request.rawBody['transfer_date'],
          language: request.language,
        });
        const { named, warnings } = changed.answer;
        const body = { ...toAnswer(named), warnings };
        return { ...changed, answer: { status: 200, body, rev: named.transfer.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/transfers/{transfer_id}',
      tag,
      summary: 'Delete a transfer: its animals were never moved',
      access: { ...atTransfer, right: 'manage' },
      params: transferParams,
      answers: { 204: null },
      async handle(request) {
        const current = await visible(deps, request.params.transfer_id);
        const gone = await deleteTransfer(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function transferReads(deps: TransferDeps, { base, isAlias }: { base: string; isAlias: boolean }): Route[] {
  const common = { tag: 'Transfers', method: 'GET', deprecated: isAlias } as const;
  return [
    route({
      ...common,
      path: `${base}/`,
      summary: 'Transfers on all farms of the caller, newest first',
      access: { who: 'account' },
      query: page,
      answers: { 200: { schema: transferPage } },
      handle: async (request) => ({
        answer: await pageAnswer(deps, { of: 'user', userId: signedIn(request).userId }, request.query),
      }),
    }),
    route({
      ...common,
      path: `${base}/{transfer_id}`,
      summary: 'A transfer with the names of its ponds and batch',
      access: { ...atTransfer, right: 'read' },
      params: transferParams,
      answers: { 200: { schema: transferDetail } },
      async handle(request) {
        const named = await visible(deps, request.params.transfer_id);
        const body = toDetail(named, await overdrawnIn(deps, [named]));
        return { answer: { status: 200, body, rev: named.transfer.rev } };
      },
    }),
    route({
      ...common,
      path: `${base}/batch/{batch_id}`,
      summary: 'Transfers of a batch, newest first',
      access: atBatch,
      params: batchParams,
      query: page,
      answers: { 200: { schema: transferPage } },
      async handle(request) {
        const batchId = await batchIdOf(deps, request.params.batch_id);
        return { answer: await pageAnswer(deps, { of: 'batch', batchId }, request.query) };
      },
    }),
  ];
}

async function visible(deps: TransferDeps, ref: string): Promise<NamedTransfer> {
  const named = await deps.queries.transferBy(ref);
  if (named === null) throw notFound('Transfer');
  return named;
}

async function batchIdOf(deps: TransferDeps, ref: string): Promise<string> {
  const batchId = await deps.queries.idOf('batch', ref);
  if (batchId === null) throw notFound('Batch');
  return batchId;
}

async function pageAnswer(
  deps: TransferDeps,
  scope: TransferScope,
  { skip, limit }: { skip: number; limit: number },
): Promise<Answer> {
  const { count } = await deps.queries.totalsOf(scope);
  const moves = await deps.queries.transfersOf(scope, { skip, limit });
  const overdrawn = await overdrawnIn(deps, moves);
  const items = moves.map((move) => toAnswer(move, overdrawn));
  return { status: 200, body: { items, total: count, skip, limit } };
}

/** Which of these batches' moves took animals that were not there: two instances moved the same ones, or too few were stocked. */
async function overdrawnIn(
  { batches }: Pick<TransferDeps, 'batches'>,
  moves: readonly NamedTransfer[],
): Promise<ReadonlySet<string>> {
  const states = await batches.byIds([...new Set(moves.map(({ transfer }) => transfer.batch_id))]);
  return new Set([...states.values()].flatMap(({ overdrawn }) => [...overdrawn]));
}

async function historyAnswer(deps: TransferDeps, ref: string): Promise<Answer> {
  const batchId = await batchIdOf(deps, ref);
  const state = (await deps.batches.byIds([batchId])).get(batchId);
  if (state === undefined) throw notFound('Batch');
  const scope: TransferScope = { of: 'batch', batchId };
  const totals = await deps.queries.totalsOf(scope);
  const moves = await deps.queries.transfersOf(scope, { skip: 0, limit: HISTORY_ROWS });
  const ponds = await deps.queries.pondNames([...state.populationByPond.keys()]);
  return { status: 200, body: toHistory(state, moves, { totals, ponds }) };
}

/** `overdrawn`: what took more animals of its batch than there were; a move that was just decided did not. */
function toAnswer(
  { transfer, source, destination, batch, creator }: NamedTransfer,
  overdrawn: ReadonlySet<string> = new Set(),
): TransferAnswer {
  const { quantity, average_weight } = transfer;
  return {
    id: transfer.numeric_id,
    uuid: transfer.id,
    source_pond_id: source.id,
    destination_pond_id: destination.id,
    batch_id: batch.id,
    quantity,
    average_weight: grams(average_weight),
    biomass_transferred: kilograms(average_weight === null ? null : (quantity * average_weight) / 1000),
    transfer_date: transfer.transfer_date,
    reason: transfer.reason,
    notes: transfer.notes,
    contested: transfer.contested || overdrawn.has(transfer.id),
    clock_quality: transfer.clock_quality,
    created_at: transfer.created_at,
    created_by: creator?.id ?? null,
    updated_at: transfer.updated_at,
  };
}

function toDetail(named: NamedTransfer, overdrawn: ReadonlySet<string>): TransferDetail {
  return {
    ...toAnswer(named, overdrawn),
    source_pond: named.source,
    destination_pond: named.destination,
    batch: named.batch,
    created_by: named.creator,
  };
}

/** The moves of a batch, newest first, and where its animals are now. */
function toHistory(
  { batch, populationByPond }: BatchState,
  moves: readonly NamedTransfer[],
  { totals, ponds }: { totals: { count: number; quantity: number }; ponds: ReadonlyMap<string, Named> },
): TransferHistory {
  return {
    batch_id: batch.numeric_id,
    batch_name: batch.batch_code,
    total_transfers: totals.count,
    total_quantity_moved: totals.quantity,
    history: moves.map(({ transfer, source, destination }) => ({
      id: transfer.numeric_id,
      date: transfer.transfer_date,
      from: source.name,
      to: destination.name,
      from_pond_id: source.id,
      to_pond_id: destination.id,
      quantity: transfer.quantity,
      average_weight: grams(transfer.average_weight),
      reason: transfer.reason,
    })),
    current_locations: [...populationByPond].flatMap(([pondId, quantity]) => {
      const pond = ponds.get(pondId);
      return pond === undefined ? [] : [{ pond_id: pond.id, pond_name: pond.name, quantity }];
    }),
  };
}
