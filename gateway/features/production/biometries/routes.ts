import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import {
  biometryAnswer,
  biometryCreate,
  biometryJournal,
  biometrySummary,
  biometryUpdate,
} from '#contract/resources/biometries.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { biometryToAnswer, headToAnswer, linesToAnswer, summaryToAnswer } from './biometry-answers.ts';
import type { Biometry, GrowthOf } from './ports.ts';
import {
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
