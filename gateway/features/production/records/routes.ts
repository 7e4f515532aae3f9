import * as z from 'zod';
import { idInput, idOrNumber } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  batchRecordCreate,
  type farmRecord,
  farmRecordCreate,
  noteCreate,
  productAnswer,
  type RecordAnswer,
  recordAnswer,
  recordCreate,
  recordsQuery,
  recordUpdate,
} from '#contract/resources/farm-records.ts';
import { healthOf } from '#contract/resources/health-records.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { FarmRole } from '#contract/words.ts';
import { journalAnswer } from '#core/audit.ts';
import { forbidden, notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Answer, type Route, route } from '#core/route.ts';
import { dayAfter, startOfDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { batchesThere } from '../batch-in-pond.ts';
import type { BatchState, BatchStates } from '../batch-state.ts';
import { harvestFrom } from '../withdrawal.ts';
import type { FarmRecord, Place, RecordFilter } from './ports.ts';
import type { RecordWarning } from './record-warnings.ts';
import {
  changeRecord,
  deleteRecord,
  placeOf,
  requirePlace,
  type WriteRecordDeps,
  writeRecord,
} from './write-record.ts';

export type RecordRoutesDeps = WriteRecordDeps & { batches: Pick<BatchStates, 'byIds'> };

const tag = 'Records';
const MOST_PRODUCTS = 200;
const recordParams = z.object({ record_id: idInput });
const pondParams = z.object({ pond_id: idOrNumber });
const batchParams = z.object({ batch_id: idOrNumber });
const pointParams = z.object({ control_point_id: idInput });
const farmParams = z.object({ farm_id: idInput });
const at = { who: 'farm', at: 'params', others: 404 } as const;
const atPond = { ...at, of: 'pond', field: 'pond_id' } as const;
const atBatch = { ...at, of: 'batch', field: 'batch_id' } as const;
const atPoint = { ...at, of: 'control_point', field: 'control_point_id' } as const;
const atFarm = { ...at, of: 'farm', field: 'farm_id', right: 'read' } as const;
const atRecord = { ...at, of: 'farm_record', field: 'record_id' } as const;
const lists = { 200: { schema: recordAnswer, list: true } } as const;

/** What a farm writes down of its places: see farm-records. */
export function recordRoutes(deps: RecordRoutesDeps): Route[] {
  return [...listRoutes(deps), ...writingRoutes(deps), ...singleRoutes(deps)];
}

function listRoutes(deps: RecordRoutesDeps): Route[] {
  const listOf = (of: RecordFilter['of'], query: z.infer<typeof recordsQuery>): Promise<Answer> => {
    const filter = { of, kind: query.kind ?? null, except: query.except ?? null };
    return journalAnswer(query, {
      count: () => deps.queries.countRecords(filter),
      rows: (page) => answersOf(deps, deps.queries.recordsOf(filter, page)),
    });
  };
  const listIn = async (kind: Place['kind'], ref: string, query: z.infer<typeof recordsQuery>) =>
    listOf({ place: await requirePlace(deps, kind, ref) }, query);
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/records',
      tag,
      summary:
        'Treatments, water exchanges, notes, signs of disease, laboratory results, feeding trays, preparation and meter readings of a farm, newest first',
      access: atFarm,
      params: farmParams,
      query: recordsQuery,
      answers: lists,
      handle: async ({ params, query }) => ({ answer: await listOf({ farmId: params.farm_id }, query) }),
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/products',
      tag,
      summary: 'Products the farm has treated with, as they were last written down, newest first',
      access: atFarm,
      params: farmParams,
      answers: { 200: { schema: productAnswer, list: true } },
      async handle({ params }) {
        return {
          answer: { status: 200, rows: await deps.queries.productsOf(params.farm_id, MOST_PRODUCTS) },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/ponds/{pond_id}/records',
      tag,
      summary:
        'Treatments, water exchanges, notes, signs of disease, laboratory results, feeding trays and preparation of a pond, newest first',
      access: { ...atPond, right: 'read' },
      params: pondParams,
      query: recordsQuery,
      answers: lists,
      handle: async ({ params, query }) => ({ answer: await listIn('pond', params.pond_id, query) }),
    }),
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/records',
      tag,
      summary: 'Notes on a control point, newest first',
      access: { ...atPoint, right: 'read' },
      params: pointParams,
      query: recordsQuery,
      answers: lists,
      handle: async ({ params, query }) => ({
        answer: await listIn('control_point', params.control_point_id, query),
      }),
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/records',
      tag,
      summary:
        'What was written down of a batch, and what was done and seen in its ponds while it was there, newest first',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: recordsQuery,
      answers: lists,
      async handle({ params, query }) {
        const { id } = await requirePlace(deps, 'batch', params.batch_id);
        const state = (await deps.batches.byIds([id])).get(id);
        if (state === undefined) throw notFound('Batch');
        return { answer: await listOf(meanwhile(state), query) };
      },
    }),
  ];
}

function writingRoutes(deps: RecordRoutesDeps): Route[] {
  const answers = { 201: { schema: recordAnswer } } as const;
  const notes = {
    method: 'POST',
    tag,
    body: noteCreate,
    answers,
    idempotent: true,
  } as const;
  return [
    route({
      method: 'POST',
      path: '/ponds/{pond_id}/records',
      tag,
      summary:
        'Record a treatment, a water exchange, a note, signs of disease, a laboratory result, feeding trays or preparation of a pond',
      access: { ...atPond, right: 'record' },
      invalid: 422,
      params: pondParams,
      body: recordCreate,
      answers,
      idempotent: true,
      async handle(request) {
        const place = { kind: 'pond' as const, ref: request.params.pond_id };
        const made = await writeRecord(deps, signedIn(request), place, sentOf(request));
        return { ...made, answer: { status: 201, body: await toAnswer(deps, made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/records',
      tag,
      summary: 'Write down what an electricity meter of the farm shows',
      access: { ...at, of: 'farm', field: 'farm_id', right: 'record' },
      params: farmParams,
      body: farmRecordCreate,
      answers,
      idempotent: true,
      async handle(request) {
        const place = { kind: 'farm' as const, ref: request.params.farm_id };
        const made = await writeRecord(deps, signedIn(request), place, sentOf(request));
        return { ...made, answer: { status: 201, body: await toAnswer(deps, made.answer), rev: 1 } };
      },
    }),
    route({
      ...notes,
      path: '/batches/{batch_id}/records',
      summary: 'Write down a note, signs of disease or a laboratory result of a batch',
      access: { ...atBatch, right: 'record' },
      params: batchParams,
      body: batchRecordCreate,
      async handle(request) {
        const place = { kind: 'batch' as const, ref: request.params.batch_id };
        const { body } = request;
        const input =
          body.kind === 'DISEASE' || body.kind === 'LAB' ? body : { ...body, kind: 'NOTE' as const };
        const sent = { ...sentOf(request), input };
        const made = await writeRecord(deps, signedIn(request), place, sent);
        return { ...made, answer: { status: 201, body: await toAnswer(deps, made.answer), rev: 1 } };
      },
    }),
    route({
      ...notes,
      path: '/control-points/{control_point_id}/records',
      summary: 'Write a note on a control point',
      // technicians, too, who work on it
      access: { ...atPoint, right: 'attend' },
      params: pointParams,
      async handle(request) {
        const place = { kind: 'control_point' as const, ref: request.params.control_point_id };
        const made = await writeRecord(deps, signedIn(request), place, sentOf(request));
        return { ...made, answer: { status: 201, body: await toAnswer(deps, made.answer), rev: 1 } };
      },
    }),
  ];
}

const sentOf = <Input>(request: {
  body: Input;
  rawBody: Readonly<Record<string, unknown>>;
  language: Language;
}) => ({ input: request.body, sentDate: request.rawBody['happened_at'], language: request.language });

function singleRoutes(deps: RecordRoutesDeps): Route[] {
  async function seenRecord(id: string): Promise<FarmRecord> {
    const record = await deps.queries.recordById(id);
    if (record === null) throw notFound('Record');
    return record;
  }
  // technicians, too, whose notes on control points are theirs
  const own = { ...atRecord, right: 'manage', recorder: 'attend' } as const;
  return [
    route({
      method: 'GET',
      path: '/records/{record_id}',
      tag,
      summary:
        'A treatment, water exchange, note, signs of disease, a laboratory result, feeding trays, preparation or a meter reading',
      access: { ...atRecord, right: 'read' },
      params: recordParams,
      answers: { 200: { schema: recordAnswer } },
      async handle(request) {
        const row = await seenRecord(request.params.record_id);
        return { answer: { status: 200, body: await toAnswer(deps, { row, warnings: [] }), rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/records/{record_id}',
      tag,
      summary: 'Correct a record; old and new values stay in the log',
      access: own,
      params: recordParams,
      body: recordUpdate,
      answers: { 200: { schema: recordAnswer } },
      async handle(request) {
        const current = await seenRecord(request.params.record_id);
        requireOwnWork(onFarm(request).role, current);
        requireMatch(request, current);
        const changed = await changeRecord(deps, signedIn(request), current, sentOf(request));
        const body = await toAnswer(deps, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/records/{record_id}',
      tag,
      summary: 'Delete a record; its values stay in the log',
      access: own,
      params: recordParams,
      answers: { 204: null },
      async handle(request) {
        const current = await seenRecord(request.params.record_id);
        requireOwnWork(onFarm(request).role, current);
        requireMatch(request, current);
        const gone = await deleteRecord(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

/** What was recorded at a pond is corrected by whoever may record there still, whatever he was when he wrote it. */
function requireOwnWork(role: FarmRole, { control_point_id: pointId }: FarmRecord): void {
  if (pointId === null && !mayOnFarm(role, 'record')) throw forbidden();
}

/** A batch with the time its animals were in each pond. */
function meanwhile({ batch, stays, timezone }: BatchState): RecordFilter['of'] {
  return {
    batchId: batch.id,
    farmId: batch.farm_id,
    stays: [...stays].map(([pondId, { from, to }]) => ({
      pondId,
      from: startOfDay(from, timezone),
      before: to === null ? null : startOfDay(dayAfter(to, 1), timezone),
    })),
  };
}

async function* answersOf(
  deps: RecordRoutesDeps,
  rows: AsyncIterable<FarmRecord>,
): AsyncIterable<RecordAnswer> {
  const there = batchesThere({ ...deps, ...deps.queries });
  let timezone: string | null = null;
  for await (const row of rows) {
    // the rows of one list lie on one farm
    timezone ??= (await placeOf(deps, row)).timezone;
    yield answerOf(row, { timezone, batches: await there(row) });
  }
}

async function toAnswer(
  deps: RecordRoutesDeps,
  { row, warnings }: { row: RowOf<typeof farmRecord>; warnings: RecordWarning[] },
): Promise<RecordAnswer> {
  const { timezone } = await placeOf(deps, row);
  const there = batchesThere({ ...deps, ...deps.queries });
  const answer = answerOf(row, { timezone, batches: await there(row) });
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

function answerOf(
  row: RowOf<typeof farmRecord>,
  { timezone, batches }: { timezone: string; batches: RecordAnswer['batches'] },
): RecordAnswer {
  return {
    id: row.id,
    kind: row.kind,
    farm_id: row.farm_id,
    pond_id: row.pond_id,
    batch_id: row.batch_id,
    control_point_id: row.control_point_id,
    happened_at: row.happened_at,
    text: row.text,
    product: row.product,
    product_kind: row.product_kind,
    product_lot: row.product_lot,
    amount: row.amount,
    unit: row.unit,
    responsible: row.responsible,
    withdrawal_days: row.withdrawal_days,
    harvest_from: row.kind === 'TREATMENT' ? harvestFrom(row, timezone) : null,
    source: row.source,
    ...healthOf(row),
    trays: row.trays,
    feeding_id: row.feeding_id,
    step: row.step,
    ended_on: row.ended_on,
    meter: row.meter,
    meter_factor: row.meter_factor,
    meter_change: row.meter_change,
    batches,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
