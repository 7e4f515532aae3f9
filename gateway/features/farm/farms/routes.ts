import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  deletedFarmAnswer,
  type FarmAnswer,
  farmAnswer,
  farmCreate,
  farmCreateWithAddress,
  farmDetail,
  farmUpdate,
} from '#contract/resources/farms.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import {
  type ChangeFarmDeps,
  type CreateFarmDeps,
  changeFarm,
  createFarm,
  deletedFarms,
  deleteFarmBy,
  type RestoreFarmDeps,
  restorableUntil,
  restoreFarm,
} from './create-farm.ts';
import type { Farm } from './ports.ts';

const farmParams = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Farms';

export function farmRoutes(deps: CreateFarmDeps & ChangeFarmDeps & RestoreFarmDeps): Route[] {
  async function visibleFarm(id: string): Promise<Farm> {
    const farm = await deps.queries.farmById(id);
    if (farm === null) throw notFound('Farm');
    return farm;
  }
  return [
    route({
      method: 'POST',
      path: '/farms/{user_id}',
      tag,
      summary: 'Create a farm of a user, with its address',
      access: { who: 'account' },
      token: 'record',
      params: z.object({ user_id: idInput }),
      body: farmCreateWithAddress,
      answers: { 201: { schema: farmAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await createFarm(deps, signedIn(request), request.params.user_id, request.body);
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/',
      tag,
      summary: 'Create a farm of the caller',
      access: { who: 'account' },
      token: 'record',
      body: farmCreate,
      answers: { 201: { schema: farmAnswer } },
      idempotent: true,
      async handle(request) {
        const caller = signedIn(request);
        const made = await createFarm(deps, caller, caller.userId, request.body);
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/',
      tag,
      summary: 'Farms the caller owns or is a member of',
      access: { who: 'account' },
      query: pageQuery,
      answers: { 200: { schema: farmAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        return {
          answer: {
            status: 200,
            rows: answersOf(deps.queries.farmsOf(signedIn(request).userId, { skip, limit })),
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/deleted',
      tag,
      summary: 'Farms of the caller that were deleted and can still come back, last deleted first',
      access: { who: 'account' },
      answers: { 200: { schema: deletedFarmAnswer, list: true } },
      async handle(request) {
        const found = await deletedFarms(deps, signedIn(request).userId);
        const rows = found.map((one) => ({
          id: one.farm.id,
          name: one.farm.name,
          deleted_at: isoOf(one.deletedAt),
          restorable_until: isoOf(restorableUntil(one)),
        }));
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/restore',
      tag,
      summary: 'Bring a deleted farm of the caller back, with all that was deleted with it; for 30 days',
      access: { who: 'account' },
      token: 'never',
      params: farmParams,
      answers: { 200: { schema: farmAnswer } },
      async handle(request) {
        const back = await restoreFarm(deps, signedIn(request), request.params.farm_id);
        return { ...back, answer: { status: 200, body: toAnswer(back.answer) } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}',
      tag,
      summary: 'A farm with its ponds',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      answers: { 200: { schema: farmDetail } },
      async handle(request) {
        const farm = await visibleFarm(onFarm(request).farmId);
        const ponds = await deps.queries.pondsOfFarm(farm.id);
        return { answer: { status: 200, body: { ...toAnswer(farm), ponds }, rev: farm.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}',
      tag,
      summary: 'Change a farm',
      access: { ...atFarm, right: 'manage' },
      params: farmParams,
      body: farmUpdate,
      answers: { 200: { schema: farmAnswer } },
      async handle(request) {
        const farm = await visibleFarm(onFarm(request).farmId);
        requireMatch(request, farm);
        const changed = await changeFarm(deps, signedIn(request).userId, farm, request.body);
        return {
          ...changed,
          answer: { status: 200, body: toAnswer(changed.answer), rev: changed.answer.rev },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/farms/{farm_id}',
      tag,
      summary: 'Delete a farm and everything on it',
      access: { ...atFarm, right: 'own' },
      params: farmParams,
      answers: { 204: null },
      async handle(request) {
        const gone = await deleteFarmBy(deps, signedIn(request).userId, onFarm(request).farmId);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

export function toAnswer(farm: Omit<Farm, 'rev'>): FarmAnswer {
  const { id, name, description, owner_id, address_id, lat, lng, timezone, created_at, updated_at } = farm;
  return { id, name, description, owner_id, address_id, lat, lng, timezone, created_at, updated_at };
}

export async function* answersOf(farms: AsyncIterable<Farm>): AsyncIterable<FarmAnswer> {
  for await (const farm of farms) yield toAnswer(farm);
}
