import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  measurementAnswer,
  measurementCreate,
  measurementCreated,
  measurementUpdate,
} from '#contract/resources/water-quality.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { type CorrectMeasurementDeps, correctMeasurement, deleteMeasurement } from './correct-measurement.ts';
import type { Measurement, MeasurementRow } from './ports.ts';
import { type ReadWaterDeps, readWaterRoutes } from './read-routes.ts';
import { type RecordMeasurementDeps, recordMeasurement } from './record-measurement.ts';
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
