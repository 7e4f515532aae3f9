import * as z from 'zod';
import { flagInQuery, idInput, pageQuery } from '#contract/fields.ts';
import { pondCard, pondCards } from '#contract/resources/pond-cards.ts';
import { type PondAnswer, pondAnswer, pondCreate, pondUpdate } from '#contract/resources/ponds.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import {
  type CreatePondDeps,
  changePond,
  createPond,
  type DeletePondDeps,
  deletePond,
} from './create-pond.ts';
import { type PondCardDeps, pondCardOf, pondCardsOf } from './pond-cards.ts';
import type { Pond } from './ports.ts';

export type PondRoutesDeps = CreatePondDeps & Omit<PondCardDeps, 'queries'> & DeletePondDeps;

const pondParams = z.object({ pond_id: idInput });
const ofFarm = z.object({ farm_id: idInput.optional() });
const atPond = { who: 'farm', of: 'pond', at: 'params', field: 'pond_id', others: 404 } as const;
const ofFarmOrAll = {
  who: 'farm',
  right: 'read',
  of: 'farm',
  at: 'query',
  field: 'farm_id',
  others: 404,
  optional: true,
} as const;
// a refused field of a pond is 400, as the interface says
const common = { tag: 'Ponds', invalid: 400 } as const;

export function pondRoutes(deps: PondRoutesDeps): Route[] {
  async function visiblePond(id: string): Promise<Pond> {
    const pond = await deps.queries.pondById(id);
    if (pond === null) throw notFound('Pond');
    return pond;
  }
  return [
    route({
      ...common,
      method: 'POST',
      path: '/ponds/',
      summary: 'Create a pond on a farm',
      access: { who: 'farm', right: 'manage', of: 'farm', at: 'body', field: 'farm_id', others: 403 },
      body: pondCreate,
      answers: { 201: { schema: pondAnswer } },
      idempotent: true,
      async handle(request) {
        const by = { caller: signedIn(request), farm: onFarm(request), language: request.language };
        const made = await createPond(deps, by, request.body);
        const { pond, warnings } = made.answer;
        return { ...made, answer: { status: 201, body: { ...toAnswer(pond), warnings }, rev: 1 } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/ponds/',
      summary: 'Ponds of a farm, or of all farms of the caller',
      access: ofFarmOrAll,
      query: pageQuery.extend(ofFarm.shape),
      answers: { 200: { schema: pondAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const where = { userId: signedIn(request).userId, farmId: request.farm?.farmId ?? null };
        return {
          answer: { status: 200, rows: answersOf(deps.queries.pondsOf(where, { skip, limit })) },
        };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/ponds/summary-cards',
      summary: 'What lives in each pond, at a glance',
      access: ofFarmOrAll,
      query: ofFarm,
      answers: { 200: { schema: pondCards } },
      async handle(request) {
        const where = { userId: signedIn(request).userId, farmId: request.farm?.farmId ?? null };
        const ponds: Pond[] = [];
        for await (const pond of deps.queries.pondsOf(where, { skip: 0, limit: undefined })) ponds.push(pond);
        return { answer: { status: 200, body: await pondCardsOf(deps, ponds) } };
      },
    }),
    ...singlePondRoutes(deps, visiblePond),
  ];
}

function singlePondRoutes(deps: PondRoutesDeps, visiblePond: (id: string) => Promise<Pond>): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/ponds/{pond_id}',
      summary: 'A pond',
      access: { ...atPond, right: 'read' },
      params: pondParams,
      answers: { 200: { schema: pondAnswer } },
      async handle(request) {
        const pond = await visiblePond(request.params.pond_id);
        return { answer: { status: 200, body: toAnswer(pond), rev: pond.rev } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/ponds/{pond_id}/summary-card',
      summary: 'Everything about one pond on one card',
      access: { ...atPond, right: 'read' },
      params: pondParams,
      answers: { 200: { schema: pondCard } },
      async handle(request) {
        const pond = await visiblePond(request.params.pond_id);
        return { answer: { status: 200, body: await pondCardOf(deps, pond, request.language) } };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/ponds/{pond_id}',
      summary: 'Change a pond',
      access: { ...atPond, right: 'manage' },
      params: pondParams,
      body: pondUpdate,
      answers: { 200: { schema: pondAnswer } },
      async handle(request) {
        const current = await visiblePond(request.params.pond_id);
        requireMatch(request, current);
        const { body: input, language } = request;
        const changed = await changePond(deps, current, { input, language });
        const { pond, warnings } = changed.answer;
        return { ...changed, answer: { status: 200, body: { ...toAnswer(pond), warnings }, rev: pond.rev } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/ponds/{pond_id}',
      summary: 'Delete a pond and everything in it',
      access: { ...atPond, right: 'manage' },
      params: pondParams,
      query: z.object({
        force: flagInQuery.optional().describe('true: also with an active batch in it'),
      }),
      answers: { 204: null },
      async handle(request) {
        const gone = await deletePond(deps, signedIn(request), request.params.pond_id, {
          evenWithBatch: request.query.force === true,
        });
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function toAnswer(pond: Omit<Pond, 'rev'>): PondAnswer {
  return {
    id: pond.id,
    numeric_id: pond.numeric_id,
    farm_id: pond.farm_id,
    cod: pond.cod,
    pond_type: pond.pond_type,
    size_m2: pond.size_m2,
    depth_m: pond.depth_m,
    lat: pond.lat,
    lng: pond.lng,
    aerator_count: pond.aerator_count,
    control_point_id: pond.control_point_id,
    created_at: pond.created_at,
    updated_at: pond.updated_at,
  };
}

async function* answersOf(ponds: AsyncIterable<Pond>): AsyncIterable<PondAnswer> {
  for await (const pond of ponds) yield toAnswer(pond);
}
