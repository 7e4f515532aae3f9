import { batchAbort, batchAnswer, batchFinish, batchFinished } from '#contract/resources/batches.ts';
import { isoOf } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import type { ChangeBatchDeps } from './batch-state.ts';
import { daysInProduction } from './batch-state.ts';
import { batchToAnswer, finishedToAnswer } from './batch-states.ts';
import { requireBatch } from './create-batch.ts';
import { abortBatch, finishBatch } from './end-batch.ts';

/** How a batch ends. */
export function endRoutes(deps: ChangeBatchDeps): Route[] {
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
