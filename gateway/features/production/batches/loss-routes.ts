import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import {
  type LossAnswer,
  lossAnswer,
  lossUpdate,
  type MortalityAnswer,
  mortalityAnswer,
  survivalAdjust,
  survivalAdjusted,
} from '#contract/resources/losses.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { kilograms, percent, roundTo } from '#core/rounding.ts';
import { type Route, route } from '#core/route.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import type { ChangeBatchDeps } from './batch-state.ts';
import { requireBatch } from './create-batch.ts';
import { followLoss } from './following-facts.ts';
import { changeLoss, deleteLoss, type Loss, lossesOf, recordLoss } from './losses.ts';

const lossParams = z.object({ batch_id: idOrNumber, loss_id: idInput });
const atLoss = { who: 'farm', of: 'loss', at: 'params', field: 'loss_id', others: 404 } as const;

/** Animals that died, as they were told of. */
export function lossRoutes(deps: ChangeBatchDeps): Route[] {
  return [...lossesOfBatchRoutes(deps), ...singleLossRoutes(deps)];
}

function lossesOfBatchRoutes(deps: ChangeBatchDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/batches/{batch_id}/adjust-survival',
      tag,
      summary: 'Record an event that killed a share of the animals alive',
      access: { ...atBatch, right: 'record' },
      params: batchParams,
      body: survivalAdjust,
      answers: { 200: { schema: survivalAdjusted } },
      // told twice because the first answer was lost, an event would kill twice
      idempotent: true,
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const caller = signedIn(request);
        const recorded = await recordLoss(deps, caller, batch.id, {
          input: request.body,
          sentDate: request.rawBody['lost_at'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { loss, oldRate, newRate, adjustment, died, alive, warnings } = recorded.answer;
        const body = {
          id: loss.id,
          batch_id: batch.id,
          lost_at: loss.changed_at,
          old_survival_rate: percent(oldRate),
          new_survival_rate: percent(newRate),
          adjustment: percent(adjustment),
          event_description: request.body.event_description,
          cause: loss.cause,
          pond_id: loss.pond_id,
          dead_count: died,
          current_population: alive,
          warnings,
        };
        const following = await followLoss(deps, caller, loss);
        return {
          ...recorded,
          changes: [...(recorded.changes ?? []), ...following],
          answer: { status: 200, body },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/losses',
      tag,
      summary: 'Losses told of a batch, newest first',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: pageQuery,
      answers: { 200: { schema: lossAnswer, list: true } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const losses = await lossesOf(deps, batch.id);
        return {
          answer: await journalAnswer(request.query, {
            count: () => Promise.resolve(losses.length),
            rows: ({ skip, limit }) => answersOf(losses.slice(skip, skip + limit)),
          }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/mortality',
      tag,
      summary: 'What died of a batch by what was told, whole and by cause',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      answers: { 200: { schema: mortalityAnswer } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        return { answer: { status: 200, body: mortalityIn(batch.id, await lossesOf(deps, batch.id)) } };
      },
    }),
  ];
}

function singleLossRoutes(deps: ChangeBatchDeps): Route[] {
  /** 404 also for a loss of another batch than the path says, and for one that was taken back. */
  async function lossOf(params: { batch_id: string; loss_id: string }) {
    const { batch } = await requireBatch(deps, params.batch_id);
    // before the loss is read: whoever corrects it at the same moment looks again
    const guard = await deps.guard('batch', batch.id);
    const current = (await lossesOf(deps, batch.id)).find(({ id }) => id === params.loss_id);
    if (current === undefined) throw notFound('Loss');
    return { current, guard };
  }
  return [
    route({
      method: 'GET',
      path: '/batches/{batch_id}/losses/{loss_id}',
      tag,
      summary: 'A loss',
      access: { ...atLoss, right: 'read' },
      params: lossParams,
      answers: { 200: { schema: lossAnswer } },
      async handle(request) {
        const { current: loss } = await lossOf(request.params);
        return { answer: { status: 200, body: lossToAnswer(loss), rev: loss.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/batches/{batch_id}/losses/{loss_id}',
      tag,
      summary: 'Correct a loss',
      access: { ...atLoss, right: 'manage', recorder: 'record' },
      params: lossParams,
      body: lossUpdate,
      answers: { 200: { schema: lossAnswer } },
      async handle(request) {
        const found = await lossOf(request.params);
        requireMatch(request, found.current);
        const caller = signedIn(request);
        const changed = await changeLoss(deps, caller, found, {
          input: request.body,
          sentDate: request.rawBody['lost_at'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { loss, warnings, fact } = changed.answer;
        const following = fact === null ? [] : await followLoss(deps, caller, fact);
        return {
          ...changed,
          changes: [...(changed.changes ?? []), ...following],
          answer: { status: 200, body: { ...lossToAnswer(loss), warnings }, rev: loss.rev },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/batches/{batch_id}/losses/{loss_id}',
      tag,
      summary: 'Delete a loss, as if it had never been told',
      access: { ...atLoss, right: 'manage', recorder: 'record' },
      params: lossParams,
      answers: { 204: null },
      async handle(request) {
        const caller = signedIn(request);
        const gone = await deleteLoss(deps, caller, await lossOf(request.params));
        const following = await followLoss(deps, caller, gone.answer);
        return {
          ...gone,
          changes: [...(gone.changes ?? []), ...following],
          answer: { status: 204 },
        };
      },
    }),
  ];
}

async function* answersOf(losses: readonly Loss[]): AsyncIterable<LossAnswer> {
  for (const loss of losses) yield lossToAnswer(loss);
}

function lossToAnswer(loss: Loss): LossAnswer {
  return {
    id: loss.id,
    batch_id: loss.batch_id,
    pond_id: loss.pond_id,
    lost_at: loss.changed_at,
    told_as: loss.toldAs,
    severity: roundTo(loss.severity, 4),
    dead_count: loss.died,
    dead_weight_kg: loss.weight_kg,
    event_description: loss.description,
    cause: loss.cause,
    created_by: loss.created_by,
    clock_quality: loss.clock_quality,
    created_at: loss.created_at,
    updated_at: loss.updated_at,
  };
}

/** What died of a batch, whole and by cause; a weight that nobody knows is not taken for none. */
function mortalityIn(batchId: string, losses: readonly Loss[]): MortalityAnswer {
  const byCause = Map.groupBy(losses, ({ cause }) => cause);
  const causes = [...byCause].map(([cause, some]) => ({ cause, ...sumsOf(some) }));
  return {
    batch_id: batchId,
    ...sumsOf(losses),
    by_cause: causes.toSorted((one, other) => other.dead_count - one.dead_count),
  };
}

function sumsOf(losses: readonly Loss[]) {
  const weights = losses.flatMap(({ weight_kg }) => weight_kg ?? []);
  return {
    losses: losses.length,
    dead_count: losses.reduce((sum, { died }) => sum + died, 0),
    dead_weight_kg: weights.length === 0 ? null : kilograms(weights.reduce((sum, kg) => sum + kg, 0)),
    not_weighed: losses.length - weights.length,
  };
}
