import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type MeasurementUpdate,
  measurement,
  measurementAnswer,
  measurementCreate,
  measurementCreated,
  measurementUpdate,
} from '#contract/resources/water-quality.ts';
import type { Alerting } from '#core/alerting.ts';
import { remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { alertsAfter } from './alerts-after-correction.ts';
import type { CorrectQueries, Measurement, MeasurementRow, PondToMeasure, ScienceOf } from './ports.ts';
import { type ReadWaterDeps, readWaterRoutes } from './read-routes.ts';
import {
  guardsOf,
  hasValue,
  measuredAt,
  type RecordMeasurementDeps,
  recordMeasurement,
  type WaterWarning,
  warningsIn,
} from './record-measurement.ts';
import { answerMeasurement } from './water-answers.ts';

export type WaterQualityDeps = RecordMeasurementDeps &
  CorrectMeasurementDeps &
  ReadWaterDeps & {
    /** For control: a measurement that the disk did not take. */
    heardUnsaved: (row: MeasurementRow) => void;
  };

const tag = 'Water quality';
const params = z.object({ measurement_id: idInput });
const access = {
  who: 'farm',
  of: 'measurement',
  at: 'params',
  field: 'measurement_id',
  others: 404,
} as const;
const correcting = { ...access, right: 'manage', recorder: 'record' } as const;
const corrected = measurementAnswer.extend({ warnings: measurementCreated.shape.warnings });

export function waterQualityRoutes(deps: WaterQualityDeps): Route[] {
  return [createRoute(deps), ...readWaterRoutes(deps), ...oneRoutes(deps)];
}

function createRoute(deps: WaterQualityDeps): Route {
  return route({
    method: 'POST',
    path: '/water-quality/',
    tag,
    summary: 'Record a measurement; what is beyond its limit raises an alert',
    access: { ...access, right: 'record', of: 'pond', at: 'body', field: 'pond_id' },
    body: measurementCreate,
    answers: { 201: { schema: measurementCreated } },
    idempotent: true,
    async handle(request) {
      const by = { userId: signedIn(request).userId, language: request.language };
      const made = await recordMeasurement(deps, by, request.body, request.rawBody['measurement_date']);
      const { row, alerts_triggered, warnings } = made.answer;
      const body = {
        ...(await answerMeasurement(deps, onFarm(request).farmId, row)),
        alerts_triggered,
        warnings,
      };
      return {
        ...made,
        answer: { status: 201, body, rev: 1 },
        // refused all the same, but the shrimp cannot wait for room on the disk
        whenStorageFails(error) {
          deps.heardUnsaved(row);
          throw error;
        },
      };
    },
  });
}

function oneRoutes(deps: WaterQualityDeps): Route[] {
  const path = '/water-quality/{measurement_id}';
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'One measurement',
      access: { ...access, right: 'read' },
      params,
      answers: { 200: { schema: measurementAnswer } },
      async handle(request) {
        const row = await visibleMeasurement(deps, request);
        return {
          answer: {
            status: 200,
            body: await answerMeasurement(deps, onFarm(request).farmId, row),
            rev: row.rev,
          },
        };
      },
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Correct a measurement; its alerts follow, old and new values are logged',
      access: correcting,
      params,
      body: measurementUpdate,
      answers: { 200: { schema: corrected } },
      async handle(request) {
        const current = await visibleMeasurement(deps, request);
        requireMatch(request, current);
        const by = { userId: signedIn(request).userId, language: request.language };
        const sent = { input: request.body, sentDate: request.rawBody['measurement_date'] };
        const done = await correctMeasurement(deps, by, current, sent);
        const { row, warnings } = done.answer;
        const body = { ...(await answerMeasurement(deps, onFarm(request).farmId, row)), warnings };
        return { ...done, answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Delete a measurement; its alerts end with it, its values stay in the log',
      access: correcting,
      params,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleMeasurement(deps, request);
        requireMatch(request, current);
        const by = { userId: signedIn(request).userId, language: request.language };
        return { ...(await deleteMeasurement(deps, by, current)), answer: { status: 204 } };
      },
    }),
  ];
}

async function visibleMeasurement(
  deps: Pick<WaterQualityDeps, 'queries'>,
  request: Request<{ measurement_id: string }, unknown, unknown>,
): Promise<Measurement> {
  const row = await deps.queries.measurementById(request.params.measurement_id);
  if (row === null) throw notFound('Measurement');
  return row;
}

type CorrectMeasurementDeps = CorrectionDeps &
  Pick<Kernel, 'now' | 'clockQuality'> & {
    queries: CorrectQueries;
    alerting: Alerting;
    scienceOf: ScienceOf;
  };

type By = { userId: string; language: Language };

/**
 * Decides a correction: the values, the audit entry with old and new ones, and what it means for the alerts. Fields left
 * out stay, null takes a value away. Throws 422 when no value would be left.
 */
async function correctMeasurement(
  deps: CorrectMeasurementDeps,
  by: By,
  current: Measurement,
  { input, sentDate }: { input: MeasurementUpdate; sentDate: unknown },
): Promise<Decision<{ row: Measurement; warnings: WaterWarning[] }>> {
  const pond = await pondOf(deps, current);
  const { measurement_date, ...values } = input;
  const changed = changesOf<MeasurementRow>(current, {
    ...values,
    ...(measurement_date === undefined
      ? {}
      : { measurement_date: measuredAt(deps, instantOnFarm(measurement_date, sentDate, pond.timezone)) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: Measurement = { ...current, ...set, rev: current.rev + 1 };
  if (!hasValue(row))
    throw invalidField(422, 'temperature', 'at least one value must stay; delete the measurement instead');
  const { water } = await deps.scienceOf(pond.farm_id);
  return {
    answer: { row, warnings: await warningsIn(deps.queries, water, row, by.language) },
    changes: [
      update(measurement, current, set),
      correctionEntry(deps, { ...entryOf(by, pond, current), ...changed }),
      ...(await alertsAfter(deps, { water, pond, before: current, after: row })),
    ],
    guards: guardsOf(pond, true),
  };
}

/** Decides the end of a measurement; its values stay in the audit, and its alerts end with it. */
async function deleteMeasurement(
  deps: CorrectMeasurementDeps,
  by: By,
  current: Measurement,
): Promise<Decision<void>> {
  const pond = await pondOf(deps, current);
  const { water } = await deps.scienceOf(pond.farm_id);
  const { rev: _rev, ...before } = current;
  return {
    answer: undefined,
    changes: [
      remove(measurement, current),
      correctionEntry(deps, { ...entryOf(by, pond, current), before, after: null }),
      ...(await alertsAfter(deps, { water, pond, before: current, after: null })),
    ],
    guards: guardsOf(pond, true),
  };
}

async function pondOf(deps: CorrectMeasurementDeps, { pond_id }: Measurement): Promise<PondToMeasure> {
  const pond = await deps.queries.pondToMeasure(pond_id);
  if (pond === null) throw notFound('Measurement');
  return pond;
}

function entryOf(by: By, pond: PondToMeasure, row: Measurement) {
  return {
    kind: 'measurement' as const,
    id: row.id,
    name: `Water of ${pond.cod}, ${localDay(row.measurement_date, pond.timezone)}`,
    farmId: pond.farm_id,
    userId: by.userId,
  };
}
