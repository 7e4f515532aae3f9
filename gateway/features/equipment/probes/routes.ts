import * as z from 'zod';
import { idInput, idOrNumber } from '#contract/fields.ts';
import {
  probeAnswer,
  probeCalibrationCreate,
  probeCreate,
  probeSample,
  probeUpdate,
} from '#contract/resources/probes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { ProbeRoutesDeps } from './bus-routes.ts';
import { busRoutes } from './bus-routes.ts';
import { profileOf } from './decode-registers.ts';
import type { ProbeInPond } from './ports.ts';
import { probeAnswerOf } from './probe-answers.ts';
import { profileRoutes } from './profile-routes.ts';
import { calibrateProbe, changeProbe, createProbe, deleteProbe } from './set-up-probe.ts';

const tag = 'Probes';
const params = z.object({ probe_id: idInput });
const atProbe = { who: 'farm', of: 'probe', at: 'params', field: 'probe_id', others: 404 } as const;
const one = '/probes/{probe_id}';

export function probeRoutes(deps: ProbeRoutesDeps): Route[] {
  return [...listRoutes(deps), ...oneRoutes(deps), ...busRoutes(deps), ...profileRoutes(deps)];
}

async function probeOf(deps: ProbeRoutesDeps, id: string): Promise<ProbeInPond> {
  const row = await deps.queries.probeById(id);
  if (row === null) throw notFound('Probe');
  return row;
}

async function shown(
  deps: ProbeRoutesDeps,
  rows: readonly ProbeInPond[],
  { farmId, language }: { farmId: string; language: Request<never, never, never>['language'] },
) {
  const [buses, profiles] = await Promise.all([
    deps.queries.busesOf(farmId),
    deps.queries.profilesOf(farmId),
  ]);
  const clocks = { now: deps.now(), monotonic: deps.monotonic() };
  return rows.map((row) =>
    probeAnswerOf(row, profileOf(row.probe_profile_id, profiles), {
      probe: deps.watch.probe(row.id),
      bus: buses.find(({ id }) => id === row.probe_bus_id) ?? null,
      clocks,
      language,
    }),
  );
}

function listRoutes(deps: ProbeRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/probes/',
      tag,
      summary: 'Hang a probe into a pond; it is read at once',
      access: { who: 'farm', of: 'pond', at: 'body', field: 'pond_id', right: 'operate', others: 403 },
      body: probeCreate,
      answers: { 201: { schema: probeAnswer } },
      idempotent: true,
      async handle(request) {
        const { farmId } = onFarm(request);
        const by = { userId: signedIn(request).userId, farmId };
        const made = await createProbe(deps, by, request.body);
        const [body] = await shown(deps, [made.answer], { farmId, language: request.language });
        return { ...made, answer: { status: 201, body } };
      },
    }),
    route({
      method: 'GET',
      path: '/probes/',
      tag,
      summary: 'Probes of a farm, or of one of its ponds, with their last values and what those are worth',
      access: { who: 'farm', of: 'farm', at: 'query', field: 'farm_id', right: 'read', others: 404 },
      query: z.object({ farm_id: idInput, pond_id: idOrNumber.optional() }),
      answers: { 200: { schema: probeAnswer, list: true } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const { pond_id } = request.query;
        const pond = pond_id === undefined ? null : await deps.queries.pondOf(pond_id);
        const all = await deps.queries.probesOf(farmId);
        const wanted = pond_id === undefined ? all : all.filter((row) => row.pond_id === pond?.id);
        return {
          answer: { status: 200, rows: await shown(deps, wanted, { farmId, language: request.language }) },
        };
      },
    }),
  ];
}

function oneRoutes(deps: ProbeRoutesDeps): Route[] {
  const answered = async (row: ProbeInPond, language: Request<never, never, never>['language']) => {
    const [body] = await shown(deps, [row], { farmId: row.farm_id, language });
    return { status: 200, body };
  };
  return [
    route({
      method: 'GET',
      path: one,
      tag,
      summary: 'A probe with its last values',
      access: { ...atProbe, right: 'read' },
      params,
      answers: { 200: { schema: probeAnswer } },
      async handle(request) {
        return { answer: await answered(await probeOf(deps, request.params.probe_id), request.language) };
      },
    }),
    route({
      method: 'PUT',
      hasNoTag: true,
      path: one,
      tag,
      summary: 'Change a probe: its name, pond, place on the bus, profile or pace',
      access: { ...atProbe, right: 'operate' },
      params,
      body: probeUpdate,
      answers: { 200: { schema: probeAnswer } },
      async handle(request) {
        const current = await probeOf(deps, request.params.probe_id);
        const done = await changeProbe(deps, signedIn(request).userId, current, request.body);
        return { ...done, answer: await answered(done.answer, request.language) };
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Take a probe out; what it measured stays',
      access: { ...atProbe, right: 'operate' },
      params,
      answers: { 204: null },
      async handle(request) {
        const current = await probeOf(deps, request.params.probe_id);
        return { ...deleteProbe(deps, signedIn(request).userId, current), answer: { status: 204 } };
      },
    }),
    route({
      method: 'GET',
      path: `${one}/samples`,
      tag,
      summary: 'What the probe said lately, oldest first: the last 360 readings since the program started',
      access: { ...atProbe, right: 'read' },
      params,
      answers: { 200: { schema: probeSample, list: true } },
      async handle(request) {
        const row = await probeOf(deps, request.params.probe_id);
        const samples = deps.watch.probe(row.id)?.samples ?? [];
        return {
          answer: { status: 200, rows: samples.map(({ at, values }) => ({ at: isoOf(at), values })) },
        };
      },
    }),
    route({
      method: 'POST',
      path: `${one}/calibrations`,
      tag,
      summary: 'Note that a probe was calibrated; the next reminder follows from it',
      access: { ...atProbe, right: 'operate' },
      params,
      body: probeCalibrationCreate,
      // without it: just now
      decidedBy: { fields: ['calibrated_at'], otherwise: 'refused' },
      answers: { 200: { schema: probeAnswer } },
      async handle(request) {
        const current = await probeOf(deps, request.params.probe_id);
        const done = calibrateProbe(deps, signedIn(request).userId, current, request.body);
        return { ...done, answer: await answered(done.answer, request.language) };
      },
    }),
  ];
}
